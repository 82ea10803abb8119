/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The controls of higher Exception levels: reported to the profiling unit, and set as the software
 * of those levels leaves them for a guest.
 */
#include "arm/registers.h"
#include "soft/sys/isa.h"
#include "soft/sys/pmu.h"
#include "soft/sys/sys_private.h"

void soft_controls_changed(struct soft_cpu *cpu)
{
	struct soft_sys *sys = soft_sys(cpu);

	if (sys->spe)
		spe_update(sys->spe, &sys->controls);
	if (sys->pmu)
		soft_pmu_refresh(cpu);
}

/* EE delegated, PCT physical. */
#define PMSCR_EL2_GUEST \
	(PMSCR_EL2_EnVM | ARM_VALUE(PMSCR_EL2_EE, 1) | ARM_VALUE(PMSCR_EL2_PCT, 1) | PMSCR_EL2_PA)

/*
 * Set EL3 as firmware leaves it for EL2 and EL1 of the Security state that the machine starts in.
 */
static void hand_down_el3(struct soft_sys *sys)
{
	struct sysreg_controls *c = &sys->controls;

	c->scr_el3 = SCR_EL3_RW | SCR_EL3_HCE | SCR_EL3_ST | SCR_EL3_FGTEn | SCR_EL3_FGTEn2 |
		     SCR_EL3_ECVEn;
	if (sys->isa & SOFT_ISA(PAuth))
		c->scr_el3 |= SCR_EL3_APK | SCR_EL3_API;
	if (sys->isa & SOFT_ISA(MOPS))
		c->scr_el3 |= SCR_EL3_HXEn;
	if (sys->isa & SOFT_ISA(SVE)) {
		sys->cptr_el3 |= CPTR_EL3_EZ;
		sys->zcr[3] = ZCR_ELx_LEN;
	}
	c->mdcr_el3 =
		MDCR_EL3_EnPMSN | MDCR_EL3_EnPMS3 | MDCR_EL3_EnPMS4 | ARM_VALUE(MDCR_EL3_PMSEE, 1);
	if (sys->pmu && sys->pmu->unit.config.version >= PMU_V3P9)
		c->mdcr_el3 |= MDCR_EL3_EnPM2;
	switch (sys->levels.security) {
	case ENGINE_NON_SECURE:
		c->scr_el3 |= SCR_EL3_NS;
		c->mdcr_el3 |= MDCR_EL3_NSPB;
		break;
	case ENGINE_SECURE:
		c->scr_el3 |= sys->levels.sel2 ? SCR_EL3_EEL2 : 0;
		c->mdcr_el3 |= ARM_VALUE(MDCR_EL3_NSPB, 1) | (sys->pmu ? MDCR_EL3_SPME : 0);
		break;
	case ENGINE_REALM:
		c->scr_el3 |= SCR_EL3_NS | SCR_EL3_NSE;
		c->mdcr_el3 |= MDCR_EL3_NSPBE | MDCR_EL3_NSPB;
		break;
	}
}

/* Set EL2 as a hypervisor does that shows its guest the PE unchanged. */
static void hand_down_el2(struct soft_sys *sys)
{
	struct sysreg_controls *c = &sys->controls;

	c->hcr_el2 = HCR_EL2_RW;
	if (sys->isa & SOFT_ISA(PAuth))
		c->hcr_el2 |= HCR_EL2_APK | HCR_EL2_API;
	if (sys->isa & SOFT_ISA(MOPS))
		sys->hcrx_el2 = HCRX_EL2_MSCEn;
	if (sys->isa & SOFT_ISA(SVE)) {
		sys->cptr_el2 &= ~CPTR_EL2_TZ;
		sys->zcr[2] = ZCR_ELx_LEN;
	}
	c->mdcr_el2 |= MDCR_EL2_E2PB;
	c->hdfgrtr_el2 = c->hdfgwtr_el2 = HDFGRTR_EL2_nPMSNEVFR_EL1;
	c->hdfgrtr2_el2 = c->hdfgwtr2_el2 = UINT64_MAX; /* every bit is of the kind that 0 traps */
	sys->cnthctl_el2 = CNTHCTL_EL2_EL1PCTEN | CNTHCTL_EL2_EL1PCEN;
	if (sys->spe)
		spe_write(sys->spe, SYSREG_PMSCR_EL2, PMSCR_EL2_GUEST);
}

void soft_hand_down(struct soft_sys *sys)
{
	sys->vpidr_el2 = sys->midr;
	sys->vmpidr_el2 = sys->mpidr;
	if (sys->levels.el3 && sys->levels.start < 3)
		hand_down_el3(sys);
	if (sys->levels.el2 && sys->levels.start < 2)
		hand_down_el2(sys);
}
