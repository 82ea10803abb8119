/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The Performance Monitors Unit of a PE, FEAT_PMUv3 (Arm ARM D13, and the pages of its registers):
 * counters, their enables, filters, prohibitions and freezes, overflow, and its interrupt. It is a
 * state machine without a clock: the engine that executes operations reports how many there were,
 * and asks how many more may follow until a counter overflows. It does not depend on the engine.
 *
 * route.h decides who may access which register.
 */
#ifndef VSPE_PMU_UNIT_H
#define VSPE_PMU_UNIT_H

#include <stdbool.h>
#include <stdint.h>
#include <vspe/pmu.h>

#include "event.h"
#include "route.h"

#define PMU_CYCLE 31 /* the cycle counter's bit in PMCNTENSET_EL0 and its kin, and in SEL */
/* The instruction counter's bit there: F0. */
#define PMU_INSTRUCTION 32

/* PMCR_EL0 */
#define PMU_PMCR_E   (UINT64_C(1) << 0)
#define PMU_PMCR_P   (UINT64_C(1) << 1)
#define PMU_PMCR_C   (UINT64_C(1) << 2)
#define PMU_PMCR_DP  (UINT64_C(1) << 5)
#define PMU_PMCR_LC  (UINT64_C(1) << 6)
#define PMU_PMCR_LP  (UINT64_C(1) << 7)
#define PMU_PMCR_N   11 /* its least significant bit */
#define PMU_PMCR_FZO (UINT64_C(1) << 9)
#define PMU_PMCR_FZS (UINT64_C(1) << 32)

/* PMEVTYPER<n>_EL0 and PMCCFILTR_EL0 */
#define PMU_TYPE_P   (UINT64_C(1) << 31)
#define PMU_TYPE_U   (UINT64_C(1) << 30)
#define PMU_TYPE_NSK (UINT64_C(1) << 29)
#define PMU_TYPE_NSU (UINT64_C(1) << 28)
#define PMU_TYPE_NSH (UINT64_C(1) << 27)
#define PMU_TYPE_M   (UINT64_C(1) << 26)
#define PMU_TYPE_SH  (UINT64_C(1) << 24)
#define PMU_TYPE_RLK (UINT64_C(1) << 22)
#define PMU_TYPE_RLU (UINT64_C(1) << 21)
#define PMU_TYPE_RLH (UINT64_C(1) << 20)

/* PMUSERENR_EL0 */
#define PMU_PMUSERENR_EN (UINT64_C(1) << 0)
#define PMU_PMUSERENR_SW (UINT64_C(1) << 1)
#define PMU_PMUSERENR_CR (UINT64_C(1) << 2)
#define PMU_PMUSERENR_ER (UINT64_C(1) << 3)
/* ... with FEAT_PMUv3p9 */
#define PMU_PMUSERENR_UEN (UINT64_C(1) << 4)
#define PMU_PMUSERENR_IR  (UINT64_C(1) << 5)
#define PMU_PMUSERENR_TID (UINT64_C(1) << 6)

/* The events that an engine reports: the rows of EVENT(); model: those of MODEL_EVENT(), too. */
void pmu_config_of_engine(struct pmu_config *config, bool model);

/* The state outside the unit that counting depends on. */
struct pmu_context {
	uint64_t mdcr_el2, mdcr_el3;
	uint8_t el;
	bool ns, nse;	  /* the Security state of el: SCR_EL3.{NS,NSE}, or that of EL3 */
	bool el2_enabled; /* in that Security state */
	uint32_t frozen;  /* SPE_FROZEN_*: spe_pmu_frozen() */
	uint32_t hides;	  /* PMU_HIDES_*: pmu_hides_instructions() */
};

/* The context of a PE with these controls, and with what SPE freezes. */
struct pmu_context pmu_context_of(const struct sysreg_controls *controls, uint32_t frozen);

/* The cycle counter and the instruction counter come after the event counters. */
#define PMU_CYCLE_COUNTER	PMU_COUNTERS
#define PMU_INSTRUCTION_COUNTER (PMU_COUNTERS + 1)
#define PMU_ALL_COUNTERS	(PMU_COUNTERS + 2)

