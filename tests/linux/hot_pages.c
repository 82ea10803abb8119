/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program of Linux: hot_pages LOADS FILE. So many loads from PAGES pages, in an order of chance:
 * page n of the ranking is read 1/n as often as the first (Zipf), and any line of a page as often
 * as another. FILE gets how often each page was read.
 */
#include "user.h"

#define PAGE	  4096
#define PAGES	  16384
#define SLOTS	  (1u << 20)
#define ARRAY	  UINT64_C(0x100000000)
#define ANONYMOUS 0x32 /* MAP_PRIVATE, MAP_FIXED and MAP_ANONYMOUS */

static uint16_t slots[SLOTS]; /* a page has as many as it is likely */
static uint64_t counts[PAGES];

/* Pages of the ranking are scattered over the array. */
static uint16_t place_of(uint32_t rank)
{
	return (uint16_t)(rank * 9973u % PAGES);
}

/* The harmonic sum of PAGES is 10.3: each page has a slot at least. */
static void fill_slots(void)
{
	const uint64_t first = SLOTS / 11;
	uint32_t at = 0;

	for (uint32_t rank = 0; rank < PAGES; rank++)
		for (uint64_t n = first / (rank + 1) + 1; n > 0 && at < SLOTS; n--)
			slots[at++] = place_of(rank);
	for (uint32_t rank = 0; at < SLOTS; rank++)
		slots[at++] = place_of(rank);
}

static __attribute__((noinline)) uint64_t touch(const uint8_t *line)
{
	uint64_t value;

	__asm__ volatile("ldr %0, [%1]" : "=r"(value) : "r"(line) : "memory");
	return value;
}

static void touch_all(const uint8_t *array, uint64_t loads)
{
	uint64_t state = 1;

	for (; loads > 0; loads--) {
		uint32_t page;

		state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		page = slots[state >> 44];
		counts[page]++;
		(void)touch(array + (uint64_t)page * PAGE + (state >> 38 & 63) * 64);
	}
}

void init(const uint64_t *stack)
{
	const char *loads = stack[0] == 3 ? (const char *)stack[2] : "1000";
	const long array = call(__NR_mmap, ARRAY, (long)PAGES * PAGE, PROT_RW, ANONYMOUS, -1, 0);
	long file = -1;

	if (array > 0 && stack[0] == 3) {
		fill_slots();
		for (long n = 0; n < PAGES; n++)
			*(uint64_t *)(array + n * PAGE) = 1;
		touch_all((const uint8_t *)array, parse_number(&loads));
		file = open_file((const char *)stack[3], O_CREAT | O_WRONLY | O_TRUNC);
		(void)call(__NR_write, file, (long)counts, sizeof(counts), 0, 0, 0);
	}
	call(__NR_exit_group, file < 0, 0, 0, 0, 0, 0);
}
