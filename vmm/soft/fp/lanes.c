/* SPDX-License-Identifier: BSD-2-Clause */
/* Loops over the elements of vectors, which the compiler vectorizes: see lanes.def. */
#include "soft/fp/lanes.h"

#include <stddef.h>

#include "soft/arithmetic.h"

/* Added to round a value to nearest before its lower bits are cut off. */
#define HALF(bits) ((__int128)1 << ((bits)-1))

static inline uint64_t saturate_signed(struct float_state *fp, __int128 value, unsigned int width)
{
	const __int128 most = ((__int128)1 << (width - 1)) - 1, least = -most - 1;

	if (value >= least && value <= most)
		return (uint64_t)value;
	fp->fpsr |= FPSR_QC;
	return (uint64_t)(value < 0 ? least : most);
}

static inline uint64_t saturate_unsigned(struct float_state *fp, __int128 value, unsigned int width)
{
	const __int128 most = ((__int128)1 << width) - 1;

	if (value >= 0 && value <= most)
		return (uint64_t)value;
	fp->fpsr |= FPSR_QC;
	return (uint64_t)(value < 0 ? 0 : most);
}

/* Shift left by by, or right if it is negative. */
static inline __int128 shift_signed(int64_t n, int by, unsigned int width, bool rounds)
{
	const int right = by < -65 ? 65 : -by;

	if (by >= (int)width)
		return 0;
	if (by >= 0)
		return (uint64_t)n << (by & 63);
	return ((__int128)n + (rounds ? HALF(right) : 0)) >> right;
}

static inline __int128 shift_unsigned(uint64_t n, int by, unsigned int width, bool rounds)
{
	const int right = by < -66 ? 66 : -by;

	if (by >= (int)width)
		return 0;
	if (by >= 0)
		return n << (by & 63);
	return ((__int128)n + (rounds ? HALF(right) : 0)) >> right;
}

static inline uint64_t saturating_shift_signed(struct float_state *fp, int64_t n, int by,
					       unsigned int width, bool rounds)
{
	if (by < 0)
		return (uint64_t)shift_signed(n, by, width, rounds);
	if (n && by > 63)
		return saturate_signed(fp, n < 0 ? -HALF(127) : HALF(127), width);
	return saturate_signed(fp, (__int128)n * ((__int128)1 << (by & 63)), width);
}

static inline uint64_t saturating_shift_unsigned(struct float_state *fp, uint64_t n, int by,
						 unsigned int width, bool rounds)
{
	if (by < 0)
		return (uint64_t)shift_unsigned(n, by, width, rounds);
	if (n && by > 62)
		return saturate_unsigned(fp, n >> 1 || by > 63 ? HALF(127) : (__int128)n << 63,
					 width);
	return saturate_unsigned(fp, (__int128)n << (by & 63), width);
}

static inline uint64_t multiply_polynomials(uint64_t n, uint64_t m)
{
	uint64_t product = 0;

	for (unsigned int i = 0; i < 64; i++)
		product ^= (m >> i & 1) ? n << i : 0;
	return product;
}

/*
 * The upper half of an unsigned product, which the signed one is made of: of 16 bits, GCC 12 makes
 * vectors of an unsigned product of what is extended as signed here.
 */
static inline uint64_t product_high(uint64_t n, uint64_t m, unsigned int width)
{
	return width == 64 ? (uint64_t)((unsigned __int128)n * m >> 64) : n * m >> width;
}

static inline uint64_t reverse_halfwords(uint64_t n)
{
	n = (n >> 16 & UINT64_C(0x0000ffff0000ffff)) | (n & UINT64_C(0x0000ffff0000ffff)) << 16;
	return n >> 32 | n << 32;
}

/* Products of the four parts of part bits */
static inline uint64_t dot_signed(uint64_t n, uint64_t m, unsigned int part)
{
	const unsigned int up = 64 - part;
	int64_t sum = 0;

	for (unsigned int at = 0; at < 4 * part; at += part)
		sum += ((int64_t)(n >> at << up) >> up) * ((int64_t)(m >> at << up) >> up);
	return (uint64_t)sum;
}

static inline uint64_t dot_unsigned(uint64_t n, uint64_t m, unsigned int part)
{
	const uint64_t mask = (UINT64_C(1) << part) - 1;
	uint64_t sum = 0;

	for (unsigned int at = 0; at < 4 * part; at += part)
		sum += (n >> at & mask) * (m >> at & mask);
	return sum;
}

/* Unsigned bytes of n with signed ones of m */
static inline uint64_t dot_mixed(uint64_t n, uint64_t m)
{
	int64_t sum = 0;

	for (unsigned int at = 0; at < 32; at += 8)
		sum += (uint8_t)(n >> at) * (int8_t)(m >> at);
	return (uint64_t)sum;
}

