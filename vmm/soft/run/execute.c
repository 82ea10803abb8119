/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The run loop. It runs stretches of operations in the fast loop, never past the one that the
 * profiling unit will select; executes the operations that change more than registers and memory;
 * takes exceptions and interrupts; and has the selected operations sampled.
 *
 * Accounting: every operation that was begun counts, one that generated an exception too. An
 * instruction fetch that faults is no operation. The profiling unit is told of an operation before
 * its effects on the system are carried out (spe_advance), so that one which switches profiling off
 * was still a member of the population and one which switches it on was not.
 */
#include "soft/run/execute.h"
#include "a64/a64.h"
#include "soft/run/block.h"
#include "soft/run/counted.h"
#include "soft/sys/debug.h"
#include "soft/mem/memory.h"
#include "soft/run/model.h"
#include "soft/run/observe.h"
#include "soft/run/sample.h"
#include "soft/run/stop.h"
#include "soft/mem/tlb.h"

/* Operations of one stretch at most, so that counts fit in the fast loop's signed budget. */
#define STRETCH_MAX (INT64_C(1) << 40)

void soft_update_spe_irq(struct soft_cpu *cpu)
{
	const struct engine_host *host = &cpu->vm->host;
	const bool level = cpu->sys.spe && spe_irq_level(cpu->sys.spe);

	if (cpu->sys.pmu && cpu->sys.spe && cpu->sys.pmu->stepwise &&
	    cpu->sys.pmu->unit.context.frozen !=
		    spe_pmu_frozen(cpu->sys.spe, cpu->sys.pmu->unit.pmcr))
		soft_pmu_refresh(cpu);
	if (cpu->sys.controls.features & SYSREG_FEAT_SPE_EXC &&
	    soft_interrupt_target(&cpu->sys, SOFT_INTERRUPT_PROFILING) != 0)
		cpu->attention |= SOFT_ATTENTION_IRQ;
	if (level == cpu->spe_irq)
		return;
	cpu->spe_irq = level;
	host->spe_irq(host->ctx, cpu->index, level);
}

/* The next operation, or NULL when its fetch faulted and the exception was taken. */
static const struct soft_op *next_op(struct soft_cpu *cpu)
{
	const struct soft_jump *jump = &cpu->jumps[(cpu->pc >> 2) % SOFT_JUMPS];
	const struct soft_op *op = cpu->at;

	if (!op && !cpu->slot && jump->pc == cpu->pc)
		op = jump->op;
	if (op && !soft_block_of(op)->stale && !cpu->vm->drop_all)
		return op;
	cpu->at = NULL;
	op = soft_block_find(cpu);
	if (!op)
		soft_take_fault(cpu);
	return op;
}

static void advance_unit(struct soft_cpu *cpu, int64_t to)
{
	if (to > cpu->told)
		(void)spe_advance(cpu->sys.spe, (uint64_t)(to - cpu->told));
	cpu->told = to;
}

/*
 * count operations of this run have been begun. Let the profiling unit know, and have the samples
 * that wait recorded. The deferred one is the operation behind those asked for: the fast loop may
 * have gone on past it, or have been stopped before.
 */
static void tell_unit(struct soft_cpu *cpu, int64_t count)
{
	struct spe_unit *spe = cpu->sys.spe;

	if (cpu->deferred && count > cpu->run)
		soft_sample_deferred(cpu, cpu->deferred,
				     cpu->leave == SOFT_LEAVE_FAULT && count - 1 == cpu->run);
	cpu->deferred = NULL;
	if (cpu->waiting && cpu->samples[cpu->waiting - 1].position >= count)
		cpu->waiting--; /* foretold, but the run ends before it */
	cpu->foretold = 0;
	for (unsigned int n = 0; n < cpu->waiting; n++) {
		const struct soft_sample *sample = &cpu->samples[n];
		const int64_t ahead = sample->position + 1 - cpu->told;

		cpu->told += ahead;
		if (spe_advance(spe, (uint64_t)ahead) == SPE_SELECTED)
			spe_sample(spe, &sample->record);
	}
	if (cpu->waiting)
		soft_update_spe_irq(cpu);
	cpu->waiting = 0;
	advance_unit(cpu, count);
}

/*
 * The fast loop has come to op, the first of a block, having executed soft_cpu.deferred and -left
 * operations more than were asked for. Record the deferred one. Returns how many operations may be
 * executed from op on until the next selection, or -1 if the loop is to be left here.
 */
