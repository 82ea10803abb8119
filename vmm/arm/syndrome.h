/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ESR_ELx: its classes of exception, and the ISS of aborts and debug exceptions (Arm ARM D24.2,
 * ESR_EL1). These are the only copies of the numbers in vmm. The library has those of PMBSR_EL1.
 * The guests have theirs, so that a test cannot pass by sharing a mistake with vspe.
 */
#ifndef VSPE_ARM_SYNDROME_H
#define VSPE_ARM_SYNDROME_H

#include <stdbool.h>
#include <stdint.h>

/* CV is 1 and COND 0b1110, as of all A64 instructions: of ARM_EC_FP. */
#define ARM_ISS_ALWAYS UINT32_C(0x1e00000)

/* ESR_ELx.EC; of a pair, the one for "from a lower Exception level". */
enum arm_ec {
	ARM_EC_UNKNOWN = 0x00,
	ARM_EC_WFX = 0x01,
	ARM_EC_FP = 0x07,    /* CPACR_EL1, CPTR_ELx */
	ARM_EC_PAUTH = 0x09, /* HCR_EL2.API, SCR_EL3.API */
	ARM_EC_BRANCH_TARGET = 0x0d,
	ARM_EC_ILLEGAL_STATE = 0x0e,
	ARM_EC_SVC32 = 0x11, /* of AArch32 */
	ARM_EC_SVC = 0x15,
	ARM_EC_HVC = 0x16,
	ARM_EC_SMC = 0x17,
	ARM_EC_SYSREG = 0x18,
	ARM_EC_SVE = 0x19, /* CPACR_EL1, CPTR_ELx */
	ARM_EC_ERET = 0x1a,
	ARM_EC_PAC_FAIL = 0x1c, /* FEAT_FPAC */
	ARM_EC_FETCH_ABORT = 0x20,
	ARM_EC_PC_ALIGNMENT = 0x22,
	ARM_EC_DATA_ABORT = 0x24,
	ARM_EC_SP_ALIGNMENT = 0x26,
	ARM_EC_MOPS = 0x27, /* FEAT_MOPS: Memory Copy and Memory Set exceptions */
	ARM_EC_SERROR = 0x2f,
	ARM_EC_BREAKPOINT = 0x30,
	ARM_EC_STEP = 0x32,
	ARM_EC_WATCHPOINT = 0x34,
	ARM_EC_BKPT32 = 0x38, /* of AArch32 */
	ARM_EC_BRK = 0x3c,
	ARM_EC_PROFILING = 0x3d, /* FEAT_SPE_EXC */
};

/* Of the classes that come in pairs: the exception does not change the Exception level. */
#define ARM_EC_SAME_EL 1u

/* Fault status codes (ESR_ELx.DFSC, IFSC); those of a table walk are ORed with the level. */
enum arm_fsc {
	ARM_FSC_ADDRESS_SIZE = 0x00,
	ARM_FSC_TRANSLATION = 0x04,
	ARM_FSC_ACCESS_FLAG = 0x08,
	ARM_FSC_PERMISSION = 0x0c,
	ARM_FSC_EXTERNAL = 0x10,
	ARM_FSC_EXTERNAL_WALK_LM1 = 0x13, /* at level -1, which FEAT_LPA2 adds */
	ARM_FSC_EXTERNAL_WALK = 0x14,
	ARM_FSC_ALIGNMENT = 0x21,
	ARM_FSC_DEBUG = 0x22,
	ARM_FSC_GRANULE_WALK = 0x24, /* a granule protection fault on the walk */
	ARM_FSC_GRANULE = 0x28,	     /* ... not on it */
	ARM_FSC_ADDRESS_SIZE_LM1 = 0x29,
	ARM_FSC_TRANSLATION_LM1 = 0x2b,
	ARM_FSC_LOCKDOWN_ATOMIC = 0x35, /* an atomic on memory that does not support it */
};

/* The kind of a fault with level 0 to 3 in its code. */
static inline unsigned int arm_fsc_kind(unsigned int fsc)
{
	return fsc & 0x3c;
}

/* Is it an external abort on a walk, at any level? */
static inline bool arm_fsc_on_walk(unsigned int fsc)
{
	return arm_fsc_kind(fsc) == ARM_FSC_EXTERNAL_WALK || fsc == ARM_FSC_EXTERNAL_WALK_LM1;
}

/* ESR_ELx in a few words, for people; static storage. */
const char *arm_syndrome_name(uint64_t esr);

#define ARM_ISS_MASK UINT32_C(0x1ffffff)

/* Bits of the ISS of a data abort. */
#define ARM_ISS_FSC   0x3fu
#define ARM_ISS_WNR   (1u << 6)	 /* caused by a write; by cache maintenance and AT as well */
#define ARM_ISS_S1PTW (1u << 7)	 /* a stage 2 fault on the walk of stage 1 */
#define ARM_ISS_CM    (1u << 8)	 /* cache maintenance or address translation instruction */
#define ARM_ISS_VNCR  (1u << 13) /* of an access that FEAT_NV2 turned into one to memory */
/* With ISV the instruction, of stage 2 aborts: size, sign extension, register, its width, order. */
#define ARM_ISS_AR	  (1u << 14)
#define ARM_ISS_SF	  (1u << 15)
#define ARM_ISS_SRT_SHIFT 16
#define ARM_ISS_SSE	  (1u << 21)
#define ARM_ISS_SAS_SHIFT 22
#define ARM_ISS_ISV	  (1u << 24)

/* Of a software step, with ISV: the instruction that was stepped is a load-exclusive. */
#define ARM_ISS_EX (1u << 6)
/* Of an SError interrupt: the rest is IMPLEMENTATION DEFINED. */
#define ARM_ISS_IDS (1u << 24)

/* ESR_ELx of an exception by an instruction of 32 bits, or by none: IL is 1. */
static inline uint64_t arm_esr(unsigned int ec, uint32_t iss)
{
	return (uint64_t)ec << 26 | UINT64_C(1) << 25 | iss;
}

static inline unsigned int arm_ec_of(uint64_t esr)
{
	return esr >> 26 & 0x3f;
}

#endif
