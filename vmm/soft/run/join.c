/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Operations of a block that one handler executes together, which saves the host a branch to
 * predict.
 */
#include "soft/run/join.h"
#include "soft/run/block.h"
#include "soft/mem/memory.h"

#include "model/cache.h"
#include "arm/model_facts.h"

void soft_fuse(struct soft_op *first, const struct soft_op *branch_op)
{
	const unsigned int c = (unsigned int)branch_op->kind - SOFT_b_eq;
	unsigned int kind;

	if (branch_op->kind < SOFT_b_eq || c >= SOFT_CONDITION_COUNT)
		return;
	switch (first->kind) {
	case SOFT_cmp_imm_32:
	case SOFT_cmp_imm_64: kind = SOFT_cmp_imm_b_eq_32 + first->kind - SOFT_cmp_imm_32; break;
	case SOFT_cmp_reg_32:
	case SOFT_cmp_reg_64: kind = SOFT_cmp_reg_b_eq_32 + first->kind - SOFT_cmp_reg_32; break;
	case SOFT_subs_imm_32:
	case SOFT_subs_imm_64: kind = SOFT_subs_imm_b_eq_32 + first->kind - SOFT_subs_imm_32; break;
	case SOFT_ands_imm_32:
	case SOFT_ands_imm_64: kind = SOFT_ands_imm_b_eq_32 + first->kind - SOFT_ands_imm_32; break;
	case SOFT_ands_reg_32:
	case SOFT_ands_reg_64: kind = SOFT_ands_reg_b_eq_32 + first->kind - SOFT_ands_reg_32; break;
	default: return;
	}
	if (kind >= SOFT_ands_imm_b_eq_32 && c > 1)
		return;
	first->aux = first->kind; /* for soft_lone_handler() */
	first->kind = (uint16_t)(kind + 2 * c);
	first->joined = true;
}

soft_handler *soft_lone_handler(const struct soft_op *op)
{
	if (op->fetches)
		return soft_fetch_first;
	return soft_handler_past_fetch(op);
}

soft_handler *soft_handler_past_fetch(const struct soft_op *op)
{
	if (op->kind >= SOFT_MEMORY_FIRST && op->aux & (SOFT_AUX_UNPRIVILEGED | SOFT_AUX_SLOW))
		return soft_slow_memory;
	if (op->kind >= SOFT_cmp_imm_b_eq_32 && op->kind <= SOFT_ands_reg_b_ne_64)
		return soft_handler_of(op->aux);
	return soft_handler_of(op->kind);
}

void soft_join(struct soft_block *block)
{
	for (unsigned int n = 0; n <= block->count; n++) {
		struct soft_op *op = &block->ops[n];

		if (n == block->count && op->kind != SOFT_fall)
			break;
		op->index = (uint16_t)n;
		op->rest = (uint8_t)(block->count - n);
		op->run = soft_handler_of(op->kind);
		if (op->kind >= SOFT_MEMORY_FIRST)
			op->run = soft_lone_handler(op);
	}
	for (unsigned int n = 0; n + 1 < block->count; n++) {
		struct soft_op *op = &block->ops[n];
		soft_handler *both = soft_handler_of_pair(op[0].kind, op[1].kind);

		if (!both || op[0].run == soft_slow_memory || op[1].run == soft_slow_memory)
			continue;
		op->run = both;
		op->joined = true;
		n++;
	}
}

static bool begins_line(const struct soft_block *block, const struct soft_op *op)
{
	return op->index == 0 || (block->pa + 4 * (uint64_t)op->index) % MODEL_LINE == 0;
}

/* PRFM: soft_warm_call() tells the model. */
static bool prefetch(struct soft_cpu *cpu, const struct soft_op *op)
{
	(void)cpu, (void)op;
	return true;
}

void soft_join_told(struct soft_block *block)
{
	block->warm = 0;
	for (unsigned int n = 0; n < block->count; n++) {
		struct soft_op *op = &block->ops[n];

		if (op->kind == SOFT_nop && model_prefetches(soft_decode(op->word))) {
			op->kind = SOFT_call;
			op->imm = (uintptr_t)prefetch;
		}
		op->fetches = begins_line(block, op);
		if (op->kind >= SOFT_MEMORY_FIRST)
			op->aux |= SOFT_AUX_SLOW;
		/* No handler executes two of which the second begins a line, or is slow. */
		op->joined = op->kind >= SOFT_cmp_imm_b_eq_32 &&
			     op->kind <= SOFT_ands_reg_b_ne_64 && !begins_line(block, op + 1);
		op->run = op->joined && !op->fetches ? soft_handler_of((enum soft_kind)op->kind)
						     : soft_lone_handler(op);
	}
}
