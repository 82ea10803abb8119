// SPDX-License-Identifier: BSD-2-Clause
/* Counting classes of instructions, block by block: see counted.h. */
#include "soft/run/counted.h"
#include "soft/run/sample.h"

#include <vspe/spe.h>

#define BIT(source) (1u << (source))

/* Which classes an operation is counted as; that it branches is yet to be seen. */
static unsigned int classes_of(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct soft_class *class;
	unsigned int bits = 0;

	if (op->kind == SOFT_system)
		return 0;
	class = soft_classify(cpu, op);
	if (class->flags & SPE_OP_LOAD)
		bits |= BIT(ARM_PMU_LOADS);
	if (class->flags & SPE_OP_STORE)
		bits |= BIT(ARM_PMU_STORES);
	if (bits)
		bits |= BIT(ARM_PMU_ACCESSES);
	if (!(class->flags & SPE_OP_BRANCH))
		return bits;
	bits |= BIT(ARM_PMU_BRANCHES) | BIT(ARM_PMU_BRANCHES_TAKEN);
	if (class->id == A64_RET)
		bits |= BIT(ARM_PMU_RETURNS);
	else if (op->kind != SOFT_br && op->kind != SOFT_blr)
		bits |= BIT(ARM_PMU_BRANCHES_IMMEDIATE);
	return bits;
}

/* The position of the left-th operation of a class among n from op on, from 1; n: there are not so
 * many. */
static int64_t position_of(struct soft_cpu *cpu, const struct soft_op *op, int64_t n,
			   unsigned int source, uint64_t left)
{
	for (int64_t i = 0; i < n; i++) {
		if (classes_of(cpu, op + i) & BIT(source) && --left == 0)
			return i + 1;
	}
	return n;
}

int64_t soft_count_limit(struct soft_cpu *cpu, const struct soft_op *op, int64_t n)
{
	const struct soft_pmu *pmu = cpu->sys.pmu;
	unsigned int counters = pmu->classes;

	if (counters && n > op->rest)
		n = op->rest;
	for (; counters; counters &= counters - 1) {
		const int counter = __builtin_ctz(counters);
		const uint64_t left = pmu->room[counter] - pmu->more[counter];

		if (left < (uint64_t)n)
			n = position_of(cpu, op, n, pmu->unit.source[counter], left);
	}
	return n;
}

void soft_count_executed(struct soft_cpu *cpu, const struct soft_op *op, int64_t n)
{
	struct soft_pmu *pmu = cpu->sys.pmu;
	uint64_t counts[ARM_PMU_SOURCES] = {0};
	enum spe_branch_kind kind;

	for (int64_t i = 0; i < n; i++) {
		unsigned int bits = classes_of(cpu, op + i);

		/* A branch is the last of its block. */
		if (bits & BIT(ARM_PMU_BRANCHES_TAKEN) && !soft_changes_flow(cpu, op + i, &kind))
			bits &= ~BIT(ARM_PMU_BRANCHES_TAKEN);
		for (; bits; bits &= bits - 1)
			counts[__builtin_ctz(bits)]++;
	}
	for (unsigned int counters = pmu->classes; counters; counters &= counters - 1) {
		const int counter = __builtin_ctz(counters);

		pmu->more[counter] += counts[pmu->unit.source[counter]];
		if (pmu->more[counter] < pmu->room[counter])
			continue;
		cpu->pmu_stop = 0;
		cpu->attention |= SOFT_ATTENTION_IRQ;
	}
}
