/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The observing loop. It shows the model what operations do, in program order, and before they are
 * executed if their effects are already known: they do not leave their block, their accesses hit in
 * the software TLB, and their addresses do not depend on operations before them. A load or store
 * for which that is not true is executed alone and then shown; the last operation of a block is
 * shown after it and those shown before have been executed. The model sees what soft_model_before()
 * and soft_model_after() would show of each of them, without the record, which nobody needs.
 */
#include "soft/run/observe.h"

#include "soft/run/block.h"
#include "soft/run/stop.h"

/* Run n operations of a block through the fast loop, after done others. */
static void run_group(struct soft_cpu *cpu, const struct soft_op *op, int64_t n, int64_t done)
{
	cpu->at = NULL;
	cpu->run = done + n;
	cpu->left = n;
	if (op->rest > n)
		soft_place_stop(cpu, op + n);
	soft_enter(cpu, op, n - op->rest);
	soft_remove_stop(cpu);
}

static bool goes_on(const struct soft_cpu *cpu)
{
	return (cpu->leave == SOFT_LEAVE_STOP || cpu->leave == SOFT_LEAVE_BLOCK) && cpu->at &&
	       !cpu->attention && !soft_block_of(cpu->at)->stale && soft_observable(cpu, cpu->at);
}

/* The requested operations are done at the start of a block: that is a stop like others. */
static void stop_at_block(struct soft_cpu *cpu)
{
	if (cpu->leave != SOFT_LEAVE_BLOCK)
		return;
	cpu->leave = SOFT_LEAVE_STOP;
	cpu->left = 0;
	cpu->pc = soft_op_pc(cpu->at);
}

/* Execute op, which could not be foreseen, after shown others of its block that were. */
static void execute_shown(struct soft_observer *o, const struct soft_op *op, int64_t shown,
			  int64_t done)
{
	struct soft_shown_access access;

	soft_show_before(o, op, &access);
	run_group(o->walker.cpu, op - shown, shown + 1, done);
	soft_show_after(o, op, &access);
}

/* The fast loop is before op, having executed done operations. */
static void stand_before(struct soft_cpu *cpu, const struct soft_op *op, int64_t done)
{
	cpu->leave = SOFT_LEAVE_STOP;
	cpu->at = op;
	cpu->pc = soft_op_pc(op);
	cpu->run = done;
	cpu->left = 0;
}

int64_t soft_observe(struct soft_cpu *cpu, const struct soft_op *op, int64_t done, int64_t n)
{
	struct soft_observer *o = soft_observer(cpu);
	int64_t shown;

	o->line = 0;
	if (SOFT_UNLIKELY(cpu->vm->dropped))
		soft_bar_dropped(cpu->vm);
	stand_before(cpu, op, done);
	for (;;) {
		shown = soft_foresee(o, cpu->at, n - done);
		if (done + shown == n)
			break;
		op = cpu->at + shown;
		if (shown > 0 && (op->kind >= SOFT_MEMORY_FIRST || !soft_observed(cpu, op))) {
			run_group(cpu, cpu->at, shown, done);
			done += shown;
		} else {
			execute_shown(o, op, shown, done);
			done += shown + 1;
		}
		shown = 0;
		if (done == n || !goes_on(cpu))
			break;
	}
	stop_at_block(cpu);
	return shown;
}

void soft_execute_foreseen(struct soft_cpu *cpu, int64_t shown)
{
	run_group(cpu, cpu->at, shown, cpu->run - cpu->left);
}

void soft_observe_alone(struct soft_cpu *cpu, const struct soft_op *op, int64_t done)
{
	run_group(cpu, op, 1, done);
	stop_at_block(cpu);
}
