/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The additions of Armv8.2 to the cryptographic extension: SHA-512 (FIPS 180-4), the parts of SHA-3
 * (FIPS 202), SM3 (GB/T 32905) and SM4 (GB/T 32907).
 */
#include "soft/arithmetic.h"
#include "soft/fp/element.h"
#include "soft/fp/vector.h"

static uint64_t choose(uint64_t x, uint64_t y, uint64_t z)
{
	return (x & y) | (~x & z);
}

static uint64_t majority(uint64_t x, uint64_t y, uint64_t z)
{
	return (x & y) | (x & z) | (y & z);
}

static uint64_t sum_0(uint64_t x)
{
	return ROR64(x, 28) ^ ROR64(x, 34) ^ ROR64(x, 39);
}

static uint64_t sum_1(uint64_t x)
{
	return ROR64(x, 14) ^ ROR64(x, 18) ^ ROR64(x, 41);
}

static uint64_t small_0(uint64_t x)
{
	return ROR64(x, 1) ^ ROR64(x, 8) ^ x >> 7;
}

static uint64_t small_1(uint64_t x)
{
	return ROR64(x, 19) ^ ROR64(x, 61) ^ x >> 6;
}

/* SHA512H, SHA512H2, SHA512SU1: two rounds, or two words of the schedule. */
void soft_vector_sha512(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sha512_three f = a64_get_sha512_three(op->word);
	const union soft_vector n = cpu->v[f.rn], m = cpu->v[f.rm];
	union soft_vector *d = &cpu->v[f.rd];

	switch (f.opcode) {
	case 0: {
		const uint64_t y = m.d[1];
		const uint64_t first = d->d[1] + sum_1(y) + choose(y, n.d[0], n.d[1]);
		const uint64_t e = first + m.d[0];

		d->d[0] += sum_1(e) + choose(e, y, n.d[0]);
		d->d[1] = first;
		break;
	}
	case 1:
		d->d[1] += sum_0(m.d[0]) + majority(n.d[0], m.d[0], m.d[1]);
		d->d[0] += sum_0(d->d[1]) + majority(d->d[1], m.d[0], m.d[1]);
		break;
	default:
		for (unsigned int i = 0; i < 2; i++)
			d->d[i] += small_1(n.d[i]) + m.d[i];
		break;
	}
}

void soft_vector_sha512_su0(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sha512_two f = a64_get_sha512_two(op->word);
	const uint64_t next = cpu->v[f.rn].d[0];
	union soft_vector *d = &cpu->v[f.rd];

	d->d[0] += small_0(d->d[1]);
	d->d[1] += small_0(next);
}

void soft_vector_rax1(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sha512_three f = a64_get_sha512_three(op->word);

	for (unsigned int i = 0; i < 2; i++)
		cpu->v[f.rd].d[i] = cpu->v[f.rn].d[i] ^ ROR64(cpu->v[f.rm].d[i], 63);
}

void soft_vector_eor3(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_crypto_four f = a64_get_crypto_four(op->word);

	for (unsigned int i = 0; i < 2; i++)
		cpu->v[f.rd].d[i] = cpu->v[f.rn].d[i] ^ cpu->v[f.rm].d[i] ^ cpu->v[f.ra].d[i];
}

void soft_vector_bcax(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_crypto_four f = a64_get_crypto_four(op->word);

	for (unsigned int i = 0; i < 2; i++)
		cpu->v[f.rd].d[i] = cpu->v[f.rn].d[i] ^ (cpu->v[f.rm].d[i] & ~cpu->v[f.ra].d[i]);
}

void soft_vector_xar(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_xor_rotate f = a64_get_xor_rotate(op->word);

	for (unsigned int i = 0; i < 2; i++)
		cpu->v[f.rd].d[i] = ROR64(cpu->v[f.rn].d[i] ^ cpu->v[f.rm].d[i], f.imms);
}

static uint32_t left(uint32_t word, unsigned int by)
{
	return ROR32(word, 32 - by);
}

/* SM3SS1: the top word alone. */
void soft_vector_sm3_ss1(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_crypto_four f = a64_get_crypto_four(op->word);
	const uint32_t sum = left(cpu->v[f.rn].s[3], 12) + cpu->v[f.rm].s[3] + cpu->v[f.ra].s[3];

	cpu->v[f.rd] = (union soft_vector){.s = {0, 0, 0, left(sum, 7)}};
}

/* SM3TT1A to SM3TT2B: half of a round, of the first 16 or the later ones. */
void soft_vector_sm3_tt(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sm3_index f = a64_get_sm3_index(op->word);
	const union soft_vector d = cpu->v[f.rd];
	const uint32_t top = cpu->v[f.rn].s[3], word = cpu->v[f.rm].s[f.index];
	const bool second = f.opcode & 2, later = f.opcode & 1;
	uint32_t sum = d.s[1] ^ d.s[2] ^ d.s[3];

	if (later && second)
		sum = (uint32_t)choose(d.s[3], d.s[2], d.s[1]);
	else if (later)
		sum = (uint32_t)majority(d.s[1], d.s[2], d.s[3]);
	sum += d.s[0] + word + (second ? top : top ^ left(d.s[3], 12));
	if (second)
		sum ^= left(sum, 9) ^ left(sum, 17);
	cpu->v[f.rd] =
		(union soft_vector){.s = {d.s[1], left(d.s[2], second ? 19 : 9), d.s[3], sum}};
}

/* P1 of the message expansion. */
static uint32_t permute(uint32_t x)
{
	return x ^ left(x, 15) ^ left(x, 23);
}

