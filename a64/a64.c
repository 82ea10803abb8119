/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The A64 instruction table as data, the search in it and the reserved field values (Arm ARM,
 * C4.1).
 */
#include "a64/a64.h"
#include <stddef.h>

/*
 * The compiler reads the patterns: every character but a blank shifts one bit in. Reading goes on
 * to index 47, into the padding when the pattern is shorter.
 */
#define CHARACTER(p, i)	      ((p "                ")[i])
#define SHIFT(p, i)	      (CHARACTER(p, i) != ' ')
#define ONE(p, i)	      (CHARACTER(p, i) == '1')
#define FIXED(p, i)	      (CHARACTER(p, i) == '1' || CHARACTER(p, i) == '0')
#define READ_1(bit, p, i, v)  (((v) << SHIFT(p, i)) | bit(p, i))
#define READ_2(bit, p, i, v)  READ_1(bit, p, (i) + 1, READ_1(bit, p, i, v))
#define READ_4(bit, p, i, v)  READ_2(bit, p, (i) + 2, READ_2(bit, p, i, v))
#define READ_8(bit, p, i, v)  READ_4(bit, p, (i) + 4, READ_4(bit, p, i, v))
#define READ_16(bit, p, i, v) READ_8(bit, p, (i) + 8, READ_8(bit, p, i, v))
#define READ(bit, p)	      READ_16(bit, p, 32, READ_16(bit, p, 16, READ_16(bit, p, 0, UINT32_C(0))))

const struct a64_insn a64_table[A64_COUNT] = {
#define A64(row_name, pattern, row_feature, row_check, row_operation, row_address) \
	{                                                                          \
		.name = #row_name,                                                 \
		.mask = READ(FIXED, pattern),                                      \
		.value = READ(ONE, pattern),                                       \
		.id = A64_##row_name,                                              \
		.feature = A64_FEAT_##row_feature,                                 \
		.check = A64_CHECK_##row_check,                                    \
		.operation = A64_OP_##row_operation,                               \
		.address = A64_ADDR_##row_address,                                 \
	},
#define A64_REST A64
#define A64_SECTION(name)
#include "a64/a64.def"
#undef A64_SECTION
#undef A64_REST
#undef A64
};

/* FIRST_<section> is the id of the section's first row: a marker takes the next id and gives it
 * back. */
enum {
#define A64(name, pattern, feature, check, operation, address) ROW_##name,
#define A64_REST					       A64
#define A64_SECTION(name)				       FIRST_##name, BEFORE_##name = FIRST_##name - 1,
#include "a64/a64.def"
#undef A64_SECTION
#undef A64_REST
#undef A64
};

/* The section of a word by bits [28:25], the main encoding groups. The rest is SVE, SME, FP or
 * reserved. */
static const struct {
	uint8_t first, end;
} sections[16] = {
	[0x4] = {FIRST_EXCLUSIVE_PAIR, FIRST_LOAD_STORE},
	[0x5] = {FIRST_REGISTER, A64_COUNT},
	[0x8] = {FIRST_IMMEDIATE, FIRST_BRANCH},
	[0x9] = {FIRST_IMMEDIATE, FIRST_BRANCH},
	[0xa] = {FIRST_BRANCH, FIRST_EXCLUSIVE_PAIR},
	[0xb] = {FIRST_BRANCH, FIRST_EXCLUSIVE_PAIR},
	[0xc] = {FIRST_LOAD_STORE, FIRST_REGISTER},
	[0xd] = {FIRST_REGISTER, A64_COUNT},
};

_Static_assert(A64_COUNT < 256, "sections holds ids in a byte");

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

/* No field holds a value that its instruction reserves. */
static bool a64_allocated(enum a64_check check, uint32_t word)
{
	bool sf = word >> 31;
	bool imms_fits = sf || !a64_field(word, 15, 1);
	uint64_t mask;

	switch (check) {
	case A64_CHECK_NONE: return true;
	case A64_CHECK_LOGICAL_IMM:
		return a64_logical_immediate(sf, a64_field(word, 22, 1), a64_field(word, 16, 6),
					     a64_field(word, 10, 6), &mask);
	case A64_CHECK_BITFIELD:
		return a64_field(word, 22, 1) == sf && imms_fits && (sf || !a64_field(word, 21, 1));
	case A64_CHECK_EXTRACT: return a64_field(word, 22, 1) == sf && imms_fits;
	case A64_CHECK_WIDE: return sf || !a64_field(word, 22, 1);
	case A64_CHECK_SHIFT: return imms_fits;
	case A64_CHECK_ADD_SHIFT: return imms_fits && a64_field(word, 22, 2) != 3;
	case A64_CHECK_EXTEND: return a64_field(word, 10, 3) <= 4;
	case A64_CHECK_EVEN_PAIRS: return !a64_field(word, 16, 1) && !a64_field(word, 0, 1);
	}
	return false;
}

const struct a64_insn *a64_decode(uint32_t word)
{
	unsigned int group = a64_field(word, 25, 4);
	const struct a64_insn *end = a64_table + sections[group].end;

	for (const struct a64_insn *insn = a64_table + sections[group].first; insn < end; insn++)
		if ((word & insn->mask) == insn->value)
			return a64_allocated(insn->check, word) ? insn : NULL;
	return NULL;
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
