/* SPDX-License-Identifier: BSD-2-Clause */
/* Reset of the system registers and PSTATE (Arm ARM D1.6). */
#include "arm/affinity.h"
#include "soft/sys/pmu.h"
#include "soft/sys/sys_private.h"

/* The features of the PE for sysreg_route(). */
static uint32_t pe_features(const struct engine_levels *levels, const struct spe_unit *spe)
{
	uint32_t bits = 0;

	if (spe)
		bits |= SYSREG_FEAT_SPE | spe_config_features(spe_unit_config(spe));
	if (levels->el2)
		bits |= SYSREG_FEAT_EL2 | SYSREG_FEAT_VHE | SYSREG_FEAT_NV | SYSREG_FEAT_NV2 |
			SYSREG_FEAT_FGT | SYSREG_FEAT_FGT2;
	if (levels->el3)
		bits |= SYSREG_FEAT_EL3;
	if (levels->sel2)
		bits |= SYSREG_FEAT_SEL2;
	if (levels->rme)
		bits |= SYSREG_FEAT_RME;
	return bits;
}

void soft_sys_reset(struct soft_sys *sys, const struct engine_vcpu_config *config)
{
	struct soft_sys fresh = {
		.pstate = {.el = config->levels.start, .sp = 1, .daif = 0xf},
		.os_lock = true,
		.irq_level = sys->irq_level,
		.fiq_level = sys->fiq_level,
		.virq_level = sys->virq_level,
		.vfiq_level = sys->vfiq_level,
		.midr = config->midr,
		.mpidr = UINT64_C(1) << 31 | (arm_affinity(config->index)), /* bit 31 is RES1 */
		.levels = config->levels,
		.isa = sys->isa,
		.sve_vl = sys->sve_vl,
		.random = sys->random,
		.sent_voff = sys->sent_voff,
		.sent_poff = sys->sent_poff,
		.controls = {.el = config->levels.start},
		.spe = sys->spe,
		.pmu = sys->pmu,
	};

	sys_registers_reset(&fresh);
	fresh.controls.features = pe_features(&fresh.levels, fresh.spe);
	if (fresh.pmu && fresh.levels.el2) /* MDCR_EL2.HPMN: all of them */
		fresh.controls.mdcr_el2 = PMU_COUNTERS;
	soft_hand_down(&fresh);
	if (fresh.spe) {
		fresh.controls.pmscr_el1 = spe_read(fresh.spe, SYSREG_PMSCR_EL1);
		fresh.controls.pmscr_el2 = spe_read(fresh.spe, SYSREG_PMSCR_EL2);
		spe_update(fresh.spe, &fresh.controls);
	}
	fresh.pstate.pm = fresh.controls.features & SYSREG_FEAT_SPE_EXC;
	*sys = fresh;
}