struct pmu {
	struct pmu_config config;
	/*
	 * The PE's SPE, or NULL. With SPE there are its events; with FEAT_SPEv1p2, from PMU_V3P7
	 * on, PMCR_EL0.FZS and MDCR_EL2.HPMFZS. Without FEAT_SPE_ArchInst, where operations are no
	 * instructions, there is no OP_RETIRED.
	 */
	const struct spe_config *spe;
	/* Registers. After the event counters': PMCCNTR_EL0, PMCCFILTR_EL0; PMICNTR_EL0, ... */
	uint64_t counter[PMU_ALL_COUNTERS], type[PMU_ALL_COUNTERS];
	uint64_t pmcr, pmselr, pmuserenr, pmuacr;
	uint64_t enabled, interrupts, overflowed; /* PMCNTEN*, PMINTEN*, PMOVS* */
	/* Worked out by pmu_set_context(). */
	struct pmu_context context;
	uint8_t counting; /* bit n: counter n counts here */
	uint8_t source[PMU_ALL_COUNTERS];
};

/* Is event a number that such a PMU counts? */
bool pmu_counts(const struct pmu *pmu, unsigned int event);

/* FEAT_PMUv3_ICNTR. */
static inline bool pmu_has_instruction_counter(const struct pmu_config *config)
{
	return config->version >= PMU_V3P9;
}

/* The bits of PMCNTENSET_EL0 and its kin: one for each counter. */
uint64_t pmu_counter_bits(const struct pmu_config *config);

/* Bits that a PE with this PMU has in addition to those of a PE without one. */
uint64_t pmu_mdcr_el2_bits(const struct pmu *pmu);
uint64_t pmu_mdcr_el3_bits(const struct pmu_config *config);
/* The bits of PMCR_EL0 that are kept. */
uint64_t pmu_pmcr_bits(const struct pmu *pmu);
/* The bits of PMEVTYPER<n>_EL0; those above bit 15 are PMCCFILTR_EL0's and PMICFILTR_EL0's too. */
uint64_t pmu_type_bits(const struct pmu_config *config);
/* The bits of PMUSERENR_EL0. */
uint64_t pmu_user_bits(const struct pmu_config *config);

/*
 * Make it a PMU of its config and spe after a warm reset: nothing counts, and UNKNOWN values are 0.
 * Call pmu_set_context() next.
 */
void pmu_clear(struct pmu *pmu);

/*
 * Change the context. Report what was executed before with pmu_count() first: it counts in the old
 * context.
 */
void pmu_set_context(struct pmu *pmu, const struct pmu_context *context);

/*
 * Count what was executed since the last call: how many operations began, how many of them retired,
 * and for each counter how many events of its class there were, reported or modelled. All happens
 * at once: a counter that an overflow freezes has counted it.
 */
void pmu_count(struct pmu *pmu, uint64_t begun, uint64_t retired,
	       const uint64_t more[PMU_ALL_COUNTERS]);

/*
 * Count the rest of an operation that began when these counters (bit n) counted, even if they do
 * not count now: more for each.
 */
void pmu_count_rest(struct pmu *pmu, unsigned int counters, const uint64_t more[PMU_ALL_COUNTERS]);

/* By how much a counter that counts can advance until it overflows: 1 or more. */
uint64_t pmu_room(const struct pmu *pmu, unsigned int counter);

/*
 * After how many operations a counter of operations may overflow at the earliest: 1 or more;
 * UINT64_MAX: no such counter counts here.
 */
uint64_t pmu_left(const struct pmu *pmu);

/* Which event counters count event here: bit n. */
static inline unsigned int pmu_listeners(const struct pmu *pmu, unsigned int event)
{
	unsigned int bits = 0;

	for (unsigned int n = 0; n < PMU_COUNTERS; n++)
		if (pmu->counting >> n & 1 && (pmu->type[n] & 0xffff) == event)
			bits |= 1u << n;
	return bits;
}

/* The level of its interrupt request. */
bool pmu_irq(const struct pmu *pmu);

/* Event counters that the present Exception level may access: those with a lower number. */
unsigned int pmu_accessible(const struct pmu *pmu);

/* What pmu_route() needs to know of it. */
struct pmu_controls pmu_controls_of(const struct pmu *pmu);

/*
 * MRS and MSR of a register, where pmu_route() leads: never PMXEV*_EL0. Report all that was
 * executed before with pmu_count() first. A write may start or stop counters; the context does not
 * change. Registers of missing counters read as zero and ignore writes.
 */
uint64_t pmu_register_read(const struct pmu *pmu, enum pmu_register reg);
void pmu_register_write(struct pmu *pmu, enum pmu_register reg, uint64_t value);

#endif
