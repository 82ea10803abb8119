/* SPDX-License-Identifier: BSD-2-Clause */
/* A chain through all lines of an array in random order, and functions that follow it. */
#ifndef TESTS_LINUX_CHAIN_H
#define TESTS_LINUX_CHAIN_H

#include <stdint.h>

#define LINE 64

struct line {
	struct line *next;
	uint8_t rest[LINE - sizeof(struct line *)];
};

static uint64_t state = 1;

static uint64_t random_below(uint64_t n)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (state >> 33) % n;
}

/* One cycle through all lines (Sattolo). */
static void chain(struct line *lines, uint64_t count)
{
	for (uint64_t n = 0; n < count; n++)
		lines[n].next = &lines[n];
	for (uint64_t n = count - 1; n > 0; n--) {
		const uint64_t other = random_below(n);
		struct line *next = lines[n].next;

		lines[n].next = lines[other].next;
		lines[other].next = next;
	}
}

/* Follows the chain by so many loads. One function for each use, as samples tell functions. */
#define CHASE(name)                                                                         \
	static __attribute__((noinline)) struct line *name(struct line *at, uint64_t loads) \
	{                                                                                   \
		for (; loads > 0; loads--)                                                  \
			__asm__ volatile("ldr %0, [%0]" : "+r"(at)::"memory");              \
		return at;                                                                  \
	}

#endif
