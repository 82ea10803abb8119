/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * registers.def turned into rules: which conditions each accessor has, per direction and EL,
 * follows here from the facts of its row. Source: the register pages (Arm ARM DDI 0487).
 */
#include "rules.h"

#define BIT(step) (1u << STEP_##step)

/* What every accessor begins with. */
#define STEPS_COMMON (BIT(MISSING) | BIT(AARCH32))
#define STEPS_EL0    (STEPS_COMMON | BIT(EL0))

/* The columns of registers.def, each as the conditions that it adds. */
#define FGT_STEPS_NONE	  0u
#define FGT_STEPS_HDFG	  BIT(FGT)
#define FGT_STEPS_HDFG_N  BIT(FGT)
#define FGT_STEPS_HDFG2_N BIT(FGT)

#define COARSE_STEPS_NONE 0u
#define COARSE_STEPS_TPMS BIT(COARSE)
#define COARSE_STEPS_E2PB BIT(COARSE)

#define NSPB_STEPS_NONE 0u
#define NSPB_STEPS_NSPB (BIT(SDD_NSPB) | BIT(NSPB))

#define PLACE_STEPS_NONE   0u
#define PLACE_STEPS_BEFORE (BIT(SDD_CONTROL_FIRST) | BIT(CONTROL_FIRST))
#define PLACE_STEPS_AFTER  (BIT(SDD_CONTROL_LAST) | BIT(CONTROL_LAST))

#define CONTROL_STEPS_NONE   0u
#define CONTROL_STEPS_EnPMSN PLACE_STEPS_AFTER
#define CONTROL_STEPS_EnPMS3 PLACE_STEPS_AFTER
#define CONTROL_STEPS_EnPMS4 PLACE_STEPS_AFTER
#define CONTROL_STEPS_PMSEE  PLACE_STEPS_AFTER

#define NV_STEPS_NONE 0u
#define NV_STEPS_1x1  BIT(NVMEM)
#define NV_STEPS_111  BIT(NVMEM)
#define NV_STEPS_101  BIT(NVMEM)
#define NV_STEPS_EE   BIT(NVMEM_EE)

#define HOST_STEPS_NONE 0u
#define HOST_STEPS_E2H	BIT(HOST)
#define HOST_STEPS_EE	BIT(HOST_EE)

