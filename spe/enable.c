/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * When profiling is enabled (Arm ARM D17.4), and what a record may contain (D17.5; J1.52 to J1.55),
 * with FEAT_SPE_EXC and FEAT_SPE_nVM (J1.58, J1.60). All of this depends only on struct
 * sysreg_controls, PMSCR_ELx, PMBLIMITR_EL1 and PMBSR_ELx.S, and is computed when one of them
 * changes.
 */
#include "../sysreg/levels.h"
#include "holds.h"
#include "internal.h"

#define HCR_TGE BIT(27)
#define SCR_NS	BIT(0)
#define SCR_NSE BIT(62)

#define MDCR_EL2_E2PB	     FIELD(13, 12)
#define MDCR_EL3_NSPBE	     BIT(11)
#define MDCR_EL3_NSPB_1	     BIT(13) /* NSPB[1]; NSPB[0] matters to access traps only */
#define MDCR_EL3_PMSEE_SHIFT 51

/* The part of the PE's state that decides about profiling. */
struct place {
	enum security_state owner_ss, current_ss;
	uint8_t owner_el;
	bool denied;	  /* by a reserved value of MDCR_EL3.{NSPBE,NSPB}, with an event */
	bool el2_owning;  /* EL2 is enabled in the owning Security state */
	bool el2_enabled; /* EL2Enabled() in the current Security state */
	bool tge, e2h;	  /* effective */
};

static bool has_feature(const struct sysreg_controls *c, uint32_t feature)
{
	return (c->features & feature) != 0;
}

/* The Security state of ELs below EL3, also while the PE is at EL3. */
unsigned int spe_security_state(const struct sysreg_controls *c)
{
	bool ns = c->scr_el3 & SCR_NS;
	bool nse = has_feature(c, SYSREG_FEAT_RME) && (c->scr_el3 & SCR_NSE);

	if (!has_feature(c, SYSREG_FEAT_EL3))
		return has_feature(c, SYSREG_FEAT_SECURE) ? SS_SECURE : SS_NON_SECURE;
	if (nse)
		return ns ? SS_REALM : SS_ROOT;
	return ns ? SS_NON_SECURE : SS_SECURE;
}

static enum security_state owning_security_state(const struct sysreg_controls *c)
{
	bool upper = c->mdcr_el3 & MDCR_EL3_NSPB_1;

	if (!has_feature(c, SYSREG_FEAT_EL3))
		return spe_security_state(c);
	if (has_feature(c, SYSREG_FEAT_RME) && (c->mdcr_el3 & MDCR_EL3_NSPBE))
		return upper ? SS_REALM : SS_NONE;
	return upper ? SS_NON_SECURE : SS_SECURE;
}

/* Is EL2 enabled in the owning Security state, which without EL3 is the current one? */
static bool el2_enabled_in(const struct sysreg_controls *c, enum security_state owner)
{
	if (!has_feature(c, SYSREG_FEAT_EL3))
		return sysreg_el2_enabled(c);
	return has_feature(c, SYSREG_FEAT_EL2) &&
	       (owner != SS_SECURE || sysreg_secure_el2_enabled(c));
}

static struct place find_place(const struct unit *unit)
{
	const struct sysreg_controls *c = &unit->controls;
	struct place p = {0};

	p.owner_ss = owning_security_state(c);
	p.current_ss = spe_security_state(c);
	if (p.owner_ss == SS_NONE && unit->config.reserved_nspb == SPE_RESERVED_NSPB_NON_SECURE) {
		p.owner_ss = SS_NON_SECURE;
	} else if (p.owner_ss == SS_NONE && unit->config.reserved_nspb == SPE_RESERVED_NSPB_EVENT) {
		p.owner_ss = p.current_ss;
		p.denied = true;
	}
	p.el2_owning = el2_enabled_in(c, p.owner_ss);
	p.owner_el = p.el2_owning && !(c->mdcr_el2 & MDCR_EL2_E2PB) ? 2 : 1;
	p.el2_enabled = sysreg_el2_enabled(c);
	p.tge = sysreg_hcr(c) & HCR_TGE;
	p.e2h = sysreg_el2_host(c, p.el2_enabled);
	return p;
}

