/* SPDX-License-Identifier: BSD-2-Clause */
/* Arithmetic and comparisons: see float.h. */
#include "soft/fp/float_number.h"

/* The sign of a zero that is the sum of numbers of opposite sign. */
FLOAT_INLINE bool zero_is_negative(const struct float_state *fp)
{
	return float_rounding(fp) == FLOAT_DOWN;
}

uint64_t float_abs(struct float_state *fp, enum float_size size, uint64_t a)
{
	(void)fp;
	return a & (float_sign(size) - 1);
}

uint64_t float_negate(struct float_state *fp, enum float_size size, uint64_t a)
{
	(void)fp;
	return (a & (float_sign(size) * 2 - 1)) ^ float_sign(size);
}

/* The sum of two FINITE numbers. */
FLOAT_INLINE uint64_t add_finite(enum float_size size, struct float_state *fp,
				 struct float_number a, struct float_number b)
{
	unsigned __int128 large, small;
	int apart;

	if (b.exponent > a.exponent ||
	    (b.exponent == a.exponent && b.significand > a.significand)) {
		const struct float_number swapped = a;

		a = b;
		b = swapped;
	}
	apart = a.exponent - b.exponent;
	large = (unsigned __int128)a.significand << 63;
	small = apart < 64 ? ((unsigned __int128)b.significand << 63) >> apart : 1;
	if (a.negative == b.negative)
		large += small;
	else
		large -= small;
	if (!large)
		return float_zero(size, zero_is_negative(fp));
	return float_pack(fp, size, float_normalize(a.negative, a.exponent + 1, large));
}

FLOAT_INLINE uint64_t add(enum float_size size, struct float_state *fp, uint64_t a, uint64_t b,
			  bool subtract)
{
	const struct float_number na = float_unpack(fp, size, a);
	struct float_number nb = float_unpack(fp, size, b);

	if (float_is_nan(na) || float_is_nan(nb))
		return float_choose_nan(fp, size, a, na, b, nb);
	nb.negative ^= subtract;
	if (na.kind == FLOAT_INFINITE && nb.kind == FLOAT_INFINITE && na.negative != nb.negative)
		return float_invalid(fp, size);
	if (na.kind == FLOAT_INFINITE)
		return float_infinity(size, na.negative);
	if (nb.kind == FLOAT_INFINITE)
		return float_infinity(size, nb.negative);
	if (na.kind == FLOAT_ZERO && nb.kind == FLOAT_ZERO)
		return float_zero(size,
				  na.negative == nb.negative ? na.negative : zero_is_negative(fp));
	if (na.kind == FLOAT_ZERO)
		return float_pack(fp, size, nb);
	if (nb.kind == FLOAT_ZERO)
		return float_pack(fp, size, na);
	return add_finite(size, fp, na, nb);
}

uint64_t float_add(struct float_state *fp, enum float_size size, uint64_t a, uint64_t b)
{
	return FLOAT_BY_SIZE(size, add, fp, a, b, false);
}

uint64_t float_subtract(struct float_state *fp, enum float_size size, uint64_t a, uint64_t b)
{
	return FLOAT_BY_SIZE(size, add, fp, a, b, true);
}

uint64_t float_difference(struct float_state *fp, enum float_size size, uint64_t a, uint64_t b)
{
	return float_abs(fp, size, float_subtract(fp, size, a, b));
}

FLOAT_INLINE bool infinity_times_zero(struct float_number a, struct float_number b)
{
	return (a.kind == FLOAT_INFINITE && b.kind == FLOAT_ZERO) ||
	       (a.kind == FLOAT_ZERO && b.kind == FLOAT_INFINITE);
}

