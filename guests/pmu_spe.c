/* SPDX-License-Identifier: BSD-2-Clause */
/* pmu, the tests of what the Performance Monitors have of SPE: see pmu_spe.h. */
#include "pmu_spe.h"

#include "boot.h"
#include "hotspot.h"
#include "pmu_regs.h"
#include "spe.h"
#include "tap.h"

#define TURNS 1000

const char *needs_spe_events(void)
{
	const char *why = needs_pmu();

	if (!why)
		why = needs_exact();
	return !why && !pmu_has_event(EVENT_SAMPLE_POP) ? "no SAMPLE_POP" : why;
}

static void profile_el1(uint64_t pages, uint64_t flags, uint64_t interval)
{
	static uint64_t buffer;
	struct spe_setup setup = {
		.pmsirr = PMSIRR_INTERVAL(interval),
	};

	if (!buffer)
		buffer = (uintptr_t)data_alloc(spe_space(8) / PAGE_SIZE);
	setup.pointer = buffer;
	setup.limit = buffer + (pages > 1 ? spe_space(pages) : PAGE_SIZE);
	setup.limit_flags = PMBLIMITR_E | flags;
	spe_program(&setup);
	irq_enable();
	spe_run_el1(PMSCR_E1SPE, user_address(kernel_sixty), 20 * TURNS, 0);
	irq_disable();
	spe_disable();
}

/* SAMPLE_POP is the population, and SAMPLE_FEED its selections. */
void pmu_sample_events(void)
{
	uint64_t population = 6 * 20 * TURNS + 1 + SPE_RUN_EL1_EXTRA;
	const uint64_t spacing = spe_spacing(8);

	pmu_clear(0);
	pmu_count(0, EVENT_SAMPLE_POP, 0);
	pmu_count(1, EVENT_SAMPLE_FEED, 0);
	write_sysreg(pmcr_el0, PMCR_E);
	isb();
	profile_el1(8, 0, 8);
	write_sysreg(pmcr_el0, 0);
	isb();
	population += spe_windows_before(UINT64_MAX);
	CHECK(pmu_read_counter(0) == population, "SAMPLE_POP %lu, not %lu", pmu_read_counter(0),
	      population);
	CHECK(pmu_read_counter(1) == population / spacing, "SAMPLE_FEED %lu, not %lu",
	      pmu_read_counter(1), population / spacing);
}

const char *needs_freeze_by_spe(void)
{
	const char *why = needs_pmu_v3p7();

	if (!why)
		why = needs_exact();
	if (!why && field(read_sysreg(id_aa64dfr0_el1), 35, 32) < 3)
		why = "no FEAT_SPEv1p2";
	return why;
}

/* A full buffer stops the counters: PMCR_EL0.FZS, PMBLIMITR_EL1.PMFZ. */
void pmu_freeze_by_spe(void)
{
	uint64_t counted[3];

	for (unsigned int i = 0; i < 3; i++) {
		pmu_clear(i ? PMCR_FZS : 0);
		pmu_count(1, EVENT_INST_RETIRED, 0);
		write_sysreg(pmcr_el0, PMCR_E | (i ? PMCR_FZS : 0));
		isb();
		profile_el1(1, i == 2 ? PMBLIMITR_PMFZ : 0, 1);
		write_sysreg(pmcr_el0, 0);
		isb();
		counted[i] = pmu_read_counter(1);
	}
	CHECK(counted[0] > 6 * 20 * TURNS && counted[1] > 6 * 20 * TURNS &&
		      counted[2] < 4 * 20 * TURNS &&
		      counted[2] > PAGE_SIZE / spe_caps.max_record * 128,
	      "%lu without, %lu with FZS, %lu with PMFZ too", counted[0], counted[1], counted[2]);
}
