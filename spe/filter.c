/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Filtering: PMSFCR_EL1, PMSEVFR_EL1, PMSNEVFR_EL1 and PMSLATFR_EL1 (J1.75, J1.84 to J1.87),
 * without FEAT_SPE_EFT and FEAT_SPE_FDS.
 *
 * Where a filter is on but asks for nothing (no event, no type, no latency), the architecture lets
 * it reject everything or nothing: it rejects nothing here, which is what the comparisons give. An
 * event that both event filters ask for rejects everything, in the same way.
 */
#include "internal.h"

/* PMSFCR_EL1.{ST,LD,B} stand in the order of the flags of an operation. */
_Static_assert(SPE_OP_BRANCH == 1 && SPE_OP_LOAD == 2 && SPE_OP_STORE == 4, "PMSFCR_EL1.TYPE");

static uint32_t selected_types(const struct spe_unit *unit)
{
	return (uint32_t)((unit->pmsfcr & PMSFCR_TYPE) >> PMSFCR_TYPE_SHIFT);
}

void spe_filter_changed(struct spe_unit *unit)
{
	uint64_t on = unit->pmsfcr;

	unit->must_set = (on & PMSFCR_FE) ? unit->pmsevfr & unit->filter_events : 0;
	unit->must_clear = (on & PMSFCR_FNE) ? unit->pmsnevfr & unit->filter_events : 0;
	unit->type_any = (on & PMSFCR_FT) ? selected_types(unit) : 0;
	unit->min_latency = (on & PMSFCR_FL) ? (uint16_t)unit->pmslatfr : 0;
}

bool spe_filter_passes(const struct spe_unit *unit, const struct spe_op *op, uint64_t events)
{
	if ((~events & unit->must_set) | (events & unit->must_clear))
		return false;
	if (unit->type_any && !(op->flags & unit->type_any))
		return false;
	return op->total_latency >= unit->min_latency;
}

void spe_filter_count(const struct spe_unit *unit, const struct spe_op *op, uint64_t events)
{
	void (*count)(void *ctx, uint16_t event, uint64_t n) = unit->host.pmu_event;
	void *ctx = unit->host.ctx;

	if (op->flags & SPE_OP_BRANCH)
		count(ctx, SPE_PMU_SAMPLE_FEED_BR, 1);
	if (op->flags & SPE_OP_LOAD)
		count(ctx, SPE_PMU_SAMPLE_FEED_LD, 1);
	if (op->flags & SPE_OP_STORE)
		count(ctx, SPE_PMU_SAMPLE_FEED_ST, 1);
	if (op->flags & selected_types(unit))
		count(ctx, SPE_PMU_SAMPLE_FEED_OP, 1);
	if (!(~events & unit->pmsevfr & unit->filter_events) &&
	    !(events & unit->pmsnevfr & unit->filter_events))
		count(ctx, SPE_PMU_SAMPLE_FEED_EVENT, 1);
	if (op->total_latency >= unit->pmslatfr)
		count(ctx, SPE_PMU_SAMPLE_FEED_LAT, 1);
}
