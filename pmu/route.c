/* SPDX-License-Identifier: BSD-2-Clause */
/* Who may access the registers of the PMU: see route.h. */
#include "route.h"

#include "../sysreg/encoding.h"
#include "../sysreg/traps.h"
#include "fields.h"
#include "unit.h"

#define NO 0xff

enum access { RW, RO, WO };
enum user { KERNEL, READ, EN, CONTROL, ID, SW, ER, CR_READ, ER_READ, UEN };
enum word { HDFG, HDFG2 };

/* The counter of a register: an event counter's number, or one of these. */
enum counter {
	EVENT_MAX = PMU_CYCLE - 1,
	CYCLE = PMU_CYCLE,
	INSTRUCTION = PMU_INSTRUCTION,
	NONE,
	SELECTED,
	SELECTED_TYPE,
};
#define EVENT(n) (n)

static const struct row {
	const char *name, *feature;
	uint16_t encoding;
	uint8_t access, user, counter, word; /* enums above */
	uint8_t bit[2];			     /* [write]; NO: none */
	uint32_t needs;			     /* PMU_FEAT_* */
} rows[PMU_REGISTERS] = {
#define REGISTER(n, op1, crn, crm, op2, access_, needs_, user_, counter_, word_, rd, wr) \
	[PMU_##n] = {.name = #n,                                                         \
		     .feature = #needs_,                                                 \
		     .encoding = SYSREG_ENCODING(3, op1, crn, crm, op2),                 \
		     .access = access_,                                                  \
		     .needs = PMU_FEAT_##needs_,                                         \
		     .user = user_,                                                      \
		     .counter = counter_,                                                \
		     .word = word_,                                                      \
		     .bit = {rd, wr}},
#include "registers.def"
#undef REGISTER
};

enum pmu_register pmu_find(uint32_t encoding)
{
	switch (encoding) {
#define REGISTER(n, op1, crn, crm, op2, ...)         \
	case SYSREG_ENCODING(3, op1, crn, crm, op2): \
		return PMU_##n;
#include "registers.def"
#undef REGISTER
	default: return PMU_REGISTERS;
	}
}

bool pmu_is_counter(enum pmu_register reg)
{
	return reg == PMU_PMCCNTR_EL0 || reg == PMU_PMXEVCNTR_EL0 || reg == PMU_PMICNTR_EL0 ||
	       (reg >= PMU_PMEVCNTR0_EL0 && reg <= PMU_PMEVCNTR30_EL0);
}

uint32_t pmu_encoding(enum pmu_register reg)
{
	return rows[reg].encoding;
}

const char *pmu_register_name(enum pmu_register reg)
{
	return rows[reg].name;
}

bool pmu_has(enum pmu_register reg, bool write)
{
	return rows[reg].access != (write ? RO : WO);
}

unsigned int pmu_counters_accessible(const struct sysreg_controls *c, unsigned int counters)
{
	const unsigned int hpmn = (unsigned int)(c->mdcr_el2 & MDCR_EL2_HPMN);

	return c->el < 2 && sysreg_el2_enabled(c) && hpmn < counters ? hpmn : counters;
}

/* Does a fine-grained bit of EL2 trap it? */
static bool fine_trap(const struct sysreg_controls *c, const struct row *row, bool write)
{
	const bool two = row->word == HDFG2;
	uint64_t word = write ? c->hdfgwtr_el2 : c->hdfgrtr_el2;

	if (two)
		word = write ? c->hdfgwtr2_el2 : c->hdfgrtr2_el2;
	return row->bit[write] != NO && sysreg_fine_trap(c, two, word, row->bit[write], !two);
}

/* What makes EL2 or EL3 trap an access of a lower level? PMU_BY_NOTHING: it is not trapped. */
static enum pmu_decider el2_decider(const struct sysreg_controls *c, const struct pmu_controls *p,
				    enum pmu_register reg, unsigned int counter, bool write)
{
	if (c->el > 1 || !sysreg_el2_enabled(c))
		return PMU_BY_NOTHING;
	if (fine_trap(c, &rows[reg], write))
		return PMU_BY_FGT;
	if (c->mdcr_el2 & MDCR_ELx_TPM)
		return PMU_BY_TPM;
	if (reg == PMU_PMCR_EL0 && c->mdcr_el2 & MDCR_ELx_TPMCR)
		return PMU_BY_TPMCR;
	if (counter <= EVENT_MAX && counter >= pmu_counters_accessible(c, p->counters))
		return PMU_BY_HPMN;
	return PMU_BY_NOTHING;
}

