/* SPDX-License-Identifier: BSD-2-Clause */
/* For tools that have nothing to go back to when the host has no memory. */
#ifndef VSPE_BASE_MEMORY_H
#define VSPE_BASE_MEMORY_H

#define MEMORY_EXIT 3 /* the exit code */

/*
 * Say so in one line and end the process; files that are not whole are removed (output.h). Not for
 * what a running machine needs: that goes on, or ends in order.
 */
_Noreturn void memory_out(void);

/* What was allocated, or memory_out(). */
void *memory_need(void *allocated);

#endif