static int64_t record_deferred(struct soft_cpu *cpu, const struct soft_op *op, int64_t left)
{
	const int64_t count = cpu->run - left;
	uint64_t next;

	cpu->left = left;
	cpu->pc = soft_op_pc(op);
	soft_sample_deferred(cpu, cpu->deferred, false);
	if (cpu->spacing && cpu->waiting <= SOFT_SAMPLES) {
		next = cpu->spacing + (uint64_t)left;
	} else {
		tell_unit(cpu, count);
		next = spe_budget(cpu->sys.spe) - 1;
	}
	if (cpu->attention || count >= cpu->run_limit ||
	    next >= (uint64_t)(cpu->run_limit - count)) {
		cpu->run = count;
		return -1;
	}
	cpu->run = count + (int64_t)next;
	return (int64_t)next;
}

static void stop_before(struct soft_cpu *cpu, const struct soft_op *op)
{
	cpu->leave = SOFT_LEAVE_STOP;
	cpu->left = 0;
	cpu->pc = soft_op_pc(op);
	cpu->at = op;
}

/*
 * The record of the operation behind those asked for is complete. It waits, and the run goes on to
 * the next selection. Returns how many operations that is.
 */
static int64_t foretell(struct soft_cpu *cpu)
{
	const int64_t more = (int64_t)cpu->spacing;

	cpu->foretold = cpu->run;
	cpu->waiting++;
	cpu->run += more;
	cpu->left += more;
	return more;
}

/*
 * Put n operations through the fast loop, from op on, the first of what it enters of its block. All
 * of the block is run if the operation behind those n can be recorded later: then the budget is
 * overdrawn.
 */
static void enter_fast_loop(struct soft_cpu *cpu, const struct soft_op *op, int64_t n)
{
	while (op->rest > n) {
		const enum soft_wait wait = soft_sample_wait(cpu, op, op + n);

		if (wait == SOFT_WAIT_KNOWN) {
			n += foretell(cpu);
			continue;
		}
		if (wait == SOFT_WAIT_BLOCK) {
			cpu->deferred = op + n;
		} else if (n == 0) {
			stop_before(cpu, op);
			return;
		} else {
			soft_place_stop(cpu, op + n);
		}
		break;
	}
	soft_enter(cpu, op, n - op->rest);
}

/* Put n operations from op on through the fast loop. */
static void run_stretch(struct soft_cpu *cpu, const struct soft_op *op, int64_t n)
{
	cpu->at = NULL;
	cpu->run = cpu->left = n;
	if (cpu->sys.pstate.il) {
		cpu->fault = (struct soft_exception){.ec = ARM_EC_ILLEGAL_STATE};
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
		n = cpu->left < 0 ? record_deferred(cpu, op, cpu->left) : cpu->left;
		if (n < 0)
			stop_before(cpu, op);
		else
			enter_fast_loop(cpu, op, n);
	}
	soft_remove_stop(cpu);
}

/*
 * May the operation behind a stretch be recorded after up to a block more, when at most n
 * operations may be executed? The answer is soft_cpu.run_limit.
 */
static int64_t run_limit(const struct soft_cpu *cpu, uint64_t n)
{
	if (n <= SOFT_BLOCK_OPS || spe_spacing_min(cpu->sys.spe) <= SOFT_BLOCK_OPS ||
	    soft_pmu_stepwise(cpu))
		return 0;
	return (int64_t)n - SOFT_BLOCK_OPS;
}

/* count operations of this run, from op on, have begun; the last may be yet to be carried out. */
static void count_stretch(struct soft_cpu *cpu, const struct soft_op *op, int64_t count)
{
	const bool unfinished = cpu->leave == SOFT_LEAVE_SYSTEM || cpu->leave == SOFT_LEAVE_FAULT;

	cpu->sys.pmu->begun = unfinished;
	if (cpu->sys.pmu->classes)
		soft_count_executed(cpu, op, count - unfinished);
}

/*
 * The fast loop was left, having executed operations from op on: account for them, and take the
 * exception that the last of them generated (*excepted), or carry out what it does to the system.
 */
static uint64_t finish_stretch(struct soft_cpu *cpu, const struct soft_op *op, bool *excepted)
{
	const int64_t count = cpu->run - cpu->left + (cpu->leave == SOFT_LEAVE_SYSTEM);
	const struct soft_op *at;

	*excepted = false;
	if (cpu->sys.spe)
		tell_unit(cpu, count);
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
		*excepted = true;
		soft_take_fault(cpu);
	} else {
		const uint64_t pc = cpu->pc;
		const uint32_t word = at->word;

		*excepted = !soft_execute_system(cpu, at);
		if (*excepted)
			soft_note_undefined(cpu, pc, word);
	}
	cpu->ops++;
	if (SOFT_UNLIKELY(cpu->sys.pmu))
		cpu->sys.pmu->begun = false;
	soft_context_changed(cpu);
	soft_update_spe_irq(cpu);
	return (uint64_t)count;
}

