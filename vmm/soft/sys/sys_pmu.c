/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The PMU of a vCPU: when it learns what, and the accesses to its registers (Arm ARM D13).
 *
 * An operation counts at the Exception level and by the controls that it began with: the one that
 * turns counting on does not count, and the one that turns it off does. The same holds for the
 * profiling unit's population.
 */
#include "model/core.h"
#include "soft/sys/pmu.h"
#include "soft/sys/sys_private.h"

#include <string.h>

/*
 * What the machine model has counted up to now, including the issue of what is being carried out:
 * an access to a counter sees the cycle in which it is issued.
 */
static const uint64_t *modelled_so_far(const struct soft_cpu *cpu, uint64_t ahead[MODEL_EVENTS])
{
	if (!cpu->sys.pmu->fetched)
		return soft_model_counts(cpu);
	model_core_issue_ahead(cpu->vm->model->machine, cpu->index, cpu->sys.pmu->held,
			       &cpu->sys.pmu->needs, ahead);
	return ahead;
}

/*
 * How much the unit does not know of yet, for each of these counters. An operation may have been
 * reported with slightly more while it was carried out than it really counted: then the next ones
 * do not count until that is made up for.
 */
static void add_modelled(struct soft_pmu *pmu, const struct soft_pmu_modelled *who,
			 const uint64_t counts[MODEL_EVENTS], uint64_t more[PMU_ALL_COUNTERS])
{
	for (unsigned int counters = who->counters; counters; counters &= counters - 1) {
		const unsigned int n = (unsigned int)__builtin_ctz(counters);

		const uint64_t now = counts[who->event[n]], told = pmu->told[who->event[n]];

		more[n] = now > told ? now - told : 0;
	}
	for (unsigned int event = 0; event < MODEL_EVENTS; event++)
		if (counts[event] > pmu->told[event])
			pmu->told[event] = counts[event];
}

/* Report all that was executed, and what is being carried out. */
static void tell_unit(struct soft_cpu *cpu)
{
	struct soft_pmu *pmu = cpu->sys.pmu;
	const uint64_t begun = cpu->ops + pmu->begun - pmu->synced;
	uint64_t ahead[MODEL_EVENTS];

	if (pmu->unit.config.cycles) {
		if (pmu->fetched && !pmu->split) {
			pmu->split = true;
			pmu->begun_with = pmu->modelled;
		}
		add_modelled(pmu, &pmu->modelled, modelled_so_far(cpu, ahead), pmu->more);
	}
	pmu_count(&pmu->unit, begun, begun - pmu->unretired, pmu->more);
	pmu->synced += begun;
	pmu->unretired = 0;
	memset(pmu->more, 0, sizeof(pmu->more));
}

static struct pmu_context context_of(const struct soft_sys *sys)
{
	return pmu_context_of(&sys->controls,
			      sys->spe ? spe_pmu_frozen(sys->spe, sys->pmu->unit.pmcr) : 0);
}

static bool counts_samples(const struct pmu *unit)
{
	for (unsigned int n = 0; n < PMU_COUNTERS; n++) {
		if (unit->counting >> n & 1 &&
		    pmu_sample_find((uint16_t)unit->type[n]) != PMU_SAMPLES)
			return true;
	}
	return false;
}

/* Set where the run loop has to stop, and what it has to check until then. */
static void plan(struct soft_cpu *cpu)
{
	struct soft_pmu *pmu = cpu->sys.pmu;
	const struct pmu *unit = &pmu->unit;
	const uint64_t budget = pmu_left(unit);

	cpu->loop.pmu_stop = budget < UINT64_MAX - pmu->synced ? pmu->synced + budget : UINT64_MAX;
	pmu->classes = 0;
	pmu->modelled.counters = 0;
	for (unsigned int n = 0; n < PMU_ALL_COUNTERS; n++) {
		if (!(unit->counting >> n & 1))
			continue;
		pmu->room[n] = pmu_room(unit, n);
		if (unit->source[n] >= PMU_FIRST_CLASS && unit->source[n] < PMU_TOLD)
			pmu->classes |= (uint8_t)(1u << n);
		if (unit->source[n] != PMU_MODEL)
			continue;
		pmu->modelled.counters |= (uint8_t)(1u << n);
		pmu->modelled.event[n] =
			n == PMU_CYCLE_COUNTER ? MODEL_CPU_CYCLES
					       : (uint8_t)model_event_find((uint16_t)unit->type[n]);
	}
	pmu->stepwise = unit->pmcr & PMU_PMCR_FZS || cpu->sys.controls.mdcr_el2 & MDCR_EL2_HPMFZS ||
			counts_samples(unit);
}

