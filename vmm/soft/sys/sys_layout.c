/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bits of those registers whose bits depend on the features of the PE, on its Exception levels
 * or on HCR_EL2.E2H: which can be written, and which read as 1 (the register pages of the Arm ARM,
 * D24).
 */
#include "soft/sys/isa.h"
#include "soft/sys/pmu.h"
#include "soft/sys/sys_private.h"

#define BIT(n)	      (UINT64_C(1) << (n))
#define BITS(hi, lo)  ((~UINT64_C(0) >> (63 - (hi))) & ~UINT64_C(0) << (lo))
#define IF(cond, set) ((cond) ? (set) : UINT64_C(0))

/* VM to BSU, DC, TWI, TWE, TID1 to TRVM; no AArch32: TID0 and RW are not among them. */
#define HCR_ALWAYS (BITS(14, 0) | BITS(28, 16) | HCR_EL2_TRVM | BITS(33, 32) | HCR_EL2_TLOR)
/* FEAT_VHE, FEAT_NV, FEAT_NV2 and FEAT_EVT, which come with EL2. */
#define HCR_FEATURES                                                                        \
	(HCR_EL2_E2H | HCR_EL2_NV | HCR_EL2_NV1 | HCR_EL2_AT | HCR_EL2_NV2 | HCR_EL2_TID4 | \
	 HCR_EL2_TICAB | HCR_EL2_TOCU | HCR_EL2_TTLBIS | HCR_EL2_TTLBOS)

#define SCR_ALWAYS                                                                             \
	(SCR_EL3_NS | SCR_EL3_IRQ | SCR_EL3_FIQ | SCR_EL3_EA | SCR_EL3_SMD | SCR_EL3_HCE |     \
	 SCR_EL3_SIF | SCR_EL3_ST | SCR_EL3_TWI | SCR_EL3_TWE | SCR_EL3_TLOR | SCR_EL3_FGTEn | \
	 SCR_EL3_ECVEn | SCR_EL3_FGTEn2)
#define SCR_RES1 (BITS(5, 4) | SCR_EL3_RW)

/* And those that concern EL0 in a host. */
#define SCTLR_LEVEL \
	(SCTLR_ELx_M | SCTLR_ELx_A | SCTLR_ELx_C | SCTLR_ELx_SA | SCTLR_ELx_I | SCTLR_ELx_WXN)
#define SCTLR_LEVEL_RES1 UINT64_C(0x30c50830)
#define SCTLR_HOST                                                                         \
	(SCTLR_ELx_SA0 | SCTLR_ELx_DZE | SCTLR_ELx_UCT | SCTLR_ELx_nTWI | SCTLR_ELx_nTWE | \
	 SCTLR_ELx_SPAN | SCTLR_ELx_UCI)
#define SCTLR_HOST_RES1 UINT64_C(0x30500980)

#define SCTLR_EL1_ALWAYS UINT64_C(0x048dd21f)
#define SCTLR_EL1_RES1	 UINT64_C(0x30500980)
#define SCTLR_EL3_ALWAYS UINT64_C(0x0008100f)

/* T0SZ, IRGN0, ORGN0, SH0, TG0, PS, TBI, HA, HD, HPD; no FEAT_MTE2 or FEAT_HPDS2. */
#define TCR_LEVEL	(BITS(5, 0) | BITS(18, 8) | BITS(22, 20) | BIT(24))
#define TCR_LEVEL_RES1	(BIT(31) | BIT(23))
#define TCR_TWO_REGIONS UINT64_C(0x018007f7ffffffbf)
#define TCR_EL3_ALWAYS	UINT64_C(0x0177ff3f)

/* Without those of FEAT_PAuth's keys. */
#define HFGRTR_ALWAYS UINT64_C(0xff3ffffe0f)
#define HFGWTR_ALWAYS UINT64_C(0xff29db380b)
#define HFG_KEYS      BITS(8, 4)

/* SS, IL, PAN, D, A, I, F, M and the flags. */
#define SPSR_ALWAYS UINT64_C(0xf07003df)

/* TTA, TAM and TSM belong to extensions that are missing. */
#define CPTR_LEVEL	(CPTR_ELx_TCPAC | CPTR_ELx_TFP)
#define CPTR_LEVEL_RES1 UINT64_C(0x33ff)

#define CNT_EVENTS    BITS(7, 2)
#define CNTHCTL_TRAPS BITS(16, 12)