/*
 * Execute n operations from op on, or fewer, and whatever exception the last of them generates;
 * more, up to limit, if operations selected on the way can be recorded as they pass (run_limit).
 * The profiling unit knows of told of them already. Returns how many; *excepted says how it ended.
 */
static uint64_t execute_stretch(struct soft_cpu *cpu, const struct soft_op *op, int64_t n,
				int64_t limit, int64_t told, bool *excepted)
{
	cpu->told = told;
	cpu->run_limit = limit;
	if (SOFT_UNLIKELY(cpu->sys.pmu))
		n = soft_count_limit(cpu, op, n);
	if (limit) {
		const struct engine_host *host = &cpu->vm->host;

		cpu->spacing = spe_spacing_fixed(cpu->sys.spe);
		cpu->begin = host->counter(host->ctx, cpu->index) - soft_sample_offset(cpu);
	}
	run_stretch(cpu, op, n);
	return finish_stretch(cpu, op, excepted);
}

/*
 * Have the operation at op recorded if the next member of the population is selected. What is known
 * of it beforehand is recorded beforehand, so that execution can go on without a stop. Returns
 * whether op was executed, too: its record had to wait for that.
 */
static bool select_one(struct soft_cpu *cpu, const struct soft_op *op)
{
	struct spe_unit *spe = cpu->sys.spe;
	struct soft_sample sample;
	bool excepted, waits;

	if (spe_advance(spe, 1) != SPE_SELECTED)
		return false;
	waits = !soft_sample_before(cpu, op, &sample);
	if (waits) {
		(void)execute_stretch(cpu, op, 1, 0, 1, &excepted);
		soft_sample_after(cpu, &sample, excepted);
	}
	spe_sample(spe, &sample.record);
	soft_update_spe_irq(cpu);
	return waits;
}

/* From a selected operation on, at most n operations, while there is nothing but selections. */
static uint64_t execute_selected(struct soft_cpu *cpu, const struct soft_op *op, uint64_t n)
{
	const struct spe_unit *spe = cpu->sys.spe;
	const bool irq = cpu->spe_irq;
	uint64_t executed = 0;
	bool excepted;

	do {
		uint64_t budget, stretch = n - executed;
		int64_t limit = run_limit(cpu, stretch);

		if (select_one(cpu, op))
			return executed + 1;
		budget = spe_budget(spe);
		if (cpu->spe_irq != irq || cpu->attention)
			stretch = 1; /* the interrupt comes behind the operation */
		if (stretch <= budget)
			limit = 0;
		else
			stretch = budget;
		executed += execute_stretch(cpu, op, (int64_t)stretch, limit, 1, &excepted);
		op = cpu->at;
	} while (executed < n && op && cpu->spe_irq == irq && !cpu->attention &&
		 spe_budget(spe) == 1 && !soft_block_of(op)->stale);
	return executed;
}

/*
 * Does the profiling unit need to see every operation here: as it counts micro-ops, or as a branch
 * may change what the previous target is (spe_branch())? With single_step it sees all of them, for
 * comparison.
 */
static bool unit_exact_here(const struct soft_cpu *cpu)
{
	const struct spe_unit *spe = cpu->sys.spe;

	if (!spe)
		return false;
	return cpu->single_step || (cpu->micro_ops && spe_enabled(spe)) ||
	       spe_follows_branches(spe);
}

/* ... or the machine model? Out of line, as the way of most machines goes past it. */
__attribute__((noinline)) static bool exact_here(const struct soft_cpu *cpu)
{
	return cpu->vm->model || unit_exact_here(cpu);
}

/* Execute the operation at op where there is no unit, for the machine model. */
static uint64_t execute_seen(struct soft_cpu *cpu, const struct soft_op *op)
{
	struct soft_seen seen;
	bool excepted;

	soft_model_before(cpu, op, UINT64_MAX, &seen);
	(void)execute_stretch(cpu, op, 1, 0, 0, &excepted);
	soft_model_after(cpu, &seen, excepted);
	return 1;
}

/*
 * Execute the operation at op, for which that is true; seen: by the machine model too. Its
 * micro-ops are in flight together.
 */
