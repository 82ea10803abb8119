/* SPDX-License-Identifier: BSD-2-Clause */
/* Counting classes of instructions, by blocks: see counted.h. */
#include "soft/run/counted.h"
#include "soft/run/block.h"
#include "soft/sampling/sample.h"

#include <vspe/spe.h>

/* A tally's fields, one per class. No stretch has more operations than they can count. */
#define CLASSES	    (PMU_BRANCHES_TAKEN - PMU_FIRST_CLASS) /* what is taken is seen */
#define FIELDS	    3					   /* in a word */
#define FIELD_BITS  21
#define FIELD_MASK  ((UINT64_C(1) << FIELD_BITS) - 1)
#define STRETCH_MAX (INT64_C(1) << (FIELD_BITS - 1))

#define BIT(source) (1u << (source))

_Static_assert(CLASSES <= 2 * FIELDS, "a tally has two words");

/* The classes that an operation counts in, apart from branches: bits by enum pmu_source. */
static unsigned int classes_of(const struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct soft_class *class;
	unsigned int bits = 0;

	if (op->kind == SOFT_system)
		return 0;
	class = soft_classify(cpu, op);
	if ((class->flags | class->moves) & SPE_OP_LOAD)
		bits |= BIT(PMU_LOADS);
	if ((class->flags | class->moves) & SPE_OP_STORE)
		bits |= BIT(PMU_STORES);
	if (bits)
		bits |= BIT(PMU_ACCESSES);
	if (class->flow == A64_FLOW_NONE)
		return bits;
	bits |= BIT(PMU_BRANCHES);
	if (class->flow == A64_FLOW_RETURN)
		bits |= BIT(PMU_RETURNS);
	return bits | (a64_flow_immediate(class->flow) ? BIT(PMU_BRANCHES_IMMEDIATE) : 0);
}

/* The tally of n operations from op on, all of one block. */
static struct soft_tally tally_of(const struct soft_cpu *cpu, const struct soft_op *op, int64_t n)
{
	struct soft_tally tally = {{0, 0}};

	for (; n > 0; n--, op++) {
		for (unsigned int bits = classes_of(cpu, op); bits; bits &= bits - 1) {
			const int field = __builtin_ctz(bits) - PMU_FIRST_CLASS;

			tally.word[field / FIELDS] += UINT64_C(1) << field % FIELDS * FIELD_BITS;
		}
	}
	return tally;
}

static uint64_t field_of(const struct soft_tally *tally, unsigned int source)
{
	const unsigned int field = source - PMU_FIRST_CLASS;

	return tally->word[field / FIELDS] >> field % FIELDS * FIELD_BITS & FIELD_MASK;
}

/* soft_block.fall_through */
static uint64_t fall_through(const struct soft_cpu *cpu, const struct soft_block *block)
{
	const struct soft_op *last = &block->ops[block->count - 1];
	const struct soft_class *class = soft_classify(cpu, last);
	const uint64_t next = block->va + 4 * (uint64_t)block->count;
	uint64_t target;

	if (class->flow == A64_FLOW_NONE || last->kind == SOFT_system)
		return next;
	if (class->flow != A64_FLOW_CONDITIONAL)
		return SOFT_FALL_THROUGH_NEVER;
	(void)a64_branch_target(&a64_table[class->id], last->word, soft_op_pc(last), &target);
	return target == next ? SOFT_FALL_THROUGH_EITHER : next;
}

void soft_count_tally(struct soft_cpu *cpu, struct soft_block *block)
{
	if (block->counted)
		return;
	block->tally = tally_of(cpu, block->ops, block->count);
	block->fall_through = fall_through(cpu, block);
	block->counted = block->ops[0].run;
	block->ops[0].run = soft_count_block;
}

/* From now on all blocks have tallies. */
static void begin_counting(struct soft_cpu *cpu)
{
	struct soft_vm *vm = cpu->vm;

	vm->counted = true;
	for (unsigned int n = 0; n < SOFT_BLOCK_HASH; n++)
		for (struct soft_block *block = vm->hash[n]; block; block = block->hash_next)
			soft_count_tally(cpu, block);
}

/*
 * The position, from 1, of the left-th operation of a class among n from op on; n: there are fewer.
 */
