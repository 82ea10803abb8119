/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The second statement (vmm/conform/statement.c) of the machine that a guest runs on: see access.h.
 */
#include "access.h"
#include "arch.h"

const char *access_outcome_name(enum access_outcome outcome)
{
	switch (outcome) {
	case OUTCOME_REGISTER: return "the register";
	case OUTCOME_UNDEFINED: return "UNDEFINED";
	case OUTCOME_TRAP_EL2: return "a trap to EL2";
	case OUTCOME_TRAP_EL3: return "a trap to EL3";
	case OUTCOME_MEMORY: return "memory";
	}
	return "?";
}

static void put_bits(struct world *w, unsigned int first, unsigned int width, uint64_t value)
{
	for (unsigned int i = 0; i < width; i++) {
		w->known[first + i] = true;
		w->value[first + i] = value >> i & 1;
	}
}

/* What the statement looks at, with everything known. */
static struct world world_of(const struct access_machine *m, const struct access_controls *c,
			     unsigned int el)
{
	const struct {
		uint64_t hcr_el2, mdcr_el2, mdcr_el3, scr_el3, pmscr_el1, pmscr_el2;
		uint64_t hdfgrtr_el2, hdfgwtr_el2, hdfgrtr2_el2, hdfgwtr2_el2;
	} v = {
		c->hcr_el2,
		c->mdcr_el2,
		c->mdcr_el3,
		c->scr_el3,
		c->pmscr_el1,
		c->pmscr_el2,
		c->fgt[WORD_HDFG][0],
		c->fgt[WORD_HDFG][1],
		c->fgt[WORD_HDFG2][0],
		c->fgt[WORD_HDFG2][1],
	};
	const struct {
		bool SPE, SPE_FnE, SPE_FDS, SPE_nVM, SPE_EXC;
		bool FGT, FGT2, VHE, NV, NV2, RME, SEL2, EL2, EL3, SECURE;
	} have = {
		m->spe, m->fne, m->fds, m->nvm,	 m->exc, m->fgt, m->fgt2, m->vhe,
		m->nv,	m->nv2, m->rme, m->sel2, m->el2, m->el3, false,
	};
	struct world w = {.el = (uint8_t)el, .asked = -1};

	put_bits(&w, WORLD_HALTED, 1, 0);
	put_bits(&w, WORLD_SDD, 1, 0);
	put_bits(&w, WORLD_PRIORITY, 1, 0);
#define FEATURE(name, usual) put_bits(&w, WORLD_FEAT_##name, 1, have.name);
#define FIELD(reg, member, field, lsb, width) \
	put_bits(&w, WORLD_##reg##_##field, width, v.member >> (lsb));
/* No access to a register of SPE asks for the PMU's. */
#define PMU_FEATURE(name, usual)
#define PMU_CONTROL(reg, member, field, lsb, width)
#define PMU_FIELD(reg, member, field, lsb, width)
#include "conform/world.def"
	return w;
}

bool access_exists(const struct access_machine *m, enum sysreg_id reg)
{
	const struct access_controls none = {0};
	struct world w = world_of(m, &none, 0);

	return statement_exists(&w, reg);
}

bool access_el2_enabled(const struct access_machine *m, const struct access_controls *c)
{
	struct world w = world_of(m, c, 0);

	return world_el2_enabled(&w);
}

bool access_reserved(const struct access_machine *m, const struct access_controls *c)
{
	return m->el3 && m->rme && c->mdcr_el3 & MDCR3_NSPBE && field(c->mdcr_el3, 13, 13) == 0;
}

struct access_expectation access_expect(const struct access_machine *m,
					const struct access_controls *c, unsigned int el,
					enum sysreg_id reg, bool write)
{
	struct world w = world_of(m, c, el);
	const struct outcome then = statement(&w, reg, write);

	switch (then.kind) {
	case SYSREG_DIRECT: return (struct access_expectation){OUTCOME_REGISTER, then.reg};
	case SYSREG_UNDEFINED:
	case SYSREG_RAZ_WI: break; /* the latter of no register of SPE */
	case SYSREG_TRAP:
		return (struct access_expectation){
			then.target_el == 3 ? OUTCOME_TRAP_EL3 : OUTCOME_TRAP_EL2, reg};
	case SYSREG_NVMEM: return (struct access_expectation){OUTCOME_MEMORY, reg};
	}
	return (struct access_expectation){OUTCOME_UNDEFINED, reg};
}

/* The bits of a word that have this value when they trap, or when they do not. */
static uint64_t fgt_bits(enum statement_word word, bool write, bool trapping)
{
	uint64_t value = 0;

	for (unsigned int i = 0; i < SYSREG_COUNT; i++) {
		const struct statement_fact *f = &statement_facts[i];

		if (f->word == word && statement_has(i, write) && f->fgt_traps == trapping)
			value |= UINT64_C(1) << f->fgt_bit[write];
	}
	return value;
}

uint64_t access_fgt_closed(enum statement_word word, bool write)
{
	return fgt_bits(word, write, true);
}

uint64_t access_fgt_open(enum statement_word word, bool write)
{
	return fgt_bits(word, write, false);
}
