/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program of Linux: levels KIB LOADS. It follows a chain through all lines of an array in random
 * order, once around in lap(), and then by so many loads in chase().
 */
#include "user.h"

#define LINE	  64
#define ANONYMOUS 0x22 /* MAP_PRIVATE and MAP_ANONYMOUS */

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

static __attribute__((noinline)) struct line *lap(struct line *at, uint64_t loads)
{
	for (; loads > 0; loads--)
		__asm__ volatile("ldr %0, [%0]" : "+r"(at)::"memory");
	return at;
}

static __attribute__((noinline)) struct line *chase(struct line *at, uint64_t loads)
{
	for (; loads > 0; loads--)
		__asm__ volatile("ldr %0, [%0]" : "+r"(at)::"memory");
	return at;
}

void init(const uint64_t *stack)
{
	const char *kib = stack[0] == 3 ? (const char *)stack[2] : "16";
	const char *loads = stack[0] == 3 ? (const char *)stack[3] : "1000";
	const uint64_t bytes = parse_number(&kib) << 10;
	const long memory = call(__NR_mmap, 0, (long)bytes, PROT_RW, ANONYMOUS, -1, 0);
	struct line *at = (struct line *)memory;

	if (memory > 0) {
		chain(at, bytes / LINE);
		at = lap(at, bytes / LINE);
		(void)chase(at, parse_number(&loads));
	}
	call(__NR_exit_group, memory < 0, 0, 0, 0, 0, 0);
}
