/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files of the guest levels3 share.
 */
#ifndef GUEST_LEVELS3_H
#define GUEST_LEVELS3_H

#include "levels.h"

/* word takes an exception to EL2, at that vector, with that syndrome; then c is at its level. */
bool to_el2(uint32_t word, enum exc_vector vector, uint64_t esr, unsigned int after,
	    const char *what);
/* lower_init() with these bits of SCR_EL3 instead of main's NS. */
void init_state(unsigned int el, uint64_t state);

const char *needs_el3_fp(void);
const char *needs_pauth(void);
const char *needs_sel2(void);
const char *needs_rme(void);
const char *needs_two_states(void);

#define LEVELS_TEST(function, skip, name) void function(void);
#include "levels3.def"
#undef LEVELS_TEST

#endif