/* HDFGRTR_EL2 and HDFGWTR_EL2: registers of debug that are read and written; read; written. */
#define HDFG_DEBUG	 (BITS(5, 0) | BIT(7) | BITS(11, 10))
#define HDFG_DEBUG_READ	 (BIT(6) | BIT(9))
#define HDFG_DEBUG_WRITE BIT(8)

/* PMEVCNTRn_EL0 to PMSELR_EL0, and PMUSERENR_EL0; PMCEIDn_EL0 and, from PMUv3p4, PMMIR_EL1;
 * PMCR_EL0 and PMSWINC_EL0. */
#define HDFG_PMU       (BITS(19, 12) | BIT(57))
#define HDFG_PMU_READ  BIT(58)
#define HDFG_PMMIR     BIT(22)
#define HDFG_PMU_WRITE BITS(21, 20)

/* The bits that trap registers of SPE that the PE has. */
static uint64_t spe_traps(enum sysreg_control control, uint32_t features)
{
	static const struct {
		enum sysreg_control control;
		uint32_t needs;
		uint64_t mask;
	} rows[] = {
#define TRAPS(reg, feature, mask) {SYSREG_CONTROL_##reg, SYSREG_FEAT_##feature, mask},
#include "traps.inc"
#undef TRAPS
	};
	uint64_t bits = 0;

	for (unsigned int n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
		if (rows[n].control == control && (features & rows[n].needs))
			bits |= rows[n].mask;
	}
	return bits;
}

/* IC to AT and DC CVAC, TLBI with those of FEAT_TLBIOS and FEAT_TLBIRANGE, RCTX, ERET, SVC. */
static uint64_t hfgitr_bits(const struct soft_sys *sys)
{
	bool psbcsync = sys->spe && spe_unit_config(sys->spe)->version >= SPE_V1P5;

	return BITS(7, 0) | BITS(17, 10) | BITS(33, 28) | BITS(47, 42) | BITS(54, 51) |
	       IF(sys->isa & SOFT_ISA(DPB), BIT(8)) | IF(sys->isa & SOFT_ISA(DPB2), BIT(9)) |
	       IF(psbcsync, BIT(63)) | IF(sys->isa & SOFT_ISA(TLBIOS), BITS(23, 18)) |
	       IF(sys->isa & SOFT_ISA(TLBIRANGE), BITS(27, 24) | BITS(41, 34)) |
	       IF(sys->isa & SOFT_ISA(SPECRES), BITS(50, 48));
}

static uint64_t sctlr_features(const struct soft_sys *sys)
{
	return IF(sys->isa & SOFT_ISA(LSE2), SCTLR_ELx_nAA) |
	       IF(sys->isa & SOFT_ISA(BTI), SCTLR_ELx_BT1) |
	       IF(sys->isa & SOFT_ISA(PAuth),
		  SCTLR_ELx_EnIA | SCTLR_ELx_EnIB | SCTLR_ELx_EnDA | SCTLR_ELx_EnDB) |
	       IF(sys->isa & SOFT_ISA(SSBS2), SCTLR_ELx_DSSBS);
}

/* Of EL0: in SCTLR_EL1, and in SCTLR_EL2 for a host. */
static uint64_t sctlr_el0_features(const struct soft_sys *sys)
{
	return IF(sys->isa & SOFT_ISA(BTI), SCTLR_ELx_BT0) |
	       IF(sys->isa & SOFT_ISA(SPECRES), SCTLR_ELx_EnRCTX) |
	       IF(sys->isa & SOFT_ISA(MOPS), SCTLR_ELx_MSCEn);
}

static uint64_t hdfgrtr_pmu(const struct soft_sys *sys)
{
	if (!sys->pmu)
		return 0;
	return HDFG_PMU | HDFG_PMU_READ | IF(sys->pmu->unit.config.version >= PMU_V3P4, HDFG_PMMIR);
}

/* HDFGRTR2_EL2 and HDFGWTR2_EL2: PMUACR_EL1 and PMZR_EL0; PMICNTR_EL0 and PMICFILTR_EL0. */
static uint64_t hdfg2_pmu(const struct soft_sys *sys, bool write)
{
	const struct pmu_config *config = sys->pmu ? &sys->pmu->unit.config : NULL;

	if (!config || config->version < PMU_V3P9)
		return 0;
	return BIT(4) | IF(write, BIT(21)) | IF(pmu_has_instruction_counter(config), BITS(3, 2));
}