/* The accessor's conditions at EL1, EL2 and EL3, by whose register it is. */
#define EL1_STEPS_EL1(fgt, coarse, nspb, place, nv)                                          \
	(FGT_STEPS_##fgt | COARSE_STEPS_##coarse | NSPB_STEPS_##nspb | PLACE_STEPS_##place | \
	 NV_STEPS_##nv | BIT(DIRECT))
#define EL1_STEPS_EL2(fgt, coarse, nspb, place, nv)  (BIT(NV) | BIT(NO_ACCESS))
#define EL1_STEPS_EL12(fgt, coarse, nspb, place, nv) (NV_STEPS_##nv | BIT(NV) | BIT(NO_ACCESS))
#define EL1_STEPS_EL3(fgt, coarse, nspb, place, nv)  BIT(NO_ACCESS)

#define EL2_STEPS_EL1(nspb, control, host) \
	(NSPB_STEPS_##nspb | CONTROL_STEPS_##control | HOST_STEPS_##host | BIT(DIRECT))
#define EL2_STEPS_EL2(nspb, control, host) \
	(NSPB_STEPS_##nspb | CONTROL_STEPS_##control | BIT(DIRECT))
#define EL2_STEPS_EL12(nspb, control, host) (BIT(NOT_HOST) | NSPB_STEPS_##nspb | BIT(DIRECT))
#define EL2_STEPS_EL3(nspb, control, host)  BIT(NO_ACCESS)

#define EL3_STEPS_EL1  BIT(DIRECT)
#define EL3_STEPS_EL2  BIT(DIRECT)
#define EL3_STEPS_EL12 (BIT(NOT_HOST) | BIT(DIRECT))
#define EL3_STEPS_EL3  BIT(DIRECT)

/* A register without an MSR accessor: the encoding is unallocated, before any other condition. */
#define READ_STEPS(steps)     (steps)
#define WRITE_STEPS_RW(steps) (steps)
#define WRITE_STEPS_RO(steps) BIT(NO_ACCESSOR)

#define EXISTS_SPE	   SYSREG_FEAT_SPE
#define EXISTS_SPE_FnE	   (SYSREG_FEAT_SPE | SYSREG_FEAT_SPE_FNE)
#define EXISTS_SPE_FDS	   (SYSREG_FEAT_SPE | SYSREG_FEAT_SPE_FDS)
#define EXISTS_SPE_nVM	   (SYSREG_FEAT_SPE | SYSREG_FEAT_SPE_NVM)
#define EXISTS_SPE_EXC	   (SYSREG_FEAT_SPE | SYSREG_FEAT_SPE_EXC)
#define EXISTS_SPE_EXC_EL3 (EXISTS_SPE_EXC | SYSREG_FEAT_EL3)

/* Where a fine-grained trap lies, its value when it traps, and what it takes to apply. */
#define FGT_FEATURE_NONE	  SYSREG_FEAT_FGT
#define FGT_FEATURE_HDFG	  SYSREG_FEAT_FGT
#define FGT_FEATURE_HDFG_N	  SYSREG_FEAT_FGT
#define FGT_FEATURE_HDFG2_N	  SYSREG_FEAT_FGT2
#define FGT_ENABLE_NONE		  (UINT64_C(1) << SYSREG_SCR_EL3_FGTEn_LSB)
#define FGT_ENABLE_HDFG		  FGT_ENABLE_NONE
#define FGT_ENABLE_HDFG_N	  FGT_ENABLE_NONE
#define FGT_ENABLE_HDFG2_N	  (UINT64_C(1) << SYSREG_SCR_EL3_FGTEn2_LSB)
#define FGT_DISABLED_IS_0_NONE	  false
#define FGT_DISABLED_IS_0_HDFG	  false
#define FGT_DISABLED_IS_0_HDFG_N  false
#define FGT_DISABLED_IS_0_HDFG2_N true
#define FGT_OFFSET(r, w, write) \
	((write) ? offsetof(struct sysreg_controls, w) : offsetof(struct sysreg_controls, r))
#define FGT_OFFSET_NONE(write)	  FGT_OFFSET_HDFG(write)
#define FGT_OFFSET_HDFG(write)	  FGT_OFFSET(hdfgrtr_el2, hdfgwtr_el2, write)
#define FGT_OFFSET_HDFG_N(write)  FGT_OFFSET_HDFG(write)
#define FGT_OFFSET_HDFG2_N(write) FGT_OFFSET(hdfgrtr2_el2, hdfgwtr2_el2, write)
#define FGT_TRAPS_NONE(mask)	  0
#define FGT_TRAPS_HDFG(mask)	  (mask)
#define FGT_TRAPS_HDFG_N(mask)	  0
#define FGT_TRAPS_HDFG2_N(mask)	  0

/* E2PB traps as 'x0': its low bit decides. */
#define COARSE_MASK_NONE  0
#define COARSE_MASK_TPMS  (UINT64_C(1) << SYSREG_MDCR_EL2_TPMS_LSB)
#define COARSE_MASK_E2PB  (UINT64_C(1) << SYSREG_MDCR_EL2_E2PB_LSB)
#define COARSE_TRAPS_NONE 0
#define COARSE_TRAPS_TPMS COARSE_MASK_TPMS
#define COARSE_TRAPS_E2PB 0

#define CONTROL_MASK_NONE   0
#define CONTROL_MASK_EnPMSN (UINT64_C(1) << SYSREG_MDCR_EL3_EnPMSN_LSB)
#define CONTROL_MASK_EnPMS3 (UINT64_C(1) << SYSREG_MDCR_EL3_EnPMS3_LSB)
#define CONTROL_MASK_EnPMS4 (UINT64_C(1) << SYSREG_MDCR_EL3_EnPMS4_LSB)
#define CONTROL_MASK_PMSEE  (UINT64_C(3) << SYSREG_MDCR_EL3_PMSEE_LSB)

/* NVx patterns as mask and match; no NVx matches 0 out of 8. */
#define NV_MASK_NONE  0
#define NV_MASK_1x1   5
#define NV_MASK_111   7
#define NV_MASK_101   7
#define NV_MASK_EE    5
#define NV_MATCH_NONE 8
#define NV_MATCH_1x1  5
#define NV_MATCH_111  7
#define NV_MATCH_101  5
#define NV_MATCH_EE   5

/* ESR_ELx.ISS for EC 0x18: Op0, Op2, Op1, CRn, CRm. */
#define ISS(op1, crm, op2) \
	(3u << 20 | (uint32_t)(op2) << 17 | (uint32_t)(op1) << 14 | 9u << 10 | (uint32_t)(crm) << 1)

/* clang-format off */
/* One direction of a register; fgt_bit is that of the direction. */
#define RULE(name, steps_, write, fgt_bit, op1, crm, op2, class, feats, fgt, coarse, nspb, control_,\
	     place, nv_offset_, nv, accesses, host_when, host)					\
	{											\
		.steps = {									\
			steps_(STEPS_EL0),							\
			steps_(STEPS_COMMON | EL1_STEPS_##class(fgt, coarse, nspb, place, nv)),	\
			steps_(STEPS_COMMON | EL2_STEPS_##class(nspb, control_, host_when)),	\
			steps_(STEPS_COMMON | EL3_STEPS_##class),				\
		},										\
		.control = CONTROL_MASK_##control_,						\
		.fgt_mask = UINT64_C(1) << (fgt_bit),						\
		.fgt_traps = FGT_TRAPS_##fgt(UINT64_C(1) << (fgt_bit)),				\
		.fgt_enable = FGT_ENABLE_##fgt,							\
		.coarse_mask = COARSE_MASK_##coarse,						\
		.coarse_traps = COARSE_TRAPS_##coarse,						\
		.exists = EXISTS_##feats,							\
		.fgt_feature = FGT_FEATURE_##fgt,						\
		.fgt_offset = FGT_OFFSET_##fgt(write),						\
		.fgt_disabled_is_0 = FGT_DISABLED_IS_0_##fgt,					\
		.nv_mask = NV_MASK_##nv,							\
		.nv_match = NV_MATCH_##nv,							\
		.routes = {									\
			[CONCLUSION_UNDEFINED] = {SYSREG_UNDEFINED, SYSREG_##name, 0, 0, 0},	\
			[CONCLUSION_TRAP_EL2] = {SYSREG_TRAP, SYSREG_##name, 2,			\
						 ISS(op1, crm, op2) | !(write), 0},		\
			[CONCLUSION_TRAP_EL3] = {SYSREG_TRAP, SYSREG_##name, 3,			\
						 ISS(op1, crm, op2) | !(write), 0},		\
			[CONCLUSION_NVMEM] = {SYSREG_NVMEM, SYSREG_##name, 0, 0, nv_offset_},	\
			[CONCLUSION_DIRECT] = {SYSREG_DIRECT, SYSREG_##accesses, 0, 0, 0},	\
			[CONCLUSION_HOST] = {SYSREG_DIRECT, SYSREG_##host, 0, 0, 0},		\
		},										\
	}

#define REGISTER(name, op1, crm, op2, access, class, feats, fgt, field, fgt_r, fgt_w, coarse, nspb,\
		 control, place, nv_offset, nv, accesses, host_when, host)			\
	[SYSREG_##name] = {									\
		RULE(name, READ_STEPS, 0, fgt_r, op1, crm, op2, class, feats, fgt, coarse, nspb,\
		     control, place, nv_offset, nv, accesses, host_when, host),			\
		RULE(name, WRITE_STEPS_##access, 1, fgt_w, op1, crm, op2, class, feats, fgt, coarse,\
		     nspb, control, place, nv_offset, nv, accesses, host_when, host),		\
	},
/* clang-format on */

const struct sysreg_rule sysreg_rules[SYSREG_COUNT][2] = {
#include "registers.def"
#undef REGISTER
};

const uint8_t sysreg_conclusions[STEP_COUNT] = {
#define TERM(term, text)
#define STEP(step, conclusion, a, b, c, d) [STEP_##step] = CONCLUSION_##conclusion,
#include "steps.def"
#undef TERM
#undef STEP
};

/* Index of an encoding with op0 3, CRn 9 and CRm 9 or 10: op1, the low bit of CRm, op2. */
#define SLOT(op1, crm, op2) ((((op1) << 4) | (((crm)&1) << 3) | (op2)))
#define SLOT_FREE	    0

static const uint32_t encodings[SYSREG_COUNT] = {
#define REGISTER(name, op1, crm, op2, ...) [SYSREG_##name] = SYSREG_ENCODING(3, op1, 9, crm, op2),
#include "registers.def"
#undef REGISTER
};

uint32_t sysreg_encoding(enum sysreg_id reg)
{
	return (unsigned int)reg < SYSREG_COUNT ? encodings[reg] : UINT32_MAX;
}

enum sysreg_id sysreg_find(uint32_t encoding)
{
	/* Values are the id plus 1, so that what is not listed reads as free. */
	static const uint8_t slots[128] = {
#define REGISTER(name, op1, crm, op2, ...) [SLOT(op1, crm, op2)] = SYSREG_##name + 1,
#include "registers.def"
#undef REGISTER
	};
	const uint8_t slot = slots[SLOT(encoding >> 11 & 7u, encoding >> 3 & 1u, encoding & 7u)];

	/* The table knows neither op0 nor CRn nor the rest of CRm. */
	if (slot == SLOT_FREE || encodings[slot - 1] != encoding)
		return SYSREG_COUNT;
	return (enum sysreg_id)(slot - 1);
}

const char *sysreg_name(enum sysreg_id reg)
{
	static const char *const names[SYSREG_COUNT] = {
#define REGISTER(name, ...) [SYSREG_##name] = #name,
#include "registers.def"
#undef REGISTER
	};

	return (unsigned int)reg < SYSREG_COUNT ? names[reg] : NULL;
}

bool sysreg_writable(enum sysreg_id reg)
{
	return (unsigned int)reg < SYSREG_COUNT &&
	       !(sysreg_rules[reg][1].steps[3] & BIT(NO_ACCESSOR));
}
