/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions that the register pages call. Source: the shared pseudocode of the Arm ARM. */
#include "conform/world.h"

unsigned int world_field(struct world *w, unsigned int first, unsigned int width)
{
	unsigned int value = 0;

	for (unsigned int i = 0; i < width; i++)
		value |= (unsigned int)world_is(w, first + i) << i;
	return value;
}

bool world_el2_enabled(struct world *w)
{
	if (!world_is(w, WORLD_FEAT_EL2))
		return false;
	if (!world_is(w, WORLD_FEAT_EL3) || world_is(w, WORLD_SCR_EL3_NS))
		return true;
	return world_is(w, WORLD_FEAT_SEL2) && world_is(w, WORLD_SCR_EL3_EEL2);
}

bool world_el_is_in_host_el2(struct world *w)
{
	return world_is(w, WORLD_FEAT_VHE) && world_el2_enabled(w) &&
	       world_is(w, WORLD_HCR_EL2_E2H);
}

/* NSPB[0] must be 1, NSPB[1] must be NS, and with FEAT_RME NSPBE must be NSE. */
bool world_nspb_trap(struct world *w)
{
	if (!world_is(w, WORLD_MDCR_EL3_NSPB))
		return true;
	if (world_is(w, WORLD_MDCR_EL3_NSPB + 1) != world_is(w, WORLD_SCR_EL3_NS))
		return true;
	return world_is(w, WORLD_FEAT_RME) &&
	       world_is(w, WORLD_MDCR_EL3_NSPBE) != world_is(w, WORLD_SCR_EL3_NSE);
}

bool world_sdd_undef(struct world *w)
{
	return world_is(w, WORLD_HALTED) && world_is(w, WORLD_SDD);
}

bool world_sdd_undef_priority(struct world *w)
{
	return world_sdd_undef(w) && world_is(w, WORLD_PRIORITY);
}

unsigned int world_nvx(struct world *w)
{
	unsigned int value = 1;

	if (!world_is(w, WORLD_FEAT_NV) || !world_el2_enabled(w) || !world_is(w, WORLD_HCR_EL2_NV))
		return 0;
	if (world_is(w, WORLD_HCR_EL2_NV1))
		value |= 2;
	if (world_is(w, WORLD_FEAT_NV2) && world_is(w, WORLD_HCR_EL2_NV2))
		value |= 4;
	return value;
}

/* HaveEL(EL2), and EffectiveSCR_EL3_NS() is 1 or IsSecureEL2Enabled(). */
static bool ee_of_el2(struct world *w)
{
	if (!world_is(w, WORLD_FEAT_EL2))
		return false;
	if (world_is(w, WORLD_FEAT_EL3))
		return world_el2_enabled(w);
	return !world_is(w, WORLD_FEAT_SECURE) || world_is(w, WORLD_FEAT_SEL2);
}

unsigned int world_pmscr_el2_ee(struct world *w)
{
	if (!world_is(w, WORLD_FEAT_SPE_EXC))
		return 0;
	if (world_is(w, WORLD_FEAT_EL3) && world_field(w, WORLD_MDCR_EL3_PMSEE, 2) == 0)
		return 0;
	return ee_of_el2(w) ? world_field(w, WORLD_PMSCR_EL2_EE, 2) : 1;
}

bool world_possible(struct world *w)
{
	if (w->el == 3)
		/* EDSCR.SDD keeps a halted PE out of EL3. */
		return world_is(w, WORLD_FEAT_EL3) && !world_sdd_undef(w);
	if (w->el == 2 && !world_el2_enabled(w))
		return false;
	return !(world_is(w, WORLD_FEAT_EL3) && world_is(w, WORLD_FEAT_RME) &&
		 world_is(w, WORLD_SCR_EL3_NSE) && !world_is(w, WORLD_SCR_EL3_NS));
}