void soft_vector_sm3_partw1(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sm_three f = a64_get_sm_three(op->word);
	const union soft_vector d = cpu->v[f.rd], n = cpu->v[f.rn], m = cpu->v[f.rm];
	union soft_vector r = d;

	for (unsigned int i = 0; i < 4; i++) /* the last one needs the first */
		r.s[i] = permute(d.s[i] ^ n.s[i] ^ left(i < 3 ? m.s[i + 1] : r.s[0], 15));
	cpu->v[f.rd] = r;
}

void soft_vector_sm3_partw2(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sm_three f = a64_get_sm_three(op->word);
	const union soft_vector n = cpu->v[f.rn], m = cpu->v[f.rm];
	union soft_vector *d = &cpu->v[f.rd];

	for (unsigned int i = 0; i < 4; i++)
		d->s[i] ^= n.s[i] ^ left(m.s[i], 7);
	d->s[3] ^= permute(left(n.s[0] ^ left(m.s[0], 7), 15));
}

/* clang-format off */
static const uint8_t sm4_substitutes[256] = {
	0xd6, 0x90, 0xe9, 0xfe, 0xcc, 0xe1, 0x3d, 0xb7, 0x16, 0xb6, 0x14, 0xc2, 0x28, 0xfb, 0x2c, 0x05,
	0x2b, 0x67, 0x9a, 0x76, 0x2a, 0xbe, 0x04, 0xc3, 0xaa, 0x44, 0x13, 0x26, 0x49, 0x86, 0x06, 0x99,
	0x9c, 0x42, 0x50, 0xf4, 0x91, 0xef, 0x98, 0x7a, 0x33, 0x54, 0x0b, 0x43, 0xed, 0xcf, 0xac, 0x62,
	0xe4, 0xb3, 0x1c, 0xa9, 0xc9, 0x08, 0xe8, 0x95, 0x80, 0xdf, 0x94, 0xfa, 0x75, 0x8f, 0x3f, 0xa6,
	0x47, 0x07, 0xa7, 0xfc, 0xf3, 0x73, 0x17, 0xba, 0x83, 0x59, 0x3c, 0x19, 0xe6, 0x85, 0x4f, 0xa8,
	0x68, 0x6b, 0x81, 0xb2, 0x71, 0x64, 0xda, 0x8b, 0xf8, 0xeb, 0x0f, 0x4b, 0x70, 0x56, 0x9d, 0x35,
	0x1e, 0x24, 0x0e, 0x5e, 0x63, 0x58, 0xd1, 0xa2, 0x25, 0x22, 0x7c, 0x3b, 0x01, 0x21, 0x78, 0x87,
	0xd4, 0x00, 0x46, 0x57, 0x9f, 0xd3, 0x27, 0x52, 0x4c, 0x36, 0x02, 0xe7, 0xa0, 0xc4, 0xc8, 0x9e,
	0xea, 0xbf, 0x8a, 0xd2, 0x40, 0xc7, 0x38, 0xb5, 0xa3, 0xf7, 0xf2, 0xce, 0xf9, 0x61, 0x15, 0xa1,
	0xe0, 0xae, 0x5d, 0xa4, 0x9b, 0x34, 0x1a, 0x55, 0xad, 0x93, 0x32, 0x30, 0xf5, 0x8c, 0xb1, 0xe3,
	0x1d, 0xf6, 0xe2, 0x2e, 0x82, 0x66, 0xca, 0x60, 0xc0, 0x29, 0x23, 0xab, 0x0d, 0x53, 0x4e, 0x6f,
	0xd5, 0xdb, 0x37, 0x45, 0xde, 0xfd, 0x8e, 0x2f, 0x03, 0xff, 0x6a, 0x72, 0x6d, 0x6c, 0x5b, 0x51,
	0x8d, 0x1b, 0xaf, 0x92, 0xbb, 0xdd, 0xbc, 0x7f, 0x11, 0xd9, 0x5c, 0x41, 0x1f, 0x10, 0x5a, 0xd8,
	0x0a, 0xc1, 0x31, 0x88, 0xa5, 0xcd, 0x7b, 0xbd, 0x2d, 0x74, 0xd0, 0x12, 0xb8, 0xe5, 0xb4, 0xb0,
	0x89, 0x69, 0x97, 0x4a, 0x0c, 0x96, 0x77, 0x7e, 0x65, 0xb9, 0xf1, 0x09, 0xc5, 0x6e, 0xc6, 0x84,
	0x18, 0xf0, 0x7d, 0xec, 0x3a, 0xdc, 0x4d, 0x20, 0x79, 0xee, 0x5f, 0x3e, 0xd7, 0xcb, 0x39, 0x48,
};
/* clang-format on */

void soft_sm4(union soft_vector *d, const union soft_vector *from, const union soft_vector *with,
	      bool expands)
{
	const union soft_vector keys = *with;
	union soft_vector state = *from;

	for (unsigned int i = 0; i < 4; i++) {
		uint32_t *s = state.s, x = s[1] ^ s[2] ^ s[3] ^ keys.s[i], y = 0;

		for (unsigned int at = 0; at < 32; at += 8)
			y |= (uint32_t)sm4_substitutes[x >> at & 0xff] << at;
		y ^= expands ? left(y, 13) ^ left(y, 23)
			     : left(y, 2) ^ left(y, 10) ^ left(y, 18) ^ left(y, 24);
		y ^= s[0];
		state = (union soft_vector){.s = {s[1], s[2], s[3], y}};
	}
	*d = state;
}

/* SM4E: keys in Vn; SM4EKEY: from keys in Vn, constants in Vm. */
void soft_vector_sm4(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sm_three f = a64_get_sm_three(op->word);
	const bool expands = op->word >> 21 & 1;

	soft_sm4(&cpu->v[f.rd], &cpu->v[expands ? f.rn : f.rd], &cpu->v[expands ? f.rm : f.rn],
		 expands);
}
