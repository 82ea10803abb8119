/* SPDX-License-Identifier: BSD-2-Clause */
/* Who may use floating-point and Advanced SIMD (Arm ARM, CheckFPAdvSIMDEnabled64()). */
#include "arm/levels.h"
#include "arm/registers.h"
#include "soft/sys/sys_private.h"

/* FPEN of CPACR_EL1 or, in a host, CPTR_EL2: 1 enables floating point at only one of the levels. */
static bool disabled(unsigned int fpen, bool el0)
{
	return fpen == 3 ? false : fpen == 1 ? el0 : true;
}

static bool trapped_to_el1(const struct soft_sys *sys)
{
	const unsigned int el = sys->pstate.el;

	return el <= 1 && !(el == 0 && sysreg_el0_host(&sys->controls)) &&
	       disabled((unsigned int)ARM_GET(CPACR_EL1_FPEN, sys->cpacr_el1), el == 0);
}

static bool trapped_to_el2(const struct soft_sys *sys)
{
	const unsigned int el = sys->pstate.el;
	const uint64_t hcr = sysreg_hcr(&sys->controls);

	if (el > 2 || (el < 2 && !sysreg_el2_enabled(&sys->controls)))
		return false;
	if (arm_el2_host(&sys->controls))
		return disabled((unsigned int)ARM_GET(CPTR_EL2_FPEN, sys->cptr_el2),
				el == 0 && hcr & HCR_EL2_TGE);
	return sys->cptr_el2 & CPTR_ELx_TFP;
}

bool soft_fp_trapped(const struct soft_sys *sys, struct soft_exception *exception)
{
	*exception = (struct soft_exception){.ec = ARM_EC_FP, .iss = ARM_ISS_ALWAYS};
	if (trapped_to_el1(sys)) {
		exception->target_el = 1;
		/* An exception for EL1 goes to EL2 as if the instruction were UNDEFINED. */
		if (sysreg_hcr(&sys->controls) & HCR_EL2_TGE)
			*exception = (struct soft_exception){.ec = ARM_EC_UNKNOWN, .target_el = 2};
		return true;
	}
	if (sys->levels.el2 && trapped_to_el2(sys)) {
		exception->target_el = 2;
		return true;
	}
	exception->target_el = 3;
	return sys->levels.el3 && sys->cptr_el3 & CPTR_ELx_TFP;
}
