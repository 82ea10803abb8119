/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program of Linux: numa KIB LOADS. CPU 0 follows a chain through an array that is in node 2, in
 * node 1 and in node 0, one after the other: the kernel moves its pages. It says for each place how
 * many pages are there.
 */
#include "chain.h"
#include "user.h"

#define PAGE	  4096
#define ANONYMOUS 0x22 /* MAP_PRIVATE and MAP_ANONYMOUS */
#define MOVE	  2    /* MPOL_MF_MOVE */
#define MOST	  32768
#define NOHUGE	  15 /* MADV_NOHUGEPAGE */

static long pages[MOST];
static int nodes[MOST], status[MOST];

CHASE(from_0)
CHASE(from_1)
CHASE(from_2)

/* Move all pages to a node, and count those that are there. */
static uint64_t move(long array, uint64_t count, int node)
{
	uint64_t there = 0;

	for (uint64_t n = 0; n < count; n++) {
		pages[n] = array + (long)(n * PAGE);
		nodes[n] = node;
	}
	call(__NR_move_pages, 0, (long)count, (long)pages, (long)nodes, (long)status, MOVE);
	call(__NR_move_pages, 0, (long)count, (long)pages, 0, (long)status, 0);
	for (uint64_t n = 0; n < count; n++)
		there += status[n] == node;
	return there;
}

void init(const uint64_t *stack)
{
	struct line *(*const chases[])(struct line *, uint64_t) = {from_0, from_1, from_2};
	const char *kib = stack[0] == 3 ? (const char *)stack[2] : "16";
	const char *word = stack[0] == 3 ? (const char *)stack[3] : "1000";
	const uint64_t bytes = parse_number(&kib) << 10, loads = parse_number(&word);
	const uint64_t count = bytes / PAGE, cpu = 1;
	const long array = call(__NR_mmap, 0, (long)bytes, PROT_RW, ANONYMOUS, -1, 0);
	struct line *at = (struct line *)array;

	if (array < 0 || count > MOST ||
	    call(__NR_sched_setaffinity, 0, sizeof(cpu), (long)&cpu, 0, 0, 0) < 0)
		call(__NR_exit_group, 1, 0, 0, 0, 0, 0);
	call(__NR_madvise, array, (long)bytes, NOHUGE, 0, 0, 0);
	chain(at, bytes / LINE);
	for (int node = 2; node >= 0; node--) {
		const uint64_t there = move(array, count, node);

		print("node ");
		print_number((uint64_t)node);
		print(" has ");
		print_number(there);
		print(" of ");
		print_number(count);
		print("\n");
		at = chases[node](at, loads);
	}
	call(__NR_exit_group, 0, 0, 0, 0, 0, 0);
}