/* by is less than width, and value has no bits above it. */
static inline uint64_t rotate_right(uint64_t value, unsigned int by, unsigned int width)
{
	return value >> by | (by ? value << (width - by) : 0);
}

/* Shifts farther than this are all the same. */
static inline int shift_amount(int64_t by)
{
	return by > 127 ? 127 : by < -127 ? -127 : (int)by;
}

/*
 * The real part of the product of two pairs of complex numbers of part bits, the second ones turned
 * by quarters of a circle; with an odd number of them, the imaginary part.
 */
static inline uint64_t dot_complex(uint64_t n, uint64_t m, unsigned int turns, unsigned int part)
{
	const unsigned int up = 64 - part, real = turns & 1 ? part : 0, imaginary = part - real;
	const bool negative = (turns & 1) == turns >> 1;
	uint64_t sum = 0;

	for (unsigned int at = 0; at < 4 * part; at += 2 * part) {
		const int64_t nr = (int64_t)(n >> at << up) >> up;
		const int64_t ni = (int64_t)(n >> (at + part) << up) >> up;
		const int64_t mr = (int64_t)(m >> (at + real) << up) >> up;
		const int64_t mi = (int64_t)(m >> (at + imaginary) << up) >> up;

		sum += (uint64_t)(nr * mr) +
		       (negative ? 0 - (uint64_t)(ni * mi) : (uint64_t)(ni * mi));
	}
	return sum;
}

/* The bits of n that mask chooses, at the lowest places. */
static inline uint64_t collect_bits(uint64_t n, uint64_t mask)
{
	uint64_t bits = 0;

	for (unsigned int to = 0; mask; mask &= mask - 1)
		bits |= (n >> __builtin_ctzll(mask) & 1) << to++;
	return bits;
}

/* The lowest bits of n, at the places that mask chooses. */
static inline uint64_t spread_bits(uint64_t n, uint64_t mask)
{
	uint64_t bits = 0;

	for (; mask; mask &= mask - 1, n >>= 1)
		bits |= (n & 1) << __builtin_ctzll(mask);
	return bits;
}

/* The bits that mask chooses, and above them the others. */
static inline uint64_t group_bits(uint64_t n, uint64_t mask, uint64_t others)
{
	const unsigned int count = (unsigned int)__builtin_popcountll(mask);

	return collect_bits(n, mask) | (others ? collect_bits(n, others) << count : 0);
}

#define LOOP(name, size, field, type, stype, width, elements, e)                               \
	static void name##_##size(struct float_state *fp, union soft_vector *restrict vd,      \
				  const union soft_vector *vn, const union soft_vector *vm,    \
				  unsigned int k, unsigned int count)                          \
	{                                                                                      \
		typedef type T;                                                                \
		typedef stype S;                                                               \
		enum { WIDTH = (width) };                                                      \
		const enum float_size SIZE = (enum float_size)((size) ? (size)-1 : 0);         \
                                                                                               \
		(void)fp, (void)vm, (void)k, (void)count, (void)(S)0, (void)SIZE, (void)WIDTH; \
		for (unsigned int i = 0; i < (elements); i++) {                                \
			const T n = vn->field[i], m = vm->field[i], d = vd->field[i];          \
                                                                                               \
			(void)n, (void)m, (void)d;                                             \
			vd->field[i] = (T)(e);                                                 \
		}                                                                              \
	}
#define LANES(name, e)                                \
	LOOP(name, 0, b, uint8_t, int8_t, 8, 16, e)   \
	LOOP(name, 1, h, uint16_t, int16_t, 16, 8, e) \
	LOOP(name, 2, s, uint32_t, int32_t, 32, 4, e) \
	LOOP(name, 3, d, uint64_t, int64_t, 64, 2, e)
#define COUNTED(name, e)                                  \
	LOOP(name, 0, b, uint8_t, int8_t, 8, count, e)    \
	LOOP(name, 1, h, uint16_t, int16_t, 16, count, e) \
	LOOP(name, 2, s, uint32_t, int32_t, 32, count, e) \
	LOOP(name, 3, d, uint64_t, int64_t, 64, count, e)
#define FLOATS(name, e)                                   \
	LOOP(name, 1, h, uint16_t, int16_t, 16, count, e) \
	LOOP(name, 2, s, uint32_t, int32_t, 32, count, e) \
	LOOP(name, 3, d, uint64_t, int64_t, 64, count, e)
#include "soft/fp/lanes.def"

#define LANES(name, e)	 [SOFT_lane_##name] = {name##_0, name##_1, name##_2, name##_3},
#define COUNTED(name, e) LANES(name, e)
#define FLOATS(name, e)	 [SOFT_lane_##name] = {NULL, name##_1, name##_2, name##_3},
soft_lanes *const soft_lanes_table[SOFT_LANES][4] = {
#include "soft/fp/lanes.def"
};
