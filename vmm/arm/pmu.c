// SPDX-License-Identifier: BSD-2-Clause
/* Counters, and what lets them count: see pmu.h. */
#include "arm/pmu.h"
#include "arm/pmu_event.h"
#include "arm/registers.h"

#include <string.h>

#define CYCLE	   ARM_PMU_CYCLE_COUNTER
#define EVENT_BITS UINT64_C(0xffff)

static const struct {
	const char *word;
	enum arm_pmu_version version;
} versions[] = {
	{"v3p1", ARM_PMU_V3P1}, {"v3p4", ARM_PMU_V3P4}, {"v3p5", ARM_PMU_V3P5},
	{"v3p7", ARM_PMU_V3P7}, {"v3p8", ARM_PMU_V3P8},
};

#define VERSIONS (sizeof(versions) / sizeof(versions[0]))

enum arm_pmu_version arm_pmu_version(const char *word)
{
	for (size_t i = 0; i < VERSIONS; i++)
		if (strcmp(versions[i].word, word) == 0)
			return versions[i].version;
	return ARM_PMU_NONE;
}

const char *arm_pmu_word(enum arm_pmu_version version)
{
	for (size_t i = 0; i < VERSIONS; i++)
		if (versions[i].version == version)
			return versions[i].word;
	return "off";
}

static bool has_freezing_by_spe(const struct arm_pmu_config *config)
{
	return config->version >= ARM_PMU_V3P7 && config->spe && config->spe->version >= SPE_V1P2;
}

uint64_t arm_pmu_mdcr_el2_bits(const struct arm_pmu_config *config)
{
	return MDCR_EL2_HPMN | MDCR_ELx_TPMCR | MDCR_ELx_TPM | MDCR_EL2_HPME | MDCR_EL2_HPMD |
	       (config->version >= ARM_PMU_V3P5 ? MDCR_EL2_HCCD | MDCR_EL2_HLP : 0) |
	       (config->version >= ARM_PMU_V3P7 ? MDCR_EL2_HPMFZO : 0) |
	       (has_freezing_by_spe(config) ? MDCR_EL2_HPMFZS : 0);
}

uint64_t arm_pmu_mdcr_el3_bits(const struct arm_pmu_config *config)
{
	return MDCR_ELx_TPM | MDCR_EL3_SPME |
	       (config->version >= ARM_PMU_V3P5 ? MDCR_EL3_SCCD : 0) |
	       (config->version >= ARM_PMU_V3P7 ? MDCR_EL3_MCCD | MDCR_EL3_MPMX : 0);
}

uint64_t arm_pmu_pmcr_bits(const struct arm_pmu_config *config)
{
	return ARM_PMCR_E | ARM_PMCR_DP | (config->version >= ARM_PMU_V3P5 ? ARM_PMCR_LP : 0) |
	       (config->version >= ARM_PMU_V3P7 ? ARM_PMCR_FZO : 0) |
	       (has_freezing_by_spe(config) ? ARM_PMCR_FZS : 0);
}

uint64_t arm_pmu_type_bits(const struct arm_pmu_config *config)
{
	return EVENT_BITS | ARM_PMU_P | ARM_PMU_U | (config->el2 ? ARM_PMU_NSH : 0) |
	       (config->el3 ? ARM_PMU_NSK | ARM_PMU_NSU | ARM_PMU_M : 0) |
	       (config->sel2 ? ARM_PMU_SH : 0) |
	       (config->rme ? ARM_PMU_RLK | ARM_PMU_RLU | ARM_PMU_RLH : 0);
}

static enum arm_pmu_source source_of(const struct arm_pmu_config *config, unsigned int event)
{
	return pmu_event_source((uint16_t)event, config->spe, config->model);
}

bool arm_pmu_counts(const struct arm_pmu_config *config, unsigned int event)
{
	return source_of(config, event) != ARM_PMU_SOURCES;
}

/*
 * Counting.
 */

/* MDCR_EL2.HPMN, where it divides the counters: a value above their number is taken as that. */
static unsigned int first_range(const struct arm_pmu *pmu)
{
	const unsigned int hpmn = arm_field(pmu->context.mdcr_el2, MDCR_EL2_HPMN);

	return pmu->config.el2 && hpmn < ARM_PMU_COUNTERS ? hpmn : ARM_PMU_COUNTERS;
}

