/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads and writes of a unit's registers: see unit.h. */
#include "internal.h"

#include "../sysreg/assertion.h"

struct pmu_controls pmu_controls_of(const struct pmu *pmu)
{
	const struct pmu_config *config = &pmu->config;

	return (struct pmu_controls){
		.features = PMU_FEAT_PMUv3 | (config->version >= PMU_V3P4 ? PMU_FEAT_PMUv3p4 : 0) |
			    (config->version >= PMU_V3P9 ? PMU_FEAT_PMUv3p9 : 0) |
			    (pmu_has_instruction_counter(config) ? PMU_FEAT_PMUv3_ICNTR : 0),
		.counters = PMU_COUNTERS,
		.pmuserenr = pmu->pmuserenr,
		.pmuacr = pmu->pmuacr,
		.pmselr = pmu->pmselr,
	};
}

/* Is it EL0, whose accesses PMUACR_EL1 restricts? */
static bool is_restricted(const struct pmu *pmu)
{
	return pmu->context.el == 0 && pmu->pmuserenr & PMU_PMUSERENR_UEN;
}

/*
 * The bits of PMCNTENSET_EL0 and its kin that the present level may access. Without FEAT_PMUv3p9
 * PMUSERENR_EL0 has no UEN, which is then 0.
 */
static uint64_t accessible_bits(const struct pmu *pmu)
{
	uint64_t bits = (BIT(pmu_accessible(pmu)) - 1) | BIT(PMU_CYCLE);

	if (pmu_has_instruction_counter(&pmu->config) &&
	    (pmu->context.el != 0 || is_restricted(pmu)))
		bits |= BIT(PMU_INSTRUCTION);
	return is_restricted(pmu) ? bits & pmu->pmuacr : bits;
}

/* Those that it may read. */
static uint64_t readable_bits(const struct pmu *pmu)
{
	const bool hidden = pmu->context.hides & PMU_HIDES_READ;

	return accessible_bits(pmu) & ~(hidden ? BIT(PMU_INSTRUCTION) : 0);
}

/* Those that it may write; hides: the flag that hides the instruction counter's bit. */
static uint64_t writable_bits(const struct pmu *pmu, unsigned int hides)
{
	uint64_t bits = accessible_bits(pmu);

	if (is_restricted(pmu) && pmu->pmuserenr & PMU_PMUSERENR_ER)
		bits &= ~(BIT(PMU_CYCLE) - 1);
	if (is_restricted(pmu) && pmu->pmuserenr & PMU_PMUSERENR_CR)
		bits &= ~BIT(PMU_CYCLE);
	if ((is_restricted(pmu) && pmu->pmuserenr & PMU_PMUSERENR_IR) || pmu->context.hides & hides)
		bits &= ~BIT(PMU_INSTRUCTION);
	return bits;
}

/* PMUACR_EL1 has the bits of all accessible counters, hidden or not. */
static uint64_t user_access_bits(const struct pmu *pmu)
{
	return pmu_counter_bits(&pmu->config) &
	       ((BIT(pmu_accessible(pmu)) - 1) | ~(BIT(PMU_COUNTERS) - 1));
}

/* PMCEID<n>_EL0: events from first, 32 of them, and those from 0x4000 + first. */
static uint64_t identified(const struct pmu *pmu, unsigned int first)
{
	uint64_t bits = 0;

	for (unsigned int i = 0; i < 32; i++) {
		bits |= (uint64_t)pmu_counts(pmu, first + i) << i;
		bits |= (uint64_t)pmu_counts(pmu, 0x4000 + first + i) << (32 + i);
	}
	return bits;
}

/* Find the event counter of a register. *type: the register is its PMEVTYPER<n>_EL0. */
static bool find_event_counter(enum pmu_register reg, unsigned int *n, bool *type)
{
	if (reg < PMU_PMEVCNTR0_EL0 || reg > PMU_PMEVTYPER30_EL0)
		return false;
	*type = reg >= PMU_PMEVTYPER0_EL0;
	*n = reg - (*type ? PMU_PMEVTYPER0_EL0 : PMU_PMEVCNTR0_EL0);
	return *n < PMU_COUNTERS;
}

static uint64_t read_event_register(const struct pmu *pmu, enum pmu_register reg)
{
	unsigned int n;
	bool type;

	if (!find_event_counter(reg, &n, &type))
		return 0;
	return type ? pmu->type[n] : pmu->counter[n];
}

uint64_t pmu_register_read(const struct pmu *pmu, enum pmu_register reg)
{
	const uint64_t bits = readable_bits(pmu);

	switch (reg) {
	case PMU_PMCR_EL0:
		return pmu->pmcr | PMU_PMCR_LC | (uint64_t)pmu_accessible(pmu) << PMU_PMCR_N;
	case PMU_PMCNTENSET_EL0:
	case PMU_PMCNTENCLR_EL0: return pmu->enabled & bits;
	case PMU_PMOVSCLR_EL0:
	case PMU_PMOVSSET_EL0: return pmu->overflowed & bits;
	case PMU_PMINTENSET_EL1:
	case PMU_PMINTENCLR_EL1: return pmu->interrupts & bits;
	case PMU_PMSELR_EL0: return pmu->pmselr;
	case PMU_PMCEID0_EL0: return identified(pmu, 0);
	case PMU_PMCEID1_EL0: return identified(pmu, 32);
	case PMU_PMCCNTR_EL0: return pmu->counter[CYCLE];
	case PMU_PMCCFILTR_EL0: return pmu->type[CYCLE];
	case PMU_PMICNTR_EL0: return pmu->counter[INSTRUCTION];
	case PMU_PMICFILTR_EL0: return pmu->type[INSTRUCTION] | PMU_INST_RETIRED;
	case PMU_PMUSERENR_EL0: return pmu->pmuserenr;
	case PMU_PMUACR_EL1: return pmu->pmuacr & user_access_bits(pmu);
	case PMU_PMMIR_EL1: return 0; /* no SLOTS, as there is no STALL_SLOT */
	default: return read_event_register(pmu, reg);
	}
}