/* extended: FMULX, for which infinity times zero is 2. */
FLOAT_INLINE uint64_t multiply(enum float_size size, struct float_state *fp, uint64_t a, uint64_t b,
			       bool extended)
{
	const struct float_number na = float_unpack(fp, size, a), nb = float_unpack(fp, size, b);
	const bool negative = na.negative ^ nb.negative;

	if (float_is_nan(na) || float_is_nan(nb))
		return float_choose_nan(fp, size, a, na, b, nb);
	if (infinity_times_zero(na, nb)) {
		if (!extended)
			return float_invalid(fp, size);
		return float_zero(size, negative) | (uint64_t)(float_bias(size) + 1)
							    << float_fraction_bits(size);
	}
	if (na.kind == FLOAT_INFINITE || nb.kind == FLOAT_INFINITE)
		return float_infinity(size, negative);
	if (na.kind == FLOAT_ZERO || nb.kind == FLOAT_ZERO)
		return float_zero(size, negative);
	return float_pack(fp, size,
			  float_normalize(negative, na.exponent + nb.exponent + 1,
					  (unsigned __int128)na.significand * nb.significand));
}

uint64_t float_multiply(struct float_state *fp, enum float_size size, uint64_t a, uint64_t b)
{
	return FLOAT_BY_SIZE(size, multiply, fp, a, b, false);
}

uint64_t float_multiply_negate(struct float_state *fp, enum float_size size, uint64_t a, uint64_t b)
{
	return float_negate(fp, size, float_multiply(fp, size, a, b));
}

uint64_t float_multiply_extended(struct float_state *fp, enum float_size size, uint64_t a,
				 uint64_t b)
{
	return FLOAT_BY_SIZE(size, multiply, fp, a, b, true);
}

uint32_t float_bf16_dot(uint32_t addend, const uint16_t n[2], const uint16_t m[2])
{
	struct float_state fp = {.fpcr = FPCR_ODD | FPCR_FZ | FPCR_DN};
	uint64_t product[2];

	for (unsigned int i = 0; i < 2; i++)
		product[i] = multiply(FLOAT_SINGLE, &fp, float_from_bf16(n[i]),
				      float_from_bf16(m[i]), false);
	return (uint32_t)add(FLOAT_SINGLE, &fp, addend,
			     add(FLOAT_SINGLE, &fp, product[0], product[1], false), false);
}

FLOAT_INLINE uint64_t divide(enum float_size size, struct float_state *fp, uint64_t a, uint64_t b)
{
	const struct float_number na = float_unpack(fp, size, a), nb = float_unpack(fp, size, b);
	const bool negative = na.negative ^ nb.negative;
	unsigned __int128 dividend;
	struct float_number quotient = {.kind = FLOAT_FINITE, .negative = negative};
	bool less;

	if (float_is_nan(na) || float_is_nan(nb))
		return float_choose_nan(fp, size, a, na, b, nb);
	if (na.kind == nb.kind && na.kind != FLOAT_FINITE)
		return float_invalid(fp, size);
	if (na.kind == FLOAT_INFINITE)
		return float_infinity(size, negative);
	if (nb.kind == FLOAT_ZERO) {
		fp->fpsr |= FPSR_DZC;
		return float_infinity(size, negative);
	}
	if (na.kind == FLOAT_ZERO || nb.kind == FLOAT_INFINITE)
		return float_zero(size, negative);
	less = na.significand < nb.significand;
	dividend = (unsigned __int128)na.significand << (less ? 64 : 63);
	quotient.exponent = na.exponent - nb.exponent - less;
	quotient.significand = (uint64_t)(dividend / nb.significand);
	quotient.significand |= dividend % nb.significand != 0;
	return float_pack(fp, size, quotient);
}

uint64_t float_divide(struct float_state *fp, enum float_size size, uint64_t a, uint64_t b)
{
	return FLOAT_BY_SIZE(size, divide, fp, a, b);
}

/* The integral square root of value, and whether there is a remainder. */
static uint64_t root_of(unsigned __int128 value, bool *rest)
{
	unsigned __int128 left = value, root = 0;

	for (unsigned __int128 bit = (unsigned __int128)1 << 126; bit; bit >>= 2) {
		if (left >= root + bit) {
			left -= root + bit;
			root = (root >> 1) + bit;
		} else {
			root >>= 1;
		}
	}
	*rest = left != 0;
	return (uint64_t)root;
}