static bool in_second_range(const struct arm_pmu *pmu, unsigned int n)
{
	return n != CYCLE && n >= first_range(pmu);
}

unsigned int arm_pmu_accessible(const struct arm_pmu *pmu)
{
	return pmu->context.el < 2 && pmu->context.el2_enabled ? first_range(pmu)
							       : ARM_PMU_COUNTERS;
}

/* Secure state, of which EL3 is one, be it in Root state. */
static bool secure_or_el3(const struct arm_pmu_context *c)
{
	return c->el == 3 || (!c->ns && !c->nse);
}

/* Event counting is prohibited (Arm ARM D13.6; MDCR_EL2.HPMD, MDCR_EL3.{SPME,MPMX}). */
static bool events_prohibited(const struct arm_pmu *pmu, unsigned int n)
{
	const struct arm_pmu_context *c = &pmu->context;
	const bool second = in_second_range(pmu, n);
	const bool spme = c->mdcr_el3 & MDCR_EL3_SPME, mpmx = c->mdcr_el3 & MDCR_EL3_MPMX;

	if (pmu->config.el3 && secure_or_el3(c) && !spme && !mpmx)
		return true;
	if (c->el == 3 && mpmx && (!spme || !second))
		return true;
	return c->el == 2 && !second && c->mdcr_el2 & MDCR_EL2_HPMD;
}

/* Cycle counting is, whatever PMCR_EL0.DP says: MDCR_EL2.HCCD, MDCR_EL3.{SCCD,MCCD}. */
static bool cycles_prohibited(const struct arm_pmu *pmu)
{
	const struct arm_pmu_context *c = &pmu->context;

	return (c->el == 2 && c->mdcr_el2 & MDCR_EL2_HCCD) ||
	       (c->el == 3 && c->mdcr_el3 & MDCR_EL3_MCCD) ||
	       (pmu->config.el3 && !c->ns && !c->nse && c->mdcr_el3 & MDCR_EL3_SCCD);
}

/* An overflow in its range freezes a counter: PMCR_EL0.FZO, MDCR_EL2.HPMFZO. */
static bool frozen_by_overflow(const struct arm_pmu *pmu, bool second)
{
	const uint32_t first = (UINT32_C(1) << first_range(pmu)) - 1;
	const uint32_t all = (UINT32_C(1) << ARM_PMU_COUNTERS) - 1;

	if (second)
		return pmu->context.mdcr_el2 & MDCR_EL2_HPMFZO && pmu->overflowed & all & ~first;
	return pmu->pmcr & ARM_PMCR_FZO && pmu->overflowed & first;
}

/* The filter by Exception level and Security state of PMEVTYPER<n>_EL0 and PMCCFILTR_EL0. */
static bool filtered_out(const struct arm_pmu *pmu, unsigned int n)
{
	static const uint64_t kernel[] = {ARM_PMU_P, ARM_PMU_NSK, ARM_PMU_RLK};
	static const uint64_t user[] = {ARM_PMU_U, ARM_PMU_NSU, ARM_PMU_RLU};
	const struct arm_pmu_context *c = &pmu->context;
	const uint64_t type = pmu->type[n];
	const unsigned int state = c->nse ? 2 : c->ns;
	const uint64_t *bits = c->el == 0 ? user : kernel;

	switch (c->el) {
	case 0:
	case 1: /* Secure state has one bit, of the others' the second has to be equal to it. */
		return !(type & bits[0]) != !(state && type & bits[state]);
	case 2:
		if (c->nse)
			return !(type & ARM_PMU_NSH) == !(type & ARM_PMU_RLH);
		return !(type & ARM_PMU_NSH) == !(!c->ns && type & ARM_PMU_SH);
	default: return !(type & ARM_PMU_M) != !(type & ARM_PMU_P);
	}
}

