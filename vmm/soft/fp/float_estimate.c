/* SPDX-License-Identifier: BSD-2-Clause */
/* Estimates of reciprocals, which the architecture defines bit by bit: see float.h. */
#include "soft/fp/float_number.h"

/* a: 256 to 511, which means 0.5 to 1. Returns the same range, which means 1 to 2. */
static unsigned int reciprocal(unsigned int a)
{
	return ((1u << 19) / (2 * a + 1) + 1) / 2;
}

/* a: 128 to 511, which means 0.25 to 1. Returns 256 to 511, which means 1 to 2. */
static unsigned int root_reciprocal(unsigned int a)
{
	uint64_t b = 512;

	a = a < 256 ? 2 * a + 1 : ((a & ~1u) + 1) * 2;
	while (a * (b + 1) * (b + 1) < UINT64_C(1) << 28)
		b++;
	return (unsigned int)(b + 1) / 2;
}

uint32_t float_unsigned_reciprocal_estimate(uint32_t a)
{
	return a >> 31 ? reciprocal(a >> 23) << 23 : UINT32_MAX;
}

uint32_t float_unsigned_root_estimate(uint32_t a)
{
	return a >> 30 ? root_reciprocal(a >> 23) << 23 : UINT32_MAX;
}

/* An estimate of 1 to 2 in steps of 1/256, as a significand. */
static uint64_t estimate_significand(unsigned int estimate)
{
	return (uint64_t)estimate << (63 - 8);
}

FLOAT_INLINE uint64_t reciprocal_estimate(enum float_size size, struct float_state *fp, uint64_t a)
{
	const struct float_number n = float_unpack(fp, size, a);
	struct float_number result = {.kind = FLOAT_FINITE, .negative = n.negative};

	if (float_is_nan(n))
		return float_quiet(fp, size, a, n);
	if (n.kind == FLOAT_INFINITE)
		return float_zero(size, n.negative);
	if (n.kind == FLOAT_ZERO) {
		fp->fpsr |= FPSR_DZC;
		return float_infinity(size, n.negative);
	}
	if (n.exponent < -float_bias(size) - 1)
		return float_overflow(fp, size, n.negative, float_rounding(fp));
	result.exponent = -n.exponent - 1;
	result.significand = estimate_significand(reciprocal((unsigned int)(n.significand >> 55)));
	return float_pack(fp, size, result); /* exact */
}

uint64_t float_reciprocal_estimate(struct float_state *fp, enum float_size size, uint64_t a)
{
	return FLOAT_BY_SIZE(size, reciprocal_estimate, fp, a);
}

FLOAT_INLINE uint64_t root_estimate(enum float_size size, struct float_state *fp, uint64_t a)
{
	const struct float_number n = float_unpack(fp, size, a);
	/* 0.25 to 1 times a power of four */
	const int odd = n.exponent & 1;
	struct float_number result = {.kind = FLOAT_FINITE};

	if (float_is_nan(n))
		return float_quiet(fp, size, a, n);
	if (n.kind == FLOAT_ZERO) {
		fp->fpsr |= FPSR_DZC;
		return float_infinity(size, n.negative);
	}
	if (n.negative)
		return float_invalid(fp, size);
	if (n.kind == FLOAT_INFINITE)
		return 0;
	result.exponent = -(n.exponent - odd) / 2 - 1;
	result.significand = estimate_significand(
		root_reciprocal((unsigned int)(n.significand >> (odd ? 55 : 56))));
	return float_pack(fp, size, result);
}

uint64_t float_root_estimate(struct float_state *fp, enum float_size size, uint64_t a)
{
	return FLOAT_BY_SIZE(size, root_estimate, fp, a);
}

uint64_t float_reciprocal_exponent(struct float_state *fp, enum float_size size, uint64_t a)
{
	const struct float_number n = float_unpack(fp, size, a);
	const uint64_t most = float_exponent_max(size);
	const uint64_t field = a >> float_fraction_bits(size) & most;

	if (float_is_nan(n))
		return float_quiet(fp, size, a, n);
	return float_zero(size, n.negative) | (field ? most ^ field : most - 1)
						      << float_fraction_bits(size);
}
