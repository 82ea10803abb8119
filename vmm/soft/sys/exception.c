/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Exception entry and return (Arm ARM D1.3, D1.4) for Exception levels that all use AArch64, with
 * software step (D2.12). exception_route.c decides where exceptions go.
 */
#include "arm/exception.h"
#include "arm/registers.h"
#include "arm/walk.h"
#include "soft/flags.h"
#include "soft/sys/pmu.h"
#include "soft/sys/sys_private.h"

static uint64_t *sp_bank(struct soft_sys *sys)
{
	return sys->pstate.sp ? &sys->sp[sys->pstate.el] : &sys->sp[0];
}

void soft_set_mode(struct soft_cpu *cpu, unsigned int el, bool sp)
{
	struct soft_sys *sys = soft_sys(cpu);
	bool moved = sys->pstate.el != el;

	*sp_bank(sys) = *soft_sp(cpu);
	sys->pstate.el = (uint8_t)el;
	sys->pstate.sp = sp && el != 0;
	*soft_sp(cpu) = *sp_bank(sys);
	if (!moved)
		return;
	sys->controls.el = (uint8_t)el;
	if (sys->spe)
		spe_update(sys->spe, &sys->controls);
	if (sys->pmu)
		soft_pmu_refresh(cpu);
}

/* PSTATE as SPSR_ELx has it. */
static uint64_t pstate_of(struct soft_cpu *cpu)
{
	const struct soft_pstate *pstate = &soft_sys(cpu)->pstate;

	return (soft_get_nzcv(cpu) & SPSR_ELx_NZCV) | (pstate->pm ? SPSR_ELx_PM : 0) |
	       (pstate->pan ? SPSR_ELx_PAN : 0) | (pstate->ss ? SPSR_ELx_SS : 0) |
	       (pstate->uao ? SPSR_ELx_UAO : 0) | (pstate->dit ? SPSR_ELx_DIT : 0) |
	       (pstate->ssbs ? SPSR_ELx_SSBS : 0) | ARM_VALUE(SPSR_ELx_BTYPE, pstate->btype) |
	       (pstate->il ? SPSR_ELx_IL : 0) | ARM_VALUE(SPSR_ELx_DAIF, pstate->daif) |
	       ARM_VALUE(SPSR_ELx_EL, pstate->el) | (pstate->sp & 1u);
}

/* Program flow is about to go to va at el. Call this before soft_set_mode() moves the unit. */
static void tell_flow(struct soft_sys *sys, enum spe_branch_kind kind, uint64_t va, unsigned int el)
{
	const struct arm_security_state security = arm_security_at(&sys->controls, el);
	const struct spe_target target = {
		.va = va,
		.el = (uint8_t)el,
		.ns = security.ns,
		.nse = security.nse,
	};

	if (sys->spe)
		spe_branch(sys->spe, kind, &target);
}

static uint64_t branch_address_at(const struct soft_sys *sys, uint64_t target, unsigned int el)
{
	const uint64_t top = UINT64_C(0xff) << 56;
	const enum arm_regime_kind regime = arm_regime_at(&sys->controls, el);

	if (!arm_tagged(regime, sys->tcr[arm_regime_owner(regime)], target, true))
		return target;
	if (regime == ARM_REGIME_EL2 || regime == ARM_REGIME_EL3)
		return target & ~top;
	return (target & UINT64_C(1) << 55) ? target | top : target & ~top;
}

uint64_t soft_branch_address(const struct soft_sys *sys, uint64_t target)
{
	return branch_address_at(sys, target, sys->pstate.el);
}

/* Move the vCPU to the vector of level target. The caller sets ESR, FAR and HPFAR. */
static void enter_vector(struct soft_cpu *cpu, unsigned int target, enum arm_vector vector,
			 uint64_t elr)
{
	struct soft_sys *sys = soft_sys(cpu);
	const struct arm_exception exception = {
		.vector = vector,
		.target = (uint8_t)target,
		.pstate = pstate_of(cpu),
		.sctlr = sys->sctlr[target],
		.vbar = sys->vbar[target],
		.nvx = (uint8_t)arm_nvx(&sys->controls),
		.sets_pan = target == 1 || (target == 2 && sysreg_el0_host(&sys->controls)),
		.masks_pm = sys->controls.features & SYSREG_FEAT_SPE_EXC,
	};
	const struct arm_entry entry = arm_enter_exception(&exception);
	const uint64_t to = branch_address_at(sys, entry.pc, target);

	sys->spsr[target] = entry.spsr;
	sys->elr[target] = elr;
	sys->pstate.daif = (uint8_t)arm_field(entry.pstate, SPSR_ELx_DAIF);
	sys->pstate.pm = entry.pstate & SPSR_ELx_PM;
	sys->pstate.pan = entry.pstate & SPSR_ELx_PAN;
	sys->pstate.uao = entry.pstate & SPSR_ELx_UAO;
	sys->pstate.dit = entry.pstate & SPSR_ELx_DIT;
	sys->pstate.ssbs = entry.pstate & SPSR_ELx_SSBS;
	sys->pstate.btype = 0;
	sys->pstate.il = sys->pstate.ss = false;
	tell_flow(sys, SPE_BRANCH_EXCEPTION, to, target);
	soft_set_mode(cpu, target, true);
	soft_set_pc(cpu, to);
}