static bool event_counts(const struct arm_pmu *pmu, unsigned int n)
{
	const bool second = in_second_range(pmu, n);
	const bool on = second ? pmu->context.mdcr_el2 & MDCR_EL2_HPME : pmu->pmcr & ARM_PMCR_E;

	return on && pmu->enabled >> n & 1 && !events_prohibited(pmu, n) &&
	       !frozen_by_overflow(pmu, second) &&
	       !(pmu->context.frozen & (second ? SPE_FROZEN_SECOND : SPE_FROZEN_FIRST)) &&
	       !filtered_out(pmu, n);
}

static bool cycles_count(const struct arm_pmu *pmu)
{
	if (!(pmu->pmcr & ARM_PMCR_E) || !(pmu->enabled >> ARM_PMU_CYCLE & 1) ||
	    cycles_prohibited(pmu) || filtered_out(pmu, CYCLE) ||
	    pmu->context.frozen & SPE_FROZEN_CYCLES)
		return false;
	return !(pmu->pmcr & ARM_PMCR_DP) ||
	       (!events_prohibited(pmu, CYCLE) && !frozen_by_overflow(pmu, false));
}

/* Which counters count, in the present context. */
static void work_out(struct arm_pmu *pmu)
{
	pmu->counting = (uint8_t)(cycles_count(pmu) << CYCLE);
	pmu->source[CYCLE] = (uint8_t)source_of(&pmu->config, ARM_PMU_CPU_CYCLES);
	for (unsigned int n = 0; n < ARM_PMU_COUNTERS; n++) {
		pmu->source[n] = (uint8_t)source_of(&pmu->config, pmu->type[n] & EVENT_BITS);
		if (pmu->source[n] != ARM_PMU_SOURCES && event_counts(pmu, n))
			pmu->counting |= (uint8_t)(1u << n);
	}
}

void arm_pmu_reset(struct arm_pmu *pmu, const struct arm_pmu_config *config)
{
	*pmu = (struct arm_pmu){.config = *config};
	work_out(pmu);
}

void arm_pmu_update(struct arm_pmu *pmu, const struct arm_pmu_context *context)
{
	pmu->context = *context;
	work_out(pmu);
}

/*
 * Is an overflow that of bit 63: PMCR_EL0.LP, MDCR_EL2.HLP? PMCR_EL0.LC is RES1, as there is no
 * AArch32 state.
 */
static bool overflows_at_64(const struct arm_pmu *pmu, unsigned int n)
{
	if (n == CYCLE)
		return true;
	return in_second_range(pmu, n) ? pmu->context.mdcr_el2 & MDCR_EL2_HLP
				       : pmu->pmcr & ARM_PMCR_LP;
}

uint64_t arm_pmu_room(const struct arm_pmu *pmu, unsigned int counter)
{
	const uint64_t value = pmu->counter[counter];

	if (!overflows_at_64(pmu, counter))
		return (UINT64_C(1) << 32) - (uint32_t)value;
	return value ? -value : UINT64_MAX;
}

/* Add to a counter; whatever comes of it but that others freeze. */
static void add(struct arm_pmu *pmu, unsigned int n, uint64_t by)
{
	const uint64_t old = pmu->counter[n], sum = old + by;
	const bool long_counter = n == CYCLE || pmu->config.version >= ARM_PMU_V3P5;
	uint64_t overflows;

	if (overflows_at_64(pmu, n))
		overflows = sum < old;
	else
		overflows = (((old & UINT32_MAX) + (by & UINT32_MAX)) >> 32) + (by >> 32);
	pmu->counter[n] = long_counter ? sum : (uint32_t)sum;
	if (overflows == 0)
		return;
	pmu->overflowed |= UINT32_C(1) << (n == CYCLE ? ARM_PMU_CYCLE : n);
	/* The odd counter behind it; there are no overflows to be counted at bit 63. */
	if (n == CYCLE || n % 2 || n + 1 >= ARM_PMU_COUNTERS || overflows_at_64(pmu, n))
		return;
	if (pmu->counting >> (n + 1) & 1 && (pmu->type[n + 1] & EVENT_BITS) == ARM_PMU_CHAIN)
		add(pmu, n + 1, overflows);
}

