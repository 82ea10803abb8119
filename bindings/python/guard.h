/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * vmm/trace ends the process when there is no memory (vmm/base/memory.h), which would be a user's
 * notebook here. In this module it ends the call instead: memory_out() is this folder's own.
 */
#ifndef VSPE_PYTHON_GUARD_H
#define VSPE_PYTHON_GUARD_H

#include <stdbool.h>

/* work(ctx). false: it got no memory, and what it had allocated is not freed. */
bool guard_memory(void (*work)(void *ctx), void *ctx);

#endif
