/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The second statement of the access rules: evaluates statement.def for a PE. Tests have the order
 * of the accessor pseudocode on the register pages (Arm ARM D24), and the first that applies
 * decides. The accessors of *_EL12 exist with FEAT_VHE, that of PMBSR_EL12 only with FEAT_SPE_EXC
 * too.
 */
#include "conform/statement.h"

#define WRITE_RW true
#define WRITE_RO false

#define ENCODING(op1, crm, op2) (3u << 14 | (op1) << 11 | 9u << 7 | (crm) << 3 | (op2))
#define ISS(op1, crm, op2) \
	(3u << 20 | (uint32_t)(op2) << 17 | (uint32_t)(op1) << 14 | 9u << 10 | (uint32_t)(crm) << 1)

#define ASKS_NONE_RW_1(name) \
	{                    \
		0, 0         \
	}
#define ASKS_HDFG_RO_1(name)                \
	{                                   \
		WORLD_HDFGRTR_EL2_##name, 0 \
	}
#define ASKS_HDFG_RW_1(name)                                       \
	{                                                          \
		WORLD_HDFGRTR_EL2_##name, WORLD_HDFGWTR_EL2_##name \
	}
#define ASKS_HDFG_RW_0(name)                                         \
	{                                                            \
		WORLD_HDFGRTR_EL2_n##name, WORLD_HDFGWTR_EL2_n##name \
	}
#define ASKS_HDFG2_RW_0(name)                                          \
	{                                                              \
		WORLD_HDFGRTR2_EL2_n##name, WORLD_HDFGWTR2_EL2_n##name \
	}

const struct statement_fact statement_facts[SYSREG_COUNT] = {
#define ACCESS(name_, op1, crm, op2, exists_, write_, whose_, word_, r, w, v, coarse_, guard_, \
	       offset_, redirect_, one, other)                                                 \
	[SYSREG_##name_] = {                                                                   \
		.name = #name_,                                                                \
		.encoding = ENCODING(op1, crm, op2),                                           \
		.iss = ISS(op1, crm, op2),                                                     \
		.exists = EXISTS_##exists_,                                                    \
		.writable = WRITE_##write_,                                                    \
		.whose = WHOSE_##whose_,                                                       \
		.word = WORD_##word_,                                                          \
		.fgt_bit = {r, w},                                                             \
		.fgt_asks = ASKS_##word_##_##write_##_##v(name_),                              \
		.fgt_traps = v,                                                                \
		.coarse = COARSE_##coarse_,                                                    \
		.guard = GUARD_##guard_,                                                       \
		.offset = offset_,                                                             \
		.redirect = REDIRECT_##redirect_,                                              \
		.values = {one, other},                                                        \
	},
#include "conform/statement.def"
#undef ACCESS
};

static const struct outcome undefined = {.kind = SYSREG_UNDEFINED};

bool statement_exists(struct world *w, enum sysreg_id reg)
{
	const struct statement_fact *f = &statement_facts[reg];

	if (!world_is(w, WORLD_FEAT_SPE))
		return false;
	switch (f->exists) {
	case EXISTS_SPE: return f->whose != WHOSE_EL12 || world_is(w, WORLD_FEAT_VHE);
	case EXISTS_SPE_FnE: return world_is(w, WORLD_FEAT_SPE_FnE);
	case EXISTS_SPE_FDS: return world_is(w, WORLD_FEAT_SPE_FDS);
	case EXISTS_SPE_nVM: return world_is(w, WORLD_FEAT_SPE_nVM);
	case EXISTS_SPE_EXC:
		return world_is(w, WORLD_FEAT_SPE_EXC) &&
		       (f->whose != WHOSE_EL3 || world_is(w, WORLD_FEAT_EL3)) &&
		       (f->whose != WHOSE_EL12 || world_is(w, WORLD_FEAT_VHE));
	}
	return true;
}

/* The register's own field of MDCR_EL3 is 0. */
static bool guard_traps(struct world *w, enum statement_guard guard)
{
	switch (guard) {
	case GUARD_EnPMSN: return !world_is(w, WORLD_MDCR_EL3_EnPMSN);
	case GUARD_EnPMS3: return !world_is(w, WORLD_MDCR_EL3_EnPMS3);
	case GUARD_EnPMS4: return !world_is(w, WORLD_MDCR_EL3_EnPMS4);
	case GUARD_PMSEE: return world_field(w, WORLD_MDCR_EL3_PMSEE, 2) == 0;
	case GUARD_NONE:
	case GUARD_FREE: break;
	}
	return false;
}

static bool el3_traps(struct world *w, const struct statement_fact *f)
{
	return f->guard != GUARD_FREE && world_is(w, WORLD_FEAT_EL3) &&
	       (world_nspb_trap(w) || guard_traps(w, f->guard));
}

/* Bits of HDFGxTR_EL2 do nothing while SCR_EL3.FGTEn is 0; those of HDFGxTR2_EL2 count as 0. */
static bool fgt_traps(struct world *w, const struct statement_fact *f, bool write)
{
	const bool two = f->word == WORD_HDFG2;
	bool enabled;

	if (f->word == WORD_NONE || !world_is(w, two ? WORLD_FEAT_FGT2 : WORLD_FEAT_FGT))
		return false;
	enabled = !world_is(w, WORLD_FEAT_EL3) ||
		  world_is(w, two ? WORLD_SCR_EL3_FGTEn2 : WORLD_SCR_EL3_FGTEn);
	if (!enabled)
		return two && !f->fgt_traps;
	return world_is(w, f->fgt_asks[write]) == f->fgt_traps;
}

