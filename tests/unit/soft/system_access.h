/* SPDX-License-Identifier: BSD-2-Clause */
/* Accesses to system registers at any Exception level of a PE that has some, and how they end. */
#ifndef VSPE_TESTS_SYSTEM_ACCESS_H
#define VSPE_TESTS_SYSTEM_ACCESS_H

#include <stdio.h>

#include "arm/registers.h"
#include "system_fixture.h"

/* MSR of the register; MRS with READ ored. */
#define REG(op0, op1, crn, crm, op2) MSR_WORD(op0, op1, crn, crm, op2, 0)
#define READ			     (UINT32_C(1) << 21)

enum ending { DONE, UNDEFINED, TO_EL1, TO_EL2, TO_EL3, ABORTED };

/* A PE of these levels after reset, with SPE or without, whose controls are those of reset. */
void pe(struct engine_levels levels, bool spe);
/* With EL2 and no EL3; with both, FEAT_SEL2 and FEAT_RME. Every control of them is off. */
void pe_el2(void);
void pe_el3(void);
/* PSTATE.EL, with SP_ELx. */
void at(unsigned int el);
/* The MSR (of X5) or MRS (to X6) word; a trap has to have the EC and ISS that the word says. */
enum ending run(uint32_t word);
/* The same by name, for a message. */
const char *ending_name(enum ending ending);

#define expect_ending(word, want, ...)                                             \
	do {                                                                       \
		const enum ending is_ = run(word);                                 \
		char what_[160];                                                   \
		snprintf(what_, sizeof(what_), __VA_ARGS__);                       \
		cr_expect_eq(is_, want, "%s: %s, not %s", what_, ending_name(is_), \
			     ending_name(want));                                   \
	} while (0)

#endif
