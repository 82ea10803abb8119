/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which operations of a block are executed together.
 */
#ifndef VSPE_SOFT_JOIN_H
#define VSPE_SOFT_JOIN_H

#include "soft/run/ops.h"

/* A comparison and the conditional branch behind it become one; the branch keeps its own. */
void soft_fuse(struct soft_op *first, const struct soft_op *branch_op);

/* The handler that executes op and nothing else. */
soft_handler *soft_lone_handler(const struct soft_op *op);

/* The operations of a block have their kinds: give them their handlers, two at a time where there
 * is one for both. */
void soft_join(struct soft_block *block);

#endif
