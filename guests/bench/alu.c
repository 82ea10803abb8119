/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Register arithmetic alone: a shift-register generator feeding multiplications, rotations and
 * conditional selects; no memory, one branch that closes the loop.
 */
#include "bench.h"

static inline uint64_t rotate_left(uint64_t x, unsigned int n)
{
	return x >> n | x << (64 - n);
}

static uint64_t run_alu(void *data, uint64_t iterations)
{
	uint64_t x = UINT64_C(0x243f6a8885a308d3), sum = 0, best = 0;

	(void)data;
	for (uint64_t i = 0; i < iterations; i++) {
		x ^= x << 7;
		x ^= x >> 9;
		sum += rotate_left(x, 23) * UINT64_C(0xd6e8feb86659fd93);
		sum ^= sum >> 32;
		best = sum > best ? sum - i : best + 1;
		sum = rotate_left(sum, 41) + (x & ~best);
	}
	return sum ^ best;
}

const struct bench bench = {.pages = 1, .iterations = 36000000, .run = run_alu};
