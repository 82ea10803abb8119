/* SPDX-License-Identifier: BSD-2-Clause */
/* For tools that cannot continue when the host has no memory. */
#ifndef VSPE_BASE_MEMORY_H
#define VSPE_BASE_MEMORY_H

#include <stddef.h>

#define MEMORY_EXIT 3 /* the exit code */

/*
 * Say so in one line and end the process. Removes incomplete files (output.h). Not for the needs of
 * a running machine, which continues, or ends in order.
 */
_Noreturn void memory_out(void);

/* Returns what was allocated, or calls memory_out(). */
void *memory_need(void *allocated);

/*
 * Zeroed memory, as from calloc(), of which little is usually touched. Free it with
 * memory_sparse_free() and the same size; NULL if there is none. If it is large, it only costs what
 * is touched, even under ASan, which would mark all bytes from malloc(). The page after it is
 * inaccessible, so overruns are still found.
 */
void *memory_sparse(size_t size);
void memory_sparse_free(void *memory, size_t size);

#endif
