/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program of Linux: cold LOADS. It follows a chain through an array that only the last level
 * holds, and one through an array that L1D holds, by so many loads each. Both have initial values:
 * perf 6.1 finds the name of an address in .data, but not in .bss.
 */
#include "chain.h"
#include "user.h"

#define COLD (8u << 20)
#define HOT  (16u << 10)

struct line cold_array[COLD / LINE] = {{.rest = {1}}};
struct line hot_array[HOT / LINE] = {{.rest = {1}}};

CHASE(walk)

void init(const uint64_t *stack)
{
	const char *text = stack[0] == 2 ? (const char *)stack[2] : "1000";
	const uint64_t loads = parse_number(&text);

	chain(cold_array, COLD / LINE);
	chain(hot_array, HOT / LINE);
	(void)walk(cold_array, loads);
	(void)walk(hot_array, loads);
	call(__NR_exit_group, 0, 0, 0, 0, 0, 0);
}
