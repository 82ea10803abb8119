/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What has to become of an access: see access.h. Tests stand in the order of the accessor
 * pseudocode on the register pages (Arm ARM D24); the first that applies decides.
 */
#include "access.h"
#include "arch.h"
#include "spe.h"

#define ISS(op1, crm, op2) \
	(3u << 20 | (uint32_t)(op2) << 17 | (uint32_t)(op1) << 14 | 9u << 10 | (uint32_t)(crm) << 1)

#define WRITE_RW true
#define WRITE_RO false

const struct access_fact access_facts[A_COUNT] = {
#define ACCESS(name, op1, crm, op2, exists, write, whose, word, r, w, v, coarse, guard, offset,  \
	       redirect, one, other)                                                             \
	[A_##name] = {#name,	       ISS(op1, crm, op2), EXISTS_##exists, WRITE_##write,       \
		      WHOSE_##whose,   WORD_##word,	   {r, w},	    v,                   \
		      COARSE_##coarse, GUARD_##guard,	   offset,	    REDIRECT_##redirect, \
		      {one, other}},
#include "access.def"
#undef ACCESS
};

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

bool access_exists(const struct access_machine *m, enum access_reg reg)
{
	if (!m->spe)
		return false;
	switch (access_facts[reg].exists) {
	case EXISTS_SPE: return true;
	case EXISTS_FNE: return m->fne;
	case EXISTS_FDS: return m->fds;
	case EXISTS_NVM: return m->nvm;
	case EXISTS_EXC: return m->exc && (m->el3 || access_facts[reg].whose != WHOSE_EL3);
	}
	return false;
}

bool access_el2_enabled(const struct access_machine *m, const struct access_controls *c)
{
	if (!m->el2 || !m->el3 || c->scr_el3 & SCR_NS)
		return m->el2;
	return m->sel2 && c->scr_el3 & SCR_EEL2;
}

static unsigned int nspb(const struct access_machine *m, const struct access_controls *c)
{
	unsigned int nspbe = m->rme && c->mdcr_el3 & MDCR3_NSPBE;

	return nspbe << 2 | (unsigned int)field(c->mdcr_el3, 13, 12);
}

bool access_reserved(const struct access_machine *m, const struct access_controls *c)
{
	return m->el3 && (nspb(m, c) == 4 || nspb(m, c) == 5);
}

/* One value of {NSPBE,NSPB} for each Security state lets it through. */
static bool nspb_traps(const struct access_machine *m, const struct access_controls *c)
{
	bool ns = c->scr_el3 & SCR_NS, realm = m->rme && c->scr_el3 & SCR_NSE;

	if (!m->el3)
		return false;
	switch (nspb(m, c)) {
	case 1: return ns || realm;
	case 3: return !ns || realm;
	case 7: return !ns || !realm;
	default: return true;
	}
}

/* MDCR_EL3's own field for the register, at 0. */
static bool guard_traps(const struct access_machine *m, const struct access_controls *c,
			enum access_guard guard)
{
	if (!m->el3)
		return false;
	switch (guard) {
	case GUARD_EnPMSN: return !(c->mdcr_el3 & MDCR3_ENPMSN);
	case GUARD_EnPMS3: return !(c->mdcr_el3 & MDCR3_ENPMS3);
	case GUARD_EnPMS4: return !(c->mdcr_el3 & MDCR3_ENPMS4);
	case GUARD_PMSEE: return field(c->mdcr_el3, 52, 51) == 0;
	case GUARD_NONE:
	case GUARD_FREE: break;
	}
	return false;
}

static bool el3_traps(const struct access_machine *m, const struct access_controls *c,
		      const struct access_fact *f)
{
	return f->guard != GUARD_FREE && (nspb_traps(m, c) || guard_traps(m, c, f->guard));
}

/* Bits of HDFGxTR_EL2 do nothing while SCR_EL3.FGTEn is 0; those of HDFGxTR2_EL2 count as 0. */
static bool fgt_traps(const struct access_machine *m, const struct access_controls *c,
		      const struct access_fact *f, bool write)
{
	int bit = f->fgt_bit[write];
	uint64_t value;

	if (bit < 0 || !(f->word == WORD_HDFG ? m->fgt : m->fgt2))
		return false;
	value = c->fgt[f->word][write] >> bit & 1;
	if (m->el3 && f->word == WORD_HDFG && !(c->scr_el3 & SCR_FGTEN))
		return false;
	if (m->el3 && f->word == WORD_HDFG2 && !(c->scr_el3 & SCR_FGTEN2))
		value = 0;
	return value == f->fgt_traps;
}

static bool coarse_traps(const struct access_controls *c, enum access_coarse coarse)
{
	switch (coarse) {
	case COARSE_TPMS: return c->mdcr_el2 & MDCR2_TPMS;
	case COARSE_E2PB: return !(c->mdcr_el2 & MDCR2_E2PB(1));
	case COARSE_NONE: break;
	}
	return false;
}

