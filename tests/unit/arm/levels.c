/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * EL2Enabled() and its kin in every combination of what they look at, against the architecture's
 * definitions written down a second time (Arm ARM D1.1, D1.3, the pages of HCR_EL2 and SCR_EL3).
 */

#include "../compare.h"
#include "arm/levels.h"

enum {
	EL2 = 1 << 0,
	EL3 = 1 << 1,
	SEL2 = 1 << 2,
	RME = 1 << 3,
	NS = 1 << 4,
	EEL2 = 1 << 5,
	NSE = 1 << 6,
	E2H = 1 << 7,
	TGE = 1 << 8,
	NV = 1 << 9,
	NV1 = 1 << 10,
	NV2 = 1 << 11,
	ALL = 1 << 12,
};

static struct sysreg_controls controls_of(unsigned int n)
{
	return (struct sysreg_controls){
		.features = (n & EL2 ? SYSREG_FEAT_EL2 | SYSREG_FEAT_VHE | SYSREG_FEAT_NV |
					       SYSREG_FEAT_NV2
				     : 0) |
			    (n & EL3 ? SYSREG_FEAT_EL3 : 0) | (n & SEL2 ? SYSREG_FEAT_SEL2 : 0) |
			    (n & RME ? SYSREG_FEAT_RME : 0),
		.scr_el3 = (n & NS ? 1 : 0) | (n & EEL2 ? UINT64_C(1) << 18 : 0) |
			   (n & NSE ? UINT64_C(1) << 62 : 0),
		.hcr_el2 = (n & TGE ? UINT64_C(1) << 27 : 0) | (n & E2H ? UINT64_C(1) << 34 : 0) |
			   (n & NV ? UINT64_C(1) << 42 : 0) | (n & NV1 ? UINT64_C(1) << 43 : 0) |
			   (n & NV2 ? UINT64_C(1) << 45 : 0),
	};
}

static bool enabled(unsigned int n)
{
	if (!(n & EL2))
		return false;
	return !(n & EL3) || n & NS || (n & SEL2 && n & EEL2);
}

Test(levels, of_every_combination)
{
	for (unsigned int n = 0; n < ALL; n++) {
		const struct sysreg_controls c = controls_of(n);
		const bool on = enabled(n), host = on && n & E2H;
		const unsigned int nvx = (n & NV2 ? 4 : 0) | (n & NV1 ? 2 : 0) | 1;

		cr_assert_eq(sysreg_el2_enabled(&c), on, "%#x", n);
		cr_assert_eq(sysreg_hcr(&c), on ? c.hcr_el2 : 0, "%#x", n);
		cr_assert_eq(arm_el2_host(&c), host, "%#x", n);
		cr_assert_eq(sysreg_el0_host(&c), host && n & TGE, "%#x", n);
		cr_assert_eq(arm_nvx(&c), on && n & NV ? nvx : 0, "%#x", n);
		cr_assert_eq(sysreg_secure(&c), n & EL3 && !(n & NS), "%#x", n);
		cr_assert_eq(arm_regime_at(&c, 0),
			     host && n & TGE ? ARM_REGIME_EL20 : ARM_REGIME_EL10, "%#x", n);
		cr_assert_eq(arm_regime_at(&c, 1), ARM_REGIME_EL10);
		cr_assert_eq(arm_regime_at(&c, 2), n & E2H ? ARM_REGIME_EL20 : ARM_REGIME_EL2);
		cr_assert_eq(arm_regime_at(&c, 3), ARM_REGIME_EL3);
	}
}

Test(levels, security_states)
{
	for (unsigned int n = 0; n < NSE << 1; n++) {
		const struct sysreg_controls c = controls_of(n);
		const struct arm_security_state low = arm_security_at(&c, 1),
						high = arm_security_at(&c, 3);

		if (!(n & EL3)) {
			cr_assert(low.ns, "%#x", n);
			cr_expect_not(low.nse, "%#x", n);
			cr_assert(high.ns, "%#x", n);
			cr_expect_not(high.nse, "%#x", n);
			cr_expect_eq(arm_security_of(&c, ARM_REGIME_EL10), ARM_NON_SECURE);
			continue;
		}
		cr_expect_not(high.ns, "%#x", n);
		cr_expect_eq(high.nse, !!(n & RME), "%#x", n);
		cr_expect_eq(low.ns, !!(n & NS), "%#x", n);
		cr_expect_eq(low.nse, n & RME && n & NSE, "%#x", n);
		cr_expect_eq(arm_security_of(&c, ARM_REGIME_EL3), n & RME ? ARM_ROOT : ARM_SECURE);
		cr_expect_eq(arm_security_of(&c, ARM_REGIME_EL10), n & RME && n & NSE ? ARM_REALM
								   : n & NS ? ARM_NON_SECURE
									    : ARM_SECURE);
	}
}