FLOAT_INLINE uint64_t square_root(enum float_size size, struct float_state *fp, uint64_t a)
{
	const struct float_number n = float_unpack(fp, size, a);
	const int odd = n.exponent & 1;
	struct float_number root = {.kind = FLOAT_FINITE};
	bool rest;

	if (float_is_nan(n))
		return float_quiet(fp, size, a, n);
	if (n.kind == FLOAT_ZERO)
		return float_zero(size, n.negative);
	if (n.negative)
		return float_invalid(fp, size);
	if (n.kind == FLOAT_INFINITE)
		return float_infinity(size, false);
	root.exponent = (n.exponent - odd) / 2;
	root.significand = root_of((unsigned __int128)n.significand << (63 + odd), &rest);
	root.significand |= rest;
	return float_pack(fp, size, root);
}

uint64_t float_root(struct float_state *fp, enum float_size size, uint64_t a)
{
	return FLOAT_BY_SIZE(size, square_root, fp, a);
}

/* A number of 128 bits shifted right, with its last bit as in float_shift_jam(). */
FLOAT_INLINE unsigned __int128 shift_jam_128(unsigned __int128 value, int by)
{
	if (by <= 0)
		return value;
	if (by > 127)
		return value != 0;
	return value >> by | ((value << (128 - by)) != 0);
}

/* (addend + a * b) / 2^halvings, rounded once; FINITE factors and a FINITE or ZERO addend. */
FLOAT_INLINE uint64_t fuse(enum float_size size, struct float_state *fp, struct float_number addend,
			   struct float_number a, struct float_number b, int halvings)
{
	const bool negative = a.negative ^ b.negative;
	/* Bit 126 of both is that of 2^exponent: their last bits are 0, so nothing is lost. */
	unsigned __int128 product = ((unsigned __int128)a.significand * b.significand) >> 1, other;
	int exponent = a.exponent + b.exponent + 1;

	if (addend.kind == FLOAT_ZERO)
		return float_pack(fp, size,
				  float_normalize(negative, exponent + 1 - halvings, product));
	other = (unsigned __int128)addend.significand << 63;
	if (addend.exponent > exponent) {
		product = shift_jam_128(product, addend.exponent - exponent);
		exponent = addend.exponent;
	} else {
		other = shift_jam_128(other, exponent - addend.exponent);
	}
	if (negative == addend.negative)
		return float_pack(
			fp, size,
			float_normalize(negative, exponent + 1 - halvings, product + other));
	if (product == other)
		return float_zero(size, zero_is_negative(fp));
	return float_pack(fp, size,
			  float_normalize(product > other ? negative : addend.negative,
					  exponent + 1 - halvings,
					  product > other ? product - other : other - product));
}

/* FMADD when no operand is a NaN, and the factors are not infinity and zero. */
FLOAT_INLINE uint64_t fuse_numbers(enum float_size size, struct float_state *fp,
				   struct float_number addend, struct float_number a,
				   struct float_number b, int halvings)
{
	const bool negative = a.negative ^ b.negative;
	const bool infinite = a.kind == FLOAT_INFINITE || b.kind == FLOAT_INFINITE;

	if (addend.kind == FLOAT_INFINITE && infinite && addend.negative != negative)
		return float_invalid(fp, size);
	if (addend.kind == FLOAT_INFINITE)
		return float_infinity(size, addend.negative);
	if (infinite)
		return float_infinity(size, negative);
	if (a.kind == FLOAT_ZERO || b.kind == FLOAT_ZERO) {
		if (addend.kind == FLOAT_ZERO)
			return float_zero(size, addend.negative == negative ? negative
									    : zero_is_negative(fp));
		addend.exponent -= halvings;
		return float_pack(fp, size, addend);
	}
	return fuse(size, fp, addend, a, b, halvings);
}

