/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The instructions of FEAT_SHA512, FEAT_SHA3, FEAT_SM3 and FEAT_SM4, put together to what they are
 * made for: the examples of FIPS 180-4, FIPS 202, GB/T 32905 and GB/T 32907.
 */
#include <string.h>

#include "vector_fixture.h"

TestSuite(crypto_later, .init = create, .fini = destroy);

#define WORD(base, m, n, d) ((base) | (uint32_t)(m) << 16 | (uint32_t)(n) << 5 | (uint32_t)(d))

/* FIPS 180-4: the fractions of the cube roots of the first 80 primes, and of square roots. */
static const uint64_t sha512_constants[80] = {
	0x428a2f98d728ae22, 0x7137449123ef65cd, 0xb5c0fbcfec4d3b2f, 0xe9b5dba58189dbbc,
	0x3956c25bf348b538, 0x59f111f1b605d019, 0x923f82a4af194f9b, 0xab1c5ed5da6d8118,
	0xd807aa98a3030242, 0x12835b0145706fbe, 0x243185be4ee4b28c, 0x550c7dc3d5ffb4e2,
	0x72be5d74f27b896f, 0x80deb1fe3b1696b1, 0x9bdc06a725c71235, 0xc19bf174cf692694,
	0xe49b69c19ef14ad2, 0xefbe4786384f25e3, 0x0fc19dc68b8cd5b5, 0x240ca1cc77ac9c65,
	0x2de92c6f592b0275, 0x4a7484aa6ea6e483, 0x5cb0a9dcbd41fbd4, 0x76f988da831153b5,
	0x983e5152ee66dfab, 0xa831c66d2db43210, 0xb00327c898fb213f, 0xbf597fc7beef0ee4,
	0xc6e00bf33da88fc2, 0xd5a79147930aa725, 0x06ca6351e003826f, 0x142929670a0e6e70,
	0x27b70a8546d22ffc, 0x2e1b21385c26c926, 0x4d2c6dfc5ac42aed, 0x53380d139d95b3df,
	0x650a73548baf63de, 0x766a0abb3c77b2a8, 0x81c2c92e47edaee6, 0x92722c851482353b,
	0xa2bfe8a14cf10364, 0xa81a664bbc423001, 0xc24b8b70d0f89791, 0xc76c51a30654be30,
	0xd192e819d6ef5218, 0xd69906245565a910, 0xf40e35855771202a, 0x106aa07032bbd1b8,
	0x19a4c116b8d2d0c8, 0x1e376c085141ab53, 0x2748774cdf8eeb99, 0x34b0bcb5e19b48a8,
	0x391c0cb3c5c95a63, 0x4ed8aa4ae3418acb, 0x5b9cca4f7763e373, 0x682e6ff3d6b2b8a3,
	0x748f82ee5defb2fc, 0x78a5636f43172f60, 0x84c87814a1f0ab72, 0x8cc702081a6439ec,
	0x90befffa23631e28, 0xa4506cebde82bde9, 0xbef9a3f7b2c67915, 0xc67178f2e372532b,
	0xca273eceea26619c, 0xd186b8c721c0c207, 0xeada7dd6cde0eb1e, 0xf57d4f7fee6ed178,
	0x06f067aa72176fba, 0x0a637dc5a2c898a6, 0x113f9804bef90dae, 0x1b710b35131c471b,
	0x28db77f523047d84, 0x32caab7b40c72493, 0x3c9ebe0a15c9bebc, 0x431d67c49c100d4c,
	0x4cc5d4becb3e42b6, 0x597f299cfc657e2a, 0x5fcb6fab3ad6faec, 0x6c44198c4a475817,
};
static const uint64_t sha512_begin[8] = {
	0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
	0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
};
/* Of "abc" */
static const uint64_t sha512_end[8] = {
	0xddaf35a193617aba, 0xcc417349ae204131, 0x12e6fa4e89a97ea2, 0x0a9eeee64b55d39a,
	0x2192992a274fc1a8, 0x36ba3c23a3feebbd, 0x454d4423643ce80e, 0x2a9ac94fa54ca49f,
};

/* EXT #8: the upper half of a and the lower one of b. */
static union soft_vector between(union soft_vector a, union soft_vector b)
{
	return (union soft_vector){.d = {a.d[1], b.d[0]}};
}

static union soft_vector sum(union soft_vector a, union soft_vector b)
{
	return (union soft_vector){.d = {a.d[0] + b.d[0], a.d[1] + b.d[1]}};
}

