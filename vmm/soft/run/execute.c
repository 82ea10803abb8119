/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The run loop. It runs stretches of operations in the fast loop, never past the one that the
 * profiling unit will select; shows operations to the machine model; takes exceptions and
 * interrupts; and samples the selected operations.
 */
#include "soft/run/execute.h"
#include "a64/a64.h"
#include "soft/run/block.h"
#include "soft/sys/debug.h"
#include "soft/mem/memory.h"
#include "soft/model/model.h"
#include "soft/sampling/sample.h"
#include "soft/sampling/tell.h"
#include "soft/run/stretch.h"
#include "soft/model/wrong_path.h"
#include "soft/sys/pmu.h"
#include "soft/mem/tlb.h"

/* The maximum of operations in one stretch: counts fit in the fast loop's signed budget. */
#define STRETCH_MAX (INT64_C(1) << 40)

/* The next operation, or NULL when its fetch faulted and the exception was taken. */
static const struct soft_op *next_op(struct soft_cpu *cpu)
{
	const struct soft_jump *jump = &cpu->jumps[soft_jump_index(cpu->pc)];
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

/*
 * Record the operation at op if the next member of the population is selected. What is known
 * beforehand is recorded beforehand, so that execution can continue without a stop. Returns whether
 * op was executed, too, because its record had to wait for that.
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
		(void)soft_execute_stretch(cpu, op, 1, 0, 1, &excepted);
		soft_sample_after(cpu, &sample, excepted);
	}
	spe_sample(spe, &sample.record);
	soft_update_spe_irq(cpu);
	return waits;
}

/*
 * The record of op, which the profiling unit knows of, was written to the page that op was decoded
 * from: decode it again, to execute the same operation. NULL: its fetch faulted, which happens only
 * if the record overwrote tables.
 */
__attribute__((noinline)) static const struct soft_op *find_again(struct soft_cpu *cpu,
								  const struct soft_op *op)
{
	cpu->pc = soft_op_pc(op);
	cpu->at = NULL;
	cpu->slot = NULL;
	op = soft_block_find(cpu);
	if (!op)
		soft_take_fault(cpu);
	return op;
}

/*
 * From a selected operation on, execute at most n operations, as long as there are only selections.
 */
static uint64_t execute_selected(struct soft_cpu *cpu, const struct soft_op *op, uint64_t n)
{
	const struct spe_unit *spe = cpu->sys.spe;
	const bool irq = cpu->sampling.irq;
	uint64_t executed = 0;
	bool excepted;

	do {
		uint64_t budget, stretch = n - executed;
		int64_t limit = soft_run_limit(cpu, stretch);

		if (select_one(cpu, op))
			return executed + 1;
		if (SOFT_UNLIKELY(soft_block_of(op)->stale))
			op = find_again(cpu, op);
		if (!op)
			return executed;
		budget = spe_budget(spe);
		if (cpu->sampling.irq != irq || cpu->attention)
			stretch = 1; /* the interrupt comes after the operation */
		if (stretch <= budget)
			limit = 0;
		else
			stretch = budget;
		executed += soft_execute_stretch(cpu, op, (int64_t)stretch, limit, 1, &excepted);
		op = cpu->at;
	} while (executed < n && op && cpu->sampling.irq == irq && !cpu->attention &&
		 spe_budget(spe) == 1 && !soft_block_of(op)->stale);
	return executed;
}

/*
 * Does the profiling unit need to see every operation here: because it counts micro-ops, or because
 * a branch may change the previous target (spe_branch())? With single_step it sees all of them, for
 * comparison.
 */
static bool unit_exact_here(const struct soft_cpu *cpu)
{
	const struct spe_unit *spe = cpu->sys.spe;

	if (!spe)
		return false;
	return cpu->loop.single_step || (cpu->sampling.micro_ops && spe_enabled(spe)) ||
	       spe_follows_branches(spe);
}

/* ... or the machine model? Out of line, as most machines do not need it. */
__attribute__((noinline)) static bool exact_here(const struct soft_cpu *cpu)
{
	return cpu->vm->model || unit_exact_here(cpu);
}

/* Execute the operation at op without a unit, for the machine model. */
static uint64_t execute_seen(struct soft_cpu *cpu, const struct soft_op *op)
{
	struct soft_seen seen;
	bool excepted;

	soft_model_before(cpu, op, UINT64_MAX, &seen);
	(void)soft_execute_stretch(cpu, op, 1, 0, 0, &excepted);
	soft_model_after(cpu, &seen, excepted);
	return 1;
}

/*
 * Execute the operation at op, which exact_here() is true of; seen: the machine model sees it, too.
 * Its micro-ops are in flight together.
 */
static uint64_t execute_exactly(struct soft_cpu *cpu, const struct soft_op *op, bool seen)
{
	struct spe_unit *spe = cpu->sys.spe;
	struct a64_micro_op micro[A64_MICRO_OPS_MAX] = {{A64_MICRO_OP_WHOLE, 0}};
	const unsigned int count = cpu->sampling.micro_ops ? soft_micro_ops(cpu, op, micro) : 1;
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
		if (seen && soft_model_collides(cpu, model.dispatched, selected)) {
			spe_collide(spe);
			continue;
		}
		waits[selected] = !soft_sample_micro_op(cpu, op, micro[n], &samples[selected]);
		kinds[selected] = (enum a64_micro_op_kind)micro[n].kind;
		selected++;
	}
	(void)soft_execute_stretch(cpu, op, 1, 0, 1, &excepted);
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
		if (seen) {
			soft_model_show(&model, kinds[n], &samples[n].record);
			soft_model_fly(cpu, model.dispatched, &samples[n].record);
		}
		spe_sample(spe, &samples[n].record);
	}
	if (seen)
		soft_wrong_path(cpu, &model);
	soft_update_spe_irq(cpu);
	return 1;
}