void arm_pmu_advance(struct arm_pmu *pmu, uint64_t begun, uint64_t retired,
		     const uint64_t more[ARM_PMU_ALL])
{
	const uint32_t before = pmu->overflowed;

	for (unsigned int n = 0; n <= CYCLE; n++) {
		if (!(pmu->counting >> n & 1))
			continue;
		if (pmu->source[n] == ARM_PMU_CYCLES)
			add(pmu, n, begun * ARM_PMU_OPERATION_CYCLES);
		else
			add(pmu, n, pmu->source[n] == ARM_PMU_RETIRED ? retired : more[n]);
	}
	if (pmu->overflowed != before)
		work_out(pmu);
}

void arm_pmu_complete(struct arm_pmu *pmu, unsigned int counters, const uint64_t more[ARM_PMU_ALL])
{
	const uint32_t before = pmu->overflowed;

	for (unsigned int n = 0; n <= CYCLE; n++)
		if (counters >> n & 1)
			add(pmu, n, more[n]);
	if (pmu->overflowed != before)
		work_out(pmu);
}

uint64_t arm_pmu_budget(const struct arm_pmu *pmu)
{
	uint64_t least = UINT64_MAX;

	for (unsigned int n = 0; n <= CYCLE; n++) {
		const bool population =
			n != CYCLE && (pmu->type[n] & EVENT_BITS) == SPE_PMU_SAMPLE_POP;
		uint64_t room;

		if (!(pmu->counting >> n & 1) || (pmu->source[n] > ARM_PMU_RETIRED && !population))
			continue;
		room = arm_pmu_room(pmu, n);
		least = room < least ? room : least;
	}
	return least;
}

bool arm_pmu_irq(const struct arm_pmu *pmu)
{
	const uint32_t first = ((UINT32_C(1) << first_range(pmu)) - 1) | UINT32_C(1)
										 << ARM_PMU_CYCLE;
	const uint32_t on = (pmu->pmcr & ARM_PMCR_E ? first : 0) |
			    (pmu->context.mdcr_el2 & MDCR_EL2_HPME ? ~first : 0);

	return pmu->overflowed & pmu->interrupts & on;
}

/*
 * Registers.
 */

/* The bits of PMCNTENSET_EL0 and its kin that the present level has. */
static uint32_t accessible_bits(const struct arm_pmu *pmu)
{
	return ((UINT32_C(1) << arm_pmu_accessible(pmu)) - 1) | UINT32_C(1) << ARM_PMU_CYCLE;
}

/* PMCEID<n>_EL0: events from first, 32 of them, and those from 0x4000 + first. */
static uint64_t identified(const struct arm_pmu_config *config, unsigned int first)
{
	uint64_t bits = 0;

	for (unsigned int i = 0; i < 32; i++) {
		bits |= (uint64_t)arm_pmu_counts(config, first + i) << i;
		bits |= (uint64_t)arm_pmu_counts(config, 0x4000 + first + i) << (32 + i);
	}
	return bits;
}

/* Where PMXEV*_EL0 lead: to an event counter, or to the cycle counter's filter. */
static unsigned int selected(const struct arm_pmu *pmu)
{
	return pmu->pmselr == ARM_PMU_CYCLE ? CYCLE : (unsigned int)pmu->pmselr;
}

uint64_t arm_pmu_read(const struct arm_pmu *pmu, enum arm_pmu_register reg)
{
	const uint32_t bits = accessible_bits(pmu);

	switch (reg) {
	case ARM_PMCR_EL0:
		return pmu->pmcr | ARM_PMCR_LC | (uint64_t)arm_pmu_accessible(pmu) << ARM_PMCR_N;
	case ARM_PMCNTENSET_EL0:
	case ARM_PMCNTENCLR_EL0: return pmu->enabled & bits;
	case ARM_PMOVSCLR_EL0:
	case ARM_PMOVSSET_EL0: return pmu->overflowed & bits;
	case ARM_PMINTENSET_EL1:
	case ARM_PMINTENCLR_EL1: return pmu->interrupts & bits;
	case ARM_PMSELR_EL0: return pmu->pmselr;
	case ARM_PMCEID0_EL0: return identified(&pmu->config, 0);
	case ARM_PMCEID1_EL0: return identified(&pmu->config, 32);
	case ARM_PMCCNTR_EL0: return pmu->counter[CYCLE];
	case ARM_PMCCFILTR_EL0: return pmu->type[CYCLE];
	case ARM_PMXEVTYPER_EL0: return pmu->type[selected(pmu)];
	case ARM_PMXEVCNTR_EL0: return pmu->counter[selected(pmu)];
	case ARM_PMUSERENR_EL0: return pmu->pmuserenr;
	case ARM_PMSWINC_EL0:
	case ARM_PMMIR_EL1: return 0; /* write-only; no SLOTS, as there is no STALL_SLOT */
	default: break;
	}
	if (reg >= ARM_PMEVTYPER0_EL0)
		return pmu->type[reg - ARM_PMEVTYPER0_EL0];
	return pmu->counter[reg - ARM_PMEVCNTR0_EL0];
}

