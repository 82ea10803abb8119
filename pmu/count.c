/* SPDX-License-Identifier: BSD-2-Clause */
/* Counters, and when they count: see unit.h. */
#include "internal.h"

#include "../sysreg/assertion.h"
#include "../sysreg/levels.h"

unsigned int pmu_flag_of(unsigned int n)
{
	if (n == CYCLE)
		return PMU_CYCLE;
	return n == INSTRUCTION ? PMU_INSTRUCTION : n;
}

/* MDCR_EL2.HPMN, if it divides the counters. A value above their number counts as that number. */
static unsigned int first_range(const struct pmu *pmu)
{
	const unsigned int hpmn = (unsigned int)(pmu->context.mdcr_el2 & MDCR_EL2_HPMN);

	return pmu->config.el2 && hpmn < PMU_COUNTERS ? hpmn : PMU_COUNTERS;
}

static bool in_second_range(const struct pmu *pmu, unsigned int n)
{
	return n < PMU_COUNTERS && n >= first_range(pmu);
}

unsigned int pmu_accessible(const struct pmu *pmu)
{
	return pmu->context.el < 2 && pmu->context.el2_enabled ? first_range(pmu) : PMU_COUNTERS;
}

/* Secure state, which includes EL3, even in Root state. */
static bool secure_or_el3(const struct pmu_context *c)
{
	return c->el == 3 || (!c->ns && !c->nse);
}

/* Event counting is prohibited (Arm ARM D13.6; MDCR_EL2.HPMD, MDCR_EL3.{SPME,MPMX}). */
static bool events_prohibited(const struct pmu *pmu, unsigned int n)
{
	const struct pmu_context *c = &pmu->context;
	const bool second = in_second_range(pmu, n);
	const bool spme = c->mdcr_el3 & MDCR_EL3_SPME, mpmx = c->mdcr_el3 & MDCR_EL3_MPMX;

	if (pmu->config.el3 && secure_or_el3(c) && !spme && !mpmx)
		return true;
	if (c->el == 3 && mpmx && (!spme || !second))
		return true;
	return c->el == 2 && !second && c->mdcr_el2 & MDCR_EL2_HPMD;
}

/* Cycle counting is prohibited, whatever PMCR_EL0.DP says: MDCR_EL2.HCCD, MDCR_EL3.{SCCD,MCCD}. */
static bool cycles_prohibited(const struct pmu *pmu)
{
	const struct pmu_context *c = &pmu->context;

	return (c->el == 2 && c->mdcr_el2 & MDCR_EL2_HCCD) ||
	       (c->el == 3 && c->mdcr_el3 & MDCR_EL3_MCCD) ||
	       (pmu->config.el3 && secure_or_el3(c) && c->mdcr_el3 & MDCR_EL3_SCCD);
}

/*
 * An overflow in its range freezes a counter: PMCR_EL0.FZO, MDCR_EL2.HPMFZO. The instruction
 * counter is in the first range.
 */
static bool frozen_by_overflow(const struct pmu *pmu, bool second)
{
	const uint64_t first = BIT(first_range(pmu)) - 1, all = BIT(PMU_COUNTERS) - 1;

	if (second)
		return pmu->context.mdcr_el2 & MDCR_EL2_HPMFZO && pmu->overflowed & all & ~first;
	return pmu->pmcr & PMU_PMCR_FZO && pmu->overflowed & (first | BIT(PMU_INSTRUCTION));
}

/* The filter by Exception level and Security state of PMEVTYPER<n>_EL0, PMCCFILTR_EL0 and so on. */
static bool filtered_out(const struct pmu *pmu, unsigned int n)
{
	static const uint64_t kernel[] = {PMU_TYPE_P, PMU_TYPE_NSK, PMU_TYPE_RLK};
	static const uint64_t user[] = {PMU_TYPE_U, PMU_TYPE_NSU, PMU_TYPE_RLU};
	const struct pmu_context *c = &pmu->context;
	const uint64_t type = pmu->type[n];
	const unsigned int state = c->nse ? 2 : c->ns;
	const uint64_t *bits = c->el == 0 ? user : kernel;

	switch (c->el) {
	case 0:
	case 1: /* Secure state has one bit, of the others' the second has to be equal to it. */
		return !(type & bits[0]) != !(state && type & bits[state]);
	case 2:
		if (c->nse)
			return !(type & PMU_TYPE_NSH) == !(type & PMU_TYPE_RLH);
		return !(type & PMU_TYPE_NSH) == !(!c->ns && type & PMU_TYPE_SH);
	default: return !(type & PMU_TYPE_M) != !(type & PMU_TYPE_P);
	}
}