/*
 * May the machine model be shown many operations at once? If it sees all of them, counters,
 * collisions and wrong paths depend on each.
 */
static bool modelled_freely(const struct soft_cpu *cpu)
{
	return cpu->vm->model->mode != MODEL_FULL && !unit_exact_here(cpu) &&
	       !soft_pmu_stepwise(cpu);
}

/* op exists, may be executed, and nothing else has to be done first. */
static bool undisturbed(const struct soft_cpu *cpu, const struct soft_op *op)
{
	return op && !cpu->attention && !soft_block_of(op)->stale;
}

/*
 * Execute the operation at op, the next selected one or in the window before it, if
 * modelled_freely().
 */
static uint64_t execute_in_window(struct soft_cpu *cpu, const struct soft_op *op, uint64_t budget)
{
	struct spe_unit *spe = cpu->sys.spe;
	struct soft_seen seen;
	bool selected, excepted;

	soft_model_before(cpu, op, budget, &seen);
	selected = spe_advance(spe, 1) == SPE_SELECTED;
	if (selected)
		seen.sample.record.timestamp = soft_sample_timestamp(cpu);
	(void)soft_execute_stretch(cpu, op, 1, 0, 1, &excepted);
	soft_model_after(cpu, &seen, excepted);
	if (selected)
		spe_sample(spe, &seen.sample.record);
	soft_update_spe_irq(cpu);
	return 1;
}

/* At most n operations, those between samples together, as long as nothing else has to be done. */
static uint64_t execute_model(struct soft_cpu *cpu, const struct soft_op *op, uint64_t n)
{
	const struct spe_unit *spe = cpu->sys.spe;
	const bool irq = cpu->sampling.irq;
	uint64_t executed = 0;
	bool excepted;

	do {
		const uint64_t budget = spe ? spe_budget(spe) : UINT64_MAX;
		const uint64_t ahead = soft_model_ahead(cpu, budget), left = n - executed;

		executed += ahead == 0
				    ? execute_in_window(cpu, op, budget)
				    : soft_execute_stretch(cpu, op,
							   (int64_t)(left < ahead ? left : ahead),
							   0, 0, &excepted);
		op = cpu->at;
	} while (executed < n && cpu->sampling.irq == irq && undisturbed(cpu, op));
	return executed;
}

/*
 * The same for at most n operations. Only the last of a block branches: if branches are all that
 * matters, those before it are executed together, up to the selection. The machine model may skip
 * the first ones.
 */
__attribute__((noinline)) static uint64_t execute_watched(struct soft_cpu *cpu,
							  const struct soft_op *op, uint64_t n)
{
	const struct spe_unit *spe = cpu->sys.spe;
	const uint64_t budget = spe ? spe_budget(spe) : UINT64_MAX;
	bool excepted;

	if (cpu->vm->model) {
		const uint64_t ahead = soft_model_ahead(cpu, budget);

		if (modelled_freely(cpu))
			return execute_model(cpu, op, n);
		if (ahead == 0)
			return spe ? execute_exactly(cpu, op, true) : execute_seen(cpu, op);
		n = n < ahead ? n : ahead;
		if (!unit_exact_here(cpu))
			return soft_execute_stretch(cpu, op, (int64_t)n, 0, 0, &excepted);
	}
	if (cpu->loop.single_step || cpu->sampling.micro_ops || cpu->sampling.follows_isb ||
	    op->rest < 2 || budget == 1)
		return execute_exactly(cpu, op, false);
	if (n > op->rest - 1u)
		n = op->rest - 1u;
	if (n > budget - 1)
		n = budget - 1;
	return soft_execute_stretch(cpu, op, (int64_t)n, 0, 0, &excepted);
}

