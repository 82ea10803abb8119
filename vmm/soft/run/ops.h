/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The way into the fast loop, and its handlers.
 */
#ifndef VSPE_SOFT_OPS_H
#define VSPE_SOFT_OPS_H

#include "soft/kinds.h"

/* The handler of a kind. */
soft_handler *soft_handler_of(enum soft_kind kind);
/*
 * The handler that executes an operation of kind first and the one of kind second after it, or
 * NULL.
 */
soft_handler *soft_handler_of_pair(enum soft_kind first, enum soft_kind second);
/*
 * Replaces op's handler: stops the fast loop before it, SOFT_LEAVE_STOP, or has it recorded there
 * and then executed (soft_vm.passing).
 */
soft_handler soft_stop;
/* For the first operation of a dropped block: looks its address up again. */
soft_handler soft_stale;
/*
 * For the first operation of a block while classes of instructions are counted: adds the block's
 * tally, and continues with soft_block.counted.
 */
soft_handler soft_count_block;
/* For an operation that begins a block or a line, with --model warm: tells the model. */
soft_handler soft_fetch_first;
/* A memory operation that soft_memory_operation() always executes: LDTR, STTR. */
soft_handler soft_slow_memory;

/* Handlers for generated code to end in: they leave the fast loop, or continue elsewhere. */
struct soft_ends {
	soft_handler *block;	 /* the block at op does not fit into the budget */
	soft_handler *follow[2]; /* op is the place of links: side 0 or 1 of them is not there */
	soft_handler *jump;	 /* soft_cpu.pc is where op branches to */
	soft_handler *left;	 /* soft_cpu.leave says everything already */
	/*
	 * The same as block for code that continues if the budget, which is returned, turned out to
	 * be enough. SOFT_PASS_NOT: continue at passed, with the same op.
	 */
	int64_t (*pass)(struct soft_cpu *cpu, const struct soft_op *op, int64_t budget);
	soft_handler *passed;
	soft_handler *told; /* after soft_warm_access(): a handler has to execute op */
};
extern const struct soft_ends soft_ends;

/*
 * Execute from op on until something makes the loop leave: see cpu->leave and what belongs to it.
 */
void soft_enter(struct soft_cpu *cpu, const struct soft_op *op, int64_t budget);

#endif