/* Does event counter n count here, or the instruction counter? */
static bool event_counts(const struct pmu *pmu, unsigned int n)
{
	const bool second = in_second_range(pmu, n);
	const bool on = second ? pmu->context.mdcr_el2 & MDCR_EL2_HPME : pmu->pmcr & PMU_PMCR_E;

	return on && pmu->enabled >> pmu_flag_of(n) & 1 && !events_prohibited(pmu, n) &&
	       !frozen_by_overflow(pmu, second) &&
	       !(pmu->context.frozen & (second ? SPE_FROZEN_SECOND : SPE_FROZEN_FIRST)) &&
	       !filtered_out(pmu, n);
}

static bool cycles_count(const struct pmu *pmu)
{
	if (!(pmu->pmcr & PMU_PMCR_E) || !(pmu->enabled >> PMU_CYCLE & 1) ||
	    cycles_prohibited(pmu) || filtered_out(pmu, CYCLE) ||
	    pmu->context.frozen & SPE_FROZEN_CYCLES)
		return false;
	return !(pmu->pmcr & PMU_PMCR_DP) ||
	       (!events_prohibited(pmu, CYCLE) && !frozen_by_overflow(pmu, false));
}

void pmu_work_out(struct pmu *pmu)
{
	pmu->counting = (uint8_t)(cycles_count(pmu) << CYCLE);
	pmu->source[CYCLE] = (uint8_t)pmu_source_of(pmu, PMU_CPU_CYCLES);
	pmu->source[INSTRUCTION] = PMU_RETIRED;
	if (event_counts(pmu, INSTRUCTION))
		pmu->counting |= (uint8_t)(1u << INSTRUCTION);
	for (unsigned int n = 0; n < PMU_COUNTERS; n++) {
		pmu->source[n] = (uint8_t)pmu_source_of(pmu, pmu->type[n] & EVENT_BITS);
		if (pmu->source[n] != PMU_SOURCES && event_counts(pmu, n))
			pmu->counting |= (uint8_t)(1u << n);
	}
}

struct pmu_context pmu_context_of(const struct sysreg_controls *c, uint32_t frozen)
{
	const bool el3 = c->features & SYSREG_FEAT_EL3, rme = c->features & SYSREG_FEAT_RME;
	struct pmu_context context = {
		.mdcr_el2 = c->mdcr_el2,
		.mdcr_el3 = c->mdcr_el3,
		.el = c->el & 3,
		.ns = !(c->features & SYSREG_FEAT_SECURE),
		.el2_enabled = sysreg_el2_enabled(c),
		.frozen = frozen,
		.hides = pmu_hides_instructions(c),
	};

	if (el3 && context.el == 3) {
		context.ns = false;
		context.nse = rme;
	} else if (el3) {
		context.ns = !sysreg_secure(c);
		context.nse = rme && c->scr_el3 & SYSREG_SCR_EL3_NSE_MASK;
	}
	return context;
}

void pmu_clear(struct pmu *pmu)
{
	*pmu = (struct pmu){.config = pmu->config, .spe = pmu->spe};
	pmu_work_out(pmu);
}

/* No disabled counter counts. */
static void holds(const struct pmu *pmu)
{
	for (unsigned int n = 0; VSPE_ASSERT && n < PMU_ALL_COUNTERS; n++)
		vspe_assert_of(!(pmu->counting >> n & 1) || pmu->enabled >> pmu_flag_of(n) & 1,
			       pmu->counting, pmu->enabled);
}

void pmu_set_context(struct pmu *pmu, const struct pmu_context *context)
{
	pmu->context = *context;
	pmu_work_out(pmu);
	holds(pmu);
}

/*
 * Does the counter overflow at bit 63: PMCR_EL0.LP, MDCR_EL2.HLP? PMCR_EL0.LC is RES1, as there is
 * no AArch32 state.
 */
