/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which operations of a block are executed together.
 */
#ifndef VSPE_SOFT_JOIN_H
#define VSPE_SOFT_JOIN_H

#include "soft/run/ops.h"

/*
 * A comparison and the conditional branch after it become one; the branch also keeps its handler.
 */
void soft_fuse(struct soft_op *first, const struct soft_op *branch_op);

/*
 * The handler that executes only op; and the same for an operation whose fetch the model has
 * been shown.
 */
soft_handler *soft_lone_handler(const struct soft_op *op);
soft_handler *soft_handler_past_fetch(const struct soft_op *op);

/*
 * Give the operations of a block, whose kinds are set, their handlers: one for two operations where
 * there is such a handler.
 */
void soft_join(struct soft_block *block);

/* The same with --model warm, after it: handlers that tell the model (soft/model/warm.h). */
void soft_join_told(struct soft_block *block);

#endif
