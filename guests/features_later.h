/* SPDX-License-Identifier: BSD-2-Clause */
/* Features of instructions of EL0, for features.c. */
#ifndef GUEST_FEATURES_LATER_H
#define GUEST_FEATURES_LATER_H

/*
 * How many of those from CSSC to HBC are not there; it executes an instruction of each, which is
 * UNDEFINED.
 */
unsigned int later_absent(void);

const char *needs_cssc(void);
const char *needs_wfxt(void);
const char *needs_lse128(void);
const char *needs_lrcpc3(void);
const char *needs_hbc(void);
const char *needs_specres(void);

void extremes_and_counts(void);
void waits_until(void);
void wide_atomics(void);
void ordered_pairs(void);
void consistent_branches(void);
void prediction_restriction(void);

#endif
