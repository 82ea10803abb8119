/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Arithmetic of instructions that C has no operator for (Arm ARM C6.2).
 */
#ifndef VSPE_SOFT_ARITHMETIC_H
#define VSPE_SOFT_ARITHMETIC_H

#include "a64/a64.h"
#include "soft/flags.h"

#define ROR32(x, by) ((uint32_t)((x) >> ((by)&31) | (x) << (-(by)&31)))
#define ROR64(x, by) ((uint64_t)((x) >> ((by)&63) | (x) << (-(by)&63)))

/* ExtendReg(): option 0 to 7 is UXTB, UXTH, UXTW, UXTX, SXTB, SXTH, SXTW, SXTX. */
static inline uint64_t extend_register(uint64_t value, unsigned int option, unsigned int shift)
{
	switch (option) {
	case 0: value = (uint8_t)value; break;
	case 1: value = (uint16_t)value; break;
	case 2: value = (uint32_t)value; break;
	case 4: value = (uint64_t)(int8_t)value; break;
	case 5: value = (uint64_t)(int16_t)value; break;
	case 6: value = (uint64_t)(int32_t)value; break;
	default: break;
	}
	return value << shift;
}

static inline uint64_t multiply_high_signed(uint64_t a, uint64_t b)
{
	return (uint64_t)((__int128)(int64_t)a * (int64_t)b >> 64);
}

static inline uint64_t count_zeros(uint64_t value, unsigned int width)
{
	return value ? (uint64_t)__builtin_clzll(value) - (64 - width) : width;
}

static inline uint64_t reverse_bits(uint64_t v)
{
	v = (v >> 1 & UINT64_C(0x5555555555555555)) | (v & UINT64_C(0x5555555555555555)) << 1;
	v = (v >> 2 & UINT64_C(0x3333333333333333)) | (v & UINT64_C(0x3333333333333333)) << 2;
	v = (v >> 4 & UINT64_C(0x0f0f0f0f0f0f0f0f)) | (v & UINT64_C(0x0f0f0f0f0f0f0f0f)) << 4;
	return __builtin_bswap64(v);
}

static inline uint64_t add_with_carry(struct soft_cpu *cpu, uint64_t a, uint64_t b, unsigned int c,
				      unsigned int width)
{
	const unsigned int up = 64 - width;
	const uint64_t r = (a + b + c) << up >> up;
	const bool carry = width == 64 ? ((a & b) | ((a | b) & ~r)) >> 63 : (a + b + c) >> 32;

	soft_set_flags(cpu, soft_pack_nzcv(r >> (width - 1) & 1, r == 0, carry,
					   (~(a ^ b) & (a ^ r)) >> (width - 1) & 1));
	return r;
}

/* AXFLAG: the flags of FCMP in the alternative form, in which unordered is Z and not C. */
static inline uint32_t flags_to_external(uint32_t nzcv)
{
	const bool z = nzcv & 4, c = nzcv & 2, v = nzcv & 1;

	return soft_pack_nzcv(false, z || v, c && !v, false);
}

/* XAFLAG: back. */
static inline uint32_t flags_from_external(uint32_t nzcv)
{
	const bool z = nzcv & 4, c = nzcv & 2;

	return soft_pack_nzcv(!c && !z, z && c, c || z, z && !c);
}

/* RMIF: the flags of its mask from the lowest bits of a rotated register. */
static inline uint32_t insert_flags(uint32_t nzcv, uint64_t value, uint32_t word)
{
	const struct a64_rotate_to_flags f = a64_get_rotate_to_flags(word);

	return (nzcv & ~f.mask) | ((uint32_t)ROR64(value, f.amount) & f.mask);
}

/* SETF8, SETF16: what an addition of numbers of width bits left in 32 of them; C stays. */
static inline uint32_t flags_of_narrow(uint32_t nzcv, uint32_t value, unsigned int width)
{
	const bool sign = value >> (width - 1) & 1, above = value >> width & 1;

	return soft_pack_nzcv(sign, !(value << (32 - width)), nzcv & 2, sign != above);
}

/* CRC of bytes bytes of data, by half-bytes; polynomial is bit-reversed. */
static inline uint64_t crc_update(uint32_t polynomial, unsigned int bytes, uint32_t acc,
				  uint64_t data)
{
	uint32_t table[16];

	for (unsigned int n = 0; n < 16; n++) {
		uint32_t r = n;

		for (unsigned int bit = 0; bit < 4; bit++)
			r = r >> 1 ^ (r & 1 ? polynomial : 0);
		table[n] = r;
	}
	for (unsigned int n = 0; n < 2 * bytes; n++, data >>= 4)
		acc = acc >> 4 ^ table[(acc ^ data) & 15];
	return acc;
}

#endif
