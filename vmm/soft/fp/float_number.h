/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A floating-point number taken apart, and packed again with rounding: the basis of all arithmetic
 * in float*.c. Its functions are inline, so that the format is a constant.
 */
#ifndef VSPE_SOFT_FLOAT_NUMBER_H
#define VSPE_SOFT_FLOAT_NUMBER_H

#include "soft/fp/float.h"

#define FLOAT_INLINE static inline __attribute__((always_inline))

/* An expression with size as a constant. */
#define FLOAT_BY_SIZE(size, f, ...)                              \
	((size) == FLOAT_DOUBLE	  ? f(FLOAT_DOUBLE, __VA_ARGS__) \
	 : (size) == FLOAT_SINGLE ? f(FLOAT_SINGLE, __VA_ARGS__) \
				  : f(FLOAT_HALF, __VA_ARGS__))

#define FLOAT_TOP (UINT64_C(1) << 63)

enum float_kind { FLOAT_ZERO, FLOAT_FINITE, FLOAT_INFINITE, FLOAT_QUIET, FLOAT_SIGNALLING };

/* A FINITE number is significand * 2^(exponent - 63), and the top bit of the significand is 1. */
struct float_number {
	enum float_kind kind;
	bool negative;
	int exponent;
	uint64_t significand;
};

FLOAT_INLINE unsigned int float_bits(enum float_size size)
{
	return 16u << size;
}

FLOAT_INLINE unsigned int float_fraction_bits(enum float_size size)
{
	return size == FLOAT_DOUBLE ? 52 : size == FLOAT_SINGLE ? 23 : 10;
}

FLOAT_INLINE unsigned int float_exponent_bits(enum float_size size)
{
	return float_bits(size) - 1 - float_fraction_bits(size);
}

FLOAT_INLINE int float_bias(enum float_size size)
{
	return (1 << (float_exponent_bits(size) - 1)) - 1;
}

/* The number 1 */
FLOAT_INLINE uint64_t float_one(enum float_size size)
{
	return (uint64_t)float_bias(size) << float_fraction_bits(size);
}

/* The exponent field of infinities and NaNs. */
FLOAT_INLINE uint64_t float_exponent_max(enum float_size size)
{
	return (UINT64_C(1) << float_exponent_bits(size)) - 1;
}

FLOAT_INLINE uint64_t float_sign(enum float_size size)
{
	return UINT64_C(1) << (float_bits(size) - 1);
}

FLOAT_INLINE uint64_t float_fraction_mask(enum float_size size)
{
	return (UINT64_C(1) << float_fraction_bits(size)) - 1;
}

FLOAT_INLINE uint64_t float_quiet_bit(enum float_size size)
{
	return UINT64_C(1) << (float_fraction_bits(size) - 1);
}

FLOAT_INLINE uint64_t float_zero(enum float_size size, bool negative)
{
	return negative ? float_sign(size) : 0;
}

FLOAT_INLINE uint64_t float_infinity(enum float_size size, bool negative)
{
	return float_zero(size, negative) | float_exponent_max(size) << float_fraction_bits(size);
}

FLOAT_INLINE uint64_t float_default_nan(enum float_size size)
{
	return float_infinity(size, false) | float_quiet_bit(size);
}

FLOAT_INLINE uint64_t float_invalid(struct float_state *fp, enum float_size size)
{
	fp->fpsr |= FPSR_IOC;
	return float_default_nan(size);
}

/* Are denormals of this format flushed to zero? */
FLOAT_INLINE bool float_flushes(const struct float_state *fp, enum float_size size)
{
	return fp->fpcr & (size == FLOAT_HALF ? FPCR_FZ16 : FPCR_FZ);
}

/* A significand shifted right; its last bit is also set if any bit was lost. */
FLOAT_INLINE uint64_t float_shift_jam(uint64_t value, int by)
{
	if (by <= 0)
		return value;
	if (by > 63)
		return value != 0;
	return value >> by | ((value << (64 - by)) != 0);
}

/* alternative: half precision without infinities and NaNs. */
FLOAT_INLINE struct float_number float_unpack_as(struct float_state *fp, enum float_size size,
						 uint64_t bits, bool flush, bool alternative)
{
	const uint64_t fraction = bits & float_fraction_mask(size);
	const uint64_t exponent = bits >> float_fraction_bits(size) & float_exponent_max(size);
	struct float_number n = {.kind = FLOAT_FINITE, .negative = bits & float_sign(size)};

	if (exponent == 0) {
		if (fraction && flush && size != FLOAT_HALF)
			fp->fpsr |= FPSR_IDC;
		if (!fraction || flush) {
			n.kind = FLOAT_ZERO;
		} else {
			const int lead = __builtin_clzll(fraction);

			n.significand = fraction << lead;
			n.exponent = 64 - lead - float_bias(size) - (int)float_fraction_bits(size);
		}
	} else if (exponent == float_exponent_max(size) && !alternative) {
		n.kind = !fraction			    ? FLOAT_INFINITE
			 : fraction & float_quiet_bit(size) ? FLOAT_QUIET
							    : FLOAT_SIGNALLING;
	} else {
		n.significand = FLOAT_TOP | fraction << (63 - float_fraction_bits(size));
		n.exponent = (int)exponent - float_bias(size);
	}
	return n;
}

