/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The Exception level that an exception is taken to, and which asynchronous exceptions may be taken
 * now: the tables of Arm ARM D1.3 for Exception levels that all use AArch64, as functions of the
 * control registers.
 */
#include "arm/registers.h"
#include "soft/sys/sys_private.h"

/* What routes and masks a physical interrupt, and what makes a virtual one. */
static const struct interrupt {
	uint64_t scr;  /* to EL3 */
	uint64_t hcr;  /* to EL2; enables the virtual interrupt */
	uint64_t pend; /* HCR_EL2: the virtual interrupt is pending */
	uint8_t daif;  /* what masks it */
	uint8_t real;  /* the physical interrupt that a virtual one takes the place of */
} interrupts[] = {
	[SOFT_INTERRUPT_SERROR] = {SCR_EL3_EA, HCR_EL2_AMO, 0, 4, 0},
	[SOFT_INTERRUPT_FIQ] = {SCR_EL3_FIQ, HCR_EL2_FMO, 0, 1, 0},
	[SOFT_INTERRUPT_IRQ] = {SCR_EL3_IRQ, HCR_EL2_IMO, 0, 2, 0},
	[SOFT_INTERRUPT_VSERROR] = {0, HCR_EL2_AMO, HCR_EL2_VSE, 4, SOFT_INTERRUPT_SERROR},
	[SOFT_INTERRUPT_VFIQ] = {0, HCR_EL2_FMO, HCR_EL2_VF, 1, SOFT_INTERRUPT_FIQ},
	[SOFT_INTERRUPT_VIRQ] = {0, HCR_EL2_IMO, HCR_EL2_VI, 2, SOFT_INTERRUPT_IRQ},
};

static unsigned int physical_target(const struct soft_sys *sys, const struct interrupt *i)
{
	if (sys->levels.el3 && (sys->controls.scr_el3 & i->scr))
		return 3;
	return sysreg_hcr(&sys->controls) & (i->hcr | HCR_EL2_TGE) ? 2 : 1;
}

/*
 * An interrupt for a lower Exception level is never taken. One for a higher level always is, except
 * that PSTATE masks those that go to EL1, and those from EL0 of a host to EL2.
 */
static bool physical_unmasked(const struct soft_sys *sys, const struct interrupt *i)
{
	const unsigned int el = sys->pstate.el, target = physical_target(sys, i);

	if (target < el)
		return false;
	if (target > el && target != 1 &&
	    !(target == 2 && el == 0 && sysreg_el0_host(&sys->controls)))
		return true;
	return !(sys->pstate.daif & i->daif);
}

/* Virtual interrupts are for EL1 and EL0 under a hypervisor that has taken the physical ones. */
static bool virtual_enabled(const struct soft_sys *sys, const struct interrupt *i)
{
	const uint64_t hcr = sysreg_hcr(&sys->controls);

	return sys->pstate.el <= 1 && (hcr & i->hcr) && !(hcr & HCR_EL2_TGE);
}

static bool virtual_asserted(const struct soft_sys *sys, enum soft_interrupt which)
{
	const bool line = (which == SOFT_INTERRUPT_VIRQ && sys->virq_level) ||
			  (which == SOFT_INTERRUPT_VFIQ && sys->vfiq_level);

	return line || (sysreg_hcr(&sys->controls) & interrupts[which].pend);
}

static bool physical_asserted(const struct soft_sys *sys, enum soft_interrupt which)
{
	switch (which) {
	case SOFT_INTERRUPT_SERROR: return sys->serror;
	case SOFT_INTERRUPT_FIQ: return sys->fiq_level;
	default: return sys->irq_level;
	}
}

unsigned int soft_interrupt_target(const struct soft_sys *sys, enum soft_interrupt which)
{
	struct spe_syndrome unused;

	switch (which) {
	case SOFT_INTERRUPT_SERROR:
	case SOFT_INTERRUPT_FIQ:
	case SOFT_INTERRUPT_IRQ: return physical_target(sys, &interrupts[which]);
	case SOFT_INTERRUPT_PROFILING:
		if (!(sys->controls.features & SYSREG_FEAT_SPE_EXC))
			return 0;
		return spe_exception_level(sys->spe, sys->pstate.pm, &unused);
	default: return 1;
	}
}

bool soft_interrupt_unmasked(const struct soft_sys *sys, enum soft_interrupt which)
{
	const struct interrupt *i = &interrupts[which];

	switch (which) {
	case SOFT_INTERRUPT_NONE: return false;
	case SOFT_INTERRUPT_PROFILING: return soft_interrupt_target(sys, which) != 0;
	case SOFT_INTERRUPT_SERROR:
	case SOFT_INTERRUPT_FIQ:
	case SOFT_INTERRUPT_IRQ: return physical_unmasked(sys, i);
	default: return virtual_enabled(sys, i) && !(sys->pstate.daif & i->daif);
	}
}

