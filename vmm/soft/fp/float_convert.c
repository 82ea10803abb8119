/* SPDX-License-Identifier: BSD-2-Clause */
/* From format to format, to integral values and integers, and back: see float.h. */
#include "soft/fp/float_number.h"

/* A NaN keeps the upper bits of its fraction. */
static uint64_t convert_nan(struct float_state *fp, enum float_size from, enum float_size to,
			    uint64_t a, struct float_number n, bool alternative)
{
	const unsigned int up = 52 - float_fraction_bits(from), down = 52 - float_fraction_bits(to);
	const uint64_t fraction = (a & float_fraction_mask(from)) << up >> down;

	if (n.kind == FLOAT_SIGNALLING || alternative)
		fp->fpsr |= FPSR_IOC;
	if (alternative)
		return float_zero(to, n.negative);
	if (fp->fpcr & FPCR_DN)
		return float_default_nan(to);
	return float_infinity(to, n.negative) | float_quiet_bit(to) | fraction;
}

uint64_t float_convert(struct float_state *fp, enum float_size from, enum float_size to, uint64_t a,
		       enum float_rounding rounding)
{
	/* Conversions of half precision ignore FZ16. */
	const bool from_flush = from != FLOAT_HALF && float_flushes(fp, from);
	const bool to_flush = to != FLOAT_HALF && float_flushes(fp, to);
	const bool alternative = fp->fpcr & FPCR_AHP;
	const bool to_alternative = alternative && to == FLOAT_HALF;
	const struct float_number n =
		float_unpack_as(fp, from, a, from_flush, alternative && from == FLOAT_HALF);

	if (float_is_nan(n))
		return convert_nan(fp, from, to, a, n, to_alternative);
	if (n.kind == FLOAT_ZERO)
		return float_zero(to, n.negative);
	if (n.kind == FLOAT_FINITE)
		return float_pack_as(fp, to, n, rounding, to_flush, to_alternative);
	if (!to_alternative)
		return float_infinity(to, n.negative);
	fp->fpsr |= FPSR_IOC;
	return float_zero(to, n.negative) | (float_sign(to) - 1);
}

uint64_t float_widen_half(struct float_state *fp, uint64_t a)
{
	struct float_state exact = {.fpcr = fp->fpcr & FPCR_FZ16};
	const struct float_number n = float_unpack(&exact, FLOAT_HALF, a);

	switch (n.kind) {
	case FLOAT_ZERO: return float_zero(FLOAT_SINGLE, n.negative);
	case FLOAT_FINITE: return float_pack(&exact, FLOAT_SINGLE, n);
	case FLOAT_INFINITE: return float_infinity(FLOAT_SINGLE, n.negative);
	default:
		return float_infinity(FLOAT_SINGLE, n.negative) |
		       (a & float_fraction_mask(FLOAT_HALF)) << (23 - 10);
	}
}

/* Both formats have the same exponents, so a number is rounded in place. */
uint16_t float_to_bf16(struct float_state *fp, uint32_t a)
{
	const struct float_number n = float_unpack(fp, FLOAT_SINGLE, a);
	const uint32_t sign = a >> 16 & 0x8000, infinity = 0x7f80, magnitude = a & 0x7fffffff;
	const enum float_rounding rounding = float_rounding(fp);
	const uint32_t rest = magnitude & 0xffff;
	uint32_t result = magnitude >> 16;

	if (float_is_nan(n))
		return (uint16_t)(float_quiet(fp, FLOAT_SINGLE, a, n) >> 16);
	if (n.kind == FLOAT_ZERO)
		return (uint16_t)sign;
	if (float_rounds_up(rounding, n.negative, result & 1, rest, 0x8000))
		result++;
	if (rest && result >= infinity)
		return (uint16_t)(float_overflow(fp, FLOAT_SINGLE, n.negative, rounding) >> 16);
	if (rest)
		fp->fpsr |= magnitude < 0x00800000 ? FPSR_UFC | FPSR_IXC : FPSR_IXC;
	return (uint16_t)(sign | result);
}

/* The integral magnitude of a FINITE number of less than 2^64; *inexact if it was not integral. */
static uint64_t integral(struct float_number n, enum float_rounding rounding, bool *inexact)
{
	const int cut = 63 - n.exponent;
	uint64_t whole, rest;

	*inexact = false;
	if (cut == 0)
		return n.significand;
	if (cut > 64) { /* less than a half */
		whole = 0;
		rest = 1;
	} else {
		whole = cut == 64 ? 0 : n.significand >> cut;
		rest = n.significand << (64 - cut);
	}
	*inexact = rest != 0;
	return whole + float_rounds_up(rounding, n.negative, whole & 1, rest, FLOAT_TOP);
}

