/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The accesses of PMSICR_EL1 and PMSIRR_EL1, a second time: written from Arm's pages of the two
 * registers (2026-03) and not from the table, and compared with sysreg_route() in every combination
 * of every control that the pages name and of some that they do not.
 *
 * The functions that the pages call are made from prose: NSPB from the table of the field, not from
 * a formula; the effective HCR_EL2.{NV2,NV1,NV} as a number from 0 to 7.
 */
#include "common.h"

/* One combination: the arguments of the pages' functions, unpacked. */
struct world {
	bool spe, el2, el3, fgt, nv_feature, nv2_feature, rme, sel2;
	bool halted, sdd, priority;
	bool nv, nv1, nv2, tpms;
	bool ns, nse, eel2, fgten, nspbe;
	unsigned int nspb;
	bool hdfgrtr, hdfgwtr; /* the register's bit */
	unsigned int el;
};

enum security_state { SECURE, NON_SECURE, REALM };

enum answer { UNDEF, EL2_TRAP, EL3_TRAP, MEMORY, VALUE };

static enum security_state state_of(const struct world *w)
{
	if (w->rme && w->nse)
		return REALM;
	return w->ns ? NON_SECURE : SECURE;
}

static bool el2_enabled(const struct world *w)
{
	if (!w->el2)
		return false;
	if (!w->el3)
		return true;
	switch (state_of(w)) {
	case SECURE: return w->sel2 && w->eel2;
	default: return true;
	}
}

/* MDCR_EL3.{NSPBE,NSPB}: the text of each value says from where accesses trap. */
static bool nspb_traps(const struct world *w)
{
	const enum security_state state = state_of(w);

	switch ((w->rme && w->nspbe ? 4 : 0) + w->nspb) {
	case 1: return state != SECURE;
	case 3: return state != NON_SECURE;
	case 7: return state != REALM;
	default: /* 0, 2 and 6 trap all; 4 and 5 are reserved, and trap here */ return true;
	}
}

static unsigned int nvx(const struct world *w)
{
	unsigned int value = 0;

	if (w->nv_feature && el2_enabled(w) && w->nv) {
		value = 1;
		if (w->nv1)
			value += 2;
		if (w->nv2_feature && w->nv2)
			value += 4;
	}
	return value;
}

static bool el3_sdd_undef(const struct world *w)
{
	return w->halted && w->sdd;
}

static bool el3_sdd_undef_priority(const struct world *w)
{
	return el3_sdd_undef(w) && w->priority;
}

/* The page, one branch after another; MRS and MSR differ in which of the two HDFG registers they
 * ask. */
static enum answer page(const struct world *w, bool hdfg_bit)
{
	if (!w->spe)
		return UNDEF;
	if (w->el == 0)
		return UNDEF;
	if (w->el == 1) {
		if (w->el3 && el3_sdd_undef_priority(w) && nspb_traps(w))
			return UNDEF;
		if (el2_enabled(w) && w->fgt && (!w->el3 || w->fgten) && hdfg_bit)
			return EL2_TRAP;
		if (el2_enabled(w) && w->tpms)
			return EL2_TRAP;
		if (w->el3 && nspb_traps(w))
			return el3_sdd_undef(w) ? UNDEF : EL3_TRAP;
		if (nvx(w) == 5 || nvx(w) == 7)
			return MEMORY;
		return VALUE;
	}
	if (w->el == 2) {
		if (w->el3 && el3_sdd_undef_priority(w) && nspb_traps(w))
			return UNDEF;
		if (w->el3 && nspb_traps(w))
			return el3_sdd_undef(w) ? UNDEF : EL3_TRAP;
		return VALUE;
	}
	return VALUE;
}

/* What the pages say of the register itself. */
struct seed {
	enum sysreg_id reg;
	unsigned int hdfg_bit;
	uint16_t nvmem;
	uint32_t read_iss, write_iss; /* with Rt 17: op0 3, op1 0, CRn 9, CRm 9 and op2 */
};

#define RT	  17u
#define ISS(op2)  (3u << 20 | (op2) << 17 | 9u << 10 | RT << 5 | 9u << 1)
#define READ(op2) (ISS(op2) | 1u)

static const struct seed pmsicr = {SYSREG_PMSICR_EL1, 29, 0x838, READ(2u), ISS(2u)};
static const struct seed pmsirr = {SYSREG_PMSIRR_EL1, 31, 0x840, READ(3u), ISS(3u)};