/* The counters of these bits. */
static void zero(struct pmu *pmu, uint64_t bits)
{
	for (unsigned int n = 0; n < PMU_ALL_COUNTERS; n++)
		if (bits >> pmu_flag_of(n) & 1)
			pmu->counter[n] = 0;
}

static void write_pmcr(struct pmu *pmu, uint64_t value)
{
	const uint64_t range = BIT(pmu_accessible(pmu)) - 1;

	pmu->pmcr = value & pmu_pmcr_bits(pmu);
	zero(pmu, (value & PMU_PMCR_P ? range : 0) | (value & PMU_PMCR_C ? BIT(PMU_CYCLE) : 0));
}

/* PMCCFILTR_EL0, PMICFILTR_EL0. */
static void write_filter(struct pmu *pmu, unsigned int n, uint64_t value)
{
	pmu->type[n] = value & pmu_type_bits(&pmu->config) & ~EVENT_BITS;
}

static void write_event_register(struct pmu *pmu, enum pmu_register reg, uint64_t value)
{
	const bool wide = pmu->config.version >= PMU_V3P5;
	unsigned int n;
	bool type;

	if (!find_event_counter(reg, &n, &type))
		return;
	if (type)
		pmu->type[n] = value & pmu_type_bits(&pmu->config);
	else
		pmu->counter[n] = wide ? value : (uint32_t)value;
}

/*
 * Increment each counter that counts SW_INCR here, and whose bit is set. PMUACR_EL1 restricts EL0
 * unless PMUSERENR_EL0.SW lifts that. Read-only counters are incremented, too.
 */
static void software_increment(struct pmu *pmu, uint64_t value)
{
	uint64_t more[PMU_ALL_COUNTERS] = {0};

	value &= (BIT(pmu_accessible(pmu)) - 1) & pmu_listeners(pmu, PMU_SW_INCR);
	if (is_restricted(pmu) && !(pmu->pmuserenr & PMU_PMUSERENR_SW))
		value &= pmu->pmuacr;
	for (unsigned int n = 0; n < PMU_COUNTERS; n++)
		more[n] = value >> n & 1;
	pmu_count(pmu, 0, 0, more);
}

static void write_bits(uint64_t *kept, uint64_t value, uint64_t bits)
{
	*kept = (*kept & ~bits) | (value & bits);
}

void pmu_register_write(struct pmu *pmu, enum pmu_register reg, uint64_t value)
{
	const uint64_t bits = writable_bits(pmu, PMU_HIDES_WRITE) & value;

	switch (reg) {
	case PMU_PMCR_EL0: write_pmcr(pmu, value); break;
	case PMU_PMCNTENSET_EL0: pmu->enabled |= bits; break;
	case PMU_PMCNTENCLR_EL0: pmu->enabled &= ~bits; break;
	case PMU_PMOVSSET_EL0: pmu->overflowed |= bits; break;
	case PMU_PMOVSCLR_EL0: pmu->overflowed &= ~bits; break;
	case PMU_PMINTENSET_EL1: pmu->interrupts |= bits; break;
	case PMU_PMINTENCLR_EL1: pmu->interrupts &= ~bits; break;
	case PMU_PMSWINC_EL0: software_increment(pmu, value); break;
	case PMU_PMSELR_EL0: pmu->pmselr = value & 0x1f; break;
	case PMU_PMCCNTR_EL0: pmu->counter[CYCLE] = value; break;
	case PMU_PMCCFILTR_EL0: write_filter(pmu, CYCLE, value); break;
	case PMU_PMICNTR_EL0: pmu->counter[INSTRUCTION] = value; break;
	case PMU_PMICFILTR_EL0: write_filter(pmu, INSTRUCTION, value); break;
	case PMU_PMZR_EL0: zero(pmu, value & writable_bits(pmu, PMU_HIDES_ZERO)); break;
	case PMU_PMUSERENR_EL0: pmu->pmuserenr = value & pmu_user_bits(&pmu->config); break;
	case PMU_PMUACR_EL1: write_bits(&pmu->pmuacr, value, user_access_bits(pmu)); break;
	default: write_event_register(pmu, reg, value);
	}
	vspe_assert_of(!((pmu->enabled | pmu->interrupts | pmu->overflowed) &
			 ~(BIT(PMU_COUNTERS) - 1 + BIT(PMU_CYCLE) + BIT(PMU_INSTRUCTION))),
		       reg, value);
	pmu_work_out(pmu);
}
