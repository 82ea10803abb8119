// SPDX-License-Identifier: BSD-2-Clause
/* Counters, and what lets them count: see pmu.h. */
#include "arm/pmu.h"

#include "arm/pmu_event.h"
#include "base/invariant.h"
#include "arm/registers.h"

#include <string.h>

#define CYCLE	    ARM_PMU_CYCLE_COUNTER
#define INSTRUCTION ARM_PMU_INSTRUCTION_COUNTER
#define BIT(n)	    (UINT64_C(1) << (n))
#define EVENT_BITS  UINT64_C(0xffff)

static const struct {
	const char *word;
	enum arm_pmu_version version;
} versions[] = {
	{"v3p1", ARM_PMU_V3P1}, {"v3p4", ARM_PMU_V3P4}, {"v3p5", ARM_PMU_V3P5},
	{"v3p7", ARM_PMU_V3P7}, {"v3p8", ARM_PMU_V3P8}, {"v3p9", ARM_PMU_V3P9},
	{"kvm", ARM_PMU_HOST},
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
	       (config->version >= ARM_PMU_V3P7 ? MDCR_EL3_MCCD | MDCR_EL3_MPMX : 0) |
	       (config->version >= ARM_PMU_V3P9 ? MDCR_EL3_EnPM2 : 0);
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

uint64_t arm_pmu_user_bits(const struct arm_pmu_config *config)
{
	return ARM_PMUSERENR_EN | ARM_PMUSERENR_SW | ARM_PMUSERENR_CR | ARM_PMUSERENR_ER |
	       (config->version >= ARM_PMU_V3P9 ? ARM_PMUSERENR_UEN | ARM_PMUSERENR_TID : 0) |
	       (arm_pmu_has_instruction_counter(config) ? ARM_PMUSERENR_IR : 0);
}

uint64_t arm_pmu_counter_bits(const struct arm_pmu_config *config)
{
	return (BIT(ARM_PMU_COUNTERS) - 1) | BIT(ARM_PMU_CYCLE) |
	       (arm_pmu_has_instruction_counter(config) ? BIT(ARM_PMU_INSTRUCTION) : 0);
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

/* The bit of a counter in PMCNTENSET_EL0 and its kin. */
static unsigned int flag_of(unsigned int n)
{
	if (n == CYCLE)
		return ARM_PMU_CYCLE;
	return n == INSTRUCTION ? ARM_PMU_INSTRUCTION : n;
}

/* MDCR_EL2.HPMN, where it divides the counters: a value above their number is taken as that. */
static unsigned int first_range(const struct arm_pmu *pmu)
{
	const unsigned int hpmn = arm_field(pmu->context.mdcr_el2, MDCR_EL2_HPMN);

	return pmu->config.el2 && hpmn < ARM_PMU_COUNTERS ? hpmn : ARM_PMU_COUNTERS;
}

static bool in_second_range(const struct arm_pmu *pmu, unsigned int n)
{
	return n < ARM_PMU_COUNTERS && n >= first_range(pmu);
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
	       (pmu->config.el3 && secure_or_el3(c) && c->mdcr_el3 & MDCR_EL3_SCCD);
}

/*
 * An overflow in its range freezes a counter: PMCR_EL0.FZO, MDCR_EL2.HPMFZO. The instruction
 * counter is of the first.
 */
static bool frozen_by_overflow(const struct arm_pmu *pmu, bool second)
{
	const uint64_t first = BIT(first_range(pmu)) - 1, all = BIT(ARM_PMU_COUNTERS) - 1;

	if (second)
		return pmu->context.mdcr_el2 & MDCR_EL2_HPMFZO && pmu->overflowed & all & ~first;
	return pmu->pmcr & ARM_PMCR_FZO && pmu->overflowed & (first | BIT(ARM_PMU_INSTRUCTION));
}

/* The filter by Exception level and Security state of PMEVTYPER<n>_EL0, PMCCFILTR_EL0 and so on. */
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

/* Does event counter n count here, or the instruction counter? */
static bool event_counts(const struct arm_pmu *pmu, unsigned int n)
{
	const bool second = in_second_range(pmu, n);
	const bool on = second ? pmu->context.mdcr_el2 & MDCR_EL2_HPME : pmu->pmcr & ARM_PMCR_E;

	return on && pmu->enabled >> flag_of(n) & 1 && !events_prohibited(pmu, n) &&
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
	pmu->source[INSTRUCTION] = ARM_PMU_RETIRED;
	if (event_counts(pmu, INSTRUCTION))
		pmu->counting |= (uint8_t)(1u << INSTRUCTION);
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

/* What is there of each counter is what there are counters for, and none counts that is off. */
static void holds(const struct arm_pmu *pmu)
{
	const uint64_t there = ((UINT64_C(1) << ARM_PMU_COUNTERS) - 1) |
			       UINT64_C(1) << ARM_PMU_CYCLE | UINT64_C(1) << ARM_PMU_INSTRUCTION;

	if (!INVARIANTS)
		return;
	INVARIANT(!(pmu->enabled & ~there), pmu->enabled, there);
	INVARIANT(!(pmu->interrupts & ~there), pmu->interrupts, there);
	INVARIANT(!(pmu->overflowed & ~there), pmu->overflowed, there);
	for (unsigned int n = 0; n < ARM_PMU_COUNTERS; n++)
		INVARIANT(!(pmu->counting >> n & 1) || pmu->enabled >> n & 1, pmu->counting,
			  pmu->enabled);
	INVARIANT(!(pmu->counting >> ARM_PMU_CYCLE_COUNTER & 1) ||
			  pmu->enabled >> ARM_PMU_CYCLE & 1,
		  pmu->counting, pmu->enabled);
}

void arm_pmu_update(struct arm_pmu *pmu, const struct arm_pmu_context *context)
{
	pmu->context = *context;
	work_out(pmu);
	holds(pmu);
}

/*
 * Is an overflow that of bit 63: PMCR_EL0.LP, MDCR_EL2.HLP? PMCR_EL0.LC is RES1, as there is no
 * AArch32 state.
 */
static bool overflows_at_64(const struct arm_pmu *pmu, unsigned int n)
{
	if (n >= ARM_PMU_COUNTERS)
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
	const bool long_counter = n >= ARM_PMU_COUNTERS || pmu->config.version >= ARM_PMU_V3P5;
	uint64_t overflows;

	if (overflows_at_64(pmu, n))
		overflows = sum < old;
	else
		overflows = (((old & UINT32_MAX) + (by & UINT32_MAX)) >> 32) + (by >> 32);
	pmu->counter[n] = long_counter ? sum : (uint32_t)sum;
	if (overflows == 0)
		return;
	pmu->overflowed |= BIT(flag_of(n));
	/* The odd counter behind it; there are no overflows to be counted at bit 63. */
	if (n % 2 || n + 1 >= ARM_PMU_COUNTERS || overflows_at_64(pmu, n))
		return;
	if (pmu->counting >> (n + 1) & 1 && (pmu->type[n + 1] & EVENT_BITS) == ARM_PMU_CHAIN)
		add(pmu, n + 1, overflows);
}

void arm_pmu_advance(struct arm_pmu *pmu, uint64_t begun, uint64_t retired,
		     const uint64_t more[ARM_PMU_ALL_COUNTERS])
{
	const uint64_t before = pmu->overflowed;

	for (unsigned int n = 0; n < ARM_PMU_ALL_COUNTERS; n++) {
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

void arm_pmu_complete(struct arm_pmu *pmu, unsigned int counters,
		      const uint64_t more[ARM_PMU_ALL_COUNTERS])
{
	const uint64_t before = pmu->overflowed;

	for (unsigned int n = 0; n < ARM_PMU_ALL_COUNTERS; n++)
		if (counters >> n & 1)
			add(pmu, n, more[n]);
	if (pmu->overflowed != before)
		work_out(pmu);
}

uint64_t arm_pmu_budget(const struct arm_pmu *pmu)
{
	uint64_t least = UINT64_MAX;

	for (unsigned int n = 0; n < ARM_PMU_ALL_COUNTERS; n++) {
		const bool population =
			n < ARM_PMU_COUNTERS && (pmu->type[n] & EVENT_BITS) == SPE_PMU_SAMPLE_POP;
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
	const uint64_t second = (BIT(ARM_PMU_COUNTERS) - 1) & ~(BIT(first_range(pmu)) - 1);
	const uint64_t on = (pmu->pmcr & ARM_PMCR_E ? ~second : 0) |
			    (pmu->context.mdcr_el2 & MDCR_EL2_HPME ? second : 0);

	return pmu->overflowed & pmu->interrupts & on;
}

/*
 * Registers.
 */

struct arm_pmu_controls arm_pmu_controls(const struct arm_pmu *pmu)
{
	const struct arm_pmu_config *config = &pmu->config;

	return (struct arm_pmu_controls){
		.features =
			ARM_PMU_FEAT_PMUv3 |
			(config->version >= ARM_PMU_V3P4 ? ARM_PMU_FEAT_PMUv3p4 : 0) |
			(config->version >= ARM_PMU_V3P9 ? ARM_PMU_FEAT_PMUv3p9 : 0) |
			(arm_pmu_has_instruction_counter(config) ? ARM_PMU_FEAT_PMUv3_ICNTR : 0),
		.counters = ARM_PMU_COUNTERS,
		.pmuserenr = pmu->pmuserenr,
		.pmuacr = pmu->pmuacr,
		.pmselr = pmu->pmselr,
	};
}

/* Is it EL0, whose accesses PMUACR_EL1 restricts? */
static bool is_restricted(const struct arm_pmu *pmu)
{
	return pmu->context.el == 0 && pmu->pmuserenr & ARM_PMUSERENR_UEN;
}

/*
 * The bits of PMCNTENSET_EL0 and its kin that the present level has. PMUSERENR_EL0.UEN is 0 without
 * FEAT_PMUv3p9, as it is then none of its bits.
 */
static uint64_t accessible_bits(const struct arm_pmu *pmu)
{
	uint64_t bits = (BIT(arm_pmu_accessible(pmu)) - 1) | BIT(ARM_PMU_CYCLE);

	if (arm_pmu_has_instruction_counter(&pmu->config) &&
	    (pmu->context.el != 0 || is_restricted(pmu)))
		bits |= BIT(ARM_PMU_INSTRUCTION);
	return is_restricted(pmu) ? bits & pmu->pmuacr : bits;
}

/* What of them it reads. */
static uint64_t readable_bits(const struct arm_pmu *pmu)
{
	const bool hidden = pmu->context.hides & ARM_PMU_HIDES_READ;

	return accessible_bits(pmu) & ~(hidden ? BIT(ARM_PMU_INSTRUCTION) : 0);
}

/* What of them it writes; hides: the flag that takes the instruction counter's away. */
static uint64_t writable_bits(const struct arm_pmu *pmu, unsigned int hides)
{
	uint64_t bits = accessible_bits(pmu);

	if (is_restricted(pmu) && pmu->pmuserenr & ARM_PMUSERENR_ER)
		bits &= ~(BIT(ARM_PMU_CYCLE) - 1);
	if (is_restricted(pmu) && pmu->pmuserenr & ARM_PMUSERENR_CR)
		bits &= ~BIT(ARM_PMU_CYCLE);
	if ((is_restricted(pmu) && pmu->pmuserenr & ARM_PMUSERENR_IR) || pmu->context.hides & hides)
		bits &= ~BIT(ARM_PMU_INSTRUCTION);
	return bits;
}

/* PMUACR_EL1 has the bits of the counters that may be accessed, whatever of them is hidden. */
static uint64_t user_access_bits(const struct arm_pmu *pmu)
{
	return arm_pmu_counter_bits(&pmu->config) &
	       ((BIT(arm_pmu_accessible(pmu)) - 1) | ~(BIT(ARM_PMU_COUNTERS) - 1));
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

/* The event counter that a register is of, and whether it is what that counts. */
static bool find_event_counter(enum arm_pmu_register reg, unsigned int *n, bool *type)
{
	if (reg < ARM_PMEVCNTR0_EL0 || reg > ARM_PMEVTYPER30_EL0)
		return false;
	*type = reg >= ARM_PMEVTYPER0_EL0;
	*n = reg - (*type ? ARM_PMEVTYPER0_EL0 : ARM_PMEVCNTR0_EL0);
	return *n < ARM_PMU_COUNTERS;
}

static uint64_t read_event_register(const struct arm_pmu *pmu, enum arm_pmu_register reg)
{
	unsigned int n;
	bool type;

	if (!find_event_counter(reg, &n, &type))
		return 0;
	return type ? pmu->type[n] : pmu->counter[n];
}

uint64_t arm_pmu_read(const struct arm_pmu *pmu, enum arm_pmu_register reg)
{
	const uint64_t bits = readable_bits(pmu);

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
	case ARM_PMICNTR_EL0: return pmu->counter[INSTRUCTION];
	case ARM_PMICFILTR_EL0: return pmu->type[INSTRUCTION] | ARM_PMU_INST_RETIRED;
	case ARM_PMUSERENR_EL0: return pmu->pmuserenr;
	case ARM_PMUACR_EL1: return pmu->pmuacr & user_access_bits(pmu);
	case ARM_PMMIR_EL1: return 0; /* no SLOTS, as there is no STALL_SLOT */
	default: return read_event_register(pmu, reg);
	}
}

/* The counters of these bits. */
static void zero(struct arm_pmu *pmu, uint64_t bits)
{
	for (unsigned int n = 0; n < ARM_PMU_ALL_COUNTERS; n++)
		if (bits >> flag_of(n) & 1)
			pmu->counter[n] = 0;
}

static void write_pmcr(struct arm_pmu *pmu, uint64_t value)
{
	const uint64_t range = BIT(arm_pmu_accessible(pmu)) - 1;

	pmu->pmcr = value & arm_pmu_pmcr_bits(&pmu->config);
	zero(pmu, (value & ARM_PMCR_P ? range : 0) | (value & ARM_PMCR_C ? BIT(ARM_PMU_CYCLE) : 0));
}

/* PMCCFILTR_EL0, PMICFILTR_EL0. */
static void write_filter(struct arm_pmu *pmu, unsigned int n, uint64_t value)
{
	pmu->type[n] = value & arm_pmu_type_bits(&pmu->config) & ~EVENT_BITS;
}

static void write_event_register(struct arm_pmu *pmu, enum arm_pmu_register reg, uint64_t value)
{
	const bool wide = pmu->config.version >= ARM_PMU_V3P5;
	unsigned int n;
	bool type;

	if (!find_event_counter(reg, &n, &type))
		return;
	if (type)
		pmu->type[n] = value & arm_pmu_type_bits(&pmu->config);
	else
		pmu->counter[n] = wide ? value : (uint32_t)value;
}

/*
 * Each counter that counts SW_INCR here, and whose bit is set. PMUACR_EL1 restricts EL0 unless
 * PMUSERENR_EL0.SW does away with that; which are read-only does not matter.
 */
static void software_increment(struct arm_pmu *pmu, uint64_t value)
{
	uint64_t more[ARM_PMU_ALL_COUNTERS] = {0};

	value &= (BIT(arm_pmu_accessible(pmu)) - 1) & arm_pmu_listeners(pmu, ARM_PMU_SW_INCR);
	if (is_restricted(pmu) && !(pmu->pmuserenr & ARM_PMUSERENR_SW))
		value &= pmu->pmuacr;
	for (unsigned int n = 0; n < ARM_PMU_COUNTERS; n++)
		more[n] = value >> n & 1;
	arm_pmu_advance(pmu, 0, 0, more);
}

static void write_bits(uint64_t *kept, uint64_t value, uint64_t bits)
{
	*kept = (*kept & ~bits) | (value & bits);
}

void arm_pmu_write(struct arm_pmu *pmu, enum arm_pmu_register reg, uint64_t value)
{
	const uint64_t bits = writable_bits(pmu, ARM_PMU_HIDES_WRITE) & value;

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
	case ARM_PMCCFILTR_EL0: write_filter(pmu, CYCLE, value); break;
	case ARM_PMICNTR_EL0: pmu->counter[INSTRUCTION] = value; break;
	case ARM_PMICFILTR_EL0: write_filter(pmu, INSTRUCTION, value); break;
	case ARM_PMZR_EL0: zero(pmu, value & writable_bits(pmu, ARM_PMU_HIDES_ZERO)); break;
	case ARM_PMUSERENR_EL0: pmu->pmuserenr = value & arm_pmu_user_bits(&pmu->config); break;
	case ARM_PMUACR_EL1: write_bits(&pmu->pmuacr, value, user_access_bits(pmu)); break;
	default: write_event_register(pmu, reg, value);
	}
	work_out(pmu);
}
