/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which Exception levels, Security states and controls of EL2 are in effect: functions of the
 * architecture's pseudocode that the rules of access, the profiling unit and the engines of vmm
 * share (Arm ARM D1.1, D1.3, and the pages of HCR_EL2 and SCR_EL3). Pure functions of struct
 * sysreg_controls. Registers and fields whose feature or Exception level is absent have no effect.
 */
#ifndef SYSREG_LEVELS_H
#define SYSREG_LEVELS_H

#include <vspe/sysreg.h>

#define SYSREG_LEVELS_INLINE static inline __attribute__((always_inline))

/* A field of a control register's value, right-aligned. */
#define SYSREG_FIELD(value, reg, field)                        \
	((uint32_t)((value) >> SYSREG_##reg##_##field##_LSB) & \
	 ((1u << SYSREG_##reg##_##field##_WIDTH) - 1))

/* EL0 to EL2 are in Secure state. EL3 must exist. */
SYSREG_LEVELS_INLINE bool sysreg_secure(const struct sysreg_controls *c)
{
	return (c->features & SYSREG_FEAT_EL3) && !SYSREG_FIELD(c->scr_el3, SCR_EL3, NS);
}

/* IsSecureEL2Enabled(). EL2 and EL3 must exist. */
SYSREG_LEVELS_INLINE bool sysreg_secure_el2_enabled(const struct sysreg_controls *c)
{
	return (c->features & SYSREG_FEAT_SEL2) && SYSREG_FIELD(c->scr_el3, SCR_EL3, EEL2);
}

/*
 * EL2Enabled(). Without EL3 this means that there is an EL2: a PE that is only in Secure state has
 * one only with FEAT_SEL2.
 */
SYSREG_LEVELS_INLINE bool sysreg_el2_enabled(const struct sysreg_controls *c)
{
	const uint32_t f = c->features;

	return (f & SYSREG_FEAT_EL2) &&
	       (!(f & SYSREG_FEAT_EL3) || SYSREG_FIELD(c->scr_el3, SCR_EL3, NS) ||
		sysreg_secure_el2_enabled(c));
}

/*
 * EL2 is implemented, and enabled in the current Security state, in the sense of
 * EffectivePMSCR_EL2_EE(), given EL2Enabled(): a PE without EL3 that is only in Secure state needs
 * FEAT_SEL2.
 */
SYSREG_LEVELS_INLINE bool sysreg_el2_has_ee(const struct sysreg_controls *c, bool el2_enabled)
{
	const uint32_t secure_alone = SYSREG_FEAT_EL3 | SYSREG_FEAT_SECURE | SYSREG_FEAT_SEL2;

	return el2_enabled && (c->features & secure_alone) != SYSREG_FEAT_SECURE;
}

/* The effective value of HCR_EL2: 0 if EL2 is not enabled. */
SYSREG_LEVELS_INLINE uint64_t sysreg_hcr(const struct sysreg_controls *c)
{
	return sysreg_el2_enabled(c) ? c->hcr_el2 : 0;
}

/* ELIsInHost(EL2), given EL2Enabled(): HCR_EL2.E2H is 1. */
SYSREG_LEVELS_INLINE bool sysreg_el2_host(const struct sysreg_controls *c, bool el2_enabled)
{
	return el2_enabled && (c->features & SYSREG_FEAT_VHE) &&
	       SYSREG_FIELD(c->hcr_el2, HCR_EL2, E2H);
}

/* ELIsInHost(EL0): HCR_EL2.{E2H,TGE} are {1,1} and EL2 is enabled, so that EL0 is under EL2&0. */
SYSREG_LEVELS_INLINE bool sysreg_el0_host(const struct sysreg_controls *c)
{
	return sysreg_el2_host(c, sysreg_el2_enabled(c)) && SYSREG_FIELD(c->hcr_el2, HCR_EL2, TGE);
}

/* EffectiveHCR_EL2_NVx(), given EL2Enabled(): {NV2,NV1,NV} as a number. Without NV it is 000. */
SYSREG_LEVELS_INLINE uint32_t sysreg_nvx(const struct sysreg_controls *c, bool el2_enabled)
{
	const uint32_t f = c->features;
	const uint64_t hcr = c->hcr_el2;

	if (!el2_enabled || !SYSREG_FIELD(hcr, HCR_EL2, NV) || !(f & SYSREG_FEAT_NV))
		return 0;
	return ((f & SYSREG_FEAT_NV2) ? SYSREG_FIELD(hcr, HCR_EL2, NV2) << 2 : 0) |
	       SYSREG_FIELD(hcr, HCR_EL2, NV1) << 1 | 1u;
}

#endif
