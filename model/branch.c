/* SPDX-License-Identifier: BSD-2-Clause */
/* The branch predictor of the machine model. */
#include "branch.h"

#define WEAKLY_NOT_TAKEN 1
#define STRONGLY_TAKEN	 3

void model_branch_init(struct model_branch *branch, const struct model_config *config,
		       uint8_t *counters, struct model_target *targets)
{
	*branch = (struct model_branch){
		.counters = counters,
		.targets = targets,
		.counter_count = config->directions,
		.counter_mask = config->directions - 1,
		.target_count = config->targets,
		.stack_size = config->returns,
		.history_mask = (UINT32_C(1) << config->history) - 1,
	};
	for (uint32_t n = 0; n < config->directions; n++)
		counters[n] = WEAKLY_NOT_TAKEN;
	for (uint32_t n = 0; n < config->targets; n++)
		targets[n] = (struct model_target){0};
}

static uint64_t counter_of(const struct model_branch *branch, uint64_t pc)
{
	return ((pc >> 2) ^ branch->history) & branch->counter_mask;
}

bool model_branch_foresees(const struct model_branch *branch, uint64_t pc)
{
	return branch->counters[counter_of(branch, pc)] > WEAKLY_NOT_TAKEN;
}

static bool predicted_direction(struct model_branch *branch, uint64_t pc, bool taken)
{
	uint8_t *counter = &branch->counters[counter_of(branch, pc)];
	const bool guess = *counter > WEAKLY_NOT_TAKEN;

	if (taken && *counter < STRONGLY_TAKEN)
		++*counter;
	else if (!taken && *counter > 0)
		--*counter;
	branch->history = (branch->history << 1 | taken) & branch->history_mask;
	return guess == taken;
}

static bool predicted_target(struct model_branch *branch, uint64_t pc, uint64_t target)
{
	struct model_target *entry = &branch->targets[(pc >> 2) & (branch->target_count - 1)];
	const bool right = entry->pc == pc && entry->target == target;

	branch->guessed = entry->pc == pc;
	branch->guess = entry->target;
	*entry = (struct model_target){pc, target};
	return right;
}

/* An empty stack predicts nothing. */
bool model_branch_return(struct model_branch *branch, uint64_t target)
{
	branch->guessed = branch->depth != 0;
	if (branch->depth == 0)
		return false;
	branch->depth--;
	branch->top = (branch->top ? branch->top : branch->stack_size) - 1;
	branch->guess = branch->returns[branch->top];
	return branch->guess == target;
}

bool model_branch_predicted(struct model_branch *branch, enum a64_flow flow, uint64_t pc,
			    bool taken, uint64_t target)
{
	switch (flow) {
	case A64_FLOW_CONDITIONAL: return predicted_direction(branch, pc, taken);
	case A64_FLOW_CALL: model_branch_call(branch, pc); return true;
	case A64_FLOW_INDIRECT: return predicted_target(branch, pc, target);
	case A64_FLOW_INDIRECT_CALL:
		model_branch_call(branch, pc);
		return predicted_target(branch, pc, target);
	case A64_FLOW_RETURN: return model_branch_return(branch, target);
	default: return true;
	}
}