/* The function on V0 as it is, V1 and V2. */
static union soft_vector on(soft_vector_function *function, uint32_t base, union soft_vector d,
			    union soft_vector n, union soft_vector m)
{
	cpu->v[0] = d;
	cpu->v[1] = n;
	cpu->v[2] = m;
	execute(function, WORD(base, 2, 1, 0));
	return cpu->v[0];
}

/* The same of those with two registers. */
static union soft_vector on_two(soft_vector_function *function, uint32_t base, union soft_vector d,
				union soft_vector n)
{
	cpu->v[0] = d;
	cpu->v[1] = n;
	execute(function, WORD(base, 0, 1, 0));
	return cpu->v[0];
}

Test(crypto_later, sha512)
{
	union soft_vector ab, cd, ef, gh,
		w[8] = {{.d = {0x6162638000000000, 0}}, [7] = {.d = {0, 24}}};
	uint64_t end[8];

	memcpy(&ab, &sha512_begin[0], sizeof(ab));
	memcpy(&cd, &sha512_begin[2], sizeof(cd));
	memcpy(&ef, &sha512_begin[4], sizeof(ef));
	memcpy(&gh, &sha512_begin[6], sizeof(gh));
	for (unsigned int two = 0; two < 40; two++) {
		union soft_vector *now = &w[two % 8], k, rounds, e;

		memcpy(&k, &sha512_constants[2 * two], sizeof(k));
		k = sum(k, *now);
		rounds = on(soft_vector_sha512, 0xce608000, sum(gh, between(k, k)), between(ef, gh),
			    between(cd, ef)); /* SHA512H */
		e = sum(cd, rounds);
		rounds = on(soft_vector_sha512, 0xce608400, rounds, cd, ab); /* SHA512H2 */
		gh = ef;
		ef = e;
		cd = ab;
		ab = rounds;
		*now = on_two(soft_vector_sha512_su0, 0xcec08000, *now, w[(two + 1) % 8]);
		*now = on(soft_vector_sha512, 0xce608800, *now, w[(two + 7) % 8],
			  between(w[(two + 4) % 8], w[(two + 5) % 8])); /* SHA512SU1 */
	}
	memcpy(&end[0], &ab, sizeof(ab));
	memcpy(&end[2], &cd, sizeof(cd));
	memcpy(&end[4], &ef, sizeof(ef));
	memcpy(&end[6], &gh, sizeof(gh));
	for (unsigned int i = 0; i < 8; i++)
		cr_assert_eq(end[i] + sha512_begin[i], sha512_end[i], "%u", i);
}

/* The function on doublewords: both halves alike; a is Va. */
static uint64_t on_words(soft_vector_function *function, uint32_t base, uint64_t n, uint64_t m,
			 uint64_t a)
{
	cpu->v[3].d[0] = cpu->v[3].d[1] = a;
	on(function, base, (union soft_vector){0}, (union soft_vector){.d = {n, n}},
	   (union soft_vector){.d = {m, m}});
	cr_assert_eq(cpu->v[0].d[0], cpu->v[0].d[1]);
	return cpu->v[0].d[0];
}

#define EOR3(n, m, a) on_words(soft_vector_eor3, 0xce000c00, n, m, a)
#define BCAX(n, m, a) on_words(soft_vector_bcax, 0xce200c00, n, m, a)
#define RAX1(n, m)    on_words(soft_vector_rax1, 0xce608c00, n, m, 0)
#define XAR(n, m, by) on_words(soft_vector_xar, 0xce800000 | (by) << 10, n, m, 0)

/* FIPS 202, 3.2: theta, rho and pi, chi; iota is the caller's. */
static void keccak_round(uint64_t a[25])
{
	uint64_t c[5], d[5], b[25];
	unsigned int x = 1, y = 0;

	for (unsigned int i = 0; i < 5; i++)
		c[i] = EOR3(EOR3(a[i], a[i + 5], a[i + 10]), a[i + 15], a[i + 20]);
	for (unsigned int i = 0; i < 5; i++)
		d[i] = RAX1(c[(i + 4) % 5], c[(i + 1) % 5]);
	b[0] = XAR(a[0], d[0], 0);
	for (unsigned int t = 0; t < 24; t++) {
		const unsigned int by = (t + 1) * (t + 2) / 2 % 64, next = (2 * x + 3 * y) % 5;

		b[y + 5 * next] = XAR(a[x + 5 * y], d[x], (64 - by) % 64);
		x = y;
		y = next;
	}
	for (unsigned int i = 0; i < 25; i++)
		a[i] = BCAX(b[i], b[i / 5 * 5 + (i + 2) % 5], b[i / 5 * 5 + (i + 1) % 5]);
}