/* Take interrupts and software step before the next operation. Was an exception taken? */
static bool take_pending(struct soft_cpu *cpu)
{
	const struct soft_sys *sys = &cpu->sys;
	const enum soft_interrupt which = soft_pending_interrupt(sys);

	cpu->attention &= ~(SOFT_ATTENTION_IRQ | SOFT_ATTENTION_CODE);
	if (which != SOFT_INTERRUPT_NONE) {
		soft_take_interrupt(cpu, which, cpu->pc);
	} else if (soft_step_active(sys) && !sys->pstate.ss) {
		soft_take_step(cpu, cpu->loop.stepped, cpu->loop.stepped_exclusive, cpu->pc);
		cpu->loop.stepped = false;
	} else {
		return false;
	}
	cpu->at = NULL;
	cpu->slot = NULL;
	soft_context_changed(cpu);
	return true;
}

/* Software step: the operation at op was executed, and is complete. */
static void note_step(struct soft_cpu *cpu, uint32_t word, unsigned int el)
{
	const struct a64_insn *insn = soft_decode(word);

	if (cpu->sys.pstate.el == el)
		cpu->sys.pstate.ss = false;
	cpu->loop.stepped = !insn || insn->target != A64_TARGET_ERET;
	cpu->loop.stepped_exclusive = insn && insn->operation == A64_OP_LOAD_EXCLUSIVE;
}

/*
 * Breakpoints and watchpoints are enabled here. Take the exception of a breakpoint at op. Otherwise
 * watch what op accesses, until soft_context_changed(). Returns whether to execute op.
 */
static bool monitor_operation(struct soft_cpu *cpu, const struct soft_op *op)
{
	if (soft_breakpoint_matches(&cpu->sys, soft_op_pc(op))) {
		cpu->fault = (struct soft_exception){.ec = ARM_EC_BREAKPOINT, .iss = ARM_FSC_DEBUG};
		soft_take_fault(cpu);
		return false;
	}
	cpu->tlb = (struct soft_tlb_entry *)(uintptr_t)soft_tlb_nothing;
	cpu->views.unprivileged_tlb = 0;
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
	if (stepping || monitored || cpu->loop.single_step)
		n = 1;
	n = n < STRETCH_MAX ? n : STRETCH_MAX;
	n = n < cpu->loop.pmu_stop - cpu->ops ? n : cpu->loop.pmu_stop - cpu->ops;
	if (cpu->loop.exact && exact_here(cpu))
		n = execute_watched(cpu, op, n);
	else if (budget == 1)
		n = execute_selected(cpu, op, n);
	else if (n < budget)
		n = soft_execute_stretch(cpu, op, (int64_t)n, 0, 0, &excepted);
	else
		n = soft_execute_stretch(cpu, op, (int64_t)budget - 1, soft_run_limit(cpu, n), 0,
					 &excepted);
	if (monitored)
		soft_context_changed(cpu);
	if (stepping && !cpu->unfinished)
		note_step(cpu, word, el);
	return n;
}

/* A counter of the PMU may have overflowed. */
static void look_at_pmu(struct soft_cpu *cpu)
{
	if (SOFT_UNLIKELY(cpu->loop.pmu_stop <= cpu->ops))
		soft_pmu_refresh(cpu);
}

/*
 * Watch stores to the monitors that other vCPUs have set. The TLBs are searched once for each
 * load-exclusive after which a turn ended.
 */
static void watch_monitors(struct soft_cpu *cpu)
{
	struct soft_vm *vm = cpu->vm;

	vm->monitored = false;
	for (unsigned int n = 0; n < vm->count; n++) {
		struct soft_cpu *other = vm->cpus[n];

		if (!other || other == cpu || !other->monitor.set)
			continue;
		vm->monitored = true;
		if (!other->monitor.watched)
			soft_tlb_protect(vm, other->monitor.pa);
		other->monitor.watched = true;
	}
}

void soft_run(struct soft_cpu *cpu, uint64_t max_ops, struct engine_exit *exit)
{
	*exit = (struct engine_exit){.reason = ENGINE_EXIT_BUDGET};
	cpu->loop.exit = exit;
	cpu->loop.exiting = false;
	cpu->slot = NULL;
	watch_monitors(cpu);
	soft_context_changed(cpu);
	soft_update_spe_irq(cpu);
	while (!cpu->loop.exiting) {
		look_at_pmu(cpu);
		if (cpu->attention & SOFT_ATTENTION_EXIT || max_ops == 0) {
			cpu->attention &= ~SOFT_ATTENTION_EXIT;
			break;
		}
		if (!take_pending(cpu))
			max_ops -= run_turn(cpu, max_ops);
	}
	look_at_pmu(cpu);
	cpu->loop.exit = NULL;
}