FLOAT_INLINE uint64_t multiply_add(enum float_size size, struct float_state *fp, uint64_t addend,
				   uint64_t a, uint64_t b)
{
	const struct float_number nc = float_unpack(fp, size, addend);
	const struct float_number na = float_unpack(fp, size, a);
	const struct float_number nb = float_unpack(fp, size, b);

	if (nc.kind == FLOAT_SIGNALLING)
		return float_quiet(fp, size, addend, nc);
	if (na.kind == FLOAT_SIGNALLING || nb.kind == FLOAT_SIGNALLING)
		return float_choose_nan(fp, size, a, na, b, nb);
	/* Invalid even if the addend is a quiet NaN, which is then not the result. */
	if (infinity_times_zero(na, nb))
		return float_invalid(fp, size);
	if (float_is_nan(nc))
		return float_quiet(fp, size, addend, nc);
	if (float_is_nan(na) || float_is_nan(nb))
		return float_choose_nan(fp, size, a, na, b, nb);
	return fuse_numbers(size, fp, nc, na, nb, 0);
}

uint64_t float_multiply_add(struct float_state *fp, enum float_size size, uint64_t addend,
			    uint64_t a, uint64_t b)
{
	return FLOAT_BY_SIZE(size, multiply_add, fp, addend, a, b);
}

/* (constant - a * b) / 2^halvings; significand: the constant's. */
FLOAT_INLINE uint64_t step(enum float_size size, struct float_state *fp, uint64_t a, uint64_t b,
			   uint64_t significand, int halvings)
{
	const struct float_number constant = {
		.kind = FLOAT_FINITE, .exponent = 1, .significand = significand};
	struct float_number na, nb;

	/* A NaN in a is returned with its sign changed. */
	a = float_negate(fp, size, a);
	na = float_unpack(fp, size, a);
	nb = float_unpack(fp, size, b);
	if (float_is_nan(na) || float_is_nan(nb))
		return float_choose_nan(fp, size, a, na, b, nb);
	if (infinity_times_zero(na, nb))
		return float_pack(fp, size,
				  (struct float_number){.kind = FLOAT_FINITE,
							.exponent = constant.exponent - halvings,
							.significand = significand});
	return fuse_numbers(size, fp, constant, na, nb, halvings);
}

uint64_t float_reciprocal_step(struct float_state *fp, enum float_size size, uint64_t a, uint64_t b)
{
	return FLOAT_BY_SIZE(size, step, fp, a, b, FLOAT_TOP, 0); /* 2 - a * b */
}

uint64_t float_root_step(struct float_state *fp, enum float_size size, uint64_t a, uint64_t b)
{
	return FLOAT_BY_SIZE(size, step, fp, a, b, FLOAT_TOP | FLOAT_TOP >> 1,
			     1); /* (3 - ab) / 2 */
}

/* -1, 0 or 1 as a is less than, equal to or greater than b; neither is a NaN. */
FLOAT_INLINE int order(struct float_number a, struct float_number b)
{
	const int sign = a.negative ? -1 : 1;

	if (a.kind == FLOAT_ZERO && b.kind == FLOAT_ZERO)
		return 0;
	if (a.kind == FLOAT_ZERO)
		return b.negative ? 1 : -1;
	if (b.kind == FLOAT_ZERO || a.negative != b.negative)
		return sign;
	if (a.kind != b.kind)
		return a.kind > b.kind ? sign : -sign;
	if (a.kind == FLOAT_INFINITE)
		return 0;
	if (a.exponent != b.exponent)
		return a.exponent > b.exponent ? sign : -sign;
	if (a.significand == b.significand)
		return 0;
	return a.significand > b.significand ? sign : -sign;
}

enum { UNORDERED = 2 };

/* As order(), or UNORDERED: invalid for a signalling NaN, or with quiet_invalid for any NaN. */
FLOAT_INLINE int compare(enum float_size size, struct float_state *fp, uint64_t a, uint64_t b,
			 bool quiet_invalid)
{
	const struct float_number na = float_unpack(fp, size, a), nb = float_unpack(fp, size, b);

	if (!float_is_nan(na) && !float_is_nan(nb))
		return order(na, nb);
	if (quiet_invalid || na.kind == FLOAT_SIGNALLING || nb.kind == FLOAT_SIGNALLING)
		fp->fpsr |= FPSR_IOC;
	return UNORDERED;
}

