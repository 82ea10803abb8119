/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program of Linux for pgo.py, whose branches are worth reordering. Its exit status depends on
 * its results.
 */
#include <stdint.h>

#define ROUNDS 400000u
#define EXIT   93

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

void _start(void);
void _start(void)
{
	uint32_t x = 1;

	for (uint32_t i = 0; i < ROUNDS; i++)
		x = step(x);
	register uint64_t status __asm__("x0") = x % 113;
	register uint64_t number __asm__("x8") = EXIT;
	__asm__ volatile("svc #0" ::"r"(status), "r"(number));
	__builtin_unreachable();
}
