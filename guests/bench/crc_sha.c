/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CRC-32 (IEEE 802.3) by a table over 4 KiB, and SHA-256 (FIPS 180-4) over the first 512 bytes of
 * it. One iteration is both, and changes the data for the next one.
 */
#include <stdbool.h>

#include "bench.h"

#define BYTES	 4096
#define NOINLINE __attribute__((noinline))

struct data {
	uint32_t crc_table[256], k[64];
	uint8_t bytes[BYTES];
};

static NOINLINE uint32_t crc32(const uint32_t *table, const uint8_t *bytes, size_t n)
{
	uint32_t crc = ~0u;

	while (n--)
		crc = table[(crc ^ *bytes++) & 0xff] ^ crc >> 8;
	return ~crc;
}

static inline uint32_t rotate_right(uint32_t x, unsigned int n)
{
	return x >> n | x << (32 - n);
}

/* One block of big-endian words, as the standard has them. */
static NOINLINE void sha256_block(uint32_t state[8], const uint32_t *k, const uint8_t *block)
{
	uint32_t w[64], s[8];

	for (unsigned int i = 0; i < 16; i++, block += 4)
		w[i] = (uint32_t)block[0] << 24 | (uint32_t)block[1] << 16 |
		       (uint32_t)block[2] << 8 | block[3];
	for (unsigned int i = 16; i < 64; i++) {
		uint32_t a = w[i - 15], b = w[i - 2];

		w[i] = w[i - 16] + w[i - 7] + (rotate_right(a, 7) ^ rotate_right(a, 18) ^ a >> 3) +
		       (rotate_right(b, 17) ^ rotate_right(b, 19) ^ b >> 10);
	}
	for (unsigned int i = 0; i < 8; i++)
		s[i] = state[i];
	for (unsigned int i = 0; i < 64; i++) {
		uint32_t e =
			rotate_right(s[4], 6) ^ rotate_right(s[4], 11) ^ rotate_right(s[4], 25);
		uint32_t t1 = s[7] + e + ((s[4] & s[5]) ^ (~s[4] & s[6])) + k[i] + w[i];
		uint32_t a =
			rotate_right(s[0], 2) ^ rotate_right(s[0], 13) ^ rotate_right(s[0], 22);
		uint32_t t2 = a + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));

		s[7] = s[6];
		s[6] = s[5];
		s[5] = s[4];
		s[4] = s[3] + t1;
		s[3] = s[2];
		s[2] = s[1];
		s[1] = s[0];
		s[0] = t1 + t2;
	}
	for (unsigned int i = 0; i < 8; i++)
		state[i] += s[i];
}

/*
 * SHA-256's constants: the first 32 bits of the fractions of the cube roots of the first primes.
 * floor(cbrt(p) x 2^32) found bit by bit in 128-bit integers.
 */
static void make_constants(uint32_t *k)
{
	unsigned int found = 0;

	for (unsigned int p = 2; found < 64; p++) {
		unsigned __int128 target = (unsigned __int128)p << 96;
		uint64_t root = 0;
		bool prime = true;

		for (unsigned int d = 2; d * d <= p; d++)
			prime = prime && p % d != 0;
		if (!prime)
			continue;
		for (int bit = 34; bit >= 0; bit--) {
			uint64_t try = root | UINT64_C(1) << bit;

			if ((unsigned __int128)try * try * try <= target)
				root = try;
		}
		k[found++] = (uint32_t)root;
	}
}

static void make_tables(struct data *d)
{
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t c = i;

		for (unsigned int bit = 0; bit < 8; bit++)
			c = c & 1 ? 0xedb88320u ^ c >> 1 : c >> 1;
		d->crc_table[i] = c;
	}
	make_constants(d->k);
	for (unsigned int i = 0; i < BYTES; i++)
		d->bytes[i] = (uint8_t)(i * 37 + (i >> 8));
}

static uint64_t run_crc_sha(void *data, uint64_t iterations)
{
	static const uint32_t initial[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
					    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
	struct data *d = data;
	uint64_t sum = 0;

	make_tables(d);
	for (uint64_t i = 0; i < iterations; i++) {
		uint32_t state[8], crc = crc32(d->crc_table, d->bytes, BYTES);

		for (unsigned int j = 0; j < 8; j++)
			state[j] = initial[j];
		for (unsigned int j = 0; j < 8; j++)
			sha256_block(state, d->k, d->bytes + j * 64);
		sum = sum * 5 + ((uint64_t)crc << 32 | state[0]);
		d->bytes[i % BYTES] ^= (uint8_t)state[7];
	}
	return sum;
}

const struct bench bench = {
	.pages = sizeof(struct data) / 4096 + 1, .iterations = 8000, .run = run_crc_sha};
