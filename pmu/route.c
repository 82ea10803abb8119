// SPDX-License-Identifier: BSD-2-Clause
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

/* What counter a register is of: an event counter's number, or one of these. */
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
	const char *name;
	uint16_t encoding;
	uint8_t access, user, counter, word; /* enums above */
	uint8_t bit[2];			     /* [write]; NO: none */
	uint32_t needs;			     /* PMU_FEAT_* */
} rows[PMU_REGISTERS] = {
#define REGISTER(n, op1, crn, crm, op2, access_, needs_, user_, counter_, word_, rd, wr) \
	[PMU_##n] = {.name = #n,                                                         \
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

/* Does EL2 trap it by a bit of its own? */
static bool fine_trap(const struct sysreg_controls *c, const struct row *row, bool write)
{
	const bool two = row->word == HDFG2;
	uint64_t word = write ? c->hdfgwtr_el2 : c->hdfgrtr_el2;

	if (two)
		word = write ? c->hdfgwtr2_el2 : c->hdfgrtr2_el2;
	return row->bit[write] != NO && sysreg_fine_trap(c, two, word, row->bit[write], !two);
}

static bool el2_traps(const struct sysreg_controls *c, const struct pmu_controls *p,
		      enum pmu_register reg, unsigned int counter, bool write)
{
	if (c->el > 1 || !sysreg_el2_enabled(c))
		return false;
	return fine_trap(c, &rows[reg], write) || c->mdcr_el2 & MDCR_ELx_TPM ||
	       (reg == PMU_PMCR_EL0 && c->mdcr_el2 & MDCR_ELx_TPMCR) ||
	       (counter <= EVENT_MAX && counter >= pmu_counters_accessible(c, p->counters));
}

static bool el3_traps(const struct sysreg_controls *c, enum pmu_register reg)
{
	const bool guarded = rows[reg].word == HDFG2 && reg != PMU_PMZR_EL0;

	return c->el < 3 && c->features & SYSREG_FEAT_EL3 &&
	       (c->mdcr_el3 & MDCR_ELx_TPM || (guarded && !(c->mdcr_el3 & MDCR_EL3_EnPM2)));
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

/* PMUSERENR_EL0 as it is in effect: what v3p9 has is not there before. */
static uint64_t user_enables(const struct pmu_controls *p)
{
	uint64_t bits = p->pmuserenr;

	if (!(p->features & PMU_FEAT_PMUv3p9))
		bits &= ~(PMU_PMUSERENR_UEN | PMU_PMUSERENR_IR | PMU_PMUSERENR_TID);
	return bits;
}

/* Does PMUSERENR_EL0 let EL0 make the access? */
static bool user_enabled(const struct pmu_controls *p, enum user user, bool write)
{
	const uint64_t bits = user_enables(p);
	const uint64_t en = PMU_PMUSERENR_EN | PMU_PMUSERENR_UEN;

	switch (user) {
	case READ: return true;
	case EN: return bits & en;
	case CONTROL: return (bits & en) == PMU_PMUSERENR_EN;
	case ID: return bits & en && !(bits & PMU_PMUSERENR_TID);
	case SW: return bits & (en | PMU_PMUSERENR_SW);
	case ER: return bits & (en | PMU_PMUSERENR_ER);
	case CR_READ: return bits & (en | (write ? 0 : PMU_PMUSERENR_CR));
	case ER_READ: return bits & (en | (write ? 0 : PMU_PMUSERENR_ER));
	case UEN: return bits & PMU_PMUSERENR_UEN;
	case KERNEL: break;
	}
	return false;
}

/* An access of EL0 that is let through to nothing: PMUACR_EL1, and PMUSERENR_EL0.{ER,CR,IR}. */
static bool user_sees_nothing(const struct pmu_controls *p, unsigned int counter, bool write)
{
	const uint64_t bits = user_enables(p);
	uint64_t read_only = PMU_PMUSERENR_ER;

	if (!(bits & PMU_PMUSERENR_UEN) || counter > INSTRUCTION)
		return false;
	if (counter == CYCLE)
		read_only = PMU_PMUSERENR_CR;
	else if (counter == INSTRUCTION)
		read_only = PMU_PMUSERENR_IR;
	return !(p->pmuacr >> counter & 1) || (write && bits & read_only);
}

/* The counter that an access is about: enum counter, or an event counter's number. */
static unsigned int counter_of(const struct row *row, const struct pmu_controls *p)
{
	return row->counter >= SELECTED ? p->pmselr & 0x1f : row->counter;
}

static bool counter_exists(const struct row *row, const struct pmu_controls *p,
			   unsigned int counter)
{
	if (counter <= EVENT_MAX)
		return counter < p->counters;
	return counter != CYCLE || row->counter != SELECTED;
}

/* Where a name leads. */
static enum pmu_register reached(enum pmu_register reg, unsigned int counter)
{
	if (reg == PMU_PMXEVCNTR_EL0)
		return PMU_PMEVCNTR0_EL0 + counter;
	if (reg == PMU_PMXEVTYPER_EL0)
		return counter == CYCLE ? PMU_PMCCFILTR_EL0 : PMU_PMEVTYPER0_EL0 + counter;
	return reg;
}

struct sysreg_route pmu_route(const struct sysreg_controls *c, const struct pmu_controls *p,
			      enum pmu_register reg, bool write, uint8_t rt)
{
	const struct row *row = &rows[reg];
	const unsigned int counter = counter_of(row, p);
	const bool sdd = c->halted && c->edscr_sdd;
	const bool for_el0 = row->user != KERNEL && !(row->user == READ && write);
	const struct sysreg_route undefined = {.kind = SYSREG_UNDEFINED, .reg = (uint16_t)reg};
	struct sysreg_route trap = sysreg_trap_to(0, row->encoding, write, rt);

	trap.reg = (uint16_t)reg;
	if (c->aarch32 || !pmu_has(reg, write) || !(p->features & row->needs) ||
	    !counter_exists(row, p, counter) || (c->el == 0 && !for_el0))
		return undefined;
	if (sdd && c->el3_trap_has_priority_sdd && el3_traps(c, reg))
		return undefined;
	if (c->el == 0 && !user_enabled(p, (enum user)row->user, write))
		trap.target_el = sysreg_hcr(c) & SYSREG_HCR_EL2_TGE_MASK ? 2 : 1;
	else if (el2_traps(c, p, reg, counter, write))
		trap.target_el = 2;
	else if (el3_traps(c, reg))
		trap.target_el = 3;
	if (trap.target_el)
		return trap.target_el == 3 && sdd ? undefined : trap;
	return (struct sysreg_route){
		.kind = c->el == 0 && user_sees_nothing(p, counter, write) ? SYSREG_RAZ_WI
									   : SYSREG_DIRECT,
		.reg = (uint16_t)reached(reg, counter),
	};
}
