/* SPDX-License-Identifier: BSD-2-Clause */
/* What SVE has for exponentials, logarithms and trigonometric functions: see float.h. */
#include "soft/fp/float_number.h"

FLOAT_INLINE uint64_t scale(enum float_size size, struct float_state *fp, uint64_t a, int64_t by)
{
	const int64_t most = 1 << 14; /* more than any exponent */
	struct float_number n = float_unpack(fp, size, a);

	if (float_is_nan(n))
		return float_quiet(fp, size, a, n);
	if (n.kind == FLOAT_ZERO)
		return float_zero(size, n.negative);
	if (n.kind == FLOAT_INFINITE)
		return float_infinity(size, n.negative);
	n.exponent += (int)(by > most ? most : by < -most ? -most : by);
	return float_pack(fp, size, n);
}

uint64_t float_scale(struct float_state *fp, enum float_size size, uint64_t a, uint64_t b)
{
	return FLOAT_BY_SIZE(size, scale, fp, a, (int64_t)b);
}

uint64_t float_logarithm(struct float_state *fp, enum float_size size, uint64_t a)
{
	const struct float_number n = float_unpack(fp, size, a);
	const uint64_t mask = float_sign(size) * 2 - 1;

	if (n.kind == FLOAT_FINITE)
		return (uint64_t)(int64_t)n.exponent & mask;
	if (n.kind == FLOAT_INFINITE)
		return mask >> 1;
	fp->fpsr |= FPSR_IOC;
	return float_sign(size);
}

uint64_t float_trig_square(struct float_state *fp, enum float_size size, uint64_t a, uint64_t b)
{
	struct float_state none = {0};
	const uint64_t square = float_multiply(fp, size, a, a);

	if (float_is_nan(float_unpack(&none, size, square)))
		return square;
	return (square & (float_sign(size) - 1)) | float_zero(size, b & 1);
}

uint64_t float_trig_select(struct float_state *fp, enum float_size size, uint64_t a, uint64_t b)
{
	const uint64_t value = b & 1 ? float_one(size) : a;

	return b & 2 ? float_negate(fp, size, value) : value;
}

/* 2^(i/64) without its leading 1, in units of 2^-52. Other formats round it. */
static const uint64_t fractions[64] = {
	UINT64_C(0x0000000000000), UINT64_C(0x02c9a3e778061), UINT64_C(0x059b0d3158574),
	UINT64_C(0x0874518759bc8), UINT64_C(0x0b5586cf9890f), UINT64_C(0x0e3ec32d3d1a2),
	UINT64_C(0x11301d0125b51), UINT64_C(0x1429aaea92de0), UINT64_C(0x172b83c7d517b),
	UINT64_C(0x1a35beb6fcb75), UINT64_C(0x1d4873168b9aa), UINT64_C(0x2063b88628cd6),
	UINT64_C(0x2387a6e756238), UINT64_C(0x26b4565e27cdd), UINT64_C(0x29e9df51fdee1),
	UINT64_C(0x2d285a6e4030b), UINT64_C(0x306fe0a31b715), UINT64_C(0x33c08b26416ff),
	UINT64_C(0x371a7373aa9cb), UINT64_C(0x3a7db34e59ff7), UINT64_C(0x3dea64c123422),
	UINT64_C(0x4160a21f72e2a), UINT64_C(0x44e086061892d), UINT64_C(0x486a2b5c13cd0),
	UINT64_C(0x4bfdad5362a27), UINT64_C(0x4f9b2769d2ca7), UINT64_C(0x5342b569d4f82),
	UINT64_C(0x56f4736b527da), UINT64_C(0x5ab07dd485429), UINT64_C(0x5e76f15ad2148),
	UINT64_C(0x6247eb03a5585), UINT64_C(0x6623882552225), UINT64_C(0x6a09e667f3bcd),
	UINT64_C(0x6dfb23c651a2f), UINT64_C(0x71f75e8ec5f74), UINT64_C(0x75feb564267c9),
	UINT64_C(0x7a11473eb0187), UINT64_C(0x7e2f336cf4e62), UINT64_C(0x82589994cce13),
	UINT64_C(0x868d99b4492ed), UINT64_C(0x8ace5422aa0db), UINT64_C(0x8f1ae99157736),
	UINT64_C(0x93737b0cdc5e5), UINT64_C(0x97d829fde4e50), UINT64_C(0x9c49182a3f090),
	UINT64_C(0xa0c667b5de565), UINT64_C(0xa5503b23e255d), UINT64_C(0xa9e6b5579fdbf),
	UINT64_C(0xae89f995ad3ad), UINT64_C(0xb33a2b84f15fb), UINT64_C(0xb7f76f2fb5e47),
	UINT64_C(0xbcc1e904bc1d2), UINT64_C(0xc199bdd85529c), UINT64_C(0xc67f12e57d14b),
	UINT64_C(0xcb720dcef9069), UINT64_C(0xd072d4a07897c), UINT64_C(0xd5818dcfba487),
	UINT64_C(0xda9e603db3285), UINT64_C(0xdfc97337b9b5f), UINT64_C(0xe502ee78b3ff6),
	UINT64_C(0xea4afa2a490da), UINT64_C(0xefa1bee615a27), UINT64_C(0xf50765b6e4540),
	UINT64_C(0xfa7c1819e90d8),
};

uint64_t float_exponential(enum float_size size, uint64_t a)
{
	const unsigned int bits = size == FLOAT_HALF ? 5 : 6, cut = 52 - float_fraction_bits(size);
	const uint64_t number = a & ((1u << bits) - 1), exponent = a >> bits;
	const uint64_t fraction = fractions[number << (6 - bits)];
	const uint64_t rounded = cut ? (fraction + (UINT64_C(1) << (cut - 1))) >> cut : fraction;

	return (exponent & float_exponent_max(size)) << float_fraction_bits(size) | rounded;
}

/* Of the series of the sine, then of the cosine; the last ones that a format needs are 0. */
static const uint64_t coefficients[3][16] = {
	[FLOAT_HALF] = {0x3c00, 0xb155, 0x2030, 0, 0, 0, 0, 0, 0x3c00, 0xb800, 0x293a},
	[FLOAT_SINGLE] = {0x3f800000, 0xbe2aaaab, 0x3c088886, 0xb95008b9, 0x36369d6d, 0, 0, 0,
			  0x3f800000, 0xbf000000, 0x3d2aaaa6, 0xbab60705, 0x37cd37cc},
	[FLOAT_DOUBLE] = {0x3ff0000000000000, 0xbfc5555555555543, 0x3f8111111110f30c,
			  0xbf2a01a019b92fc6, 0x3ec71de351f3d22b, 0xbe5ae5e2b60f7b91,
			  0x3de5d8408868552f, 0, 0x3ff0000000000000, 0xbfe0000000000000,
			  0x3fa5555555555536, 0xbf56c16c16c13a0b, 0x3efa01a019b1e8d8,
			  0xbe927e4f7282f468, 0x3e21ee96d2641b13, 0xbda8f76380fbb401},
};

uint64_t float_trig_multiply_add(struct float_state *fp, enum float_size size, uint64_t a,
				 uint64_t b, unsigned int number)
{
	const bool cosine = b & float_sign(size);

	return float_multiply_add(fp, size, coefficients[size][(cosine ? 8 : 0) + number % 8], a,
				  b & (float_sign(size) - 1));
}
