/* SPDX-License-Identifier: BSD-2-Clause */
/* How the program ends without memory: see memory.h. */
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