static enum pmu_decider el3_decider(const struct sysreg_controls *c, enum pmu_register reg)
{
	const bool guarded = rows[reg].word == HDFG2 && reg != PMU_PMZR_EL0;

	if (c->el == 3 || !(c->features & SYSREG_FEAT_EL3))
		return PMU_BY_NOTHING;
	if (c->mdcr_el3 & MDCR_ELx_TPM)
		return PMU_BY_TPM3;
	return guarded && !(c->mdcr_el3 & MDCR_EL3_EnPM2) ? PMU_BY_ENPM2 : PMU_BY_NOTHING;
}

unsigned int pmu_hides_instructions(const struct sysreg_controls *c)
{
	const bool el2 = c->el < 2 && sysreg_el2_enabled(c);
	unsigned int bits = 0;

	if (c->el < 3 && c->features & SYSREG_FEAT_EL3 && !(c->mdcr_el3 & MDCR_EL3_EnPM2))
		return PMU_HIDES_READ | PMU_HIDES_WRITE | PMU_HIDES_ZERO;
	if (el2 && fine_trap(c, &rows[PMU_PMICFILTR_EL0], false))
		bits |= PMU_HIDES_READ;
	if (el2 && fine_trap(c, &rows[PMU_PMICFILTR_EL0], true))
		bits |= PMU_HIDES_WRITE;
	if (el2 && fine_trap(c, &rows[PMU_PMICNTR_EL0], true))
		bits |= PMU_HIDES_ZERO;
	return bits;
}

uint64_t pmu_user_effective(const struct pmu_controls *p)
{
	uint64_t bits = p->pmuserenr;

	if (!(p->features & PMU_FEAT_PMUv3p9))
		bits &= ~(PMU_PMUSERENR_UEN | PMU_PMUSERENR_IR | PMU_PMUSERENR_TID);
	return bits;
}

uint64_t pmu_user_enables(enum pmu_register reg, bool write)
{
	const uint64_t en = PMU_PMUSERENR_EN | PMU_PMUSERENR_UEN;

	switch ((enum user)rows[reg].user) {
	case EN:
	case ID: return en;
	case CONTROL: return PMU_PMUSERENR_EN;
	case SW: return en | PMU_PMUSERENR_SW;
	case ER: return en | PMU_PMUSERENR_ER;
	case CR_READ: return en | (write ? 0 : PMU_PMUSERENR_CR);
	case ER_READ: return en | (write ? 0 : PMU_PMUSERENR_ER);
	case UEN: return PMU_PMUSERENR_UEN;
	case READ:
	case KERNEL: break;
	}
	return 0;
}

uint64_t pmu_user_forbids(enum pmu_register reg)
{
	switch ((enum user)rows[reg].user) {
	case CONTROL: return PMU_PMUSERENR_UEN;
	case ID: return PMU_PMUSERENR_TID;
	default: return 0;
	}
}

/* Does PMUSERENR_EL0 allow the access from EL0? There is a setting that does. */
static bool user_enabled(const struct pmu_controls *p, enum pmu_register reg, bool write)
{
	const uint64_t bits = pmu_user_effective(p);

	if (rows[reg].user == READ)
		return true;
	return bits & pmu_user_enables(reg, write) && !(bits & pmu_user_forbids(reg));
}

uint64_t pmu_user_read_only(unsigned int counter)
{
	switch (counter) {
	case CYCLE: return PMU_PMUSERENR_CR;
	case INSTRUCTION: return PMU_PMUSERENR_IR;
	default: return PMU_PMUSERENR_ER;
	}
}

/*
 * What makes an access from EL0 read zero or be ignored: PMUACR_EL1, and PMUSERENR_EL0.{ER,CR,IR}.
 */
