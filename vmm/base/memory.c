// SPDX-License-Identifier: BSD-2-Clause
/* The end when there is no memory: see memory.h. */
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>

void memory_out(void)
{
	fputs("vspe: the host has no memory\n", stderr);
	exit(MEMORY_EXIT);
}

void *memory_need(void *allocated)
{
	if (!allocated)
		memory_out();
	return allocated;
}