static uint8_t ee_field(uint64_t pmscr)
{
	return (uint8_t)((pmscr & PMSCR_EE) >> PMSCR_EE_SHIFT);
}

/* Who gets the events of the buffer (J1.59, J1.60). Without FEAT_SPE_EXC that is EL1 throughout. */
static void find_delegation(struct unit *unit, const struct place *p)
{
	const struct sysreg_controls *c = &unit->controls;
	uint8_t pmsee = 0, ee2 = 0, ee1 = 0;

	if (unit->config.exc) {
		pmsee = has_feature(c, SYSREG_FEAT_EL3) ? c->mdcr_el3 >> MDCR_EL3_PMSEE_SHIFT & 3
							: 1;
		if (pmsee != 0)
			ee2 = sysreg_el2_has_ee(c, p->el2_enabled) ? ee_field(unit->pmscr_el2) : 1;
		/* The reserved values 01 and 10 are 00 and 11, as FEAT_NV has it. */
		if (ee2 != 0)
			ee1 = ee_field(unit->pmscr_el1) & 2 ? 3 : 0;
	}
	unit->pmsee = pmsee;
	unit->ee2 = ee2;
	unit->ee1 = ee1;
	unit->event_el = pmsee == 3 ? 3 : ee2 == 3 ? 2 : 1;
}

/* Is profiling stopped by a management event (J1.126)? */
static bool is_stopped(const struct unit *unit)
{
	return unit->pmbsr & PMBSR_S || (unit->pmsee & 2 && unit->pmbsr_el3 & PMBSR_S) ||
	       (unit->ee2 & 2 && unit->pmbsr_el2 & PMBSR_S);
}

/* Effective PMBLIMITR_EL1.nVM, and what the addresses are (J1.58). */
static void find_addresses(struct unit *unit, const struct place *p)
{
	bool stage2 = p->el2_owning && p->owner_el == 1;

	unit->untranslated_allowed = !stage2 || unit->pmscr_el2 & PMSCR_ENVM;
	unit->address_kind = SPE_ADDRESS_VIRTUAL;
	if (unit->pmblimitr & PMBLIMITR_NVM && unit->untranslated_allowed)
		unit->address_kind = stage2 ? SPE_ADDRESS_INTERMEDIATE : SPE_ADDRESS_PHYSICAL;
	unit->owner_ns = p->owner_ss & 1;
	unit->owner_nse = p->owner_ss >> 1 & 1;
}

static bool enabled_at_el(const struct unit *unit, const struct place *p)
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

/* PCT: 00 virtual, 01 physical, 11 offset (with FEAT_ECV; the reserved 10 is as 00 then). */
enum pct { PCT_VIRTUAL, PCT_PHYSICAL, PCT_OFFSET };

static enum pct pct_field(uint64_t pmscr)
{
	if (!(pmscr & PMSCR_PCT))
		return PCT_VIRTUAL;
	return pmscr & PMSCR_PCT_1 ? PCT_OFFSET : PCT_PHYSICAL;
}

/* J1.55, in its order. */
static enum spe_timestamp timestamp_kind(const struct unit *unit, const struct place *p)
{
	const struct sysreg_controls *c = &unit->controls;
	uint64_t owner = p->owner_el == 2 ? unit->pmscr_el2 : unit->pmscr_el1;
	bool in_host = p->e2h && (c->el == 2 || (c->el == 0 && p->tge));
	/* PMSCR_EL1.PCT is not there without EL2: it reads as 0b01. */
	enum pct pct1 = has_feature(c, SYSREG_FEAT_EL2) ? pct_field(unit->pmscr_el1) : PCT_PHYSICAL;
	enum pct pct2 = pct_field(unit->pmscr_el2), pct = pct1;

