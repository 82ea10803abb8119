/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The branch predictor of a core of the machine model. Directions come from counters of two bits,
 * chosen by the branch's address and the last outcomes; targets of indirect branches from a table
 * by the branch's address; targets of returns from a stack. Those of direct branches are known when
 * they are decoded.
 */
#ifndef VSPE_MODEL_BRANCH_H
#define VSPE_MODEL_BRANCH_H

#include <stdbool.h>
#include <stdint.h>

#include "../a64/a64.h"
#include "config.h"

struct model_target {
	uint64_t pc, target; /* pc 0: none */
};

struct model_branch {
	uint8_t *counters; /* the caller's; 0 and 1: not taken, 2 and 3: taken */
	struct model_target *targets;
	uint32_t counter_count, target_count, stack_size;
	uint32_t counter_mask, history_mask;
	uint32_t history;
	uint32_t depth, top; /* of the stack: calls without return, and where the next goes */
	uint64_t returns[64];
	/* Of the last indirect branch or return that was mispredicted: to where? */
	bool guessed; /* ... to somewhere */
	uint64_t guess;
};

/* Of config's sizes; counters and targets have as many elements as it says. */
void model_branch_init(struct model_branch *branch, const struct model_config *config,
		       uint8_t *counters, struct model_target *targets);

/*
 * A branch at pc went to target, if it was taken. Returns whether that was predicted, and trains
 * the predictor.
 */
bool model_branch_predicted(struct model_branch *branch, enum a64_flow flow, uint64_t pc,
			    bool taken, uint64_t target);

/* The same of a return. */
bool model_branch_return(struct model_branch *branch, uint64_t target);

/* The same of a direct call, which is always predicted. */
static inline void model_branch_call(struct model_branch *branch, uint64_t pc)
{
	branch->returns[branch->top] = pc + 4;
	branch->top = branch->top + 1 < branch->stack_size ? branch->top + 1 : 0;
	branch->depth += branch->depth < branch->stack_size;
}

/* Would a conditional branch at pc be predicted taken? This does not train the predictor. */
bool model_branch_foresees(const struct model_branch *branch, uint64_t pc);

#endif
