/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The outcome of instructions that call a higher Exception level or return from one, and of waits:
 * UNDEFINED, trapped, or their actual effect (Arm ARM C6.2, D1.3; HCR_EL2, SCR_EL3, HFGITR_EL2).
 */
#include "arm/registers.h"
#include "soft/sys/sys_private.h"
#include "sysreg/traps.h"

/* Does this bit of HFGITR_EL2 trap? Only outside a host, at EL1 and at EL0. */
static bool fine_trap(const struct soft_sys *sys, uint64_t bit)
{
	return sysreg_el2_enabled(&sys->controls) && !sysreg_el0_host(&sys->controls) &&
	       sysreg_fine_trap(&sys->controls, false, sys->hfgitr_el2,
				(unsigned int)__builtin_ctzll(bit), true);
}

enum soft_call soft_svc_call(const struct soft_sys *sys)
{
	const unsigned int el = sys->pstate.el;

	if (el <= 1 && fine_trap(sys, el == 0 ? HFGITR_EL2_SVC_EL0 : HFGITR_EL2_SVC_EL1))
		return SOFT_CALL_TRAPPED;
	return SOFT_CALL_TAKEN;
}

enum soft_call soft_hvc_call(const struct soft_sys *sys)
{
	const unsigned int el = sys->pstate.el;
	bool enabled;

	if (el == 0)
		return SOFT_CALL_UNDEFINED;
	if (sys->levels.start == 1)
		return SOFT_CALL_MACHINE;
	if (!sys->levels.el2 || (el == 1 && !sysreg_el2_enabled(&sys->controls)))
		return SOFT_CALL_UNDEFINED;
	enabled = sys->levels.el3 ? sys->controls.scr_el3 & SCR_EL3_HCE
				  : !(sys->controls.hcr_el2 & HCR_EL2_HCD);
	return enabled ? SOFT_CALL_TAKEN : SOFT_CALL_UNDEFINED;
}

/*
 * A machine that starts at EL2 answers SMC as firmware at an invisible EL3. For SMC that EL3
 * exists, too, so that HCR_EL2.TSC traps.
 */
enum soft_call soft_smc_call(const struct soft_sys *sys)
{
	const bool above = sys->levels.el3 || sys->levels.start == 2;
	const bool trapped = sys->pstate.el == 1 && sysreg_hcr(&sys->controls) & HCR_EL2_TSC;

	if (sys->pstate.el == 0 || !above)
		return SOFT_CALL_UNDEFINED;
	if (trapped)
		return SOFT_CALL_TRAPPED;
	if (sys->levels.start < 3)
		return SOFT_CALL_MACHINE;
	return sys->controls.scr_el3 & SCR_EL3_SMD ? SOFT_CALL_UNDEFINED : SOFT_CALL_TAKEN;
}

enum soft_call soft_eret_call(const struct soft_sys *sys)
{
	if (sys->pstate.el == 0)
		return SOFT_CALL_UNDEFINED;
	if (sys->pstate.el == 1 &&
	    (sysreg_hcr(&sys->controls) & HCR_EL2_NV || fine_trap(sys, HFGITR_EL2_ERET)))
		return SOFT_CALL_TRAPPED;
	return SOFT_CALL_ALLOWED;
}

/* The level that traps a wait, lowest first, or 0. */
static unsigned int wait_trap_level(const struct soft_sys *sys, bool wfe)
{
	const unsigned int el = sys->pstate.el;
	const bool host = sysreg_el0_host(&sys->controls);

	if (el == 0 && !(sys->sctlr[host ? 2 : 1] & (wfe ? SCTLR_ELx_nTWE : SCTLR_ELx_nTWI)))
		return 1;
	if (el <= 1 && !(el == 0 && host) &&
	    sysreg_hcr(&sys->controls) & (wfe ? HCR_EL2_TWE : HCR_EL2_TWI))
		return 2;
	if (el <= 2 && sys->levels.el3 && sys->controls.scr_el3 & (wfe ? SCR_EL3_TWE : SCR_EL3_TWI))
		return 3;
	return 0;
}

enum soft_outcome soft_wait_trap(struct soft_cpu *cpu, bool wfe, int until)
{
	const unsigned int level = wait_trap_level(soft_sys(cpu), wfe);
	/* RV is 1, and RN is the register. */
	const uint32_t timed = until < 0 ? 0 : UINT32_C(6) | (uint32_t)until << 5;
	/* CV is 1, COND is AL; TI says which. */
	const struct soft_exception trap = {
		.ec = ARM_EC_WFX,
		.target_el = (uint8_t)level,
		.iss = UINT32_C(0x1e) << 20 | timed | (wfe ? 1 : 0),
	};

	if (!level)
		return SOFT_DONE;
	soft_take_exception(cpu, &trap, soft_get_pc(cpu));
	return SOFT_EXCEPTION;
}
