/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The properties of an operation for a sample that do not depend on registers: computed once for
 * each operation of a block.
 */
#include "arm/model_facts.h"
#include "soft/mem/pauth.h"
#include "soft/sampling/sample.h"

/* May op change a slot of soft_cpu.x? */
static bool changes_slot(const struct soft_op *op, unsigned int slot)
{
	if (op->kind >= SOFT_MEMORY_FIRST)
		return soft_memory_changes(op, slot);
	return soft_by_outcome(op) || op->rd == slot;
}

/* Can other change an input of the address of op, a load or store of ops.def? */
static bool moves_address(const struct soft_op *other, const struct soft_op *op)
{
	for (unsigned int slot = 0; slot < SOFT_X_COUNT; slot++) {
		if (soft_memory_address_uses(op, slot) && changes_slot(other, slot))
			return true;
	}
	return false;
}

/* May op set flags? */
static bool sets_flags(const struct soft_op *op, const struct soft_op *unused)
{
	(void)unused;
	return op->kind == SOFT_system || soft_decode(op->word)->sets_flags;
}

/* soft_class.known_from, if other operations change inputs of op's record. */
static uint8_t known_from(const struct soft_op *op,
			  bool (*upsets)(const struct soft_op *other, const struct soft_op *op))
{
	const struct soft_op *first = op;

	while (first->index > 0 && !upsets(first - 1, op))
		first--;
	return (uint8_t)first->index;
}

static bool known_late(const struct soft_op *op)
{
	const struct soft_op *last = op + op->rest;

	for (const struct soft_op *other = op; other < last; other++) {
		if (moves_address(other, op))
			return false;
	}
	return true;
}

/* Can a record of op be made when its block is finished? */
static bool record_deferrable(const struct soft_op *op, const struct a64_insn *insn)
{
	if (!insn || soft_by_outcome(op) || soft_is_authenticated_branch(op))
		return false;
	return op->kind < SOFT_MEMORY_FIRST || !(op->aux & SOFT_AUX_UNPRIVILEGED);
}

/* soft_class.moves */
static uint8_t moves_of(const struct a64_insn *insn)
{
	if (!insn || !a64_moves_memory(insn))
		return 0;
	return insn->operation == A64_OP_MEMORY_COPY ? SPE_OP_LOAD | SPE_OP_STORE : SPE_OP_STORE;
}

const struct soft_class *soft_classify_first(const struct soft_cpu *cpu, const struct soft_op *op)
{
	struct soft_class *class = &soft_block_of(op)->classes[op->index];
	const struct a64_insn *insn = soft_decode(op->word);
	const struct a64_operation type = a64_operation_type(insn, op->word, cpu->sampling.types);

	*class = (struct soft_class){
		.known = true,
		.deferrable = record_deferrable(op, insn),
		.header = type.header,
		.payload = type.payload,
		.flags = (uint8_t)type.flags,
		.moves = moves_of(insn),
		.flow = (uint8_t)a64_flow(insn),
		.observed = !soft_by_outcome(op) && !soft_is_authenticated_branch(op) &&
			    !model_prefetches(insn) &&
			    !(op->kind >= SOFT_MEMORY_FIRST && op->aux & SOFT_AUX_UNPRIVILEGED),
		.observed_fp = op->kind == SOFT_vector || op->kind == SOFT_vector_immediate ||
			       op->kind >= SOFT_MEMORY_VECTOR,
		.prefetches = model_prefetches(insn),
		.plain = op->kind < SOFT_MEMORY_FIRST && !(type.flags & SPE_OP_BRANCH) && insn &&
			 insn->operation != A64_OP_CONDITIONAL,
		.id = insn ? insn->id : A64_COUNT,
	};
	if (op->kind >= SOFT_MEMORY_FIRST) {
		class->known_from = known_from(op, moves_address);
		class->known_late = known_late(op);
	} else if (insn && insn->operation == A64_OP_CONDITIONAL) {
		class->known_from = known_from(op, sets_flags);
	}
	return class;
}

unsigned int soft_micro_ops(struct soft_cpu *cpu, const struct soft_op *op,
			    struct a64_micro_op ops[A64_MICRO_OPS_MAX])
{
	const struct soft_class *class = soft_classify(cpu, op);

	return a64_micro_ops(class->id == A64_COUNT ? NULL : &a64_table[class->id], ops);
}