static void write_pmcr(struct arm_pmu *pmu, uint64_t value)
{
	pmu->pmcr = value & arm_pmu_pmcr_bits(&pmu->config);
	for (unsigned int n = 0; value & ARM_PMCR_P && n < arm_pmu_accessible(pmu); n++)
		pmu->counter[n] = 0;
	if (value & ARM_PMCR_C)
		pmu->counter[CYCLE] = 0;
}

static void write_type(struct arm_pmu *pmu, unsigned int n, uint64_t value)
{
	const uint64_t bits = arm_pmu_type_bits(&pmu->config);

	pmu->type[n] = value & (n == CYCLE ? bits & ~EVENT_BITS : bits);
}

static void write_counter(struct arm_pmu *pmu, unsigned int n, uint64_t value)
{
	pmu->counter[n] = pmu->config.version >= ARM_PMU_V3P5 ? value : (uint32_t)value;
}

/* Each counter that counts SW_INCR here, and whose bit is set. */
static void software_increment(struct arm_pmu *pmu, uint64_t value)
{
	uint64_t more[ARM_PMU_ALL] = {0};

	value &= accessible_bits(pmu) & arm_pmu_listeners(pmu, ARM_PMU_SW_INCR);
	for (unsigned int n = 0; n < ARM_PMU_COUNTERS; n++)
		more[n] = value >> n & 1;
	arm_pmu_advance(pmu, 0, 0, more);
}

void arm_pmu_write(struct arm_pmu *pmu, enum arm_pmu_register reg, uint64_t value)
{
	const uint32_t bits = accessible_bits(pmu) & (uint32_t)value;

	switch (reg) {
	case ARM_PMCR_EL0: write_pmcr(pmu, value); break;
	case ARM_PMCNTENSET_EL0: pmu->enabled |= bits; break;
	case ARM_PMCNTENCLR_EL0: pmu->enabled &= ~bits; break;
	case ARM_PMOVSSET_EL0: pmu->overflowed |= bits; break;
	case ARM_PMOVSCLR_EL0: pmu->overflowed &= ~bits; break;
	case ARM_PMINTENSET_EL1: pmu->interrupts |= bits; break;
	case ARM_PMINTENCLR_EL1: pmu->interrupts &= ~bits; break;
	case ARM_PMSWINC_EL0: software_increment(pmu, value); break;
	case ARM_PMSELR_EL0: pmu->pmselr = value & 0x1f; break;
	case ARM_PMCCNTR_EL0: pmu->counter[CYCLE] = value; break;
	case ARM_PMCCFILTR_EL0: write_type(pmu, CYCLE, value); break;
	case ARM_PMXEVTYPER_EL0: write_type(pmu, selected(pmu), value); break;
	case ARM_PMXEVCNTR_EL0: write_counter(pmu, selected(pmu), value); break;
	case ARM_PMUSERENR_EL0: pmu->pmuserenr = value & 0xf; break;
	case ARM_PMCEID0_EL0:
	case ARM_PMCEID1_EL0:
	case ARM_PMMIR_EL1: break; /* read-only */
	default:
		if (reg >= ARM_PMEVTYPER0_EL0)
			write_type(pmu, reg - ARM_PMEVTYPER0_EL0, value);
		else
			write_counter(pmu, reg - ARM_PMEVCNTR0_EL0, value);
	}
	work_out(pmu);
}
