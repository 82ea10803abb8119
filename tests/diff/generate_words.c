/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Random values, registers and words of A64 rows, with a bias to what is special about them.
 */
#include "../array.h"
#include "generator.h"
#include <assert.h>
#include "tests/splitmix.h"

uint64_t gen_random64(struct generator *g)
{
	return splitmix64(&g->random);
}

unsigned int gen_below(struct generator *g, unsigned int n)
{
	return (unsigned int)((gen_random64(g) >> 32) % n);
}

uint64_t gen_value(struct generator *g)
{
	static const uint64_t ends[] = {
		0,
		UINT64_C(1) << 63,
		UINT64_C(0x80000000),
		UINT64_C(0xffffffff80000000),
		UINT64_C(0x100000000),
		0x8000,
		0x80,
	};

	uint64_t end;

	/* One draw a statement: the order of two in one expression is the compiler's choice. */
	switch (gen_below(g, 8)) {
	case 0:
	case 1:
	case 2:
	case 3: /* an end, one less or one more */
		end = ends[gen_below(g, ARRAY_SIZE(ends))];
		return end + gen_below(g, 3) - 1;
	case 4: /* small, either sign */ return (uint64_t)gen_below(g, 130) - 65;
	case 5: /* one bit */ return UINT64_C(1) << gen_below(g, 64);
	default: return gen_random64(g);
	}
}

void gen_emit(struct generator *g, uint32_t word)
{
	assert(g->count < CASE_WORDS);
	g->code[g->count++] = word;
}

/*
 * FCVTZS of a scalar half to a fixed-point number: QEMU 7.2 leaves the sign of a negative result in
 * the 16 bits above it, which the Arm ARM has as zeros. float_half/fixed_scalar in tests/unit/soft
 * has its results. UQXTNB and UQXTNT of doublewords: QEMU 7.2 takes the lower word of those whose
 * highest bit is 1; core_sve2 has their results.
 */
static bool qemu_errs(const struct a64_insn *row, uint32_t word)
{
	return (row->id == A64_FCVTZS_SCALAR_FIXED && !(word >> 21 & 3)) ||
	       ((row->id == A64_UQXTNB_Z_ZZ || row->id == A64_UQXTNT_Z_ZZ) && word >> 22 & 1);
}

uint64_t gen_float(struct generator *g)
{
	static const uint8_t fractions[] = {10, 23, 52};
	const unsigned int size = gen_below(g, 3), fraction = fractions[size];
	const unsigned int width = 16u << size, exponent = width - 1 - fraction;
	const uint64_t most = (UINT64_C(1) << exponent) - 1;
	uint64_t value = 0;

	for (unsigned int at = 0; at < 64; at += width) {
		uint64_t bits = gen_random64(g) & ((UINT64_C(1) << fraction) - 1);
		uint64_t field = gen_random64(g) & most;

		switch (gen_below(g, 12)) {
		case 0: field = 0; break;
		case 1: field = most; break;
		case 2: bits = 0; break;
		case 3: field = bits = 0; break;
		case 4: field = most, bits = 0; break;
		case 5: field = most - 1; break;
		case 6: bits &= ~((UINT64_C(1) << fraction / 2) - 1); /* fallthrough */
		default: field = most / 2 + field % 32 - 16; break;
		}
		value |= ((gen_random64(g) & 1) << (width - 1) | field << fraction | bits) << at;
	}
	return value;
}

uint32_t gen_word(struct generator *g, enum a64_id id)
{
	const struct a64_insn *row = &a64_table[id];
	uint32_t word;

	do {
		uint32_t fields = (uint32_t)gen_random64(g);

		switch (gen_below(g, 10)) {
		case 0: fields &= (uint32_t)gen_random64(g); break;
		case 1: fields |= (uint32_t)gen_random64(g); break;
		case 2: fields = (fields & ~UINT32_C(0x1f0000)) | a64_rn(fields) << 16; break;
		case 3: fields = (fields & ~UINT32_C(0x1f)) | a64_rn(fields); break;
		default: break;
		}
		word = (fields & ~row->mask) | row->value;
	} while (a64_decode(word) != row || qemu_errs(row, word));
	return word;
}

uint32_t gen_computation(struct generator *g, uint32_t keep)
{
	const unsigned int immediates = A64_B, registers = A64_UMULH + 1 - A64_AND;
	uint32_t word;

	do {
		unsigned int n = gen_below(g, immediates + registers);

		word = gen_word(g, n < immediates ? n : n - immediates + A64_AND);
	} while (KEEP(a64_rt(word)) & keep);
	return word;
}

void gen_emit_computation(struct generator *g, uint32_t keep)
{
	gen_emit(g, gen_computation(g, keep));
}

void gen_emit_constant(struct generator *g, unsigned int d, uint64_t value)
{
	unsigned int zeros = 0, ones = 0;
	uint64_t most;
	bool first = true;

	for (unsigned int hw = 0; hw < 4; hw++) {
		zeros += (value >> 16 * hw & 0xffff) == 0;
		ones += (value >> 16 * hw & 0xffff) == 0xffff;
	}
	most = ones > zeros ? 0xffff : 0;
	for (unsigned int hw = 0; hw < 4; hw++) {
		uint64_t half = value >> 16 * hw & 0xffff;
		enum a64_id id = A64_MOVK;

		if (half == most && !(first && hw == 3))
			continue;
		if (first) {
			id = most ? A64_MOVN : A64_MOVZ;
			half ^= most;
		}
		gen_emit(g, gen_fixed(id) | SF | gen_field(hw, 21, 2) | gen_field(half, 5, 16) | d);
		first = false;
	}
}

unsigned int gen_other_register(struct generator *g, unsigned int a, unsigned int b)
{
	unsigned int n;

	do
		n = gen_below(g, 31);
	while (n == a || n == b);
	return n;
}