static bool coarse_traps(struct world *w, enum statement_coarse coarse)
{
	switch (coarse) {
	case COARSE_TPMS: return world_is(w, WORLD_MDCR_EL2_TPMS);
	case COARSE_E2PB: return !world_is(w, WORLD_MDCR_EL2_E2PB);
	case COARSE_NONE: break;
	}
	return false;
}

static bool is_redirected(struct world *w, enum statement_redirect redirect)
{
	const unsigned int n = redirect == REDIRECT_NONE ? 0 : world_nvx(w);

	switch (redirect) {
	case REDIRECT_1x1: return (n & 5) == 5;
	case REDIRECT_111: return n == 7;
	case REDIRECT_101: return n == 5;
	case REDIRECT_EE:
		return n == 7 || (n == 5 && (world_pmscr_el2_ee(w) == 0 ||
					     world_field(w, WORLD_PMSCR_EL1_EE, 2) == 0));
	case REDIRECT_NONE: break;
	}
	return false;
}

const char *statement_el3_order(enum sysreg_id reg, uint8_t el)
{
	static const char *const names[] = {[GUARD_EnPMSN] = "EnPMSN",
					    [GUARD_EnPMS3] = "EnPMS3",
					    [GUARD_EnPMS4] = "EnPMS4",
					    [GUARD_PMSEE] = "PMSEE"};
	const struct statement_fact *f = &statement_facts[reg];

	if (f->guard == GUARD_NONE || f->guard == GUARD_FREE || (el == 1 && f->whose != WHOSE_EL1))
		return NULL;
	/* As on the pages of PMSDSFR_EL1 and PMBMAR_EL1, and only for EL1. */
	return el == 1 && (f->guard == GUARD_EnPMS3 || f->guard == GUARD_EnPMS4) ? names[f->guard]
										 : "NSPB";
}

/* These come first in Debug state, if EL3's traps have priority and EDSCR.SDD is 1. */
static bool undefined_before_traps(struct world *w, const struct statement_fact *f)
{
	return f->guard != GUARD_FREE && world_sdd_undef_priority(w) && el3_traps(w, f);
}

static struct outcome trap_to_el3(struct world *w)
{
	if (world_sdd_undef(w))
		return undefined;
	return (struct outcome){.kind = SYSREG_TRAP, .target_el = 3};
}

static struct outcome at_el1(struct world *w, const struct statement_fact *f, enum sysreg_id reg,
			     bool write)
{
	const struct outcome to_el2 = {.kind = SYSREG_TRAP, .target_el = 2};
	const struct outcome memory = {.kind = SYSREG_NVMEM, .offset = f->offset};

	if (f->whose == WHOSE_EL3)
		return undefined;
	if (f->whose != WHOSE_EL1) {
		if (is_redirected(w, f->redirect))
			return memory;
		return world_nvx(w) ? to_el2 : undefined;
	}
	if (undefined_before_traps(w, f))
		return undefined;
	if (world_el2_enabled(w) && (fgt_traps(w, f, write) || coarse_traps(w, f->coarse)))
		return to_el2;
	if (el3_traps(w, f))
		return trap_to_el3(w);
	if (is_redirected(w, f->redirect))
		return memory;
	return (struct outcome){.kind = SYSREG_DIRECT, .reg = reg};
}

/* The register that a name reaches at EL2 and EL3. */
static enum sysreg_id reached_register(struct world *w, enum sysreg_id reg)
{
	switch (reg) {
	case SYSREG_PMSCR_EL12: return SYSREG_PMSCR_EL1;
	case SYSREG_PMBSR_EL12: return SYSREG_PMBSR_EL1;
	case SYSREG_PMSCR_EL1:
		return w->el == 2 && world_el_is_in_host_el2(w) ? SYSREG_PMSCR_EL2 : reg;
	case SYSREG_PMBSR_EL1:
		return w->el == 2 && world_pmscr_el2_ee(w) != 0 && world_el_is_in_host_el2(w)
			       ? SYSREG_PMBSR_EL2
			       : reg;
	default: return reg;
	}
}

static struct outcome above_el1(struct world *w, const struct statement_fact *f, enum sysreg_id reg)
{
	if (f->whose == WHOSE_EL12 && !world_el_is_in_host_el2(w))
		return undefined;
	if (w->el == 2) {
		if (f->whose == WHOSE_EL3)
			return undefined;
		if (undefined_before_traps(w, f))
			return undefined;
		if (el3_traps(w, f))
			return trap_to_el3(w);
	}
	return (struct outcome){.kind = SYSREG_DIRECT, .reg = reached_register(w, reg)};
}

struct outcome statement(struct world *w, enum sysreg_id reg, bool write)
{
	const struct statement_fact *f = &statement_facts[reg];

	if (!statement_has(reg, write) || !statement_exists(w, reg) || w->el == 0)
		return undefined;
	return w->el == 1 ? at_el1(w, f, reg, write) : above_el1(w, f, reg);
}