static uint64_t mdcr_el3(const struct soft_sys *sys)
{
	uint32_t features = sys->controls.features;

	/* TDCC is FEAT_FGT's, which comes with EL2. */
	return MDCR_ELx_TDA | MDCR_ELx_TDOSA | MDCR_EL3_SDD | MDCR_EL3_EDAD |
	       IF(sys->levels.el2, MDCR_ELx_TDCC) | spe_traps(SYSREG_CONTROL_MDCR_EL3, features) |
	       IF((features & SYSREG_FEAT_SPE) && sys->levels.rme, MDCR_EL3_NSPBE) |
	       (sys->pmu ? pmu_mdcr_el3_bits(&sys->pmu->unit.config) : 0);
}

/*
 * Bits that mean something, or are RES1, with only one value of HCR_EL2.E2H are kept and read back
 * with either: software may set them before it changes E2H (Arm ARM, glossary, RES0 and RES1).
 */
struct sys_bits sys_layout(const struct soft_sys *sys, enum sys_layout layout)
{
	const struct engine_levels *levels = &sys->levels;
	const bool pauth = sys->isa & SOFT_ISA(PAuth), lpa2 = sys->isa & SOFT_ISA(LPA2);
	uint32_t features = sys->controls.features;
	struct sys_bits bits = {0};

