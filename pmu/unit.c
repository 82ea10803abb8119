/* SPDX-License-Identifier: BSD-2-Clause */
/* A counter unit's life: the calls of its embedder. */
#include "whole.h"

#include "../spe/connect.h"
#include "../sysreg/levels.h"

size_t pmu_unit_size(void)
{
	return PMU_UNIT_SIZE;
}

/* Learn what SPE freezes now. It changes with registers of SPE, and with PMCR_EL0. */
static void look_at_spe(struct pmu_whole *whole)
{
	struct pmu *pmu = &whole->pmu;
	const uint32_t frozen = whole->spe ? spe_pmu_frozen(whole->spe, pmu->pmcr) : 0;

	if (frozen == pmu->context.frozen)
		return;
	pmu->context.frozen = frozen;
	pmu_work_out(pmu);
}

/* Count an event count times in these counters. */
static void count_event(struct pmu *pmu, unsigned int counters, uint64_t count)
{
	uint64_t more[PMU_ALL_COUNTERS];

	for (unsigned int n = 0; n < PMU_ALL_COUNTERS; n++)
		more[n] = count;
	pmu_count_rest(pmu, counters, more);
}

/* Count an event of SPE before anything changes: a full buffer freezes counters after its event. */
static void take_sample_event(void *ctx, uint16_t event, uint64_t count)
{
	struct pmu_whole *whole = ctx;

	look_at_spe(whole);
	count_event(&whole->pmu, pmu_listeners(&whole->pmu, event), count);
}

void pmu_connect(struct pmu_unit *opaque, struct spe_unit *spe)
{
	struct pmu_whole *whole = whole_of(opaque);

	whole->spe = spe;
	whole->pmu.spe = spe ? spe_unit_config(spe) : NULL;
	if (spe)
		spe_connect(spe, take_sample_event, whole);
	pmu_work_out(&whole->pmu);
}

int pmu_init(struct pmu_unit *opaque, size_t size, const struct pmu_config *config,
	     struct spe_unit *spe)
{
	struct pmu_whole *whole = whole_of(opaque);
	int error;

	if (size < PMU_UNIT_SIZE)
		return -PMU_ESIZE;
	error = pmu_config_check(config, NULL);
	if (error)
		return error;
	__builtin_memset(opaque, 0, sizeof(*opaque));
	whole->pmu.config = *config;
	pmu_clear(&whole->pmu);
	pmu_connect(opaque, spe);
	return 0;
}

void pmu_reset(struct pmu_unit *opaque)
{
	pmu_clear(&whole_of(opaque)->pmu);
}

void pmu_update(struct pmu_unit *opaque, const struct sysreg_controls *controls)
{
	struct pmu_whole *whole = whole_of(opaque);
	const struct pmu_context context = pmu_context_of(
		controls, whole->spe ? spe_pmu_frozen(whole->spe, whole->pmu.pmcr) : 0);

	pmu_set_context(&whole->pmu, &context);
}

uint64_t pmu_budget(const struct pmu_unit *opaque)
{
	struct pmu_whole now = *whole_in(opaque);

	look_at_spe(&now);
	return pmu_left(&now.pmu);
}

/* How often a counter's event is in the step, unless the unit counts it itself. */
static uint64_t of_step(const struct pmu *pmu, unsigned int n, const struct pmu_step *step)
{
	const uint64_t event = n == CYCLE ? PMU_CPU_CYCLES : pmu->type[n] & EVENT_BITS;

	if (event == PMU_CPU_CYCLES)
		return step->cycles;
	return event < 64 ? (step->events & pmu->config.events) >> event & 1 : 0;
}

void pmu_advance(struct pmu_unit *opaque, const struct pmu_step *step)
{
	struct pmu_whole *whole = whole_of(opaque);
	uint64_t more[PMU_ALL_COUNTERS];

	look_at_spe(whole);
	for (unsigned int n = 0; n < PMU_ALL_COUNTERS; n++)
		more[n] = of_step(&whole->pmu, n, step);
	pmu_count(&whole->pmu, step->begun, step->retired, more);
}

void pmu_event(struct pmu_unit *opaque, uint16_t event, uint64_t count)
{
	struct pmu_whole *whole = whole_of(opaque);
	struct pmu *pmu = &whole->pmu;
	unsigned int counters;

	if (!pmu_may_be_told(&pmu->config, event))
		return;
	look_at_spe(whole);
	counters = pmu_listeners(pmu, event);
	if (event == PMU_CPU_CYCLES)
		counters |= pmu->counting & 1u << CYCLE;
	count_event(pmu, counters, count);
}

uint64_t pmu_wanted(const struct pmu_unit *opaque)
{
	struct pmu_whole now = *whole_in(opaque);
	uint64_t wanted = 0;

	look_at_spe(&now);
	for (unsigned int n = 0; n < PMU_COUNTERS; n++)
		if (now.pmu.counting >> n & 1 && (now.pmu.type[n] & EVENT_BITS) < 64)
			wanted |= BIT(now.pmu.type[n] & EVENT_BITS);
	return wanted & now.pmu.config.events;
}

bool pmu_irq_level(const struct pmu_unit *opaque)
{
	return pmu_irq(&whole_in(opaque)->pmu);
}

bool pmu_is_register(uint32_t encoding)
{
	return pmu_find(encoding) != PMU_REGISTERS;
}

struct sysreg_route pmu_access(struct pmu_unit *opaque, const struct sysreg_controls *controls,
			       uint32_t encoding, bool write, uint8_t rt, uint64_t *value)
{
	struct pmu *pmu = &whole_of(opaque)->pmu;
	const enum pmu_register reg = pmu_find(encoding);
	struct pmu_controls own;
	struct sysreg_route route;

	if (reg == PMU_REGISTERS)
		return (struct sysreg_route){.kind = SYSREG_UNDEFINED, .reg = PMU_REGISTERS};
	pmu_update(opaque, controls);
	own = pmu_controls_of(pmu);
	route = pmu_route(controls, &own, reg, write, rt);
	if (route.kind == SYSREG_DIRECT && write) {
		pmu_register_write(pmu, (enum pmu_register)route.reg, *value);
		look_at_spe(whole_of(opaque));
	} else if (route.kind == SYSREG_DIRECT) {
		*value = pmu_register_read(pmu, (enum pmu_register)route.reg);
	} else if (route.kind == SYSREG_RAZ_WI && !write) {
		*value = 0;
	}
	return route;
}