unsigned int float_compare(struct float_state *fp, enum float_size size, uint64_t a, uint64_t b,
			   bool quiet_invalid)
{
	switch (FLOAT_BY_SIZE(size, compare, fp, a, b, quiet_invalid)) {
	case -1: return 8;
	case 0: return 6;
	case 1: return 2;
	default: return 3;
	}
}

FLOAT_INLINE uint64_t lane(enum float_size size, bool holds)
{
	return holds ? float_sign(size) * 2 - 1 : 0;
}

uint64_t float_equal(struct float_state *fp, enum float_size size, uint64_t a, uint64_t b)
{
	return lane(size, FLOAT_BY_SIZE(size, compare, fp, a, b, false) == 0);
}

uint64_t float_greater_equal(struct float_state *fp, enum float_size size, uint64_t a, uint64_t b)
{
	const int order = FLOAT_BY_SIZE(size, compare, fp, a, b, true);

	return lane(size, order == 0 || order == 1);
}

uint64_t float_greater(struct float_state *fp, enum float_size size, uint64_t a, uint64_t b)
{
	return lane(size, FLOAT_BY_SIZE(size, compare, fp, a, b, true) == 1);
}

uint64_t float_abs_greater_equal(struct float_state *fp, enum float_size size, uint64_t a,
				 uint64_t b)
{
	return float_greater_equal(fp, size, float_abs(fp, size, a), float_abs(fp, size, b));
}

uint64_t float_abs_greater(struct float_state *fp, enum float_size size, uint64_t a, uint64_t b)
{
	return float_greater(fp, size, float_abs(fp, size, a), float_abs(fp, size, b));
}

/* FMAX, or FMIN; numbers: of a number and a quiet NaN, the number is the result. */
FLOAT_INLINE uint64_t extreme(enum float_size size, struct float_state *fp, uint64_t a, uint64_t b,
			      bool largest, bool numbers)
{
	struct float_number na = float_unpack(fp, size, a), nb = float_unpack(fp, size, b);
	const struct float_number never = {.kind = FLOAT_INFINITE, .negative = largest};

	if (numbers && na.kind == FLOAT_QUIET && nb.kind != FLOAT_QUIET)
		na = never;
	else if (numbers && nb.kind == FLOAT_QUIET && na.kind != FLOAT_QUIET)
		nb = never;
	if (float_is_nan(na) || float_is_nan(nb))
		return float_choose_nan(fp, size, a, na, b, nb);
	/* Of zeros, the positive one is the larger. */
	if (na.kind == FLOAT_ZERO && nb.kind == FLOAT_ZERO)
		return float_zero(size, largest ? na.negative && nb.negative
						: na.negative || nb.negative);
	if (order(na, nb) != (largest ? 1 : -1))
		na = nb;
	if (na.kind == FLOAT_ZERO)
		return float_zero(size, na.negative);
	if (na.kind == FLOAT_INFINITE)
		return float_infinity(size, na.negative);
	return float_pack(fp, size, na);
}

uint64_t float_max(struct float_state *fp, enum float_size size, uint64_t a, uint64_t b)
{
	return FLOAT_BY_SIZE(size, extreme, fp, a, b, true, false);
}

uint64_t float_min(struct float_state *fp, enum float_size size, uint64_t a, uint64_t b)
{
	return FLOAT_BY_SIZE(size, extreme, fp, a, b, false, false);
}

uint64_t float_max_number(struct float_state *fp, enum float_size size, uint64_t a, uint64_t b)
{
	return FLOAT_BY_SIZE(size, extreme, fp, a, b, true, true);
}

uint64_t float_min_number(struct float_state *fp, enum float_size size, uint64_t a, uint64_t b)
{
	return FLOAT_BY_SIZE(size, extreme, fp, a, b, false, true);
}
