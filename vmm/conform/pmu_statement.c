/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The second statement of the PMU's access rules: evaluates pmu_statement.def for a PE, one level
 * of the pages' pseudocode after the other.
 */
#include "conform/pmu_statement.h"
#include "conform/subject.h"

enum { E = 1, U = 2, S = 4, C = 8, R = 16, ANY = 32, NO = 64, NIL = 128 };

#define WORLD_NONE WORLD_BITS

struct fact {
	enum pmu_register reg;
	uint16_t encoding, feature;
	uint8_t user[2];  /* [write] */
	uint16_t trap[2]; /* enum world_bit */
};

static const struct fact facts[] = {
#define PMU_ACCESS(name, op1, crn, crm, op2, feature, rd, wr, mrs, msr) \
	{PMU_##name,                                                    \
	 3u << 14 | (op1) << 11 | (crn) << 7 | (crm) << 3 | (op2),      \
	 WORLD_FEAT_##feature,                                          \
	 {rd, wr},                                                      \
	 {WORLD_##mrs, WORLD_##msr}},
#include "conform/pmu_statement.def"
#undef PMU_ACCESS
};

#define FACTS (sizeof(facts) / sizeof(facts[0]))

static const struct outcome undefined = {.kind = SYSREG_UNDEFINED};
static const struct outcome raz_wi = {.kind = SYSREG_RAZ_WI};

static const struct fact *fact_of(enum pmu_register reg)
{
	const unsigned int first = subject_first(SUBJECT_PMU + reg) - SUBJECT_PMU;

	for (size_t i = 0; i < FACTS; i++)
		if (facts[i].reg == first)
			return &facts[i];
	return NULL;
}

bool pmu_statement_has(enum pmu_register reg, bool write)
{
	const struct fact *f = fact_of(reg);

	return f && f->user[write] != NIL;
}

uint32_t pmu_statement_encoding(enum pmu_register reg)
{
	const struct fact *f = fact_of(reg);

	/* CRm and op2 are adjacent, so CRm goes up with each 8 of n. */
	return f ? f->encoding + subject_index(SUBJECT_PMU + reg) : UINT32_MAX;
}

static struct outcome trap(uint8_t el)
{
	return (struct outcome){.kind = SYSREG_TRAP, .target_el = el};
}

static struct outcome access_to(unsigned int reg)
{
	return (struct outcome){.kind = SYSREG_DIRECT, .reg = (enum sysreg_id)(SUBJECT_PMU + reg)};
}

bool pmu_stated_host(struct world *w)
{
	return world_el_is_in_host_el2(w) && world_is(w, WORLD_HCR_EL2_TGE);
}

unsigned int pmu_stated_accessible(struct world *w)
{
	unsigned int hpmn;

	if (w->el > 1 || !world_el2_enabled(w))
		return PMU_STATED_COUNTERS;
	hpmn = world_field(w, WORLD_MDCR_EL2_HPMN, 5);
	return hpmn > PMU_STATED_COUNTERS ? PMU_STATED_COUNTERS : hpmn;
}

/*
 * The counter of a register: 0 to 30, 31 for the cycle counter, 32 for the instruction counter, 33
 * for none.
 */
static unsigned int counter(struct world *w, enum pmu_register reg)
{
	switch (reg) {
	case PMU_PMXEVCNTR_EL0:
	case PMU_PMXEVTYPER_EL0: return world_field(w, WORLD_PMSELR_EL0_SEL, 5);
	case PMU_PMCCNTR_EL0:
	case PMU_PMCCFILTR_EL0: return 31;
	case PMU_PMICNTR_EL0:
	case PMU_PMICFILTR_EL0: return 32;
	default: return reg >= PMU_PMEVCNTR0_EL0 ? subject_index(SUBJECT_PMU + reg) : 33;
	}
}

/* A bit of PMUSERENR_EL0 that exists with FEAT_PMUv3p9. */
static bool late_bit(struct world *w, unsigned int bit)
{
	return world_is(w, WORLD_FEAT_PMUv3p9) && world_is(w, bit);
}

static bool user_may(struct world *w, const struct fact *f, bool write)
{
	const unsigned int by = f->user[write];

	if (by & ANY)
		return true;
	if (f->reg == PMU_PMCR_EL0 && late_bit(w, WORLD_PMUSERENR_EL0_UEN))
		return false;
	if ((f->reg == PMU_PMCEID0_EL0 || f->reg == PMU_PMCEID1_EL0) &&
	    late_bit(w, WORLD_PMUSERENR_EL0_TID))
		return false;
	return (by & E && world_is(w, WORLD_PMUSERENR_EL0_EN)) ||
	       (by & U && late_bit(w, WORLD_PMUSERENR_EL0_UEN)) ||
	       (by & S && world_is(w, WORLD_PMUSERENR_EL0_SW)) ||
	       (by & C && world_is(w, WORLD_PMUSERENR_EL0_CR)) ||
	       (by & R && world_is(w, WORLD_PMUSERENR_EL0_ER));
}

/* FEAT_FGT's bits trap when 1 and SCR_EL3.FGTEn is 1; FEAT_FGT2's when 0 or SCR_EL3.FGTEn2 is 0. */
static bool fine_trap(struct world *w, unsigned int bit)
{
	const bool first = bit < WORLD_HDFGRTR2_EL2_nPMICNTR_EL0;

	if (bit == WORLD_NONE || (w->el == 0 && pmu_stated_host(w)))
		return false;
	if (first)
		return world_is(w, WORLD_FEAT_FGT) &&
		       (!world_is(w, WORLD_FEAT_EL3) || world_is(w, WORLD_SCR_EL3_FGTEn)) &&
		       world_is(w, bit);
	return world_is(w, WORLD_FEAT_FGT2) &&
	       ((world_is(w, WORLD_FEAT_EL3) && !world_is(w, WORLD_SCR_EL3_FGTEn2)) ||
		!world_is(w, bit));
}

static bool el3_wants(struct world *w, const struct fact *f)
{
	const bool late = f->reg == PMU_PMUACR_EL1 || f->reg == PMU_PMICNTR_EL0 ||
			  f->reg == PMU_PMICFILTR_EL0;

	return world_is(w, WORLD_FEAT_EL3) &&
	       ((late && !world_is(w, WORLD_MDCR_EL3_EnPM2)) || world_is(w, WORLD_MDCR_EL3_TPM));
}

/* Does EL2 trap an access from below it? */
static bool el2_wants(struct world *w, const struct fact *f, bool write, unsigned int n)
{
	return world_el2_enabled(w) &&
	       (fine_trap(w, f->trap[write]) || world_is(w, WORLD_MDCR_EL2_TPM) ||
		(f->reg == PMU_PMCR_EL0 && world_is(w, WORLD_MDCR_EL2_TPMCR)) ||
		(n < 31 && n >= pmu_stated_accessible(w)));
}

/* With PMUSERENR_EL0.UEN: its bit of PMUACR_EL1 is 0; or ER, CR or IR make it read-only. */
static bool seems_empty(struct world *w, unsigned int n, bool write)
{
	static const uint16_t read_only[] = {WORLD_PMUSERENR_EL0_ER, WORLD_PMUSERENR_EL0_CR,
					     WORLD_PMUSERENR_EL0_IR};

	if (n > 32 || !late_bit(w, WORLD_PMUSERENR_EL0_UEN))
		return false;
	return !world_is(w, WORLD_PMUACR_EL1_P + n) ||
	       (write && world_is(w, read_only[n < 31 ? 0 : n - 30]));
}

static unsigned int target(enum pmu_register reg, unsigned int n)
{
	if (reg == PMU_PMXEVCNTR_EL0)
		return PMU_PMEVCNTR0_EL0 + n;
	if (reg == PMU_PMXEVTYPER_EL0)
		return n == 31 ? PMU_PMCCFILTR_EL0 : PMU_PMEVTYPER0_EL0 + n;
	return reg;
}

struct outcome pmu_statement(struct world *w, enum pmu_register reg, bool write)
{
	const struct fact *f = fact_of(reg);
	unsigned int n;

	if (!f || f->user[write] == NIL || !world_is(w, f->feature))
		return undefined;
	n = counter(w, reg);
	if (n >= PMU_STATED_COUNTERS && (n < 31 || (n == 31 && reg == PMU_PMXEVCNTR_EL0)))
		return undefined;
	if (w->el == 0 && f->user[write] == NO)
		return undefined;
	if (w->el < 3 && world_sdd_undef_priority(w) && el3_wants(w, f))
		return undefined;
	if (w->el == 0 && !user_may(w, f, write))
		return trap(world_el2_enabled(w) && world_is(w, WORLD_HCR_EL2_TGE) ? 2 : 1);
	if (w->el < 2 && el2_wants(w, f, write, n))
		return trap(2);
	if (w->el < 3 && el3_wants(w, f))
		return world_sdd_undef(w) ? undefined : trap(3);
	if (w->el == 0 && seems_empty(w, n, write))
		return raz_wi;
	return access_to(target(reg, n));
}