void soft_pmu_refresh(struct soft_cpu *cpu)
{
	struct soft_pmu *pmu = cpu->sys.pmu;
	const struct engine_host *host = soft_host(cpu);
	const struct pmu_context context = context_of(&cpu->sys);
	bool level;

	tell_unit(cpu);
	pmu_set_context(&pmu->unit, &context);
	plan(cpu);
	/* Plans that reach further ahead are made again. */
	cpu->attention |= SOFT_ATTENTION_IRQ;
	level = pmu_irq(&pmu->unit);
	if (level == pmu->irq)
		return;
	pmu->irq = level;
	host->pmu_irq(host->ctx, soft_index(cpu), level);
}

void soft_pmu_modelled(struct soft_cpu *cpu)
{
	struct soft_pmu *pmu = cpu->sys.pmu;
	const uint64_t *counts = soft_model_counts(cpu);
	uint64_t more[PMU_ALL_COUNTERS];

	pmu->fetched = false;
	if (pmu->split) {
		pmu->split = false;
		add_modelled(pmu, &pmu->begun_with, counts, more);
		pmu_count_rest(&pmu->unit, pmu->begun_with.counters, more);
		soft_pmu_refresh(cpu);
		return;
	}
	for (unsigned int counters = pmu->modelled.counters; counters; counters &= counters - 1) {
		const int n = __builtin_ctz(counters);
		const unsigned int event = pmu->modelled.event[n];

		if (counts[event] <= pmu->told[event] ||
		    counts[event] - pmu->told[event] < pmu->room[n])
			continue;
		soft_pmu_refresh(cpu);
		return;
	}
}

void soft_pmu_reset(struct soft_cpu *cpu)
{
	struct soft_pmu *pmu = cpu->sys.pmu;

	pmu_clear(&pmu->unit);
	pmu->begun = pmu->split = false;
	pmu->synced = cpu->ops;
	pmu->unretired = 0;
	memset(pmu->more, 0, sizeof(pmu->more));
	soft_pmu_refresh(cpu);
}

void soft_pmu_exception(struct soft_cpu *cpu, bool retired)
{
	struct soft_pmu *pmu = cpu->sys.pmu;

	if (pmu->begun && !retired)
		pmu->unretired++;
	soft_pmu_tell(cpu, PMU_EXC_TAKEN, 1);
}

static void access_register(struct soft_cpu *cpu, enum pmu_register reg, struct sys_instruction *in)
{
	struct pmu *unit = &cpu->sys.pmu->unit;

	soft_pmu_refresh(cpu);
	if (in->f.read) {
		in->value = pmu_register_read(unit, reg);
		return;
	}
	pmu_register_write(unit, reg, in->value);
	soft_pmu_refresh(cpu);
}

/* PMEVCNTR<n>_EL0 or PMEVTYPER<n>_EL0 with n not below PMCR_EL0.N? */
static bool is_no_counter(enum pmu_register reg)
{
	if (reg < PMU_PMEVCNTR0_EL0 || reg > PMU_PMEVTYPER30_EL0)
		return false;
	return (reg - (reg < PMU_PMEVTYPER0_EL0 ? PMU_PMEVCNTR0_EL0 : PMU_PMEVTYPER0_EL0)) >=
	       PMU_COUNTERS;
}

struct sysreg_route sys_pmu_register(struct soft_cpu *cpu, enum pmu_register reg,
				     struct sys_instruction *in)
{
	struct pmu_controls controls;
	struct sysreg_route route = {.kind = SYSREG_UNDEFINED};

	if (!cpu->sys.pmu)
		return route;
	controls = pmu_controls_of(&cpu->sys.pmu->unit);
	route = pmu_route(&cpu->sys.controls, &controls, reg, !in->f.read, (uint8_t)in->f.rt);
	if (route.kind == SYSREG_RAZ_WI)
		in->value = 0;
	if (route.kind != SYSREG_DIRECT)
		return route;
	if (is_no_counter((enum pmu_register)route.reg) &&
	    soft_may(cpu, SOFT_MAY_PMU_COUNTER_UNDEFINED))
		route.kind = SYSREG_UNDEFINED;
	else
		access_register(cpu, (enum pmu_register)route.reg, in);
	return route;
}