static uint64_t execute_exactly(struct soft_cpu *cpu, const struct soft_op *op, bool seen)
{
	struct spe_unit *spe = cpu->sys.spe;
	struct a64_micro_op micro[A64_MICRO_OPS_MAX] = {{A64_MICRO_OP_WHOLE, 0}};
	const unsigned int count = cpu->micro_ops ? soft_micro_ops(cpu, op, micro) : 1;
	struct soft_sample samples[A64_MICRO_OPS_MAX];
	enum a64_micro_op_kind kinds[A64_MICRO_OPS_MAX];
	bool waits[A64_MICRO_OPS_MAX] = {false}, excepted;
	enum spe_branch_kind kind;
	const bool flows = soft_changes_flow(cpu, op, &kind);
	unsigned int selected = 0;
	struct soft_seen model;

	if (seen)
		soft_model_before(cpu, op, spe_budget(spe), &model);
	for (unsigned int n = 0; n < count; n++) {
		if (spe_advance(spe, 1) != SPE_SELECTED)
			continue;
		waits[selected] = !soft_sample_micro_op(cpu, op, micro[n], &samples[selected]);
		kinds[selected] = (enum a64_micro_op_kind)micro[n].kind;
		selected++;
	}
	(void)execute_stretch(cpu, op, 1, 0, 1, &excepted);
	if (seen)
		soft_model_after(cpu, &model, excepted);
	if (flows && !excepted) {
		const unsigned int el = cpu->sys.pstate.el;
		const struct arm_security_state security = arm_security_at(&cpu->sys.controls, el);
		const struct spe_target target = {
			.va = soft_branch_address(&cpu->sys, cpu->pc),
			.el = (uint8_t)el,
			.ns = security.ns,
			.nse = security.nse,
		};

		spe_branch(spe, kind, &target);
	}
	for (unsigned int n = 0; n < selected; n++) {
		if (waits[n])
			soft_sample_after(cpu, &samples[n], excepted);
		if (seen)
			soft_model_show(&model, kinds[n], &samples[n].record);
		spe_sample(spe, &samples[n].record);
	}
	soft_update_spe_irq(cpu);
	return 1;
}

/* Does a PMU look at what the model counts, behind each operation? */
static bool model_counted(const struct soft_cpu *cpu)
{
	return cpu->sys.pmu && soft_model_counts(cpu);
}

/*
 * At most n operations that the machine model is shown, where nobody else needs to see each of
 * them. The next selected one is number budget, from 1.
 */
static uint64_t observe_stretch(struct soft_cpu *cpu, const struct soft_op *op, uint64_t n,
				uint64_t budget)
{
	const uint64_t most = n < budget - 1 ? n : budget - 1;
	int64_t limit = (int64_t)most;
	bool excepted;

	cpu->told = 0;
	cpu->run_limit = 0;
	if (SOFT_UNLIKELY(cpu->sys.pmu))
		limit = soft_count_limit(cpu, op, limit);
	soft_observe(cpu, op, limit, soft_model_untimed(cpu, budget));
	return finish_stretch(cpu, op, &excepted);
}

/*
 * The same for at most n operations. Only the last of a block branches: as long as nothing but that
 * matters, those before it are executed together, up to the selection. The machine model may want
 * to see none of the first ones.
 */
__attribute__((noinline)) static uint64_t execute_watched(struct soft_cpu *cpu,
							  const struct soft_op *op, uint64_t n)
{
	const struct spe_unit *spe = cpu->sys.spe;
	const uint64_t budget = spe ? spe_budget(spe) : UINT64_MAX;
	bool excepted;

	if (cpu->vm->model) {
		const uint64_t ahead = soft_model_ahead(cpu, budget);

		if (ahead == 0 && budget > 1 && !unit_exact_here(cpu) &&
		    !model_counted(cpu) && soft_observable(cpu, op))
			return observe_stretch(cpu, op, n, budget);
		if (ahead == 0)
			return spe ? execute_exactly(cpu, op, true) : execute_seen(cpu, op);
		n = n < ahead ? n : ahead;
		if (!unit_exact_here(cpu))
			return execute_stretch(cpu, op, (int64_t)n, 0, 0, &excepted);
	}
	if (cpu->single_step || cpu->micro_ops || cpu->follows_isb || op->rest < 2 || budget == 1)
		return execute_exactly(cpu, op, false);
	if (n > op->rest - 1u)
		n = op->rest - 1u;
	if (n > budget - 1)
		n = budget - 1;
	return execute_stretch(cpu, op, (int64_t)n, 0, 0, &excepted);
}

