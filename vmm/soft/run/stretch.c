/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stretches: operations run through the fast loop, of which the selected ones are recorded on the
 * way, and the effects of the last one.
 *
 * Accounting: every operation that was begun counts, even if it generated an exception. An
 * instruction fetch that faults is no operation. The profiling unit learns of an operation
 * (spe_advance) before the operation's effects on the system are carried out. So one that turns
 * profiling off was still a member of the population, and one that turns it on was not.
 */
#include "soft/run/stretch.h"
#include "soft/model/warm.h"
#include "base/assertion.h"
#include "soft/run/block.h"
#include "soft/run/counted.h"
#include "soft/run/execute.h"
#include "soft/run/join.h"
#include "soft/sampling/sample.h"
#include "soft/sampling/tell.h"
#include "soft/run/landing.h"
#include "soft/run/stop.h"
#include "soft/run/system.h"
#include "soft/run/jit/jit.h"
#include "soft/mem/memory.h"

/*
 * After so many selections of an operation, at which its block is stopped, there is special code
 * for it.
 */
#define STOPS 4

static void stop_before(struct soft_cpu *cpu, const struct soft_op *op)
{
	cpu->leave = SOFT_LEAVE_STOP;
	cpu->left = 0;
	cpu->pc = soft_op_pc(op);
	cpu->at = op;
}

/* Run n operations through the fast loop, from op on, where it enters the block. */
static void enter_fast_loop(struct soft_cpu *cpu, const struct soft_op *op, int64_t n)
{
	if (op->rest > n)
		n = soft_sample_plan(cpu, op, n);
	if (n < 0) {
		n = ~n;
		if (n == 0) {
			stop_before(cpu, op);
			return;
		}
		vspe_assert_of(n < op->rest, n, op->rest);
		soft_place_stop(cpu, op + n);
	}
	soft_enter(cpu, op, n - op->rest);
}

/*
 * There must be a stop n operations after op. If the block is translated, and this happened a few
 * times, generate code of it that runs up to there and further, as soft_cpu.stop.sampled. The stop
 * is then for whatever leaves that code early.
 */
static bool place_sampled(struct soft_cpu *cpu, const struct soft_op *op, int64_t n)
{
	const struct soft_block *block = soft_block_of(op);
	struct soft_class *class = &block->classes[n];

	if (n == 0 || block->entry_count == 0 || op->run != block->entries[0].run ||
	    cpu->run >= cpu->sampling.run_limit)
		return false;
	if (!class->sampled && class->stops == STOPS)
		return false;
	if (!class->sampled && ++class->stops == STOPS)
		class->sampled = soft_jit_sampled(cpu->vm, op + n, cpu->flag_kind);
	if (!class->sampled)
		return false;
	soft_place_stop(cpu, op + n);
	cpu->stop.sampled = class->sampled;
	return true;
}

static int64_t pass_selection(struct soft_cpu *cpu, const struct soft_op *op, int64_t n)
{
	if (n < 0)
		n = soft_record_deferred(cpu, op, n);
	if (n < 0) {
		stop_before(cpu, op);
		return SOFT_PASS_NOT;
	}
	if (op->rest > n)
		n = soft_sample_plan(cpu, op, n);
	if (n >= 0)
		return n;
	if (place_sampled(cpu, op, ~n))
		return ~n;
	cpu->leave = SOFT_LEAVE_BLOCK;
	cpu->left = ~n;
	cpu->at = op;
	return SOFT_PASS_NOT;
}

static int64_t pass_stop(struct soft_cpu *cpu, const struct soft_op *op, int64_t budget)
{
	if (budget + op->rest != 0 || !soft_sample_here(cpu, op)) {
		stop_before(cpu, op);
		cpu->left = budget + op->rest;
		return SOFT_PASS_NOT;
	}
	soft_remove_stop(cpu);
	cpu->left = 0;
	return soft_sample_foretell(cpu) - op->rest;
}

/*
 * Look up nothing too early: if the run ends, or a sample is still to be recorded, tables may
 * change before the next operation is fetched. The walk itself may write to code.
 */
static const struct soft_op *pass_link(struct soft_cpu *cpu, int64_t budget)
{
	const struct soft_op *op;

	if (budget <= 0 || cpu->sys.pstate.btype || soft_block_drops(cpu->vm))
		return NULL;
	op = soft_block_find(cpu);
	return cpu->attention ? NULL : op;
}

const struct soft_passing soft_passing = {
	.selection = pass_selection,
	.stop = pass_stop,
	.link = pass_link,
	.alone = soft_handler_past_fetch,
};

