/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Consequences of Exception levels and Security states that the library does not need, an extension
 * of sysreg/levels.h: the Security state of a level, and the translation regime of its accesses
 * (Arm ARM D1.1, D8.1).
 */
#ifndef VSPE_ARM_LEVELS_H
#define VSPE_ARM_LEVELS_H

#include "arm/registers.h"
#include "arm/walk.h"
#include "sysreg/levels.h"

/* ELIsInHost(EL2): HCR_EL2.E2H is 1 and EL2 enabled. */
static inline bool arm_el2_host(const struct sysreg_controls *c)
{
	return sysreg_el2_host(c, sysreg_el2_enabled(c));
}

/* EffectiveHCR_EL2_NVx() */
static inline unsigned int arm_nvx(const struct sysreg_controls *c)
{
	return sysreg_nvx(c, sysreg_el2_enabled(c));
}

/* A Security state, as SCR_EL3.{NSE,NS} have it; that of EL3 is Root or Secure. */
struct arm_security_state {
	bool ns, nse;
};

static inline struct arm_security_state arm_security_at(const struct sysreg_controls *c,
							unsigned int el)
{
	const bool rme = c->features & SYSREG_FEAT_RME;

	if (!(c->features & SYSREG_FEAT_EL3))
		return (struct arm_security_state){.ns = true};
	if (el == 3)
		return (struct arm_security_state){.nse = rme};
	return (struct arm_security_state){
		.ns = c->scr_el3 & SCR_EL3_NS,
		.nse = rme && c->scr_el3 & SCR_EL3_NSE,
	};
}

/* The Security state of the tables of a regime. */
static inline enum arm_security arm_security_of(const struct sysreg_controls *c,
						enum arm_regime_kind kind)
{
	const struct arm_security_state state = arm_security_at(c, kind == ARM_REGIME_EL3 ? 3 : 1);

	if (kind == ARM_REGIME_EL3 && c->features & SYSREG_FEAT_EL3)
		return state.nse ? ARM_ROOT : ARM_SECURE;
	if (state.nse)
		return ARM_REALM;
	return state.ns ? ARM_NON_SECURE : ARM_SECURE;
}

/*
 * The regime of accesses at el: that of EL0 is EL1&0 or, in a host, EL2&0; that of EL2 is EL2 or,
 * with HCR_EL2.E2H 1, EL2&0.
 */
static inline enum arm_regime_kind arm_regime_at(const struct sysreg_controls *c, unsigned int el)
{
	switch (el) {
	case 0: return sysreg_el0_host(c) ? ARM_REGIME_EL20 : ARM_REGIME_EL10;
	case 1: return ARM_REGIME_EL10;
	case 2: return c->hcr_el2 & HCR_EL2_E2H ? ARM_REGIME_EL20 : ARM_REGIME_EL2;
	default: return ARM_REGIME_EL3;
	}
}

/*
 * Add EL2's controls to a regime EL1&0, if EL2 is enabled: hcr is HCR_EL2, vtcr and vttbr are
 * VTCR_EL2 and VTTBR_EL2. The caller changes stage 2 for Secure state's own IPAs.
 */
static inline void arm_regime_under_el2(struct arm_regime *regime, uint64_t hcr, uint64_t vtcr,
					uint64_t vttbr)
{
	const struct arm_stage2 stage2 = {
		.on = hcr & (HCR_EL2_VM | HCR_EL2_DC),
		.vtcr = vtcr,
		.vttbr = vttbr,
		.protected_walks = hcr & HCR_EL2_PTW,
		.uncached_data = hcr & HCR_EL2_CD,
		.uncached_code = hcr & HCR_EL2_ID,
	};

	regime->off = hcr & (HCR_EL2_DC | HCR_EL2_TGE);
	regime->default_cacheable = hcr & HCR_EL2_DC;
	regime->nv1 = (hcr & (HCR_EL2_NV | HCR_EL2_NV1)) == (HCR_EL2_NV | HCR_EL2_NV1);
	regime->nested = stage2.on;
	regime->stage2[0] = regime->stage2[1] = stage2;
}

/* The level of a regime's SCTLR_ELx, TCR_ELx and so on. */
static inline unsigned int arm_regime_owner(enum arm_regime_kind kind)
{
	switch (kind) {
	case ARM_REGIME_EL10: return 1;
	case ARM_REGIME_EL3: return 3;
	default: return 2;
	}
}

/*
 * Is CNTPOFF_EL2 turned on, by CNTHCTL_EL2.ECV and SCR_EL3.ECVEn? The caller decides who it applies
 * to.
 */
static inline bool arm_cntpoff_on(const struct sysreg_controls *c, uint64_t cnthctl_el2)
{
	return (cnthctl_el2 & CNTHCTL_EL2_ECV) &&
	       (!(c->features & SYSREG_FEAT_EL3) || (c->scr_el3 & SCR_EL3_ECVEn));
}

/* VNCR_EL2.BADDR + offset. BADDR is bits 52 to 12; those above repeat bit 52 (Arm ARM D8.11). */
static inline uint64_t arm_vncr_address(uint64_t vncr_el2, uint16_t offset)
{
	return (uint64_t)((int64_t)(vncr_el2 << 11) >> 11) + offset;
}

/* Debug exceptions from EL0 and EL1 go to EL2: HCR_EL2.TGE, MDCR_EL2.TDE. */
static inline bool arm_debug_to_el2(const struct sysreg_controls *c)
{
	return sysreg_el2_enabled(c) && (c->hcr_el2 & HCR_EL2_TGE || c->mdcr_el2 & MDCR_EL2_TDE);
}

#endif
