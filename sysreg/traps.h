/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Traps of EL1 and EL0 that routers have in common: fine-grained ones, and those of nested
 * virtualization (Arm ARM D1.3, D8.11; the pages of HFGRTR_EL2, HDFGRTR2_EL2 and HCR_EL2). Pure
 * functions.
 */
#ifndef SYSREG_TRAPS_H
#define SYSREG_TRAPS_H

#include "levels.h"

/*
 * Does a bit of a fine-grained trap register, whose value is word, trap an access from EL1 or EL0?
 * EL2 must be enabled. traps: the value of the bit that traps. fgt2: the register belongs to
 * FEAT_FGT2, whose bits all count as 0 without SCR_EL3.FGTEn2; those of FEAT_FGT trap nothing
 * without SCR_EL3.FGTEn. EL0 of a host is never trapped so.
 */
SYSREG_LEVELS_INLINE bool sysreg_fine_trap(const struct sysreg_controls *c, bool fgt2,
					   uint64_t word, unsigned int bit, bool traps)
{
	const uint64_t enable = fgt2 ? SYSREG_SCR_EL3_FGTEn2_MASK : SYSREG_SCR_EL3_FGTEn_MASK;

	if (!(c->features & (fgt2 ? SYSREG_FEAT_FGT2 : SYSREG_FEAT_FGT)) ||
	    (c->el == 0 && sysreg_el0_host(c)))
		return false;
	if ((c->features & SYSREG_FEAT_EL3) && !(c->scr_el3 & enable))
		return fgt2 && !traps;
	return (word >> bit & 1) == traps;
}

/* Which of the effective HCR_EL2.{NV2,NV1,NV} redirect an access: nvx & mask == match. */
struct sysreg_nv {
	uint8_t mask; /* 0: none does */
	uint8_t match;
};

#define SYSREG_NV_NEVER ((struct sysreg_nv){0, 0})

/*
 * What nested virtualization makes of an access from EL1 that nothing else traps: SYSREG_NVMEM is a
 * redirection. of_el2: it names a register of EL2, and without a redirection is trapped or
 * UNDEFINED.
 */
SYSREG_LEVELS_INLINE enum sysreg_route_kind sysreg_nv_kind(uint32_t nvx, struct sysreg_nv nv,
							   bool of_el2)
{
	if (nv.mask && (nvx & nv.mask) == nv.match)
		return SYSREG_NVMEM;
	if (!of_el2)
		return SYSREG_DIRECT;
	return nvx & 1 ? SYSREG_TRAP : SYSREG_UNDEFINED;
}

#endif
