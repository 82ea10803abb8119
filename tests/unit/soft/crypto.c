/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The instructions of the cryptographic extension, put together to what they are made for: the
 * examples of FIPS 197 and FIPS 180-4. And one half-precision result in which qemu-aarch64 errs.
 */
#include <math.h>
#include <string.h>

#include "vector_fixture.h"

TestSuite(crypto, .init = create, .fini = destroy);

static void set_bytes(unsigned int v, const char *hex)
{
	for (unsigned int i = 0; i < 16; i++) {
		const char digits[] = {hex[2 * i], hex[2 * i + 1], '\0'};

		cpu->v[v].b[i] = (uint8_t)strtoul(digits, NULL, 16);
	}
}

static void expect_bytes(unsigned int v, const char *hex)
{
	const union soft_vector have = cpu->v[v];

	set_bytes(v, hex);
	cr_assert_arr_eq(&have, &cpu->v[v], sizeof(have), "not %s", hex);
}

#define AESE   0x4e284820u /* V0, V1 */
#define AESD   0x4e285820u
#define AESMC  0x4e286800u /* V0, V0 */
#define AESIMC 0x4e287800u

/* FIPS 197, appendix B: the first round, and back again. */
Test(crypto, aes)
{
	set_bytes(0, "3243f6a8885a308d313198a2e0370734");
	set_bytes(1, "2b7e151628aed2a6abf7158809cf4f3c");
	execute(soft_vector_aes, AESE);
	expect_bytes(0, "d4bf5d30e0b452aeb84111f11e2798e5");
	execute(soft_vector_aes, AESMC);
	expect_bytes(0, "046681e5e0cb199a48f8d37a2806264c");
	execute(soft_vector_aes, AESIMC);
	expect_bytes(0, "d4bf5d30e0b452aeb84111f11e2798e5");
	cpu->v[1] = (union soft_vector){0};
	execute(soft_vector_aes, AESD);
	expect_bytes(0, "193de3bea0f4e22b9ac68d2ae9f84808");
}

/* The one block of "abc" in V16 to V19. */
static void set_block(void)
{
	memset(&cpu->v[16], 0, 4 * sizeof(cpu->v[0]));
	cpu->v[16].s[0] = 0x61626380;
	cpu->v[19].s[3] = 24;
}

static void add(unsigned int v, const uint32_t *words)
{
	for (unsigned int i = 0; i < 4; i++)
		cpu->v[v].s[i] += words[i];
}

#define WORD(base, m, n, d) ((base) | (m) << 16 | (n) << 5 | (d))

/* FIPS 180-4: the fractions of the cube roots of the first 64 primes. */
static void sha256_constants(uint32_t k[64])
{
	unsigned int n = 0;

	for (unsigned int p = 2; n < 64; p++) {
		bool prime = true;
		long double root;

		for (unsigned int q = 2; q * q <= p; q++)
			prime &= p % q != 0;
		if (!prime)
			continue;
		root = cbrtl(p);
		k[n++] = (uint32_t)((root - floorl(root)) * 4294967296.0L);
	}
	cr_assert_eq(k[0], 0x428a2f98);
}

Test(crypto, sha256)
{
	static const uint32_t begin[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
					  0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
	static const uint32_t end[8] = {0xba7816bf, 0x8f01cfea, 0x414140de, 0x5dae2223,
					0xb00361a3, 0x96177a9c, 0xb410ff61, 0xf20015ad};
	uint32_t k[64];

	sha256_constants(k);
	set_block();
	memcpy(&cpu->v[0], begin, sizeof(begin));
	for (unsigned int four = 0; four < 16; four++) {
		const unsigned int w = 16 + four % 4;

		cpu->v[2] = cpu->v[w];
		add(2, &k[4 * four]);
		cpu->v[3] = cpu->v[0];
		execute(soft_vector_sha_three, WORD(0x5e004000u, 2, 1, 0)); /* SHA256H */
		execute(soft_vector_sha_three, WORD(0x5e005000u, 2, 3, 1)); /* SHA256H2 */
		execute(soft_vector_sha_two, WORD(0x5e282800u, 0, 16 + (four + 1) % 4, w));
		execute(soft_vector_sha_three,
			WORD(0x5e006000u, 16 + (four + 3) % 4, 16 + (four + 2) % 4, w));
	}
	add(0, begin);
	add(1, begin + 4);
	cr_assert_arr_eq(&cpu->v[0], end, sizeof(end));
}

Test(crypto, sha1)
{
	static const uint32_t k[4] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};
	static const uint32_t begin[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476,
					  0xc3d2e1f0};
	static const uint32_t end[5] = {0xa9993e36, 0x4706816a, 0xba3e2571, 0x7850c26c, 0x9cd0d89d};
	static const uint32_t rounds[4] = {0x5e000000, 0x5e001000, 0x5e002000,
					   0x5e001000}; /* C, P, M, P */

	set_block();
	memcpy(&cpu->v[0], begin, 16);
	cpu->v[1].s[0] = begin[4];
	for (unsigned int four = 0; four < 20; four++) {
		const unsigned int w = 16 + four % 4;
		const uint32_t all[4] = {k[four / 5], k[four / 5], k[four / 5], k[four / 5]};

		cpu->v[2] = cpu->v[w];
		add(2, all);
		execute(soft_vector_sha_two, WORD(0x5e280800u, 0, 0, 3)); /* SHA1H */
		execute(soft_vector_sha_three, WORD(rounds[four / 5], 2, 1, 0));
		cpu->v[1] = cpu->v[3];
		execute(soft_vector_sha_three,
			WORD(0x5e003000u, 16 + (four + 2) % 4, 16 + (four + 1) % 4, w));
		execute(soft_vector_sha_two, WORD(0x5e281800u, 0, 16 + (four + 3) % 4, w));
	}
	add(0, begin);
	cpu->v[1].s[0] += begin[4];
	cr_assert_arr_eq(&cpu->v[0], end, 16);
	cr_assert_eq(cpu->v[1].s[0], end[4]);
}

/* A polynomial times itself has every second bit. */
Test(crypto, pmull)
{
	cpu->v[1].d[0] = cpu->v[1].d[1] = ~UINT64_C(0);
	cpu->v[1].d[1] = UINT64_C(1) << 63;
	execute(soft_vector_pmull_64, 0x0ee1e020); /* PMULL V0.1Q, V1.1D, V1.1D */
	cr_assert_eq(cpu->v[0].d[0], UINT64_C(0x5555555555555555));
	cr_assert_eq(cpu->v[0].d[1], UINT64_C(0x5555555555555555));
	execute(soft_vector_pmull_64, 0x4ee1e020); /* PMULL2 */
	cr_assert_eq(cpu->v[0].d[0], 0);
	cr_assert_eq(cpu->v[0].d[1], UINT64_C(1) << 62);
}

/* FCVTZS H0, H1, #1 of -Infinity: 16 bits, and zeros above (tests/diff/generate_words.c). */
Test(crypto, half_to_fixed_scalar)
{
	const struct soft_op op = {.rd = 0,
				   .rn = 1,
				   .rm = 1,
				   .ra = 2,
				   .aux = SOFT_AUX_LANES(SOFT_lane_fcvtzs, 1),
				   .word = 0x5f1ffc20};

	cpu->v[1].h[0] = 0xfc00;
	cpu->v[0].d[1] = 1;
	soft_shape_same(cpu, &op);
	cr_assert_eq(cpu->v[0].d[0], 0x8000);
	cr_assert_eq(cpu->v[0].d[1], 0);
}
