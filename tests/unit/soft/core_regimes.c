/* SPDX-License-Identifier: BSD-2-Clause */
/* A vCPU with all Exception levels, whose registers tests set by hand. */
#include "core_regimes.h"

struct core_machine *core_regimes(uint64_t hcr)
{
	return core_regimes_modelled(hcr, 1, NULL);
}

struct core_machine *core_regimes_modelled(uint64_t hcr, unsigned int cpus,
					   const struct engine_tuning *model)
{
	struct core_machine *m =
		core_new((struct core_options){.spe = true, .cpus = cpus, .model = model});
	struct soft_sys *sys = &soft(m)->sys;
	const bool e2h = hcr & HCR_E2H;

	sys->levels = (struct engine_levels){.el2 = true, .el3 = true, .start = 3};
	sys->controls.features |= SYSREG_FEAT_EL2 | SYSREG_FEAT_EL3 | SYSREG_FEAT_VHE |
				  SYSREG_FEAT_NV | SYSREG_FEAT_NV2;
	sys->controls.scr_el3 = 1;
	sys->controls.hcr_el2 = hcr;
	for (unsigned int el = 1; el < 4; el++) {
		const bool two = el == 1 || (el == 2 && e2h);

		sys->sctlr[el] = 1;
		sys->tcr[el] = 25 | (two ? UINT64_C(2) << 32 | BIT(23) : UINT64_C(2) << 16);
		sys->ttbr0[el] = TABLE(el);
		sys->mair[el] = 0xff;
		core_write(m, TABLE(el) + 8, BLOCK);
		core_write(m, TABLE(el) + 16, BLOCK | USER);
	}
	sys->vtcr_el2 = 2 << 16 | 1 << 6 | 32;
	sys->vttbr_el2 = STAGE2;
	core_write(m, STAGE2 + 8, BLOCK | S2_RW | 0xf << 2);
	soft_tlb_reset(soft(m));
	soft_context_changed(soft(m));
	return m;
}