/*
 * Draw the registers of a level that execution below it has made UNKNOWN, unless the exception sets
 * them.
 */
static void lower_executed(struct soft_cpu *cpu, unsigned int target)
{
	struct soft_sys *sys = soft_sys(cpu);

	if (sys->pstate.el >= target)
		return;
	if (soft_may(cpu, SOFT_MAY_LOWER_FAR)) {
		sys->far[target] = soft_draw_next(cpu);
		if (target == 2)
			sys->hpfar_el2 =
				soft_draw_next(cpu) & sys_layout(sys, SYS_LAYOUT_HPFAR_EL2).mask;
	}
	if (soft_may(cpu, SOFT_MAY_LOWER_ESR))
		sys->esr[target] = (uint32_t)soft_draw_next(cpu);
}

void soft_take_exception(struct soft_cpu *cpu, const struct soft_exception *exception, uint64_t elr)
{
	struct soft_sys *sys = soft_sys(cpu);
	const unsigned int target = soft_exception_target(sys, exception);
	uint32_t iss = exception->iss & ARM_ISS_MASK;

	lower_executed(cpu, target);

	if (exception->has_far)
		sys->far[target] = exception->far;
	if (exception->has_ipa && target == 2)
		sys->hpfar_el2 = (uint64_t)exception->ipa_ns << 63 | exception->ipa >> 12 << 4;
	/* An external abort goes to EL3, whose ESR_EL3 does not have VNCR. */
	if (exception->ec == ARM_EC_DATA_ABORT && target == 3)
		iss &= ~ARM_ISS_VNCR;
	sys->esr[target] =
		arm_esr(arm_reported_ec(exception->ec, iss, sys->pstate.el, target), iss);
	/* An instruction whose purpose is an exception has executed, any other has not. */
	if (sys->pmu)
		soft_pmu_exception(cpu, elr != soft_get_pc(cpu) || exception->ec == ARM_EC_BRK);
	enter_vector(cpu, target, ARM_VECTOR_SYNC, elr);
}

void soft_take_interrupt(struct soft_cpu *cpu, enum soft_interrupt which, uint64_t elr)
{
	struct soft_sys *sys = soft_sys(cpu);
	const unsigned int target = soft_interrupt_target(sys, which);
	/* IDS is 1: the rest of the ISS is IMPLEMENTATION DEFINED, and meaningless. */
	const uint64_t serror = arm_esr(ARM_EC_SERROR, ARM_ISS_IDS);
	struct spe_syndrome profiling;

	if (sys->pmu && which != SOFT_INTERRUPT_NONE && target)
		soft_pmu_exception(cpu, true);
	lower_executed(cpu, target);
	switch (which) {
	case SOFT_INTERRUPT_NONE: return;
	case SOFT_INTERRUPT_SERROR:
		sys->serror = false;
		sys->esr[target] = serror;
		enter_vector(cpu, target, ARM_VECTOR_SERROR, elr);
		return;
	case SOFT_INTERRUPT_VSERROR:
		sys->controls.hcr_el2 &= ~HCR_EL2_VSE;
		soft_controls_changed(cpu);
		sys->esr[target] = serror;
		enter_vector(cpu, target, ARM_VECTOR_SERROR, elr);
		return;
	case SOFT_INTERRUPT_FIQ:
	case SOFT_INTERRUPT_VFIQ: enter_vector(cpu, target, ARM_VECTOR_FIQ, elr); return;
	case SOFT_INTERRUPT_IRQ:
	case SOFT_INTERRUPT_VIRQ: enter_vector(cpu, target, ARM_VECTOR_IRQ, elr); return;
	case SOFT_INTERRUPT_PROFILING:
		if (!target)
			return;
		(void)spe_exception_level(sys->spe, sys->pstate.pm, &profiling);
		sys->esr[target] = arm_esr(profiling.ec, profiling.iss);
		enter_vector(cpu, target, ARM_VECTOR_SYNC, elr);
		return;
	}
}

