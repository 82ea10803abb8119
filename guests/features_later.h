/* SPDX-License-Identifier: BSD-2-Clause */
/* Features of instructions that came after Armv8.7, for features.c. */
#ifndef GUEST_FEATURES_LATER_H
#define GUEST_FEATURES_LATER_H

/* How many of them are not there; it executes an instruction of each, which is UNDEFINED. */
unsigned int later_absent(void);

const char *needs_cssc(void);
const char *needs_wfxt(void);
const char *needs_lse128(void);
const char *needs_lrcpc3(void);
const char *needs_hbc(void);

void extremes_and_counts(void);
void waits_until(void);
void wide_atomics(void);
void ordered_pairs(void);
void consistent_branches(void);

#endif
