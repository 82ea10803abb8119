/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --model warm: every operation reaches the machine model's caches, TLBs and branch predictor, at
 * the fast loop's speed. A second access to a line that L1D has, and to a page that the level 1 TLB
 * has, changes nothing in either (model/cache.h). So the fast loop looks at a byte of the line,
 * soft_warm.lines, and goes on; and the software TLB has only pages that the model's has. All else
 * is shown to the model in program order, which makes its state that of --model full.
 *
 * Example, a load that misses: its byte is 0, so the slow handler executes it and calls
 * soft_warm_memory(); L1D admits the line, and model_cache_tell() sets the byte.
 */
#ifndef VSPE_SOFT_MODEL_WARM_H
#define VSPE_SOFT_MODEL_WARM_H

#include "soft/model/model.h"

/* Of a vCPU: find its filters, after soft_model_create(). */
void soft_warm_begin(struct soft_cpu *cpu);

/* Where the vCPU is has changed: an Exception level, a context, TLB maintenance. */
void soft_warm_moved(struct soft_cpu *cpu);

/* op is about to execute, the first of its block or of a line of memory. */
void soft_warm_fetch(struct soft_cpu *cpu, const struct soft_op *op);

/*
 * Show the access of op, a load or store of ops.def, before its fast handler certainly makes it.
 * False: that is not so, and nothing was shown.
 */
bool soft_warm_line(struct soft_cpu *cpu, const struct soft_op *op);

/*
 * Execute op, a load or store of ops.def, and show it. False: cpu->fault is set, and nothing
 * was changed.
 */
bool soft_warm_memory(struct soft_cpu *cpu, const struct soft_op *op);

/* Execute op, a SOFT_call, and show it. False: as of its function. */
bool soft_warm_call(struct soft_cpu *cpu, const struct soft_op *op);

/* The fast loop's DC ZVA has zeroed a block. */
void soft_warm_zeroed(struct soft_cpu *cpu);

/*
 * For translated code, with the budget that handlers have, which is returned. Show the fetch of op,
 * or its access. SOFT_PASS_NOT: the access may not be shown yet, and a handler has to execute op.
 */
int64_t soft_warm_fetched(struct soft_cpu *cpu, const struct soft_op *op, int64_t budget);
int64_t soft_warm_access(struct soft_cpu *cpu, const struct soft_op *op, int64_t budget);
/* Show op, a direct call, or a return to cpu->pc, that has executed. */
void soft_warm_return(struct soft_cpu *cpu, const struct soft_op *op);
void soft_warm_called(struct soft_cpu *cpu, const struct soft_op *op);

/* The last operation of a block has executed: side is that of its links. */
void soft_warm_branch(struct soft_cpu *cpu, const struct soft_op *op, unsigned int side);
/* It branches to cpu->pc, which a register had. */
void soft_warm_jump(struct soft_cpu *cpu, const struct soft_op *op);

#endif
