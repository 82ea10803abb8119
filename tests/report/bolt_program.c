/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program for bolt.py: a bare-metal ELF in the lower half, whose branches are worth reordering.
 * It samples its branches, prints its results, and powers off.
 */
#include <stdint.h>

#define UART   ((volatile uint32_t *)0x09000000)
#define BUFFER (1u << 18) /* bytes */
#define ROUNDS 60000u
#define OFF    0x84000008 /* PSCI SYSTEM_OFF */

static uint8_t buffer[BUFFER] __attribute__((aligned(4096)));
static uint8_t stack[65536] __attribute__((aligned(16), used));

__asm__(".section .text.start,\"ax\"\n"
	".globl _start\n"
	".type _start, %function\n"
	"_start:\n"
	"	adrp	x1, stack\n"
	"	add	x1, x1, :lo12:stack\n"
	"	add	sp, x1, #16, lsl #12\n"
	"	bl	program\n"
	"1:	b	1b\n"
	".size _start, . - _start\n"
	".text\n");

/* One case in 64 is in the path of the 63 others, because the compiler is misled. */
static uint32_t __attribute__((noinline)) step(uint32_t x)
{
	if (__builtin_expect(x % 64 == 5, 1)) {
		x = (x << 3) ^ (x >> 5);
		x *= 2654435761u;
		x ^= x >> 13;
	} else {
		x = x * 1664525u + 1013904223u;
	}
	if (__builtin_expect(x & 0x80000000u && x % 3 == 1, 1))
		x ^= 0x5bd1e995u;
	else
		x += 7;
	return x;
}

static void __attribute__((noinline)) print(uint32_t value)
{
	for (int shift = 28; shift >= 0; shift -= 4)
		*UART = (uint32_t) "0123456789abcdef"[value >> shift & 15];
	*UART = '\n';
}

void program(void);
void program(void)
{
	const uint64_t begin = (uintptr_t)buffer, limit = (begin + BUFFER) | 1;
	uint32_t x = 1;

	__asm__ volatile("msr S3_0_C9_C10_1, %0\n" /* PMBPTR_EL1 */
			 "msr S3_0_C9_C9_4, %2\n"  /* PMSFCR_EL1: FT, B */
			 "msr S3_0_C9_C9_3, %3\n"  /* PMSIRR_EL1: 257 operations */
			 "msr S3_0_C9_C10_0, %1\n" /* PMBLIMITR_EL1 */
			 "isb\n"
			 "msr S3_0_C9_C9_0, %4\n" /* PMSCR_EL1: E1SPE */
			 "isb\n" ::"r"(begin),
			 "r"(limit), "r"(UINT64_C(0x10002)), "r"(UINT64_C(0x100)), "r"(UINT64_C(2))
			 : "memory");
	for (uint32_t i = 0; i < ROUNDS; i++)
		x = step(x);
	__asm__ volatile("msr S3_0_C9_C9_0, xzr\n"
			 "isb\n"
			 "hint #17\n" /* PSB CSYNC */
			 "dsb sy\n" ::
				 : "memory");
	print(x);
	__asm__ volatile("mov x0, %0\n"
			 "hvc #0\n" ::"r"(UINT64_C(OFF))
			 : "x0", "x1", "x2", "x3", "memory");
}