	switch (layout) {
	case SYS_LAYOUT_SPSR:
		bits.mask = SPSR_ALWAYS | IF(features & SYSREG_FEAT_SPE_EXC, SPSR_ELx_PM) |
			    IF(sys->isa & SOFT_ISA(UAO), SPSR_ELx_UAO) |
			    IF(sys->isa & SOFT_ISA(DIT), SPSR_ELx_DIT) |
			    IF(sys->isa & SOFT_ISA(SSBS2), SPSR_ELx_SSBS) |
			    IF(sys->isa & SOFT_ISA(BTI), SPSR_ELx_BTYPE);
		break;
	case SYS_LAYOUT_SCTLR_EL1:
		bits.mask = SCTLR_EL1_ALWAYS | sctlr_features(sys) | sctlr_el0_features(sys);
		bits.res1 = SCTLR_EL1_RES1;
		break;
	case SYS_LAYOUT_SCTLR_EL3:
		bits.mask = SCTLR_EL3_ALWAYS | sctlr_features(sys);
		bits.res1 = SCTLR_LEVEL_RES1;
		break;
	case SYS_LAYOUT_CNTKCTL_EL1:
		bits.mask = BITS(9, 0) | IF(levels->el2, CNTHCTL_EL2_EVNTIS);
		break;
	case SYS_LAYOUT_SCTLR_EL2:
		bits.mask = SCTLR_LEVEL | SCTLR_HOST | (SCTLR_LEVEL_RES1 ^ SCTLR_HOST_RES1) |
			    sctlr_features(sys) | sctlr_el0_features(sys);
		bits.res1 = SCTLR_LEVEL_RES1 & SCTLR_HOST_RES1;
		break;
	case SYS_LAYOUT_HCR_EL2:
		bits.mask = HCR_ALWAYS | HCR_FEATURES | IF(!levels->el3, HCR_EL2_HCD) |
			    IF(levels->rme, HCR_EL2_GPF) | IF(pauth, HCR_EL2_APK | HCR_EL2_API);
		bits.res1 = HCR_EL2_RW;
		break;
	case SYS_LAYOUT_HCRX_EL2:
		bits.mask = IF(sys->isa & SOFT_ISA(MOPS), HCRX_EL2_MSCEn | HCRX_EL2_MCE2);
		break;
	case SYS_LAYOUT_MDCR_EL2:
		bits.mask = MDCR_EL2_TDE | MDCR_ELx_TDA | MDCR_ELx_TDOSA | MDCR_EL2_TDRA |
			    MDCR_ELx_TDCC | spe_traps(SYSREG_CONTROL_MDCR_EL2, features) |
			    (sys->pmu ? pmu_mdcr_el2_bits(&sys->pmu->unit) : 0);
		break;
	case SYS_LAYOUT_CPACR_EL1:
		bits.mask = CPACR_EL1_FPEN | IF(sys->isa & SOFT_ISA(SVE), CPACR_EL1_ZEN);
		break;
	case SYS_LAYOUT_CPTR_EL2:
		bits.mask = CPTR_LEVEL | CPTR_LEVEL_RES1 | CPTR_EL2_FPEN |
			    IF(sys->isa & SOFT_ISA(SVE), CPTR_EL2_ZEN);
		break;
	case SYS_LAYOUT_CPTR_EL3:
		bits.mask = CPTR_LEVEL | IF(sys->isa & SOFT_ISA(SVE), CPTR_EL3_EZ);
		break;
	case SYS_LAYOUT_TTBR0_EL2: bits.mask = BITS(63, 1); break;
	case SYS_LAYOUT_TCR_EL1:
		bits.mask = TCR_TWO_REGIONS | IF(pauth, TCR_EL1_TBID0 | TCR_EL1_TBID1) |
			    IF(lpa2, TCR_EL1_DS);
		break;
	case SYS_LAYOUT_TCR_EL2:
		bits.mask = TCR_TWO_REGIONS | TCR_LEVEL | TCR_LEVEL_RES1 |
			    IF(pauth, TCR_EL1_TBID0 | TCR_EL1_TBID1 | TCR_EL2_TBID) |
			    IF(lpa2, TCR_EL1_DS | TCR_EL2_DS);
		break;
	case SYS_LAYOUT_TCR_EL3:
		bits.mask = TCR_EL3_ALWAYS | IF(pauth, TCR_EL2_TBID) | IF(lpa2, TCR_EL2_DS);
		bits.res1 = TCR_LEVEL_RES1;
		break;
	case SYS_LAYOUT_VTCR_EL2:
		/* T0SZ to PS. */
		bits.mask = BITS(18, 0) | VTCR_EL2_HA | VTCR_EL2_HD |
			    IF(levels->sel2, VTCR_EL2_NSW | VTCR_EL2_NSA) |
			    IF(lpa2, VTCR_EL2_DS | VTCR_EL2_SL2);
		bits.res1 = BIT(31);
		break;
	case SYS_LAYOUT_VSTCR_EL2:
		/* T0SZ, SL0, TG0, SW, SA. */
		bits.mask = BITS(7, 0) | BITS(15, 14) | BITS(30, 29) | IF(lpa2, VTCR_EL2_SL2);
		break;
	case SYS_LAYOUT_HPFAR_EL2:
		bits.mask = BITS(soft_pa_bits(sys->isa) - 9, 4) | IF(levels->sel2, BIT(63));
		break;
	case SYS_LAYOUT_VMPIDR_EL2:
		/* Aff3, U, MT, Aff2 to Aff0. */
		bits.mask = BITS(39, 32) | BIT(30) | BITS(24, 0);
		bits.res1 = BIT(31);
		break;
	case SYS_LAYOUT_CNTHCTL_EL2:
		bits.mask =
			BITS(1, 0) | CNT_EVENTS | CNTHCTL_TRAPS | CNTHCTL_EL2_EVNTIS | BITS(11, 8);
		break;
	case SYS_LAYOUT_HFGRTR_EL2: bits.mask = HFGRTR_ALWAYS | IF(pauth, HFG_KEYS); break;
	case SYS_LAYOUT_HFGWTR_EL2: bits.mask = HFGWTR_ALWAYS | IF(pauth, HFG_KEYS); break;
	case SYS_LAYOUT_HFGITR_EL2: bits.mask = hfgitr_bits(sys); break;
	case SYS_LAYOUT_HDFGRTR_EL2:
		bits.mask = HDFG_DEBUG | HDFG_DEBUG_READ | hdfgrtr_pmu(sys) |
			    spe_traps(SYSREG_CONTROL_HDFGRTR_EL2, features);
		break;
	case SYS_LAYOUT_HDFGWTR_EL2:
		bits.mask = HDFG_DEBUG | HDFG_DEBUG_WRITE |
			    IF(sys->pmu, HDFG_PMU | HDFG_PMU_WRITE) |
			    spe_traps(SYSREG_CONTROL_HDFGWTR_EL2, features);
		break;
	case SYS_LAYOUT_HDFGRTR2_EL2:
		bits.mask =
			spe_traps(SYSREG_CONTROL_HDFGRTR2_EL2, features) | hdfg2_pmu(sys, false);
		break;
	case SYS_LAYOUT_HDFGWTR2_EL2:
		bits.mask = spe_traps(SYSREG_CONTROL_HDFGWTR2_EL2, features) | hdfg2_pmu(sys, true);
		break;
	case SYS_LAYOUT_SCR_EL3:
		bits.mask = SCR_ALWAYS | IF(levels->sel2, SCR_EL3_EEL2) |
			    IF(levels->rme, SCR_EL3_NSE | SCR_EL3_GPF) |
			    IF(pauth, SCR_EL3_APK | SCR_EL3_API) |
			    IF(levels->el2 && sys->isa & SOFT_ISA(HCX), SCR_EL3_HXEn);
		bits.res1 = SCR_RES1;
		break;
	case SYS_LAYOUT_MDCR_EL3: bits.mask = mdcr_el3(sys); break;
	}
	return bits;
}