/*
 * The order of asynchronous exceptions is IMPLEMENTATION DEFINED: SError first, as the error that
 * it reports may have spoilt all else; Profiling exceptions before interrupts, as no sample is
 * taken until they are handled; physical before virtual.
 */
enum soft_interrupt soft_pending_interrupt(const struct soft_sys *sys)
{
	if (soft_interrupts_quiet(sys))
		return soft_interrupt_target(sys, SOFT_INTERRUPT_PROFILING) != 0
			       ? SOFT_INTERRUPT_PROFILING
			       : SOFT_INTERRUPT_NONE;
	for (unsigned int n = SOFT_INTERRUPT_SERROR; n <= SOFT_INTERRUPT_VIRQ; n++) {
		const enum soft_interrupt which = (enum soft_interrupt)n;
		bool asserted;

		if (which == SOFT_INTERRUPT_PROFILING)
			asserted = true; /* its level is its state */
		else if (which >= SOFT_INTERRUPT_VSERROR)
			asserted = virtual_asserted(sys, which);
		else
			asserted = physical_asserted(sys, which);
		if (asserted && soft_interrupt_unmasked(sys, which))
			return which;
	}
	return SOFT_INTERRUPT_NONE;
}

bool soft_wakes(const struct soft_sys *sys)
{
	struct spe_syndrome unused;

	if (sys->irq_level || sys->fiq_level || sys->serror)
		return true;
	for (unsigned int n = SOFT_INTERRUPT_VSERROR; n <= SOFT_INTERRUPT_VIRQ; n++) {
		if (virtual_asserted(sys, (enum soft_interrupt)n) &&
		    virtual_enabled(sys, &interrupts[n]))
			return true;
	}
	return sys->spe && spe_exception_level(sys->spe, false, &unused) != 0;
}

uint64_t soft_isr(const struct soft_sys *sys)
{
	uint64_t isr = 0;

	/* A, I and F have the places of PSTATE.DAIF, and PSTATE.DAIF those of the register DAIF. */
	for (unsigned int n = SOFT_INTERRUPT_VSERROR; n <= SOFT_INTERRUPT_VIRQ; n++) {
		const enum soft_interrupt which = (enum soft_interrupt)n;
		const enum soft_interrupt real = (enum soft_interrupt)interrupts[n].real;
		const bool asserted = virtual_enabled(sys, &interrupts[n])
					      ? virtual_asserted(sys, which)
					      : physical_asserted(sys, real);

		isr |= asserted ? (uint64_t)interrupts[n].daif << 6 : 0;
	}
	return isr;
}

/*
 * Synchronous exceptions.
 */

/* A synchronous external abort, on a walk or not. */
static bool external_abort(const struct soft_exception *exception)
{
	const unsigned int class = exception->ec & ~ARM_EC_SAME_EL,
			   fsc = exception->iss & ARM_ISS_FSC;

	return (class == ARM_EC_FETCH_ABORT || class == ARM_EC_DATA_ABORT) &&
	       (fsc == ARM_FSC_EXTERNAL || arm_fsc_on_walk(fsc));
}

static bool debug_exception(const struct soft_exception *exception)
{
	switch (exception->ec & ~ARM_EC_SAME_EL) {
	case ARM_EC_BREAKPOINT:
	case ARM_EC_STEP:
	case ARM_EC_WATCHPOINT: return true;
	default: return exception->ec == ARM_EC_BRK;
	}
}

/*
 * The target of an exception without a specific control: the present level, or EL1 from EL0, or EL2
 * for HCR_EL2.TGE.
 */
static unsigned int plain_target(const struct soft_sys *sys)
{
	if (sys->pstate.el != 0)
		return sys->pstate.el;
	return sysreg_hcr(&sys->controls) & HCR_EL2_TGE ? 2 : 1;
}

unsigned int soft_exception_target(const struct soft_sys *sys,
				   const struct soft_exception *exception)
{
	const unsigned int el = sys->pstate.el;
	const bool external = external_abort(exception);
	unsigned int target = plain_target(sys);

	if (external && sys->levels.el3 && (sys->controls.scr_el3 & SCR_EL3_EA))
		return 3;
	if (exception->target_el > target)
		return exception->target_el;
	if (exception->ec == ARM_EC_HVC && target < 2)
		return 2;
	if (exception->ec == ARM_EC_SMC && exception->target_el == 0)
		return 3;
	if (el <= 1 && ((external && sysreg_hcr(&sys->controls) & HCR_EL2_TEA) ||
			(debug_exception(exception) && arm_debug_to_el2(&sys->controls))))
		target = 2;
	return target;
}
