/* SPDX-License-Identifier: BSD-2-Clause */
/* The end of a call that gets no memory: see guard.h. */
#include "guard.h"

#include "base/memory.h"

#include <setjmp.h>
#include <stdlib.h>

static _Thread_local jmp_buf *back; /* to the innermost guard_memory() of this thread */

void memory_out(void)
{
	if (!back)
		abort();
	longjmp(*back, 1);
}

void *memory_need(void *allocated)
{
	if (!allocated)
		memory_out();
	return allocated;
}

bool guard_memory(void (*work)(void *ctx), void *ctx)
{
	jmp_buf *const outer = back;
	jmp_buf here;
	volatile bool done = false;

	back = &here;
	if (!setjmp(here)) {
		work(ctx);
		done = true;
	}
	back = outer;
	return done;
}
