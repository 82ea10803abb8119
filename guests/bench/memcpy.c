/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Copying 64 KiB forth by words and back by pairs of words. One iteration is both.
 */
#include "bench.h"

#define BYTES	 65536
#define WORDS	 (BYTES / 8)
#define NOINLINE __attribute__((noinline))

static NOINLINE void copy_words(uint64_t *restrict to, const uint64_t *restrict from, size_t n)
{
	while (n--) {
		*to++ = *from++;
		__asm__ volatile(""); /* keeps it a loop of single loads and stores */
	}
}

static NOINLINE void copy_pairs(uint64_t *restrict to, const uint64_t *restrict from, size_t n)
{
	for (; n; n -= 2, to += 2, from += 2) {
		uint64_t a = from[0], b = from[1];

		to[0] = a;
		to[1] = b;
		__asm__ volatile("");
	}
}

static uint64_t run_memcpy(void *data, uint64_t iterations)
{
	uint64_t *first = data, *second = first + WORDS, sum = 0;

	for (uint64_t i = 0; i < WORDS; i++)
		first[i] = i * UINT64_C(0x9e3779b97f4a7c15);
	for (uint64_t i = 0; i < iterations; i++) {
		copy_words(second, first, WORDS);
		second[i % WORDS] += i;
		copy_pairs(first, second, WORDS);
		sum = sum * 31 + first[(i * 7) % WORDS];
	}
	return sum;
}

const struct bench bench = {.pages = 2 * BYTES / 4096, .iterations = 7000, .run = run_memcpy};
