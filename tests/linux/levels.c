/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program of Linux: levels KIB LOADS. It follows a chain through all lines of an array in random
 * order, once around in lap(), and then by so many loads in chase().
 */
#include "chain.h"
#include "user.h"

#define ANONYMOUS 0x22 /* MAP_PRIVATE and MAP_ANONYMOUS */

CHASE(lap)
CHASE(chase)

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
