/* SPDX-License-Identifier: BSD-2-Clause */
/* How the examples fill in struct spe_op: what vspe/a64.h does not know of an operation. */
#ifndef OPERATION_H
#define OPERATION_H

#include <vspe/a64.h>

/* An operation of EL1 that is selected and has yet to execute. */
static inline struct spe_op operation_begin(uint64_t pc, uint32_t word, uint64_t time,
					    const struct spe_config *config,
					    const struct a64_registers *registers)
{
	struct spe_op op = {
		.pc = pc,
		.el = 1,
		.ns = true,
		.events = SPE_EVENT_RETIRED,
		.timestamp = time,
		.total_latency = 1,
	};

	a64_describe(&op, NULL, word, config, registers);
	return op;
}

/* It has executed, and next is where the PC went: of an exception return only this says it. */
static inline void operation_end(struct spe_op *op, uint64_t next)
{
	if (!(op->flags & SPE_OP_TAKEN))
		return;
	op->target = next;
	op->target_el = 1;
	op->target_ns = true;
}

#endif
