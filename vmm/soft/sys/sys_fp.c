/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The traps of floating-point, Advanced SIMD and SVE, and the length of SVE's vectors (Arm ARM,
 * CheckFPAdvSIMDEnabled64(), CheckSVEEnabled() and CurrentNSVL()).
 *
 * Both have a field of CPACR_EL1 and, in a host, of CPTR_EL2, a bit of CPTR_EL2 that traps
 * otherwise, and a bit of CPTR_EL3. An instruction of SVE is subject to SVE's and then, at each
 * level, to those of floating-point: with CPACR_EL1.ZEN 3 and FPEN 0 it is trapped as
 * floating-point is.
 */
#include "arm/levels.h"
#include "arm/registers.h"
#include "soft/sys/isa.h"
#include "soft/sys/sys_private.h"

/* The controls of one of them. */
struct unit {
	uint8_t ec;
	uint32_t iss;
	uint8_t enable_lsb;	 /* FPEN, ZEN: the same bits of CPACR_EL1 and CPTR_EL2 */
	uint64_t trap;		 /* of CPTR_EL2 */
	uint64_t el3, el3_traps; /* a bit of CPTR_EL3, and its value that traps */
};

static const struct unit fp_unit = {
	.ec = ARM_EC_FP,
	.iss = ARM_ISS_ALWAYS,
	.enable_lsb = 20,
	.trap = CPTR_ELx_TFP,
	.el3 = CPTR_ELx_TFP,
	.el3_traps = CPTR_ELx_TFP,
};

static const struct unit sve_unit = {
	.ec = ARM_EC_SVE,
	.enable_lsb = 16,
	.trap = CPTR_EL2_TZ,
	.el3 = CPTR_EL3_EZ,
};

/* 1 enables it at only one of the levels. */
static bool disabled(unsigned int enable, bool el0)
{
	return enable == 3 ? false : enable == 1 ? el0 : true;
}

static bool trapped_to_el1(const struct soft_sys *sys, const struct unit *unit)
{
	const unsigned int el = sys->pstate.el;

	return el <= 1 && !(el == 0 && sysreg_el0_host(&sys->controls)) &&
	       disabled(sys->cpacr_el1 >> unit->enable_lsb & 3, el == 0);
}

static bool trapped_to_el2(const struct soft_sys *sys, const struct unit *unit)
{
	const unsigned int el = sys->pstate.el;
	const uint64_t hcr = sysreg_hcr(&sys->controls);

	if (!sys->levels.el2 || el > 2 || (el < 2 && !sysreg_el2_enabled(&sys->controls)))
		return false;
	if (arm_el2_host(&sys->controls))
		return disabled(sys->cptr_el2 >> unit->enable_lsb & 3,
				el == 0 && hcr & HCR_EL2_TGE);
	return sys->cptr_el2 & unit->trap;
}

/* The level, from 1 on, whose controls trap one of them here; 0: none. */
static unsigned int trapping_level(const struct soft_sys *sys, const struct unit *unit,
				   unsigned int level)
{
	switch (level) {
	case 1: return trapped_to_el1(sys, unit);
	case 2: return trapped_to_el2(sys, unit);
	default: return sys->levels.el3 && (sys->cptr_el3 & unit->el3) == unit->el3_traps;
	}
}

static bool trapped_by(const struct soft_sys *sys, const struct unit *const *units,
		       unsigned int count, struct soft_exception *exception)
{
	for (uint8_t level = 1; level <= 3; level++) {
		for (unsigned int n = 0; n < count; n++) {
			if (!trapping_level(sys, units[n], level))
				continue;
			*exception = (struct soft_exception){
				.ec = units[n]->ec, .iss = units[n]->iss, .target_el = level};
			/* One for EL1 goes to EL2 as if the instruction were UNDEFINED. */
			if (level == 1 && sysreg_hcr(&sys->controls) & HCR_EL2_TGE)
				*exception = (struct soft_exception){.ec = ARM_EC_UNKNOWN,
								     .target_el = 2};
			return true;
		}
	}
	return false;
}

bool soft_fp_trapped(const struct soft_sys *sys, struct soft_exception *exception)
{
	static const struct unit *const units[] = {&fp_unit};

	return trapped_by(sys, units, 1, exception);
}

bool soft_sve_trapped(const struct soft_sys *sys, struct soft_exception *exception)
{
	static const struct unit *const units[] = {&sve_unit, &fp_unit};

	return trapped_by(sys, units, 2, exception);
}

bool soft_zcr_trapped(const struct soft_sys *sys, struct soft_exception *exception)
{
	static const struct unit *const units[] = {&sve_unit};

	return trapped_by(sys, units, 1, exception);
}

unsigned int soft_sve_length(const struct soft_sys *sys)
{
	const unsigned int el = sys->pstate.el;
	unsigned int length = sys->sve_vl, limit = 15;

	if (!(sys->isa & SOFT_ISA(SVE)))
		return 0;
	if (el <= 1 && !(el == 0 && sysreg_el0_host(&sys->controls)))
		limit = (unsigned int)ARM_GET(ZCR_ELx_LEN, sys->zcr[1]);
	if (sys->levels.el2 && (el == 2 || (el < 2 && sysreg_el2_enabled(&sys->controls))) &&
	    ARM_GET(ZCR_ELx_LEN, sys->zcr[2]) < limit)
		limit = (unsigned int)ARM_GET(ZCR_ELx_LEN, sys->zcr[2]);
	if (sys->levels.el3 && ARM_GET(ZCR_ELx_LEN, sys->zcr[3]) < limit)
		limit = (unsigned int)ARM_GET(ZCR_ELx_LEN, sys->zcr[3]);
	while (length > 16 * (limit + 1))
		length /= 2;
	return length;
}