/* The same world as the code under test is given it. */
static struct sysreg_controls controls_of(const struct world *w, const struct seed *seed)
{
	return (struct sysreg_controls){
		.features = (w->spe ? SYSREG_FEAT_SPE : 0) | (w->el2 ? SYSREG_FEAT_EL2 : 0) |
			    (w->el3 ? SYSREG_FEAT_EL3 : 0) | (w->fgt ? SYSREG_FEAT_FGT : 0) |
			    (w->nv_feature ? SYSREG_FEAT_NV : 0) |
			    (w->nv2_feature ? SYSREG_FEAT_NV2 : 0) |
			    (w->rme ? SYSREG_FEAT_RME : 0) | (w->sel2 ? SYSREG_FEAT_SEL2 : 0),
		.el = (uint8_t)w->el,
		.halted = w->halted,
		.edscr_sdd = w->sdd,
		.el3_trap_has_priority_sdd = w->priority,
		.hcr_el2 = (w->nv ? HCR_NV : 0) | (w->nv1 ? HCR_NV1 : 0) | (w->nv2 ? HCR_NV2 : 0),
		.mdcr_el2 = w->tpms ? MDCR2_TPMS : 0,
		.mdcr_el3 = MDCR3_NSPB(w->nspb) | (w->nspbe ? MDCR3_NSPBE : 0),
		.scr_el3 = (w->ns ? SCR_NS : 0) | (w->nse ? SCR_NSE : 0) |
			   (w->eel2 ? SCR_EEL2 : 0) | (w->fgten ? SCR_FGTEN : 0),
		.hdfgrtr_el2 = w->hdfgrtr ? BIT(seed->hdfg_bit) : 0,
		.hdfgwtr_el2 = w->hdfgwtr ? BIT(seed->hdfg_bit) : 0,
	};
}

static struct sysreg_route route_of(enum answer answer, const struct seed *seed, bool write)
{
	struct sysreg_route r = {.reg = seed->reg};

	switch (answer) {
	case UNDEF: r.kind = SYSREG_UNDEFINED; break;
	case EL2_TRAP:
	case EL3_TRAP:
		r.kind = SYSREG_TRAP;
		r.target_el = answer == EL2_TRAP ? 2 : 3;
		r.syndrome = write ? seed->write_iss : seed->read_iss;
		break;
	case MEMORY:
		r.kind = SYSREG_NVMEM;
		r.nvmem_offset = seed->nvmem;
		break;
	case VALUE: r.kind = SYSREG_DIRECT; break;
	}
	return r;
}

#define CONTROL_BITS 23

/* n counts through all combinations: one bit of it is one control. */
static struct world unpack(uint32_t n, unsigned int el)
{
	struct world w = {.el = el};
	bool *const bits[] = {&w.spe,	&w.el2,	  &w.el3,    &w.fgt, &w.nv_feature, &w.nv2_feature,
			      &w.rme,	&w.sel2,  &w.halted, &w.sdd, &w.priority,   &w.nv,
			      &w.nv1,	&w.nv2,	  &w.tpms,   &w.ns,  &w.nse,	    &w.eel2,
			      &w.fgten, &w.nspbe, &w.hdfgrtr};

	for (size_t i = 0; i < sizeof(bits) / sizeof(bits[0]); i++)
		*bits[i] = n >> i & 1;
	w.nspb = n >> 21 & 3;
	/* The other direction's bit is the opposite, so that a look at the wrong one shows. */
	w.hdfgwtr = !w.hdfgrtr;
	return w;
}

static void compare(const struct seed *seed, bool write)
{
	size_t seen[VALUE + 1] = {0}, compared = 0;

	for (unsigned int el = 0; el < 4; el++)
		for (uint32_t n = 0; n < 1u << CONTROL_BITS; n++) {
			const struct world w = unpack(n, el);
			const struct sysreg_controls c = controls_of(&w, seed);
			const enum answer answer = page(&w, write ? w.hdfgwtr : w.hdfgrtr);
			const struct sysreg_route want = route_of(answer, seed, write);
			struct sysreg_route got;

			/* {NSE,NS} 10 is Root: no lower Exception level is in it. */
			if (w.rme && w.nse && !w.ns && el < 3)
				continue;
			got = sysreg_route(&c, (struct sysreg_access){seed->reg, write, RT});
			if (!same_route(got, want))
				cr_assert_fail("EL%u, combination %#" PRIx32 ": got " SHOW_ROUTE
					       ", the page says " SHOW_ROUTE,
					       el, n, ROUTE_ARGS(got), ROUTE_ARGS(want));
			seen[answer]++;
			compared++;
		}
	/* The comparison is of something: every outcome occurs. */
	for (size_t i = 0; i <= VALUE; i++)
		cr_assert_gt(seen[i], 1000);
	cr_assert_gt(compared, 4u << (CONTROL_BITS - 1));
}

Test(seeds, pmsicr_read)
{
	compare(&pmsicr, false);
}

Test(seeds, pmsicr_write)
{
	compare(&pmsicr, true);
}

Test(seeds, pmsirr_read)
{
	compare(&pmsirr, false);
}

Test(seeds, pmsirr_write)
{
	compare(&pmsirr, true);
}
