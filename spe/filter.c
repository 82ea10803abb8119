/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Filtering: PMSFCR_EL1, PMSEVFR_EL1, PMSNEVFR_EL1, PMSLATFR_EL1 and PMSDSFR_EL1 (J1.75, J1.84 to
 * J1.87).
 *
 * A filter may be on but select nothing: no event, no type without FEAT_SPE_EFT, no latency. The
 * architecture lets it reject everything or nothing; spe_config.empty_filter chooses. An event that
 * is set in both event filters rejects everything, which follows from the comparisons.
 */
#include "internal.h"

/* PMSFCR_EL1.{SIMD,FP,ST,LD,B} have the order of an operation's flags. */
_Static_assert(SPE_OP_BRANCH == 1 && SPE_OP_LOAD == 2 && SPE_OP_STORE == 4 && SPE_OP_FP == 8 &&
		       SPE_OP_SIMD == 16,
	       "PMSFCR_EL1.TYPE and TYPEm");

/* TYPE and TYPEm; the fields that there are not read as zero. */
struct types {
	uint32_t type, mask;
};

static struct types selected_types(const struct unit *unit)
{
	return (struct types){
		.type = (uint32_t)((unit->pmsfcr & (PMSFCR_TYPE | PMSFCR_TYPE_EFT)) >>
				   PMSFCR_TYPE_SHIFT),
		.mask = (uint32_t)((unit->pmsfcr & PMSFCR_MASK) >> PMSFCR_MASK_SHIFT),
	};
}

/* An enabled filter that selects nothing: the configuration decides. */
static bool rejects_all(const struct unit *unit)
{
	struct types t = selected_types(unit);

	if (unit->config.empty_filter == SPE_EMPTY_FILTER_IGNORED)
		return false;
	return (unit->pmsfcr & PMSFCR_FE && !(unit->pmsevfr & unit->filter_events)) ||
	       (unit->pmsfcr & PMSFCR_FNE && !(unit->pmsnevfr & unit->filter_events)) ||
	       (unit->pmsfcr & PMSFCR_FT && !unit->config.eft && t.type == 0) ||
	       (unit->pmsfcr & PMSFCR_FL && unit->pmslatfr == 0);
}

void spe_filter_changed(struct unit *unit)
{
	uint64_t on = unit->pmsfcr;
	struct types t = selected_types(unit);

	unit->must_set = (on & PMSFCR_FE) ? unit->pmsevfr & unit->filter_events : 0;
	unit->must_clear = (on & PMSFCR_FNE) ? unit->pmsnevfr & unit->filter_events : 0;
	unit->type_any = (on & PMSFCR_FT) ? t.type & ~t.mask : 0;
	unit->type_mask = (on & PMSFCR_FT) ? t.mask : 0;
	unit->type_match = unit->type_mask & t.type;
	unit->min_latency = (on & PMSFCR_FL) ? (uint16_t)unit->pmslatfr : 0;
	unit->filter_sources = (on & PMSFCR_FDS) && unit->config.lds;
	/* No operation matches a flag under an empty mask. */
	if (rejects_all(unit)) {
		unit->type_mask = 0;
		unit->type_match = 1;
	}
	unit->filtered = unit->must_set || unit->must_clear || unit->type_any || unit->type_mask ||
			 unit->type_match || unit->min_latency || unit->filter_sources;
}

/* PMSDSFR_EL1.S[m], m being the low 6 bits of the data source. */
static bool source_selected(const struct unit *unit, const struct spe_op *op)
{
	return unit->pmsdsfr >> (op->data_source & 63) & 1;
}

bool spe_filter_passes(const struct unit *unit, const struct spe_op *op, uint64_t events)
{
	if ((~events & unit->must_set) | (events & unit->must_clear))
		return false;
	if (unit->type_any && !(op->flags & unit->type_any))
		return false;
	if ((op->flags & unit->type_mask) != unit->type_match)
		return false;
	if (unit->filter_sources && spe_has_source(op) && !source_selected(unit, op))
		return false;
	return op->total_latency >= unit->min_latency;
}

/* is_op of J1.87, if a type is selected. */
static bool is_selected_type(const struct unit *unit, const struct spe_op *op)
{
	struct types t = selected_types(unit);
	uint32_t any = t.type & ~t.mask;

	return (t.type | t.mask) && (!any || op->flags & any) &&
	       (op->flags & t.mask) == (t.type & t.mask);
}

static inline void count_feed(const struct unit *unit, bool counts, uint16_t event)
{
	if (counts)
		spe_tell(unit, event, 1);
}

void spe_filter_count(const struct unit *unit, const struct spe_op *op, uint64_t events)
{
	const struct spe_config *config = &unit->config;
	const uint64_t absent = ~events & unit->pmsevfr, present = events & unit->pmsnevfr;

	if (config->eft) {
		count_feed(unit, op->flags & SPE_OP_FP, SPE_PMU_SAMPLE_FEED_FP);
		count_feed(unit, op->flags & SPE_OP_SIMD, SPE_PMU_SAMPLE_FEED_SIMD);
	}
	if (config->version < SPE_V1P2)
		return;
	count_feed(unit, op->flags & SPE_OP_BRANCH, SPE_PMU_SAMPLE_FEED_BR);
	count_feed(unit, op->flags & SPE_OP_LOAD, SPE_PMU_SAMPLE_FEED_LD);
	count_feed(unit, op->flags & SPE_OP_STORE, SPE_PMU_SAMPLE_FEED_ST);
	count_feed(unit, is_selected_type(unit, op), SPE_PMU_SAMPLE_FEED_OP);
	count_feed(unit, !((absent | present) & unit->filter_events), SPE_PMU_SAMPLE_FEED_EVENT);
	count_feed(unit, op->total_latency >= unit->pmslatfr, SPE_PMU_SAMPLE_FEED_LAT);
	count_feed(unit,
		   config->fds && config->lds && spe_has_source(op) && source_selected(unit, op),
		   SPE_PMU_SAMPLE_FEED_DS);
}
