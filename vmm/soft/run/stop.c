/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Changed handlers of operations: for one stop of the fast loop, and permanently if a block was
 * dropped.
 */
#include "soft/run/stop.h"
#include "base/assertion.h"
#include "soft/jit.h"
#include "soft/run/block.h"
#include "soft/run/join.h"

static soft_handler **run_of(struct soft_op *op)
{
	struct soft_block *block = (struct soft_block *)(uintptr_t)soft_block_of(op);

	return op->run == soft_count_block ? &block->counted : &op->run;
}

/*
 * Host code must not execute what is before the stop in its block, as it would run past the stop.
 */
static void suspend_code(struct soft_block *block, const struct soft_op *stop)
{
	for (unsigned int n = 0; n < block->entry_count; n++) {
		const struct soft_entry *entry = &block->entries[n];
		soft_handler **run = run_of(&block->ops[entry->index]);

		if (entry->index < stop->index && *run == entry->run)
			*run = soft_lone_handler(&block->ops[entry->index]);
	}
}

static void resume_code(struct soft_block *block, const struct soft_op *stop)
{
	for (unsigned int n = 0; n < block->entry_count; n++) {
		const struct soft_entry *entry = &block->entries[n];
		soft_handler **run = run_of(&block->ops[entry->index]);

		if (entry->index < stop->index && *run != soft_stale)
			*run = entry->run;
	}
}

/* Make op execute alone, while there is a stop after it. */
static void unfuse_op(struct soft_cpu *cpu, struct soft_op *op, unsigned int n)
{
	soft_handler **run = run_of(op);

	if (!op->joined || *run == soft_stale)
		return;
	cpu->stop.unfused[n] = run;
	cpu->stop.unfused_run[n] = *run;
	*run = soft_lone_handler(op);
}

void soft_remove_stop(struct soft_cpu *cpu)
{
	struct soft_op *stop = cpu->stop.op;

	if (!stop)
		return;
	vspe_assert_of(stop->run == soft_stop, stop->index, stop->rest);
	stop->run = cpu->stop.run;
	cpu->stop.op = NULL;
	for (unsigned int n = 0; n < 2; n++) {
		if (cpu->stop.unfused[n])
			*cpu->stop.unfused[n] = cpu->stop.unfused_run[n];
		cpu->stop.unfused[n] = NULL;
	}
	resume_code((struct soft_block *)(uintptr_t)soft_block_of(stop), stop);
}

/*
 * The previous operation's handler may reach over the stop: that of a pair, whose second operation
 * may be a fused comparison.
 */
void soft_place_stop(struct soft_cpu *cpu, const struct soft_op *op)
{
	struct soft_op *stop = (struct soft_op *)(uintptr_t)op;

	vspe_assert_of(op->index > 0, op->index, op->rest);
	if (cpu->stop.op) {
		/* The fast loop was sent away from the start of a dropped block. */
		vspe_assert_of(soft_block_of(cpu->stop.op)->stale, cpu->stop.op->index, op->index);
		soft_remove_stop(cpu);
	}
	cpu->stop.op = stop;
	cpu->stop.run = stop->run;
	stop->run = soft_stop;
	suspend_code((struct soft_block *)(uintptr_t)soft_block_of(op), op);
	unfuse_op(cpu, stop - 1, 0);
	if (stop->index > 1)
		unfuse_op(cpu, stop - 2, 1);
}

void soft_bar_dropped(struct soft_vm *vm)
{
	for (struct soft_block *block = vm->dropped; block; block = block->page_next) {
		block->ops[0].run = soft_stale;
		if (vm->jit)
			block->found = vm->jit->by_run;
	}
	vm->dropped = NULL;
}