FLOAT_INLINE struct float_number float_unpack(struct float_state *fp, enum float_size size,
					      uint64_t bits)
{
	return float_unpack_as(fp, size, bits, float_flushes(fp, size), false);
}

FLOAT_INLINE bool float_is_nan(struct float_number n)
{
	return n.kind >= FLOAT_QUIET;
}

/* Does cutting off rest, of unit, round the magnitude up? odd: the last bit that is kept. */
FLOAT_INLINE bool float_rounds_up(enum float_rounding rounding, bool negative, bool odd,
				  uint64_t rest, uint64_t half)
{
	switch (rounding) {
	case FLOAT_NEAREST: return rest > half || (rest == half && odd);
	case FLOAT_NEAREST_AWAY: return rest >= half;
	case FLOAT_UP: return rest && !negative;
	case FLOAT_DOWN: return rest && negative;
	case FLOAT_ODD:
	case FLOAT_ODD_INFINITY: return rest && !odd;
	default: return false;
	}
}

FLOAT_INLINE uint64_t float_overflow(struct float_state *fp, enum float_size size, bool negative,
				     enum float_rounding rounding)
{
	const bool to_infinity = rounding == FLOAT_NEAREST || rounding == FLOAT_NEAREST_AWAY ||
				 rounding == FLOAT_ODD_INFINITY ||
				 rounding == (negative ? FLOAT_DOWN : FLOAT_UP);

	fp->fpsr |= FPSR_OFC | FPSR_IXC;
	return float_infinity(size, negative) - (to_infinity ? 0 : 1);
}

/* Rounds a FINITE number to a format. The last bit of the significand may be a sticky bit. */
FLOAT_INLINE uint64_t float_pack_as(struct float_state *fp, enum float_size size,
				    struct float_number n, enum float_rounding rounding, bool flush,
				    bool alternative)
{
	const int least = 1 - float_bias(size); /* of normal numbers */
	const unsigned int cut = 63 - float_fraction_bits(size);
	const bool tiny = n.exponent < least;
	uint64_t rest, result;

	if (tiny && flush) {
		fp->fpsr |= FPSR_UFC;
		return float_zero(size, n.negative);
	}
	if (tiny)
		n.significand = float_shift_jam(n.significand, least - n.exponent);
	rest = n.significand & ((UINT64_C(1) << cut) - 1);
	result = n.significand >> cut;
	/* The leading bit of a normal number adds 1 to the exponent's field: hence the 1 less. */
	if (!tiny) {
		const int64_t field = n.exponent - least;

		result += (uint64_t)field << float_fraction_bits(size);
		if (field >= (int64_t)float_exponent_max(size))
			result = UINT64_MAX >> 1; /* certainly too large, also when rounded */
	}
	if (result < UINT64_MAX >> 1 &&
	    float_rounds_up(rounding, n.negative, result & 1, rest, UINT64_C(1) << (cut - 1)))
		result++;
	if (alternative) {
		if (result >= float_sign(size)) {
			fp->fpsr |= FPSR_IOC;
			return float_zero(size, n.negative) | (float_sign(size) - 1);
		}
	} else if (result >= float_infinity(size, false)) {
		return float_overflow(fp, size, n.negative, rounding);
	}
	if (rest)
		fp->fpsr |= tiny ? FPSR_UFC | FPSR_IXC : FPSR_IXC;
	return float_zero(size, n.negative) | result;
}

FLOAT_INLINE uint64_t float_pack(struct float_state *fp, enum float_size size,
				 struct float_number n)
{
	return float_pack_as(fp, size, n, float_rounding(fp), float_flushes(fp, size), false);
}

/* A NaN operand as the result, FPProcessNaN(). */
FLOAT_INLINE uint64_t float_quiet(struct float_state *fp, enum float_size size, uint64_t bits,
				  struct float_number n)
{
	if (n.kind == FLOAT_SIGNALLING)
		fp->fpsr |= FPSR_IOC;
	if (fp->fpcr & FPCR_DN)
		return float_default_nan(size);
	return (bits & (float_sign(size) * 2 - 1)) | float_quiet_bit(size);
}

/* The result if a or b is a NaN: signalling before quiet, a before b. */
FLOAT_INLINE uint64_t float_choose_nan(struct float_state *fp, enum float_size size, uint64_t a,
				       struct float_number na, uint64_t b, struct float_number nb)
{
	const bool first = na.kind == FLOAT_SIGNALLING ||
			   (nb.kind != FLOAT_SIGNALLING && na.kind == FLOAT_QUIET);

	return first ? float_quiet(fp, size, a, na) : float_quiet(fp, size, b, nb);
}

/* A number of 128 bits above a power of two, normalized to a significand of 64. Not 0. */
FLOAT_INLINE struct float_number float_normalize(bool negative, int exponent,
						 unsigned __int128 value)
{
	const uint64_t high = (uint64_t)(value >> 64);
	const int lead = high ? __builtin_clzll(high) : 64 + __builtin_clzll((uint64_t)value);

	value <<= lead;
	return (struct float_number){
		.kind = FLOAT_FINITE,
		.negative = negative,
		.exponent = exponent - lead,
		.significand = (uint64_t)(value >> 64) | ((uint64_t)value != 0),
	};
}

#endif
