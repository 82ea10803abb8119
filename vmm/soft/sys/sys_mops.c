/* SPDX-License-Identifier: BSD-2-Clause */
/* Who may use memory copy and set, and who handles their exceptions: CheckMOPSEnabled(). */
#include "arm/levels.h"
#include "arm/registers.h"
#include "soft/sys/sys_private.h"

/* The effective HCRX_EL2; EL3 may disable it. */
static uint64_t effective_hcrx(const struct soft_sys *sys)
{
	return sys->levels.el3 && !(sys->controls.scr_el3 & SCR_EL3_HXEn) ? 0 : sys->hcrx_el2;
}

bool soft_mops_enabled(const struct soft_sys *sys)
{
	const unsigned int el = sys->pstate.el;
	const bool host = sysreg_el0_host(&sys->controls);

	if (el <= 1 && sysreg_el2_enabled(&sys->controls) && !host &&
	    !(effective_hcrx(sys) & HCRX_EL2_MSCEn))
		return false;
	return el != 0 || sys->sctlr[host ? 2 : 1] & SCTLR_ELx_MSCEn;
}

unsigned int soft_mops_target(const struct soft_sys *sys)
{
	if (sys->pstate.el != 1 || !sysreg_el2_enabled(&sys->controls))
		return 0;
	return effective_hcrx(sys) & HCRX_EL2_MCE2 ? 2 : 0;
}
