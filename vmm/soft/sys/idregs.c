/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The AArch64 ID registers. Only fields other than 0b0000 are listed. The others say that there is
 * no such feature or, for a few (TGran4, TGran64, DoubleLock), that there is. The AArch32 ID
 * registers read as zero.
 */
#include "soft/sys/isa.h"
#include "soft/sys/pmu.h"
#include "soft/sys/sys_private.h"

#define FIELD(shift, value) ((uint64_t)(value) << (shift))

/* TGran16_2, TGran64_2 and TGran4_2: as in stage 1, but stated explicitly (FEAT_GTG). */
static uint64_t stage2_granules(bool lpa2)
{
	const unsigned int lpa2_or_not = lpa2 ? 3 : 2;

	return FIELD(32, lpa2_or_not) | FIELD(36, 2) | FIELD(40, lpa2_or_not);
}

/* The fields that isa.def does not have. */
static uint64_t fixed_fields(const struct soft_sys *sys, uint32_t encoding)
{
	const struct engine_levels *levels = &sys->levels;
	const bool lpa2 = sys->isa & SOFT_ISA(LPA2);

	switch (encoding) {
	case ARM_ID_AA64PFR0_EL1:
		return FIELD(0, 1) |					/* EL0: AArch64 only */
		       FIELD(4, 1) |					/* EL1: AArch64 only */
		       FIELD(8, levels->el2) | FIELD(12, levels->el3) | /* the same */
		       FIELD(24, 1) | /* GIC: system register interface, version 3 */
		       FIELD(36, levels->sel2) | FIELD(52, levels->rme) |
		       FIELD(60, 1); /* CSV3: it does not speculate at all */
	case SYSREG_ENCODING_ID_AA64DFR0_EL1:
		return FIELD(0, levels->el2 ? 7 : 6) | /* DebugVer: Armv8, or with FEAT_VHE */
		       FIELD(8, sys->pmu ? sys->pmu->unit.config.version : PMU_NONE) |
		       FIELD(12, SOFT_BREAKPOINTS - 1) | FIELD(20, SOFT_WATCHPOINTS - 1) |
		       FIELD(28, SOFT_CONTEXT_BREAKPOINTS - 1) |
		       (sys->spe ? spe_config_id_aa64dfr0(spe_unit_config(sys->spe)) : 0);
	case SYSREG_ENCODING_ID_AA64DFR1_EL1:
		return FIELD(36, sys->pmu && /* PMICNTR */
					 pmu_has_instruction_counter(&sys->pmu->unit.config)) |
		       (sys->spe ? spe_config_id_aa64dfr1(spe_unit_config(sys->spe)) : 0);
	case SYSREG_ENCODING_ID_AA64DFR2_EL1:
		return sys->spe ? spe_config_id_aa64dfr2(spe_unit_config(sys->spe)) : 0;
	case ARM_ID_AA64ISAR0_EL1:
		return FIELD(16, 1) | /* CRC32 */
		       FIELD(20, 2);  /* Atomic: FEAT_LSE */
	case ARM_ID_AA64MMFR0_EL1:
		return FIELD(0, soft_pa_bits(sys->isa) == 40 ? 2 : 0) | /* PARange */
		       FIELD(4, 2) |					/* ASIDBits: 16 */
		       FIELD(12, levels->el3) | /* SNSMem: physical addresses have a space */
		       /* TGran16, with FEAT_LPA2; TGran4 (without) and TGran64 are 0: supported */
		       FIELD(20, lpa2 ? 2 : 1) |
		       /* with EL2 the granules of stage 2, FGT2, and ECV with CNTPOFF */
		       (levels->el2 ? stage2_granules(lpa2) | FIELD(56, 2) | FIELD(60, 2) : 0);
	case ARM_ID_AA64MMFR1_EL1:
		return FIELD(0, 2) |	       /* HAFDBS: access flag and dirty state */
		       FIELD(8, levels->el2) | /* VH; VMIDBits is 0: 8 */
		       FIELD(12, 1) |	       /* HPDS */
		       FIELD(16, 1) |	       /* LO */
		       FIELD(20, 2);	       /* PAN: AT S1E1RP and AT S1E1WP too */
	case ARM_ID_AA64MMFR2_EL1:
		return (levels->el2 ? FIELD(24, 2) | FIELD(56, 2) : 0) | /* NV2, EVT with TTLBIS */
		       FIELD(60, 1);					 /* E0PD */
	default: return 0;
	}
}

uint64_t soft_id_register(const struct soft_sys *sys, uint32_t encoding)
{
	/* HCRX_EL2 is a register of EL2. */
	const uint64_t isa = sys->levels.el2 ? sys->isa : sys->isa & ~SOFT_ISA(HCX);

	return fixed_fields(sys, encoding) | soft_isa_id_fields(isa, encoding);
}
