/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * When profiling is enabled (Arm ARM D17.4), and what of a record the controls permit (D17.5; J1.52
 * to J1.55). All of it is a function of struct sysreg_controls, PMSCR_ELx, PMBLIMITR_EL1.E and
 * PMBSR_EL1.S, and is worked out once when one of them changes.
 */
#include "internal.h"

#define HCR_TGE	 BIT(27)
#define HCR_E2H	 BIT(34)
#define SCR_NS	 BIT(0)
#define SCR_EEL2 BIT(18)
#define SCR_NSE	 BIT(62)

#define MDCR_EL2_E2PB	FIELD(13, 12)
#define MDCR_EL3_NSPBE	BIT(11)
#define MDCR_EL3_NSPB_1 BIT(13) /* NSPB[1]; NSPB[0] matters to access traps only */

/* Where the PE is, as far as profiling is concerned. */
struct place {
	enum security_state owner_ss, current_ss;
	uint8_t owner_el;
	bool el2_enabled; /* EL2Enabled() in the current Security state */
	bool tge, e2h;	  /* effective */
};

static bool have(const struct sysreg_controls *c, uint32_t feature)
{
	return (c->features & feature) != 0;
}

/* The Security state of ELs below EL3, also while the PE is at EL3. */
static enum security_state current_security_state(const struct sysreg_controls *c)
{
	bool ns = c->scr_el3 & SCR_NS;
	bool nse = have(c, SYSREG_FEAT_RME) && (c->scr_el3 & SCR_NSE);

	if (!have(c, SYSREG_FEAT_EL3))
		return have(c, SYSREG_FEAT_SECURE) ? SS_SECURE : SS_NON_SECURE;
	if (nse)
		return ns ? SS_REALM : SS_ROOT;
	return ns ? SS_NON_SECURE : SS_SECURE;
}

static enum security_state owning_security_state(const struct sysreg_controls *c)
{
	bool upper = c->mdcr_el3 & MDCR_EL3_NSPB_1;

	if (!have(c, SYSREG_FEAT_EL3))
		return current_security_state(c);
	if (have(c, SYSREG_FEAT_RME) && (c->mdcr_el3 & MDCR_EL3_NSPBE))
		return upper ? SS_REALM : SS_NONE;
	return upper ? SS_NON_SECURE : SS_SECURE;
}

static bool el2_enabled_in(const struct sysreg_controls *c, enum security_state ss)
{
	if (!have(c, SYSREG_FEAT_EL2))
		return false;
	if (ss != SS_SECURE)
		return true;
	return have(c, SYSREG_FEAT_SEL2) && (!have(c, SYSREG_FEAT_EL3) || (c->scr_el3 & SCR_EEL2));
}

static struct place find_place(const struct sysreg_controls *c)
{
	struct place p;

	p.owner_ss = owning_security_state(c);
	p.current_ss = current_security_state(c);
	p.owner_el = el2_enabled_in(c, p.owner_ss) && !(c->mdcr_el2 & MDCR_EL2_E2PB) ? 2 : 1;
	p.el2_enabled = el2_enabled_in(c, p.current_ss);
	p.tge = p.el2_enabled && (c->hcr_el2 & HCR_TGE);
	p.e2h = p.el2_enabled && have(c, SYSREG_FEAT_VHE) && (c->hcr_el2 & HCR_E2H);
	return p;
}

static bool enabled_at_el(const struct spe_unit *unit, const struct place *p)
{
	const struct sysreg_controls *c = &unit->controls;

	if (c->aarch32 || c->el > p->owner_el || (p->tge && p->owner_el == 1))
		return false;
	switch (c->el) {
	case 2: return unit->pmscr_el2 & PMSCR_E1SPE;
	case 1: return unit->pmscr_el1 & PMSCR_E1SPE;
	default: return (p->tge ? unit->pmscr_el2 : unit->pmscr_el1) & PMSCR_E0SPE;
	}
}

/* Without FEAT_ECV a PCT field has one bit: 0 virtual, 1 physical (J1.55). */
static enum spe_timestamp timestamp_kind(const struct spe_unit *unit, const struct place *p)
{
	const struct sysreg_controls *c = &unit->controls;
	uint64_t owner = p->owner_el == 2 ? unit->pmscr_el2 : unit->pmscr_el1;
	bool in_host = p->e2h && (c->el == 2 || (c->el == 0 && p->tge));
	bool physical;

	if (!unit->enabled || !(owner & PMSCR_TS))
		return SPE_TIMESTAMP_NONE;
	physical = unit->pmscr_el1 & PMSCR_PCT;
	if (p->el2_enabled && !(unit->pmscr_el2 & PMSCR_PCT))
		physical = false;
	else if (p->el2_enabled && p->owner_el == 2)
		physical = true;
	/* PMSCR_EL1.PCT is not there without EL2: it reads as 1. */
	if (!have(c, SYSREG_FEAT_EL2))
		physical = true;
	return physical || in_host ? SPE_TIMESTAMP_PHYSICAL : SPE_TIMESTAMP_VIRTUAL;
}

static void find_shape(struct spe_unit *unit, const struct place *p)
{
	const struct sysreg_controls *c = &unit->controls;
	bool pa1 = unit->pmscr_el1 & PMSCR_PA;
	bool pa2 = unit->pmscr_el2 & PMSCR_PA;

	unit->shape.context1 = (unit->pmscr_el1 & PMSCR_CX) && c->el != 2 && !p->tge;
	unit->shape.context2 = (unit->pmscr_el2 & PMSCR_CX) && p->el2_enabled;
	unit->shape.pa = el2_enabled_in(c, p->owner_ss) ? pa2 && (p->owner_el == 2 || pa1) : pa1;
	unit->shape.timestamp = (uint8_t)timestamp_kind(unit, p);
}

void spe_refresh(struct spe_unit *unit)
{
	const struct sysreg_controls *c = &unit->controls;
	struct place p = find_place(c);
	bool was_enabled = unit->enabled;

	unit->owning_el = p.owner_el;
	unit->programmable = c->el == 3 || (p.owner_ss == p.current_ss && p.owner_el <= c->el);
	/* An owner in AArch32 state has no use of the buffer; EL0 may be in it. */
	unit->buffer_enabled = !c->halted && !(c->aarch32 && c->el >= p.owner_el) &&
			       p.owner_ss == p.current_ss && (unit->pmblimitr & PMBLIMITR_E) &&
			       !(unit->pmbsr & PMBSR_S);
	/* EL3 is above every owner. */
	unit->enabled = unit->buffer_enabled && enabled_at_el(unit, &p);
	find_shape(unit, &p);
	if (unit->enabled == was_enabled)
		return;
	if (unit->enabled)
		spe_interval_start(unit);
	else
		spe_interval_sync(unit);
	spe_interval_plan(unit);
}

void spe_update(struct spe_unit *unit, const struct sysreg_controls *controls)
{
	unit->controls = *controls;
	spe_refresh(unit);
}

bool spe_enabled(const struct spe_unit *unit)
{
	return unit->enabled;
}

bool spe_pmu_freeze(const struct spe_unit *unit)
{
	uint64_t both = PMBLIMITR_E | PMBLIMITR_PMFZ;

	return (unit->pmblimitr & both) == both && (unit->pmbsr & PMBSR_S);
}