	if (!unit->enabled || !(owner & PMSCR_TS))
		return SPE_TIMESTAMP_NONE;
	if (p->el2_enabled && pct2 == PCT_VIRTUAL)
		pct = PCT_VIRTUAL;
	else if (p->el2_enabled && pct2 == PCT_PHYSICAL && p->owner_el == 2)
		pct = PCT_PHYSICAL;
	else if (p->el2_enabled && pct2 == PCT_OFFSET)
		pct = p->owner_el == 1 && pct1 == PCT_VIRTUAL ? PCT_VIRTUAL : PCT_OFFSET;
	switch (pct) {
	case PCT_PHYSICAL: return SPE_TIMESTAMP_PHYSICAL;
	case PCT_OFFSET: return SPE_TIMESTAMP_OFFSET;
	default: return in_host ? SPE_TIMESTAMP_PHYSICAL : SPE_TIMESTAMP_VIRTUAL;
	}
}

static void find_shape(struct unit *unit, const struct place *p)
{
	const struct sysreg_controls *c = &unit->controls;
	bool pa1 = unit->pmscr_el1 & PMSCR_PA;
	bool pa2 = unit->pmscr_el2 & PMSCR_PA;

	unit->shape.context1 = (unit->pmscr_el1 & PMSCR_CX) && c->el != 2 && !p->tge;
	unit->shape.context2 = (unit->pmscr_el2 & PMSCR_CX) && p->el2_enabled;
	unit->shape.pa = p->el2_owning ? pa2 && (p->owner_el == 2 || pa1) : pa1;
	unit->shape.timestamp = (uint8_t)timestamp_kind(unit, p);
}

/*
 * Where a record may begin: up to the limit less the largest record, if the buffer is not too
 * large.
 */
static void find_room(struct unit *unit)
{
	uint64_t limit = unit->pmblimitr & PMBLIMITR_LIMIT;
	uint64_t largest = UINT64_C(1) << unit->config.max_size;
	uint64_t buffer = unit->config.max_buffer;

	unit->room_from = buffer != 0 && limit > buffer ? limit - buffer : 0;
	unit->room_size = 0;
	if (limit >= largest && !unit->denied)
		unit->room_size = limit - largest - unit->room_from + 1;
}

void spe_derive(struct unit *unit)
{
	const struct sysreg_controls *c = &unit->controls;
	struct place p = find_place(unit);

	find_delegation(unit, &p);
	find_addresses(unit, &p);
	unit->owning_el = p.owner_el;
	unit->owner_current = p.owner_ss == p.current_ss;
	unit->el2_enabled = p.el2_enabled;
	unit->tge = p.tge;
	unit->stopped = is_stopped(unit);
	unit->denied = p.denied;
	unit->programmable = c->el == 3 || (unit->owner_current && p.owner_el <= c->el);
	/* An owner in AArch32 state has no use of the buffer; EL0 may be in it. */
	unit->buffer_enabled = !c->halted && !(c->aarch32 && c->el >= p.owner_el) &&
			       unit->owner_current && (unit->pmblimitr & PMBLIMITR_E) &&
			       !unit->stopped;
	find_room(unit);
	/* EL3 is above every owner. */
	unit->enabled = unit->buffer_enabled && enabled_at_el(unit, &p);
	find_shape(unit, &p);
}

void spe_refresh(struct unit *unit)
{
	bool was_enabled = unit->enabled;

	spe_derive(unit);
	if (unit->enabled == was_enabled)
		return;
	if (unit->enabled)
		spe_interval_start(unit);
	else
		spe_interval_stop(unit);
	spe_interval_plan(unit);
	if (!unit->enabled && spe_put_late(unit))
		spe_derive(unit);
	spe_holds(unit);
}

void spe_update(struct spe_unit *opaque, const struct sysreg_controls *controls)
{
	struct unit *unit = unit_of(opaque);

	unit->controls = *controls;
	spe_refresh(unit);
}

bool spe_enabled(const struct spe_unit *opaque)
{
	const struct unit *unit = unit_in(opaque);

	return unit->enabled;
}

unsigned int spe_owning_el(const struct spe_unit *opaque)
{
	const struct unit *unit = unit_in(opaque);

	return unit->owning_el;
}