static enum pmu_decider nothing_decider(const struct pmu_controls *p, unsigned int counter,
					bool write)
{
	const uint64_t bits = pmu_user_effective(p);

	if (!(bits & PMU_PMUSERENR_UEN) || counter > INSTRUCTION)
		return PMU_BY_NOTHING;
	if (!(p->pmuacr >> counter & 1))
		return PMU_BY_PMUACR;
	return write && bits & pmu_user_read_only(counter) ? PMU_BY_READ_ONLY : PMU_BY_NOTHING;
}

unsigned int pmu_counter_of(const struct pmu_controls *p, enum pmu_register reg)
{
	return rows[reg].counter >= SELECTED ? p->pmselr & 0x1f : rows[reg].counter;
}

const char *pmu_feature_of(enum pmu_register reg)
{
	return rows[reg].feature;
}

int pmu_fgt(enum pmu_register reg, bool write, bool *two)
{
	*two = rows[reg].word == HDFG2;
	return rows[reg].bit[write] == NO ? -1 : rows[reg].bit[write];
}

static bool counter_exists(const struct row *row, const struct pmu_controls *p,
			   unsigned int counter)
{
	if (counter <= EVENT_MAX)
		return counter < p->counters;
	return counter != CYCLE || row->counter != SELECTED;
}

/* The register that a name reaches. */
static enum pmu_register reached(enum pmu_register reg, unsigned int counter)
{
	if (reg == PMU_PMXEVCNTR_EL0)
		return PMU_PMEVCNTR0_EL0 + counter;
	if (reg == PMU_PMXEVTYPER_EL0)
		return counter == CYCLE ? PMU_PMCCFILTR_EL0 : PMU_PMEVTYPER0_EL0 + counter;
	return reg;
}

/* Why there is no such access, regardless of traps. */
static enum pmu_decider absent_decider(const struct sysreg_controls *c,
				       const struct pmu_controls *p, enum pmu_register reg,
				       unsigned int counter, bool write)
{
	const struct row *row = &rows[reg];
	const bool for_el0 = row->user != KERNEL && !(row->user == READ && write);

	if (c->aarch32)
		return PMU_BY_STATE;
	if (!pmu_has(reg, write))
		return PMU_BY_ACCESSOR;
	if (!(p->features & row->needs))
		return PMU_BY_FEATURE;
	if (!counter_exists(row, p, counter))
		return PMU_BY_COUNTER;
	return c->el == 0 && !for_el0 ? PMU_BY_LEVEL : PMU_BY_NOTHING;
}

struct sysreg_route pmu_route(const struct sysreg_controls *c, const struct pmu_controls *p,
			      enum pmu_register reg, bool write, uint8_t rt)
{
	const unsigned int counter = pmu_counter_of(p, reg);
	const bool sdd = c->halted && c->edscr_sdd;
	struct sysreg_route undefined = {.kind = SYSREG_UNDEFINED, .reg = (uint16_t)reg};
	struct sysreg_route trap = sysreg_trap_to(0, rows[reg].encoding, write, rt);
	struct sysreg_route done = {.kind = SYSREG_DIRECT, .reg = (uint16_t)reached(reg, counter)};

	trap.reg = (uint16_t)reg;
	undefined.rule = (uint16_t)absent_decider(c, p, reg, counter, write);
	if (undefined.rule != PMU_BY_NOTHING)
		return undefined;
	trap.rule = (uint16_t)el3_decider(c, reg);
	undefined.rule = PMU_BY_SDD;
	if (sdd && c->el3_trap_has_priority_sdd && trap.rule != PMU_BY_NOTHING)
		return undefined;
	trap.target_el = 3;
	if (c->el == 0 && !user_enabled(p, reg, write)) {
		trap.target_el = sysreg_hcr(c) & SYSREG_HCR_EL2_TGE_MASK ? 2 : 1;
		trap.rule = PMU_BY_USER;
		return trap;
	}
	done.rule = (uint16_t)el2_decider(c, p, reg, counter, write);
	if (done.rule != PMU_BY_NOTHING) {
		trap.target_el = 2;
		trap.rule = done.rule;
		return trap;
	}
	if (trap.rule != PMU_BY_NOTHING)
		return sdd ? undefined : trap;
	if (c->el == 0)
		done.rule = (uint16_t)nothing_decider(p, counter, write);
	if (done.rule != PMU_BY_NOTHING)
		done.kind = SYSREG_RAZ_WI;
	return done;
}