/* SHA3-256 of nothing. */
Test(crypto_later, sha3)
{
	static const uint64_t end[4] = {
		0x66d71ebff8c6ffa7,
		0x62d661a05647c151,
		0xfa493be44dff80f5,
		0x4a43f8804b0ad882,
	};
	uint64_t a[25] = {[0] = 6, [16] = UINT64_C(1) << 63};
	unsigned int lfsr = 1;

	for (unsigned int round = 0; round < 24; round++) {
		keccak_round(a);
		for (unsigned int j = 0; j < 7; j++) {
			a[0] ^= (uint64_t)(lfsr & 1) << ((1u << j) - 1);
			lfsr = lfsr << 1 ^ (lfsr & 0x80 ? 0x171 : 0);
		}
	}
	cr_assert_arr_eq(a, end, sizeof(end));
}

static uint32_t left(uint32_t word, unsigned int by)
{
	return by ? word << by | word >> (32 - by) : word;
}

static union soft_vector four(const uint32_t *words)
{
	union soft_vector v;

	memcpy(&v, words, sizeof(v));
	return v;
}

/* GB/T 32905, "abc". The states have A and E in the highest element. */
Test(crypto_later, sm3)
{
	static const uint32_t begin[8] = {0x7380166f, 0x4914b2b9, 0x172442d7, 0xda8a0600,
					  0xa96f30bc, 0x163138aa, 0xe38dee4d, 0xb0fb0e4e};
	static const uint32_t end[8] = {0x66c7f0f4, 0x62eeedd9, 0xd1f2d46b, 0xdc10e4e2,
					0x4167c487, 0x5cf2f7a2, 0x297da02b, 0x8f4ba8e0};
	uint32_t w[68] = {0x61626380, [15] = 24};
	union soft_vector abcd = {.s = {begin[3], begin[2], begin[1], begin[0]}};
	union soft_vector efgh = {.s = {begin[7], begin[6], begin[5], begin[4]}};

	for (unsigned int j = 16; j < 68; j += 4) {
		union soft_vector next = on(soft_vector_sm3_partw1, 0xce60c000, four(&w[j - 16]),
					    four(&w[j - 9]), four(&w[j - 4]));

		next = on(soft_vector_sm3_partw2, 0xce60c400, next, four(&w[j - 6]),
			  four(&w[j - 13]));
		memcpy(&w[j], &next, sizeof(next));
	}
	for (unsigned int j = 0; j < 64; j++) {
		const uint32_t t = left(j < 16 ? 0x79cc4519 : 0x7a879d8a, j % 32);
		const uint32_t kind = j % 4 << 12 | (j < 16 ? 0 : 1u << 10);
		union soft_vector ss1, word = {0}, other = {0};

		word.s[j % 4] = w[j];
		other.s[j % 4] = w[j] ^ w[j + 4];
		cpu->v[3] = efgh;
		ss1 = on(soft_vector_sm3_ss1, 0xce400c00, abcd, abcd,
			 (union soft_vector){.s = {0, 0, 0, t}});
		abcd = on(soft_vector_sm3_tt, 0xce408000 | kind, abcd, ss1, other);
		efgh = on(soft_vector_sm3_tt, 0xce408800 | kind, efgh, ss1, word);
	}
	for (unsigned int i = 0; i < 4; i++) {
		cr_assert_eq(abcd.s[3 - i] ^ begin[i], end[i], "%u", i);
		cr_assert_eq(efgh.s[3 - i] ^ begin[4 + i], end[4 + i], "%u", i);
	}
}

/* GB/T 32907: one block, which is its key. */
Test(crypto_later, sm4)
{
	static const uint32_t block[4] = {0x01234567, 0x89abcdef, 0xfedcba98, 0x76543210};
	static const uint32_t family[4] = {0xa3b1bac6, 0x56aa3350, 0x677d9197, 0xb27022dc};
	static const uint32_t end[4] = {0x681edf34, 0xd206965e, 0x86b3e94f, 0x536e4246};
	union soft_vector key, state = four(block);

	for (unsigned int i = 0; i < 4; i++)
		key.s[i] = block[i] ^ family[i];
	for (unsigned int round = 0; round < 8; round++) {
		union soft_vector constants = {0};

		for (unsigned int byte = 0; byte < 16; byte++)
			constants.s[byte / 4] |= ((16 * round + byte) * 7 & 0xff)
						 << (24 - 8 * (byte % 4));
		key = on(soft_vector_sm4, 0xce60c800, key, key, constants); /* SM4EKEY */
		state = on_two(soft_vector_sm4, 0xcec08400, state, key);    /* SM4E */
	}
	for (unsigned int i = 0; i < 4; i++)
		cr_assert_eq(state.s[3 - i], end[i], "%u", i);
}
