/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A case of the comparison with qemu-aarch64: what goes to both sides and what comes back. The
 * program that runs under qemu-aarch64 (user_runner.c) and the host's side are compiled from this;
 * both are little-endian LP64, so that the structures are the file format.
 *
 * A case is a piece of code that ends at the first exception: often a BRK, or one of the others
 * that EL0 can generate. Case i of a batch has its code at CASE_CODE + i * CASE_SLOT, on both
 * sides; every second one goes on from one page to the next.
 */
#ifndef VSPE_TESTS_DIFF_CASE_H
#define VSPE_TESTS_DIFF_CASE_H

#include <stdint.h>

#define CASE_CODE    UINT64_C(0x50000400)
#define CASE_SLOT    2048
#define CASE_WORDS   (CASE_SLOT / 4)
#define CASE_SCRATCH UINT64_C(0x60000000)
#define CASE_BYTES \
	8192 /* of scratch memory: two pages, so that accesses cross from one to the other */
#define CASE_BATCH    250		   /* at most in one file */
#define CASE_UNMAPPED UINT64_C(0x61000000) /* CASE_BYTES from here on are not mapped */

#define CASE_BRK UINT32_C(0xd43acdc0) /* brk #0xd66e: ends a case */

/* QEMU's CPU that a case is for. */
enum case_cpu {
	CASE_CPU_A76, /* Armv8.2 */
	CASE_CPU_MAX, /* with what came later */
	/* ... and SVE, with vectors of so many bits */
	CASE_CPU_SVE_128,
	CASE_CPU_SVE_256,
	CASE_CPU_SVE_512,
	CASE_CPU_SVE_2048,
	CASE_CPUS
};

#define CASE_VL_MAX 256 /* bytes */

/* Bytes of a vector of SVE; 0 without it. */
static inline unsigned int case_vl(enum case_cpu cpu)
{
	static const uint16_t bytes[CASE_CPUS] = {
		[CASE_CPU_SVE_128] = 16,
		[CASE_CPU_SVE_256] = 32,
		[CASE_CPU_SVE_512] = 64,
		[CASE_CPU_SVE_2048] = 256,
	};

	return bytes[cpu];
}

/* The registers of SVE, each from its first byte on; all that is above the length is 0. */
struct case_sve {
	uint64_t vl; /* bytes; 0 without SVE */
	uint8_t z[32][CASE_VL_MAX];
	uint8_t p[17][CASE_VL_MAX / 8]; /* P0 to P15, FFR */
};

struct case_input {
	uint64_t x[31];
	uint64_t sp;
	uint64_t nzcv; /* bits [31:28] */
	uint64_t v[32][2];
	uint64_t fpcr, fpsr;
	struct case_sve sve; /* with SVE, what v has too */
	uint64_t memory_seed;
	uint64_t end;		   /* enum case_end that the code is made for */
	uint32_t code[CASE_WORDS]; /* unused words are CASE_BRK */
};

/* What ended a case. */
enum case_end {
	CASE_END_BRK = 1,
	CASE_END_UNDEFINED,
	CASE_END_ABORT,	    /* data or instruction abort: SIGSEGV */
	CASE_END_ALIGNMENT, /* alignment of PC or of data: SIGBUS */
	CASE_END_OTHER,
};

struct case_output {
	uint64_t x[31];
	uint64_t sp;
	uint64_t nzcv;
	uint64_t v[32][2];
	uint64_t fpcr, fpsr;
	struct case_sve sve;
	uint64_t pc;  /* of the exception */
	uint64_t end; /* enum case_end */
	uint64_t far; /* the address that aborted; 0 if it did not end so */
	uint64_t memory[CASE_BYTES / 8];
};

/* z as floating-point numbers of 64, 32 or 16 bits, with exponents near 0. */
static inline uint64_t case_float(uint64_t z)
{
	static const uint64_t exponents[] = {UINT64_C(0x7ff0000000000000),
					     UINT64_C(0x7f8000007f800000),
					     UINT64_C(0x7c007c007c007c00)};
	static const uint64_t small[] = {UINT64_C(0x00f0000000000000), UINT64_C(0x0780000007800000),
					 UINT64_C(0x1c001c001c001c00)};
	static const uint64_t ones[] = {UINT64_C(0x3f80000000000000), UINT64_C(0x3c0000003c000000),
					UINT64_C(0x2000200020002000)};
	const unsigned int size = z % 3;

	return (z & ~exponents[size]) | (z & small[size]) | ones[size];
}

/* Scratch memory before a case: random, floating-point numbers, values at the ends of a range. */
static inline void case_fill(uint64_t seed, uint64_t *memory)
{
	static const uint64_t ends[16] = {
		0,
		1,
		~UINT64_C(0),
		UINT64_C(1) << 63,
		~(UINT64_C(1) << 63),
		UINT64_C(0x80000000),
		UINT64_C(0x7fffffff),
		UINT64_C(0xffffffff),
		UINT64_C(0x7ff0000000000000), /* floating-point: infinities, NaNs, denormals, 1 */
		UINT64_C(0x7ff4000000000000),
		UINT64_C(0xfff8000000000001),
		UINT64_C(0x3ff0000000000000),
		UINT64_C(0x7f800000ff800000),
		UINT64_C(0x7fa000007fc00001),
		UINT64_C(0x807fffff3f800000),
		UINT64_C(0x7c017e0000017bff),
	};

	for (unsigned int i = 0; i < CASE_BYTES / 8; i++) {
		uint64_t z = seed += UINT64_C(0x9e3779b97f4a7c15); /* splitmix64 */

		z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
		z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
		z ^= z >> 31;
		memory[i] = z & 1 ? case_float(z >> 4 ^ z << 60) : z & 2 ? z : ends[z >> 2 & 15];
	}
}

#endif
