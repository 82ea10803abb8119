/* SPDX-License-Identifier: BSD-2-Clause */
/* FEAT_MOPS: who may use memory copy and set, where their exceptions go, and the bits of that. */

#include "../compare.h"
#include "arm/registers.h"
#include "soft/sys/isa.h"
#include "system_access.h"

TestSuite(system_mops, .init = fixture_reset);

#define HCRX MSR_WORD(3, 4, 1, 2, 2, 0)

/* CheckMOPSEnabled() of the Arm ARM, term by term. */
static bool enabled(unsigned int el, bool el2, bool host, bool hcrx, bool sctlr1, bool sctlr2)
{
	if (el == 0 && host)
		return sctlr2;
	if (el <= 1 && el2 && !hcrx)
		return false;
	return el > 0 || sctlr1;
}

Test(system_mops, enabled_and_target)
{
	for (unsigned int row = 0; row < 1u << 8; row++) {
		const bool el3 = row & 1, hxen = row & 2, mscen = row & 4, sctlr1 = row & 8;
		const bool sctlr2 = row & 16, host = row & 32, mce2 = row & 64, el2 = row & 128;
		const bool effective = !el3 || hxen;

		if ((el3 || host) && !el2)
			continue;
		for (unsigned int el = 0; el < 3u + el3; el++) {
			struct soft_sys *sys = &cpu.sys;
			unsigned int target;

			if ((el == 1 && host) || (el == 2 && !el2))
				continue;
			pe((struct engine_levels){.el2 = el2, .el3 = el3, .start = 1 + el2 + el3},
			   false);
			at(el);
			sys->isa = SOFT_ISA(HCX) | SOFT_ISA(MOPS);
			sys->controls.hcr_el2 = HCR_EL2_RW | (host ? HCR_EL2_TGE | HCR_EL2_E2H : 0);
			sys->controls.scr_el3 = SCR_EL3_RW | SCR_EL3_NS | (hxen ? SCR_EL3_HXEn : 0);
			sys->hcrx_el2 = (mscen ? HCRX_EL2_MSCEn : 0) | (mce2 ? HCRX_EL2_MCE2 : 0);
			sys->sctlr[1] = sctlr1 ? SCTLR_ELx_MSCEn : 0;
			sys->sctlr[2] = sctlr2 ? SCTLR_ELx_MSCEn : 0;
			cr_expect_eq(soft_mops_enabled(sys),
				     enabled(el, el2, host, mscen && effective, sctlr1, sctlr2),
				     "row 0x%x EL%u", row, el);
			target = el == 1 && el2 && mce2 && effective ? 2 : 0;
			cr_expect_eq(soft_mops_target(sys), target, "row 0x%x EL%u", row, el);
		}
	}
}

/* SCTLR_EL1, SCTLR_EL2 and HCRX_EL2 have their bits with the feature; ID_AA64ISAR2_EL1 says so. */
Test(system_mops, bits)
{
	for (unsigned int with = 0; with < 2; with++) {
		pe_el2();
		at(2);
		cpu.sys.isa = SOFT_ISA(HCX) | (with ? SOFT_ISA(MOPS) : 0);
		cr_assert_eq(msr(HCRX, ~UINT64_C(0)), SOFT_DONE);
		cr_expect_eq(cpu.sys.hcrx_el2, with ? UINT64_C(0xc00) : 0);
		cr_assert_eq(msr(MSR_WORD(3, 0, 1, 0, 0, 0), UINT64_C(1) << 33), SOFT_DONE);
		cr_expect_eq(cpu.sys.sctlr[1] >> 33 & 1, with);
		cr_assert_eq(msr(MSR_WORD(3, 4, 1, 0, 0, 0), UINT64_C(1) << 33), SOFT_DONE);
		cr_expect_eq(cpu.sys.sctlr[2] >> 33 & 1, with);
		cr_expect_eq(value_of(MRS_WORD(3, 0, 0, 6, 2, 0)), with ? 0x10000 : 0);
	}
}
