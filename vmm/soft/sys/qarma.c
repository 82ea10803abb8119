/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * QARMA5: see qarma.h. A block is 16 cells of four bits, here numbered from its low end. Its rows
 * are 16 bits each, so that the columns are mixed by rotations of the whole block. The backward
 * rounds are the inverse of the forward rounds, with the reflector between them.
 */
#include "soft/sys/qarma.h"

#define ROUNDS 5 /* on either side of the reflector */

/* Digits of pi, like those of the cipher Prince. */
#define ALPHA UINT64_C(0xc0ac29b7c97c50dd)
static const uint64_t constants[ROUNDS] = {
	0,
	UINT64_C(0x13198a2e03707344),
	UINT64_C(0xa4093822299f31d0),
	UINT64_C(0x082efa98ec4e6c89),
	UINT64_C(0x452821e638d01377),
};

static const uint8_t sigma[16] = {0xb, 0x6, 0x8, 0xf, 0xc, 0x0, 0x9, 0xe,
				  0x3, 0x7, 0x4, 0x5, 0xd, 0x2, 0x1, 0xa};
static const uint8_t sigma_inverse[16] = {0x5, 0xe, 0xd, 0x8, 0xa, 0xb, 0x1, 0x9,
					  0x2, 0x6, 0xf, 0x0, 0x4, 0xc, 0x7, 0x3};

/*
 * Permute cells: the sources of the result's cells 0 to 15. Unrolled: an order is constants in
 * shifts.
 */
#define CELL(x, from, to) (((x) >> 4 * (from)&0xf) << 4 * (to))
#define PERMUTE(x, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p)                            \
	(CELL(x, a, 0) | CELL(x, b, 1) | CELL(x, c, 2) | CELL(x, d, 3) | CELL(x, e, 4) |      \
	 CELL(x, f, 5) | CELL(x, g, 6) | CELL(x, h, 7) | CELL(x, i, 8) | CELL(x, j, 9) |      \
	 CELL(x, k, 10) | CELL(x, l, 11) | CELL(x, m, 12) | CELL(x, n, 13) | CELL(x, o, 14) | \
	 CELL(x, p, 15))

static uint64_t shuffle(uint64_t x)
{
	return PERMUTE(x, 13, 6, 11, 0, 7, 12, 1, 10, 8, 3, 14, 5, 2, 9, 4, 15);
}

static uint64_t shuffle_back(uint64_t x)
{
	return PERMUTE(x, 3, 6, 12, 9, 14, 11, 1, 4, 8, 13, 7, 2, 5, 0, 10, 15);
}

static uint64_t substitute(uint64_t x, const uint8_t box[16])
{
	uint64_t result = 0;

	for (unsigned int at = 0; at < 64; at += 4)
		result |= (uint64_t)box[x >> at & 0xf] << at;
	return result;
}

static uint64_t rotate(uint64_t x, unsigned int by)
{
	return x >> by | x << (64 - by);
}

/* Each cell rotated left by 1 and by 2. */
static uint64_t cells_by_1(uint64_t x)
{
	return (x << 1 & UINT64_C(0xeeeeeeeeeeeeeeee)) | (x >> 3 & UINT64_C(0x1111111111111111));
}

static uint64_t cells_by_2(uint64_t x)
{
	return (x << 2 & UINT64_C(0xcccccccccccccccc)) | (x >> 2 & UINT64_C(0x3333333333333333));
}

/* The matrix circ(0, 1, 2, 1) of rotations, which is its own inverse. */
static uint64_t mix(uint64_t x)
{
	return cells_by_1(rotate(x, 16) ^ rotate(x, 48)) ^ cells_by_2(rotate(x, 32));
}

/* The cells of a tweak that step through a shift register: 0, 1, 3, 4, 8, 11, 13 from the top. */
#define STEPPED UINT64_C(0xff0ff000f00f0f00)
#define LOW(x)	((x)&UINT64_C(0x1111111111111111))

static uint64_t next_tweak(uint64_t x)
{
	const uint64_t t = PERMUTE(x, 4, 5, 6, 7, 11, 2, 3, 8, 12, 13, 14, 15, 0, 1, 10, 9);
	const uint64_t stepped = (t >> 1 & UINT64_C(0x7777777777777777)) | LOW(t ^ t >> 1) << 3;

	return (stepped & STEPPED) | (t & ~STEPPED);
}

static uint64_t previous_tweak(uint64_t x)
{
	const uint64_t stepped = (x << 1 & UINT64_C(0xeeeeeeeeeeeeeeee)) | LOW(x ^ x >> 3);
	const uint64_t t = (stepped & STEPPED) | (x & ~STEPPED);

	return PERMUTE(t, 12, 13, 5, 6, 0, 1, 2, 3, 7, 15, 14, 4, 8, 9, 10, 11);
}

uint64_t soft_qarma5(uint64_t block, uint64_t tweak, struct soft_key key)
{
	const uint64_t whitening = key.hi, core = key.lo;
	const uint64_t other = (whitening << 63 | whitening >> 1) ^ whitening >> 63;
	uint64_t x = block ^ whitening;

	for (unsigned int n = 0; n < ROUNDS; n++) {
		x ^= core ^ tweak ^ constants[n];
		if (n > 0)
			x = mix(shuffle(x));
		x = substitute(x, sigma);
		tweak = next_tweak(tweak);
	}
	x = substitute(mix(shuffle(x ^ other ^ tweak)), sigma);
	/* the reflector */
	x = shuffle_back(mix(shuffle(x)) ^ core);
	x = shuffle_back(mix(substitute(x, sigma_inverse))) ^ whitening ^ tweak;
	for (unsigned int n = ROUNDS; n-- > 0;) {
		x = substitute(x, sigma_inverse);
		if (n > 0)
			x = shuffle_back(mix(x));
		tweak = previous_tweak(tweak);
		x ^= core ^ tweak ^ constants[n] ^ ALPHA;
	}
	return x ^ other;
}