static bool overflows_at_64(const struct pmu *pmu, unsigned int n)
{
	if (n >= PMU_COUNTERS)
		return true;
	return in_second_range(pmu, n) ? pmu->context.mdcr_el2 & MDCR_EL2_HLP
				       : pmu->pmcr & PMU_PMCR_LP;
}

uint64_t pmu_room(const struct pmu *pmu, unsigned int counter)
{
	const uint64_t value = pmu->counter[counter];

	if (!overflows_at_64(pmu, counter))
		return (UINT64_C(1) << 32) - (uint32_t)value;
	return value ? -value : UINT64_MAX;
}

_Static_assert(PMU_ALL_COUNTERS <= 8, "a bit of pmu.counting each");

/* Add to one counter only. Returns how often it overflowed. */
static uint64_t add_to_one(struct pmu *pmu, unsigned int n, uint64_t by)
{
	const uint64_t old = pmu->counter[n], sum = old + by;
	const bool long_counter = n >= PMU_COUNTERS || pmu->config.version >= PMU_V3P5;
	uint64_t overflows;

	if (overflows_at_64(pmu, n))
		overflows = sum < old;
	else
		overflows = (((old & UINT32_MAX) + (by & UINT32_MAX)) >> 32) + (by >> 32);
	pmu->counter[n] = long_counter ? sum : (uint32_t)sum;
	if (overflows != 0)
		pmu->overflowed |= BIT(pmu_flag_of(n));
	return overflows;
}

/* Add to a counter, with all effects but the freezing of others. */
static void add(struct pmu *pmu, unsigned int n, uint64_t by)
{
	const uint64_t overflows = add_to_one(pmu, n, by);

	/* The odd counter after it; there are no overflows to be counted at bit 63. */
	if (overflows == 0 || n % 2 || n + 1 >= PMU_COUNTERS || overflows_at_64(pmu, n))
		return;
	if (pmu->counting >> (n + 1) & 1 && (pmu->type[n + 1] & EVENT_BITS) == PMU_CHAIN)
		(void)add_to_one(pmu, n + 1, overflows);
}

void pmu_count(struct pmu *pmu, uint64_t begun, uint64_t retired,
	       const uint64_t more[PMU_ALL_COUNTERS])
{
	const uint64_t before = pmu->overflowed;

	for (unsigned int n = 0; n < PMU_ALL_COUNTERS; n++) {
		if (!(pmu->counting >> n & 1))
			continue;
		if (pmu->source[n] == PMU_CYCLES)
			add(pmu, n, begun * PMU_OPERATION_CYCLES);
		else
			add(pmu, n, pmu->source[n] == PMU_RETIRED ? retired : more[n]);
	}
	if (pmu->overflowed != before)
		pmu_work_out(pmu);
	holds(pmu);
}

void pmu_count_rest(struct pmu *pmu, unsigned int counters, const uint64_t more[PMU_ALL_COUNTERS])
{
	const uint64_t before = pmu->overflowed;

	for (unsigned int n = 0; n < PMU_ALL_COUNTERS; n++)
		if (counters >> n & 1)
			add(pmu, n, more[n]);
	if (pmu->overflowed != before)
		pmu_work_out(pmu);
	holds(pmu);
}

uint64_t pmu_left(const struct pmu *pmu)
{
	uint64_t least = UINT64_MAX;

	for (unsigned int n = 0; n < PMU_ALL_COUNTERS; n++) {
		const bool population =
			n < PMU_COUNTERS && (pmu->type[n] & EVENT_BITS) == SPE_PMU_SAMPLE_POP;
		uint64_t room;

		if (!(pmu->counting >> n & 1) || (pmu->source[n] > PMU_RETIRED && !population))
			continue;
		room = pmu_room(pmu, n);
		vspe_assert_of(room != 0, n, pmu->counter[n]);
		least = room < least ? room : least;
	}
	return least;
}

bool pmu_irq(const struct pmu *pmu)
{
	const uint64_t second = (BIT(PMU_COUNTERS) - 1) & ~(BIT(first_range(pmu)) - 1);
	const uint64_t on = (pmu->pmcr & PMU_PMCR_E ? ~second : 0) |
			    (pmu->context.mdcr_el2 & MDCR_EL2_HPME ? second : 0);

	return pmu->overflowed & pmu->interrupts & on;
}