/* Run n operations from op on through the fast loop. */
static void run_stretch(struct soft_cpu *cpu, const struct soft_op *op, int64_t n)
{
	cpu->at = NULL;
	cpu->unfinished = false;
	cpu->run = cpu->left = n;
	if (SOFT_UNLIKELY(!cpu->model.observed && cpu->vm->model))
		soft_warm_moved(cpu);
	if (cpu->sys.pstate.il)
		cpu->fault = (struct soft_exception){.ec = ARM_EC_ILLEGAL_STATE};
	if (cpu->sys.pstate.il || (SOFT_UNLIKELY(cpu->sys.pstate.btype) && !soft_landed(cpu, op))) {
		cpu->leave = SOFT_LEAVE_FAULT;
		cpu->at = op;
		cpu->left--;
		return;
	}
	if (SOFT_UNLIKELY(cpu->vm->dropped))
		soft_bar_dropped(cpu->vm);
	enter_fast_loop(cpu, op, n);
	while (cpu->leave == SOFT_LEAVE_BLOCK) {
		op = cpu->at;
		cpu->at = NULL;
		enter_fast_loop(cpu, op, cpu->left);
	}
	soft_remove_stop(cpu);
	/* With a deferred sample, its block is finished. */
	vspe_assert_of(cpu->left <= cpu->run && (cpu->left >= 0 || cpu->sampling.deferred),
		       cpu->left, cpu->run);
}

int64_t soft_run_limit(const struct soft_cpu *cpu, uint64_t n)
{
	if (n <= SOFT_BLOCK_OPS || spe_spacing_min(cpu->sys.spe) <= SOFT_BLOCK_OPS ||
	    soft_pmu_stepwise(cpu))
		return 0;
	return (int64_t)n - SOFT_BLOCK_OPS;
}

/*
 * count operations of this run, from op on, have begun; the effects of the last may still be due.
 */
static void count_stretch(struct soft_cpu *cpu, const struct soft_op *op, int64_t count)
{
	const bool unfinished = cpu->leave == SOFT_LEAVE_SYSTEM || cpu->leave == SOFT_LEAVE_FAULT;

	cpu->sys.pmu->begun = unfinished;
	if (cpu->sys.pmu->classes)
		soft_count_executed(cpu, op, count - unfinished);
}

/* Execute an operation of the system; with --model warm, tell the model of it. */
static bool execute_told(struct soft_cpu *cpu, const struct soft_op *at)
{
	struct soft_seen seen;
	bool done;

	if (SOFT_LIKELY(!cpu->warm.on))
		return soft_execute_system(cpu, at);
	soft_model_before(cpu, at, UINT64_MAX, &seen);
	done = soft_execute_system(cpu, at);
	soft_model_after(cpu, &seen, !done);
	return done;
}

/*
 * The fast loop was left, having executed operations from op on. Account for them, and take the
 * exception that the last of them generated (*excepted), or carry out its effects on the system.
 * Returns how many were executed.
 */
static uint64_t finish_stretch(struct soft_cpu *cpu, const struct soft_op *op, bool *excepted)
{
	const int64_t count = cpu->run - cpu->left + (cpu->leave == SOFT_LEAVE_SYSTEM);
	const struct soft_op *at;
	bool same_context = false;

	*excepted = false;
	vspe_assert_of(count >= 0 && (count <= cpu->run || cpu->sampling.deferred), cpu->run,
		       cpu->left);
	if (cpu->sys.spe)
		soft_tell_unit(cpu, count);
	if (SOFT_UNLIKELY(cpu->sys.pmu))
		count_stretch(cpu, op, count);
	cpu->run = 0;
	if (cpu->leave == SOFT_LEAVE_STOP || cpu->leave == SOFT_LEAVE_LINK) {
		cpu->ops += (uint64_t)count;
		return (uint64_t)count;
	}
	at = cpu->at;
	cpu->at = NULL;
	cpu->pc = soft_op_pc(at);
	cpu->ops += (uint64_t)count - 1;
	if (cpu->leave == SOFT_LEAVE_FAULT) {
		*excepted = !cpu->unfinished;
		if (*excepted)
			soft_take_fault(cpu);
	} else {
		const uint64_t pc = cpu->pc;
		const uint32_t word = at->word;

		same_context = at->aux != SOFT_REPEAT_NOT;
		*excepted = !execute_told(cpu, at);
		if (*excepted)
			soft_note_undefined(cpu, pc, word);
	}
	cpu->ops++;
	if (SOFT_UNLIKELY(cpu->sys.pmu))
		cpu->sys.pmu->begun = false;
	if (*excepted || !same_context)
		soft_context_changed(cpu);
	soft_update_spe_irq(cpu);
	return (uint64_t)count;
}

uint64_t soft_execute_stretch(struct soft_cpu *cpu, const struct soft_op *op, int64_t n,
			      int64_t limit, int64_t told, bool *excepted)
{
	if (SOFT_UNLIKELY(cpu->sys.pmu))
		n = soft_count_limit(cpu, op, n);
	soft_begin_samples(cpu, told, limit);
	run_stretch(cpu, op, n);
	return finish_stretch(cpu, op, excepted);
}