uint64_t float_round_to_integral(struct float_state *fp, enum float_size size, uint64_t a,
				 enum float_rounding rounding, bool exact)
{
	const struct float_number n = float_unpack(fp, size, a);
	uint64_t magnitude;
	bool inexact;

	if (float_is_nan(n))
		return float_quiet(fp, size, a, n);
	if (n.kind == FLOAT_INFINITE)
		return float_infinity(size, n.negative);
	if (n.kind == FLOAT_ZERO)
		return float_zero(size, n.negative);
	if (n.exponent >= (int)float_fraction_bits(size))
		return float_pack(fp, size, n);
	magnitude = integral(n, rounding, &inexact);
	if (inexact && exact)
		fp->fpsr |= FPSR_IXC;
	if (!magnitude)
		return float_zero(size, n.negative);
	return float_pack(fp, size, float_normalize(n.negative, 127, magnitude));
}

uint64_t float_round_to_width(struct float_state *fp, enum float_size size, uint64_t a,
			      enum float_rounding rounding, unsigned int bits)
{
	const struct float_number n = float_unpack(fp, size, a);
	const struct float_number least = {.kind = FLOAT_FINITE,
					   .negative = true,
					   .exponent = (int)bits - 1,
					   .significand = FLOAT_TOP};
	const uint64_t limit = UINT64_C(1) << (bits - 1);
	uint64_t magnitude = UINT64_MAX;
	bool inexact = false;

	if (n.kind == FLOAT_ZERO)
		return float_zero(size, n.negative);
	if (n.kind == FLOAT_FINITE && n.exponent < 64)
		magnitude = integral(n, rounding, &inexact);
	if (magnitude > limit - !n.negative) {
		fp->fpsr |= FPSR_IOC;
		return float_pack(fp, size, least);
	}
	if (inexact)
		fp->fpsr |= FPSR_IXC;
	if (!magnitude)
		return float_zero(size, n.negative);
	return float_pack(fp, size, float_normalize(n.negative, 127, magnitude));
}

uint32_t float_to_javascript(struct float_state *fp, uint64_t a, bool *exact)
{
	const struct float_number n = float_unpack(fp, FLOAT_DOUBLE, a);
	uint64_t magnitude = 0;
	bool inexact = false;

	/* Neither a negative zero nor a number that is flushed to zero is exact. */
	*exact = n.kind == FLOAT_ZERO && !a;
	if (n.kind == FLOAT_ZERO)
		return 0;
	/* From 2^84 on the lowest 32 bits are 0. */
	if (n.kind == FLOAT_FINITE && n.exponent < 64)
		magnitude = integral(n, FLOAT_TO_ZERO, &inexact);
	else if (n.kind == FLOAT_FINITE && n.exponent < 84)
		magnitude = n.significand << (n.exponent - 63);
	if (n.kind != FLOAT_FINITE || n.exponent > 63 ||
	    magnitude > (UINT64_C(1) << 31) - !n.negative)
		fp->fpsr |= FPSR_IOC;
	else if (inexact)
		fp->fpsr |= FPSR_IXC;
	else
		*exact = true;
	return (uint32_t)(n.negative ? 0 - magnitude : magnitude);
}

uint64_t float_to_fixed(struct float_state *fp, enum float_size from, uint64_t a, unsigned int bits,
			unsigned int fraction, bool is_signed, enum float_rounding rounding)
{
	const uint64_t mask = UINT64_MAX >> (64 - bits);
	struct float_number n = float_unpack(fp, from, a);
	/* The largest magnitudes above and below zero */
	const uint64_t above = is_signed ? mask >> 1 : mask, below = is_signed ? above + 1 : 0;
	const uint64_t limit = n.negative ? below : above;
	uint64_t magnitude = UINT64_MAX;
	bool inexact = false, fits = false;

	if (n.kind == FLOAT_ZERO)
		return 0;
	if (float_is_nan(n)) {
		fp->fpsr |= FPSR_IOC;
		return 0;
	}
	n.exponent += (int)fraction;
	if (n.kind == FLOAT_FINITE && n.exponent < 64) {
		magnitude = integral(n, rounding, &inexact);
		fits = magnitude <= limit;
	}
	if (!fits) {
		fp->fpsr |= FPSR_IOC;
		magnitude = limit;
	} else if (inexact) {
		fp->fpsr |= FPSR_IXC;
	}
	return (n.negative ? 0 - magnitude : magnitude) & mask;
}

uint64_t float_from_fixed(struct float_state *fp, enum float_size to, uint64_t value,
			  unsigned int fraction, bool is_signed)
{
	const bool negative = is_signed && value >> 63;

	if (!value)
		return 0;
	return float_pack(
		fp, to,
		float_normalize(negative, 127 - (int)fraction, negative ? 0 - value : value));
}
