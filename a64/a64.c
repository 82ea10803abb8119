/* SPDX-License-Identifier: BSD-2-Clause */
/* Fields of an instruction: the masks of logical immediates, and conditions (Arm ARM, J1.1.2). */
#include "a64/a64.h"
#include "../sysreg/assertion.h"

bool a64_logical_immediate(bool sf, unsigned int n, unsigned int immr, unsigned int imms,
			   uint64_t *value)
{
	/* The element is 2, 4 ... 64 bits: the highest bit set in N:NOT(imms) says which. */
	unsigned int levels = n << 6 | (~imms & 0x3f);
	unsigned int bits = 64;
	unsigned int ones, rotate;
	uint64_t element;

	if ((n && !sf) || levels < 2)
		return false;
	while (!(levels & bits))
		bits >>= 1;
	vspe_assert_of(bits >= 2 && bits <= 64, bits, levels);
	ones = (imms & (bits - 1)) + 1;
	rotate = immr & (bits - 1);
	if (ones == bits)
		return false;

	element = (UINT64_C(1) << ones) - 1;
	if (rotate)
		element = element >> rotate | element << (bits - rotate);
	if (bits < 64)
		element &= (UINT64_C(1) << bits) - 1;
	for (; bits < 64; bits *= 2)
		element |= element << bits;
	*value = sf ? element : (uint32_t)element;
	return true;
}

bool a64_is_mask(bool sf, unsigned int n, unsigned int immr, unsigned int imms)
{
	uint64_t mask;

	return a64_logical_immediate(sf, n, immr, imms, &mask);
}

bool a64_condition_holds(unsigned int cond, unsigned int nzcv)
{
	bool n = nzcv & 8, z = nzcv & 4, c = nzcv & 2, v = nzcv & 1;
	bool holds = true;

	switch (cond >> 1 & 7) {
	case 0: holds = z; break;	     /* EQ, NE */
	case 1: holds = c; break;	     /* CS, CC */
	case 2: holds = n; break;	     /* MI, PL */
	case 3: holds = v; break;	     /* VS, VC */
	case 4: holds = c && !z; break;	     /* HI, LS */
	case 5: holds = n == v; break;	     /* GE, LT */
	case 6: holds = n == v && !z; break; /* GT, LE */
	default: return true;		     /* AL, and 0b1111 which is AL as well */
	}
	return (cond & 1) ? !holds : holds;
}