/* Interrupts and software step, before the next operation. Was an exception taken? */
static bool take_pending(struct soft_cpu *cpu)
{
	const struct soft_sys *sys = &cpu->sys;
	const enum soft_interrupt which = soft_pending_interrupt(sys);

	cpu->attention &= ~(SOFT_ATTENTION_IRQ | SOFT_ATTENTION_CODE);
	if (which != SOFT_INTERRUPT_NONE) {
		soft_take_interrupt(cpu, which, cpu->pc);
	} else if (soft_step_active(sys) && !sys->pstate.ss) {
		soft_take_step(cpu, cpu->stepped, cpu->stepped_exclusive, cpu->pc);
		cpu->stepped = false;
	} else {
		return false;
	}
	cpu->at = NULL;
	cpu->slot = NULL;
	soft_context_changed(cpu);
	return true;
}

/* Software step: the operation at op was executed. */
static void note_step(struct soft_cpu *cpu, uint32_t word, unsigned int el)
{
	const struct a64_insn *insn = soft_decode(word);

	if (cpu->sys.pstate.el == el)
		cpu->sys.pstate.ss = false;
	cpu->stepped = !insn || insn->id != A64_ERET;
	cpu->stepped_exclusive = insn && insn->operation == A64_OP_LOAD_EXCLUSIVE;
}

/*
 * A software TLB that has nothing: all accesses go the slow way, which looks at watchpoints. LDTR
 * and STTR always do.
 */
static const struct soft_tlb_entry no_tlb[SOFT_TLB_SIZE] = {
	[0 ... SOFT_TLB_SIZE - 1] = {.read = SOFT_NO_PAGE, .write = SOFT_NO_PAGE}};

/*
 * Breakpoints and watchpoints are enabled here. A breakpoint at op: its exception is taken.
 * Otherwise watch what op accesses, until soft_context_changed(). Returns whether op is to be
 * executed.
 */
static bool monitor_operation(struct soft_cpu *cpu, const struct soft_op *op)
{
	if (soft_breakpoint_matches(&cpu->sys, soft_op_pc(op))) {
		cpu->fault = (struct soft_exception){.ec = ARM_EC_BREAKPOINT, .iss = ARM_FSC_DEBUG};
		soft_take_fault(cpu);
		return false;
	}
	cpu->tlb = (struct soft_tlb_entry *)(uintptr_t)no_tlb;
	return true;
}

/* One turn of the run loop: at most n operations. */
static uint64_t run_turn(struct soft_cpu *cpu, uint64_t n)
{
	const bool monitored =
		SOFT_UNLIKELY(soft_debug_monitored(&cpu->sys)) && soft_debug_active(&cpu->sys);
	const bool stepping = soft_step_active(&cpu->sys);
	const unsigned int el = cpu->sys.pstate.el;
	const struct soft_op *op = next_op(cpu);
	const uint64_t budget = cpu->sys.spe ? spe_budget(cpu->sys.spe) : UINT64_MAX;
	uint32_t word;
	bool excepted;

	if (!op)
		return 0;
	if (monitored && !monitor_operation(cpu, op))
		return 0;
	word = op->word;
	if (stepping || monitored || cpu->single_step)
		n = 1;
	n = n < STRETCH_MAX ? n : STRETCH_MAX;
	n = n < cpu->pmu_stop - cpu->ops ? n : cpu->pmu_stop - cpu->ops;
	if (cpu->exact && exact_here(cpu))
		n = execute_watched(cpu, op, n);
	else if (budget == 1)
		n = execute_selected(cpu, op, n);
	else if (n < budget)
		n = execute_stretch(cpu, op, (int64_t)n, 0, 0, &excepted);
	else
		n = execute_stretch(cpu, op, (int64_t)budget - 1, run_limit(cpu, n), 0, &excepted);
	if (monitored)
		soft_context_changed(cpu);
	if (stepping)
		note_step(cpu, word, el);
	return n;
}

/* A counter of the PMU may have overflowed. */
static void look_at_pmu(struct soft_cpu *cpu)
{
	if (SOFT_UNLIKELY(cpu->pmu_stop <= cpu->ops))
		soft_pmu_refresh(cpu);
}

void soft_run(struct soft_cpu *cpu, uint64_t max_ops, struct engine_exit *exit)
{
	*exit = (struct engine_exit){.reason = ENGINE_EXIT_BUDGET};
	cpu->exit = exit;
	cpu->exiting = false;
	cpu->slot = NULL;
	soft_context_changed(cpu);
	soft_update_spe_irq(cpu);
	while (!cpu->exiting) {
		look_at_pmu(cpu);
		if (cpu->attention & SOFT_ATTENTION_EXIT || max_ops == 0) {
			cpu->attention &= ~SOFT_ATTENTION_EXIT;
			break;
		}
		if (!take_pending(cpu))
			max_ops -= run_turn(cpu, max_ops);
	}
	look_at_pmu(cpu);
	cpu->exit = NULL;
}
