/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Entry to an exception (Arm ARM D1.3, AArch64.TakeException), for target levels that use AArch64:
 * the new PC, PSTATE and SPSR_ELx as a function of the old ones. The engine sets them.
 */
#ifndef VSPE_ARM_EXCEPTION_H
#define VSPE_ARM_EXCEPTION_H

#include <stdbool.h>
#include <stdint.h>

/* Offsets in the vector table: the kind of exception. */
enum arm_vector {
	ARM_VECTOR_SYNC = 0x000,
	ARM_VECTOR_IRQ = 0x080,
	ARM_VECTOR_FIQ = 0x100,
	ARM_VECTOR_SERROR = 0x180,
};

struct arm_exception {
	enum arm_vector vector;
	uint8_t target;	 /* the Exception level that it is taken to, not below that of pstate */
	uint64_t pstate; /* as SPSR_ELx has it */
	uint64_t sctlr, vbar; /* of target: SCTLR_ELx, VBAR_ELx */
	uint8_t nvx;	      /* EffectiveHCR_EL2_NVx() */
	bool sets_pan;	      /* FEAT_PAN, and target is EL1, or EL2 with HCR_EL2.{E2H,TGE} {1,1} */
	bool mte, masks_pm;   /* FEAT_MTE2, FEAT_SPE_EXC */
};

struct arm_entry {
	uint64_t pc; /* may still have an address tag */
	uint64_t pstate, spsr;
};

struct arm_entry arm_enter_exception(const struct arm_exception *exception);

/*
 * The class that ESR_ELx of target reports for an exception from level el. For the classes that
 * come in pairs either of the pair may be given.
 */
unsigned int arm_reported_ec(unsigned int ec, uint32_t iss, unsigned int el, unsigned int target);

#endif
