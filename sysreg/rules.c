/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rows of registers.def as C (generate.py makes rules.inc of them), and the look-ups of
 * registers. Source: the register pages (Arm ARM DDI 0487).
 */
#include "rules.h"
#include "encoding.h"

#include "rules.inc"

const uint8_t sysreg_conclusions[STEP_COUNT] = {
#define TERM(term, text)
#define STEP(step, conclusion, a, b, c, d) [STEP_##step] = CONCLUSION_##conclusion,
#include "steps.def"
#undef TERM
#undef STEP
};

/* op0, op1, CRn, CRm and op2 have 2, 3, 4, 4 and 3 bits. */
uint32_t sysreg_encode(unsigned int op0, unsigned int op1, unsigned int crn, unsigned int crm,
		       unsigned int op2)
{
	return (op0 & 3) << 14 | (op1 & 7) << 11 | (crn & 15) << 7 | (crm & 15) << 3 | (op2 & 7);
}

uint32_t sysreg_encoding_of_word(uint32_t word)
{
	return word >> 5 & 0xffff;
}

/* Op0 [21:20], Op2 [19:17], Op1 [16:14], CRn [13:10], CRm [4:1]. */
uint32_t sysreg_encoding_of_iss(uint32_t iss)
{
	return sysreg_encode(iss >> 20, iss >> 14, iss >> 10, iss >> 1, iss >> 17);
}

uint32_t sysreg_encoding(enum sysreg_id reg)
{
	return (unsigned int)reg < SYSREG_COUNT ? encodings[reg] : UINT32_MAX;
}

/* The index of slots knows neither op0 nor CRn nor the rest of CRm. */
enum sysreg_id sysreg_find(uint32_t encoding)
{
	const uint32_t op1 = encoding >> 11 & 7, crm_low = encoding >> 3 & 1, op2 = encoding & 7;
	const uint8_t slot = slots[op1 << 4 | crm_low << 3 | op2];

	if (slot == 0 || encodings[slot - 1] != encoding)
		return SYSREG_COUNT;
	return (enum sysreg_id)(slot - 1);
}

const char *sysreg_name(enum sysreg_id reg)
{
	return (unsigned int)reg < SYSREG_COUNT ? names[reg] : NULL;
}

bool sysreg_writable(enum sysreg_id reg)
{
	return (unsigned int)reg < SYSREG_COUNT &&
	       !(sysreg_rules[reg][1].steps[3] & 1u << STEP_NO_ACCESSOR);
}
