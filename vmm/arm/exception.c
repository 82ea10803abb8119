/* SPDX-License-Identifier: BSD-2-Clause */
/* Entry to an exception: see exception.h. */
#include "arm/exception.h"
#include "arm/registers.h"
#include "arm/syndrome.h"

/* Offsets in the vector table: where the exception comes from. */
#define FROM_SP0     0x000
#define FROM_SPX     0x200
#define FROM_LOWER   0x400
#define FROM_AARCH32 0x600

#define KEPT (SPSR_ELx_NZCV | SPSR_ELx_DIT | SPSR_ELx_PAN)

static unsigned int origin_of(const struct arm_exception *e)
{
	if (arm_field(e->pstate, SPSR_ELx_EL) == e->target)
		return e->pstate & SPSR_ELx_SP ? FROM_SPX : FROM_SP0;
	return e->pstate & SPSR_ELx_nRW ? FROM_AARCH32 : FROM_LOWER;
}

/*
 * At EL1 under FEAT_NV a guest hypervisor must see EL2 in its SPSR_EL1, unless its EL2 registers
 * are in memory and EL1 is not its own (HCR_EL2.{NV2,NV1,NV} of x01 and 111).
 */
static uint64_t saved_spsr(const struct arm_exception *e)
{
	const bool at_el1 = e->target == 1 && arm_field(e->pstate, SPSR_ELx_EL) == 1;

	if (at_el1 && (e->nvx == 7 || (e->nvx & 3) == 1))
		return (e->pstate & ~SPSR_ELx_EL) | ARM_VALUE(SPSR_ELx_EL, 2);
	return e->pstate;
}

struct arm_entry arm_enter_exception(const struct arm_exception *e)
{
	struct arm_entry entry = {
		.pc = e->vbar + origin_of(e) + e->vector,
		.pstate = (e->pstate & KEPT) | SPSR_ELx_DAIF | ARM_VALUE(SPSR_ELx_EL, e->target) |
			  SPSR_ELx_SP,
		.spsr = saved_spsr(e),
	};

	if (e->sets_pan && !(e->sctlr & SCTLR_ELx_SPAN))
		entry.pstate |= SPSR_ELx_PAN;
	if (e->mte)
		entry.pstate |= SPSR_ELx_TCO;
	if (e->masks_pm)
		entry.pstate |= SPSR_ELx_PM;
	if (e->sctlr & SCTLR_ELx_DSSBS)
		entry.pstate |= SPSR_ELx_SSBS;
	return entry;
}

unsigned int arm_reported_ec(unsigned int ec, uint32_t iss, unsigned int el, unsigned int target)
{
	const unsigned int lower = ec & ~ARM_EC_SAME_EL;

	switch (lower) {
	case ARM_EC_DATA_ABORT:
		/* An access by way of VNCR_EL2 counts as one of EL2. */
		if (target == 2 && iss & ARM_ISS_VNCR)
			return lower | ARM_EC_SAME_EL;
		return lower | (target == el);
	case ARM_EC_FETCH_ABORT:
	case ARM_EC_STEP:
	case ARM_EC_BREAKPOINT:
	case ARM_EC_WATCHPOINT: return lower | (target == el);
	default: return ec;
	}
}
