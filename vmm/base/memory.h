/* SPDX-License-Identifier: BSD-2-Clause */
/* For tools that have nothing to go back to when the host has no memory. */
#ifndef VSPE_BASE_MEMORY_H
#define VSPE_BASE_MEMORY_H

#include <stddef.h>

#define MEMORY_EXIT 3 /* the exit code */

/*
 * Say so in one line and end the process; files that are not whole are removed (output.h). Not for
 * what a running machine needs: that goes on, or ends in order.
 */
_Noreturn void memory_out(void);

/* What was allocated, or memory_out(). */
void *memory_need(void *allocated);

/*
 * Zeroed memory of which mostly little is touched, as of calloc(), to be given to
 * memory_sparse_free() with the same size; NULL if there is none. Where it is large, it costs what
 * is touched of it under ASan too, which would mark all that malloc() gives. What follows it then
 * is no memory, so that its end is still watched.
 */
void *memory_sparse(size_t size);
void memory_sparse_free(void *memory, size_t size);

#endif