/*
 * Debug exceptions other than BRK are generated at el with this PSTATE.D (Arm ARM D2.4): always
 * below the level that they go to, at that level if MDSCR_EL1.KDE allows it, above it never.
 */
static bool debug_enabled(const struct soft_sys *sys, unsigned int el, bool d_masked)
{
	const unsigned int target = arm_debug_to_el2(&sys->controls) ? 2 : 1;
	const struct arm_security_state security = arm_security_at(&sys->controls, el);

	if (sys->os_lock || (sys->osdlr_el1 & 1) || el > target)
		return false;
	if (!security.ns && !security.nse && sys->controls.mdcr_el3 & MDCR_EL3_SDD)
		return false;
	return el < target || ((sys->mdscr_el1 & MDSCR_EL1_KDE) && !d_masked);
}

bool soft_debug_enabled(const struct soft_sys *sys)
{
	return debug_enabled(sys, sys->pstate.el, sys->pstate.daif & 8);
}

bool soft_step_active(const struct soft_sys *sys)
{
	return (sys->mdscr_el1 & MDSCR_EL1_SS) && soft_debug_enabled(sys);
}

void soft_take_step(struct soft_cpu *cpu, bool stepped, bool exclusive, uint64_t elr)
{
	struct soft_exception step = {.ec = ARM_EC_STEP, .iss = ARM_FSC_DEBUG};

	if (stepped)
		step.iss |= ARM_ISS_ISV | (exclusive ? ARM_ISS_EX : 0);
	soft_take_exception(cpu, &step, elr);
}

/*
 * Returns that lead to the Illegal Execution state (Arm ARM D1.4.4): to AArch32, which no level
 * has; to no valid mode; upwards; to a level that is not implemented, or not in use in the Security
 * state of SCR_EL3; to EL1 if EL2 is its host.
 */
static bool illegal_return(const struct soft_sys *sys, uint64_t spsr)
{
	const unsigned int el = arm_field(spsr, SPSR_ELx_EL);
	const struct arm_security_state security = arm_security_at(&sys->controls, el);

	/* M[1] is 0, and M[0] for EL0. */
	if ((spsr & SPSR_ELx_nRW) || (spsr & 2) || (spsr & 0xf) == 1)
		return true;
	if (el > sys->pstate.el || (el == 3 && !sys->levels.el3) ||
	    (el == 2 && !sysreg_el2_enabled(&sys->controls)))
		return true;
	if (el != 3 && security.nse && !security.ns) /* SCR_EL3.{NSE,NS} of 10: Root */
		return true;
	return el == 1 && sysreg_hcr(&sys->controls) & HCR_EL2_TGE;
}

void soft_exception_return(struct soft_cpu *cpu, uint64_t target)
{
	struct soft_sys *sys = soft_sys(cpu);
	const unsigned int from = sys->pstate.el;
	const uint64_t spsr = sys->spsr[from];
	const bool illegal = illegal_return(sys, spsr);
	const unsigned int el = illegal ? from : arm_field(spsr, SPSR_ELx_EL);
	const bool d_masked = spsr & SPSR_ELx_D;
	const uint64_t to = branch_address_at(sys, target, el);

	/* A step starts with a return from where stepping is off to where it is on. */
	sys->pstate.ss = (sys->mdscr_el1 & MDSCR_EL1_SS) && !soft_step_active(sys) &&
			 debug_enabled(sys, el, d_masked) && (spsr & SPSR_ELx_SS);
	sys->pstate.daif = spsr >> 6 & 0xf;
	sys->pstate.pan = spsr & SPSR_ELx_PAN;
	sys->pstate.uao = spsr & SPSR_ELx_UAO;
	sys->pstate.dit = spsr & SPSR_ELx_DIT;
	sys->pstate.ssbs = spsr & SPSR_ELx_SSBS;
	sys->pstate.btype = (uint8_t)arm_field(spsr, SPSR_ELx_BTYPE);
	sys->pstate.pm = sys->controls.features & SYSREG_FEAT_SPE_EXC && spsr & SPSR_ELx_PM;
	soft_set_nzcv(cpu, spsr & SPSR_ELx_NZCV);
	tell_flow(sys, SPE_BRANCH_RETURN, to, el);
	soft_pmu_return(cpu);
	if (illegal) {
		sys->pstate.il = true;
	} else {
		sys->pstate.il = spsr & SPSR_ELx_IL;
		soft_set_mode(cpu, el, spsr & 1);
	}
	cpu->monitor.set = false;
	soft_set_pc(cpu, to);
}