/* PMSCR_EL2.EE as it takes effect; without EL3, MDCR_EL3.PMSEE is 0b01. */
static unsigned int ee2(const struct access_machine *m, const struct access_controls *c)
{
	if (!m->exc || (m->el3 && field(c->mdcr_el3, 52, 51) == 0))
		return 0;
	return access_el2_enabled(m, c) ? (unsigned int)field(c->pmscr_el2, 9, 8) : 1;
}

/* HCR_EL2.{NV2,NV1,NV} as they take effect. NV1 and NV2 say nothing without NV. */
static unsigned int nvx(const struct access_machine *m, const struct access_controls *c)
{
	uint64_t hcr = access_el2_enabled(m, c) && m->nv ? c->hcr_el2 : 0;

	if (!(hcr & HCR_NV))
		return 0;
	return 1u | (hcr & HCR_NV1 ? 2u : 0) | (m->nv2 && hcr & HCR_NV2 ? 4u : 0);
}

static bool redirects(const struct access_machine *m, const struct access_controls *c,
		      enum access_redirect redirect)
{
	unsigned int n = nvx(m, c);

	switch (redirect) {
	case REDIRECT_1x1: return (n & 5) == 5;
	case REDIRECT_111: return n == 7;
	case REDIRECT_101: return n == 5;
	case REDIRECT_EE:
		return n == 7 || (n == 5 && (ee2(m, c) == 0 || field(c->pmscr_el1, 9, 8) == 0));
	case REDIRECT_NONE: break;
	}
	return false;
}

static enum access_outcome at_el1(const struct access_machine *m, const struct access_controls *c,
				  const struct access_fact *f, bool write)
{
	bool el2 = access_el2_enabled(m, c);

	if (f->whose == WHOSE_EL1) {
		if (el2 && (fgt_traps(m, c, f, write) || coarse_traps(c, f->coarse)))
			return OUTCOME_TRAP_EL2;
		if (el3_traps(m, c, f))
			return OUTCOME_TRAP_EL3;
		return redirects(m, c, f->redirect) ? OUTCOME_MEMORY : OUTCOME_REGISTER;
	}
	if (f->whose == WHOSE_EL3)
		return OUTCOME_UNDEFINED;
	if (redirects(m, c, f->redirect))
		return OUTCOME_MEMORY;
	return nvx(m, c) ? OUTCOME_TRAP_EL2 : OUTCOME_UNDEFINED;
}

/* The register that a name reaches at EL2 and EL3. */
static enum access_reg host_register(const struct access_machine *m,
				     const struct access_controls *c, unsigned int el,
				     enum access_reg reg)
{
	bool host = m->vhe && el == 2 && c->hcr_el2 & HCR_E2H;

	switch (reg) {
	case A_PMSCR_EL12: return A_PMSCR_EL1;
	case A_PMBSR_EL12: return A_PMBSR_EL1;
	case A_PMSCR_EL1: return host ? A_PMSCR_EL2 : reg;
	case A_PMBSR_EL1: return host && ee2(m, c) != 0 ? A_PMBSR_EL2 : reg;
	default: return reg;
	}
}

static enum access_outcome above_el1(const struct access_machine *m,
				     const struct access_controls *c, unsigned int el,
				     const struct access_fact *f)
{
	bool host = m->vhe && access_el2_enabled(m, c) && c->hcr_el2 & HCR_E2H;

	if (f->whose == WHOSE_EL12 && !host)
		return OUTCOME_UNDEFINED;
	if (el == 3)
		return OUTCOME_REGISTER;
	if (f->whose == WHOSE_EL3)
		return OUTCOME_UNDEFINED;
	return el3_traps(m, c, f) ? OUTCOME_TRAP_EL3 : OUTCOME_REGISTER;
}

struct access_expectation access_expect(const struct access_machine *m,
					const struct access_controls *c, unsigned int el,
					enum access_reg reg, bool write)
{
	const struct access_fact *f = &access_facts[reg];
	struct access_expectation e = {OUTCOME_UNDEFINED, reg};

	if (!access_exists(m, reg) || el == 0 || (write && !f->writable))
		return e;
	e.outcome = el == 1 ? at_el1(m, c, f, write) : above_el1(m, c, el, f);
	if (el >= 2)
		e.reg = host_register(m, c, el, reg);
	return e;
}

uint64_t access_fgt_closed(enum access_word word, bool write)
{
	uint64_t value = 0;

	for (unsigned int i = 0; i < A_COUNT; i++) {
		const struct access_fact *f = &access_facts[i];

		if (f->word == word && f->fgt_bit[write] >= 0)
			value |= (uint64_t)f->fgt_traps << f->fgt_bit[write];
	}
	return value;
}