static int64_t position_of(const struct soft_cpu *cpu, const struct soft_op *op, int64_t n,
			   unsigned int source, uint64_t left)
{
	/* Taken or not, only the last operation of a block branches. */
	if (source == PMU_BRANCHES_TAKEN)
		source = PMU_BRANCHES;
	for (int64_t i = 0; i < n; i++) {
		if (classes_of(cpu, op + i) & BIT(source) && --left == 0)
			return i + 1;
	}
	return n;
}

/*
 * Of n operations from op on, how many there are up to the first overflow of one of these counters.
 */
static int64_t up_to_overflow(const struct soft_cpu *cpu, const struct soft_op *op, int64_t n,
			      unsigned int counters)
{
	const struct soft_pmu *pmu = cpu->sys.pmu;

	for (; counters; counters &= counters - 1) {
		const int counter = __builtin_ctz(counters);
		const uint64_t left = pmu->room[counter] - pmu->more[counter];

		if (left >= (uint64_t)n)
			continue;
		n = n < op->rest ? n : op->rest;
		if (left > (uint64_t)n)
			n = (int64_t)left; /* no class has more in so many */
		else
			n = position_of(cpu, op, n, pmu->unit.source[counter], left);
	}
	return n;
}

int64_t soft_count_limit(struct soft_cpu *cpu, const struct soft_op *op, int64_t n)
{
	const unsigned int counters = cpu->sys.pmu->classes;
	const struct soft_block *block = soft_block_of(op);

	if (counters) {
		n = up_to_overflow(cpu, op, n < STRETCH_MAX ? n : STRETCH_MAX, counters);
		if (n > op->rest && !cpu->vm->counted)
			begin_counting(cpu);
	}
	/* Even if nothing counts now: what it knows of a block holds for only one stretch. */
	if (cpu->vm->counted)
		cpu->counted = (struct soft_counted){
			.fall_through = op->index ? block->fall_through : block->va,
			.block = block,
		};
	return n;
}

/* Was block left by a branch, after its last operation? */
static bool branched(const struct soft_cpu *cpu, const struct soft_block *block,
		     uint64_t fall_through)
{
	const struct soft_op *at = cpu->at;

	if (fall_through == SOFT_FALL_THROUGH_EITHER)
		return soft_branch_taken(cpu, &block->ops[block->count - 1]);
	return (at ? soft_op_pc(at) : cpu->pc) != fall_through;
}

static void take_off(struct soft_tally *sum, struct soft_tally tally)
{
	sum->word[0] -= tally.word[0];
	sum->word[1] -= tally.word[1];
}

/* A stretch of more than one block has ended: correct what its handlers added up. */
static void settle(struct soft_cpu *cpu, const struct soft_op *op)
{
	struct soft_counted *counted = &cpu->counted;
	const struct soft_op *at = cpu->at;
	const bool begun = cpu->leave == SOFT_LEAVE_SYSTEM || cpu->leave == SOFT_LEAVE_FAULT;

	if (op->index > 0) {
		const struct soft_tally first = tally_of(cpu, op, op->rest);

		counted->sum.word[0] += first.word[0];
		counted->sum.word[1] += first.word[1];
	}
	if (at && (at->index > 0 || begun))
		take_off(&counted->sum, tally_of(cpu, at, at->rest));
	else
		counted->taken += branched(cpu, counted->block, counted->fall_through);
}

/* Count a stretch that left its first block at most at the end. */
static void count_directly(struct soft_cpu *cpu, const struct soft_op *op, int64_t n)
{
	const struct soft_block *block = soft_block_of(op);

	cpu->counted.sum = tally_of(cpu, op, n);
	cpu->counted.taken = n == op->rest && branched(cpu, block, fall_through(cpu, block));
}

void soft_count_executed(struct soft_cpu *cpu, const struct soft_op *op, int64_t n)
{
	const struct soft_pmu *pmu = cpu->sys.pmu;

	if (n <= op->rest)
		count_directly(cpu, op, n);
	else
		settle(cpu, op);
	for (unsigned int counters = pmu->classes; counters; counters &= counters - 1) {
		const unsigned int counter = (unsigned int)__builtin_ctz(counters);
		const unsigned int source = pmu->unit.source[counter];

		soft_pmu_add(cpu, counter,
			     source == PMU_BRANCHES_TAKEN ? cpu->counted.taken
							  : field_of(&cpu->counted.sum, source));
	}
}
