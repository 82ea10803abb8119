/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which Exception levels and Security states there are, and what of EL2's controls is in effect
 * (Arm ARM D1.1, D1.3; EL2Enabled(), IsInHost(), HCR_EL2.E2H and TGE).
 */
#include "soft/sys_private.h"

#define SCR_NS	 (UINT64_C(1) << 0)
#define SCR_EEL2 (UINT64_C(1) << 18)
#define HCR_TGE	 (UINT64_C(1) << 27)
#define HCR_E2H	 (UINT64_C(1) << 34)

bool soft_el2_enabled(const struct soft_sys *sys)
{
	if (!sys->levels.el2)
		return false;
	if (!sys->levels.el3 || (sys->controls.scr_el3 & SCR_NS))
		return true;
	return sys->levels.sel2 && (sys->controls.scr_el3 & SCR_EEL2);
}

uint64_t soft_hcr(const struct soft_sys *sys)
{
	return soft_el2_enabled(sys) ? sys->controls.hcr_el2 : 0;
}

bool soft_in_host(const struct soft_sys *sys)
{
	return (soft_hcr(sys) & (HCR_E2H | HCR_TGE)) == (HCR_E2H | HCR_TGE);
}

enum soft_regime soft_regime_at(const struct soft_sys *sys, unsigned int el)
{
	switch (el) {
	case 0: return soft_in_host(sys) ? SOFT_REGIME_EL20 : SOFT_REGIME_EL10;
	case 1: return SOFT_REGIME_EL10;
	case 2: return (sys->controls.hcr_el2 & HCR_E2H) ? SOFT_REGIME_EL20 : SOFT_REGIME_EL2;
	default: return SOFT_REGIME_EL3;
	}
}

void soft_controls_changed(struct soft_cpu *cpu)
{
	struct soft_sys *sys = soft_sys(cpu);

	if (sys->spe)
		spe_update(sys->spe, &sys->controls);
}
