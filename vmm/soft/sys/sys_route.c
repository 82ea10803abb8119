/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the access to a system register, or a SYS instruction, ends: direct, UNDEFINED, trapped to
 * EL1, EL2 or EL3, or in memory by FEAT_NV2. A pure function of the registers and of a row's
 * columns, in the order of the "Accessing" sections of the register pages (Arm ARM C5, D24).
 */
#include "soft/sys/isa.h"
#include "soft/sys/sys_private.h"

static struct sysreg_route undefined_by(enum sys_decider decider)
{
	return (struct sysreg_route){.kind = SYSREG_UNDEFINED, .rule = (uint16_t)decider};
}

/* The syndrome is sys_route()'s. */
static struct sysreg_route trap_by(enum sys_decider decider, uint8_t el)
{
	return (struct sysreg_route){
		.kind = SYSREG_TRAP,
		.target_el = el,
		.ec = ARM_EC_SYSREG,
		.rule = (uint16_t)decider,
	};
}

static struct sysreg_route reach(uint16_t reg)
{
	return (struct sysreg_route){.kind = SYSREG_DIRECT, .reg = reg};
}

static struct sysreg_route reach_by(enum sys_decider decider, uint16_t reg)
{
	return (struct sysreg_route){.kind = SYSREG_DIRECT, .reg = reg, .rule = (uint16_t)decider};
}

static unsigned int highest_el(const struct soft_sys *sys)
{
	return sys->levels.el3 ? 3 : sys->levels.el2 ? 2 : 1;
}

static bool rule_exists(const struct soft_sys *sys, const struct sys_rule *rule)
{
	const struct engine_levels *levels = &sys->levels;

	if (rule->feature && !(sys->isa >> (rule->feature - 1) & 1))
		return false;
	switch (rule->exists) {
	case SYS_EXISTS_ALWAYS: return true;
	case SYS_EXISTS_EL2: return levels->el2;
	case SYS_EXISTS_EL2_ON: return sysreg_el2_enabled(&sys->controls);
	case SYS_EXISTS_EL3: return levels->el3;
	case SYS_EXISTS_EL23: return levels->el2 && levels->el3;
	case SYS_EXISTS_SEL2:
		/* For EL3, SCR_EL3.EEL2 says whether there is a Secure EL2. */
		if (sys->pstate.el == 3)
			return levels->sel2 && (sys->controls.scr_el3 & SCR_EL3_EEL2);
		return levels->sel2 && sysreg_secure(&sys->controls);
	case SYS_EXISTS_RME: return levels->rme;
	case SYS_EXISTS_EXC: return sys->controls.features & SYSREG_FEAT_SPE_EXC;
	case SYS_EXISTS_EL2_HCX: return levels->el2 && sys->isa & SOFT_ISA(HCX);
	case SYS_EXISTS_HIGHEST: return rule->lowest[0] == highest_el(sys);
	default: return sys->isa >> (rule->exists - SYS_EXISTS_HIGHEST - 1) & 1;
	}
}

/* Does one of them trap? */
static bool trapped_by(const struct soft_sys *sys, struct sys_controls controls)
{
	for (unsigned int n = 0; n < SYS_CONTROLS; n++)
		if (controls.of[n] && sys_control_traps(sys, controls.of[n]))
			return true;
	return false;
}

static bool el0_trapped(const struct soft_sys *sys, const struct sys_rule *rule)
{
	return sys->pstate.el == 0 && rule->el0 != SYS_TRAP_NONE &&
	       trapped_by(sys, sys_el0_controls(sys, (enum sys_trap)rule->el0));
}

static bool fine_trap(const struct soft_sys *sys, const struct sys_rule *rule, bool write)
{
	const struct sys_control *word;

	if (rule->fgt == SYS_FGT_NONE)
		return false;
	word = sys_fgt_word((enum sys_fgt)rule->fgt, write);
	return sysreg_fine_trap(&sys->controls, false,
				*(const uint64_t *)((const char *)sys + word->offset), rule->bit,
				true);
}

/*
 * What makes EL2 trap an access that EL1, or EL0, may otherwise make? SYS_BY_NOTHING: it is not
 * trapped.
 */
static enum sys_decider el2_decider(const struct soft_sys *sys, const struct sys_rule *rule,
				    bool write)
{
	const enum sys_el2_trap trap = (enum sys_el2_trap)rule->el2;

	if (!sysreg_el2_enabled(&sys->controls))
		return SYS_BY_NOTHING;
	if (sys->pstate.el == 0) {
		/* The debug communications channel is trapped in a host, too. */
		if (trap == SYS_EL2_TDCC && (sys->controls.hcr_el2 & HCR_EL2_TGE))
			return SYS_BY_TGE;
		if (trap != SYS_EL2_TDCC && sysreg_el0_host(&sys->controls))
			return SYS_BY_NOTHING;
	}
	if (trap != SYS_EL2_NONE && trapped_by(sys, sys_el2_controls(trap, write)))
		return SYS_BY_EL2;
	return fine_trap(sys, rule, write) ? SYS_BY_FGT : SYS_BY_NOTHING;
}

/* What EL3 does to a direct access of a lower level: SYSREG_DIRECT if nothing. */
static struct sysreg_route el3_route(const struct soft_sys *sys, const struct sys_rule *rule)
{
	const enum sys_el3_trap trap = (enum sys_el3_trap)rule->el3;

	if (trap == SYS_EL3_ST &&
	    (!sys->levels.el3 || sys->pstate.el != 1 || !sysreg_secure(&sys->controls) ||
	     (sys->controls.scr_el3 & SCR_EL3_EEL2)))
		return undefined_by(SYS_BY_SECURE);
	if (sys->levels.el3 && trap != SYS_EL3_NONE && trapped_by(sys, sys_el3_controls(trap)))
		return trap_by(SYS_BY_EL3, 3);
	return reach(rule->reg);
}

/* Does a bit of CNTHCTL_EL2 prevent the redirection? */
static bool kept_from_memory(const struct soft_sys *sys, const struct sys_rule *rule)
{
	return (rule->nv_leads == SYS_NV_MEMORY_P && sys->cnthctl_el2 & CNTHCTL_EL2_EL1NVPCT) ||
	       (rule->nv_leads == SYS_NV_MEMORY_V && sys->cnthctl_el2 & CNTHCTL_EL2_EL1NVVCT);
}

/* The effect of nested virtualization on an access at EL1 that nothing else traps. */
static struct sysreg_route nv_route(const struct soft_sys *sys, const struct sys_rule *rule,
				    bool write)
{
	const struct sysreg_nv nv = kept_from_memory(sys, rule) ? SYSREG_NV_NEVER : rule->nv;

	switch (sysreg_nv_kind(arm_nvx(&sys->controls), nv, rule->lowest[write] == 2)) {
	case SYSREG_NVMEM: break;
	case SYSREG_TRAP: return trap_by(SYS_BY_NV, 2);
	case SYSREG_UNDEFINED: return undefined_by(SYS_BY_LEVEL);
	default: return reach(rule->reg);
	}
	if (rule->nv_leads == SYS_NV_TO)
		return reach_by(SYS_BY_NV, rule->other);
	return (struct sysreg_route){
		.kind = SYSREG_NVMEM, .nvmem_offset = rule->offset, .rule = SYS_BY_NV};
}

uint64_t sys_virtual_bits(enum sys_el2_trap trap)
{
	switch (trap) {
	case SYS_EL2_ICC0: return HCR_EL2_FMO;
	case SYS_EL2_ICC1: return HCR_EL2_IMO;
	case SYS_EL2_ICC:
	case SYS_EL2_DIR: return HCR_EL2_FMO | HCR_EL2_IMO;
	default: return 0;
	}
}

/* The other register of SYS_HOST_TIMER; at EL0 that is EL2's in a host. */
static uint16_t host_timer(const struct soft_sys *sys, const struct sys_rule *rule)
{
	return sysreg_secure(&sys->controls) && sys->levels.sel2 ? rule->secure : rule->other;
}

static struct sysreg_route at_el0(const struct soft_sys *sys, const struct sys_rule *rule,
				  bool write)
{
	struct sysreg_route route;
	enum sys_decider decider;

	if (el0_trapped(sys, rule))
		return trap_by(SYS_BY_EL0, sysreg_hcr(&sys->controls) & HCR_EL2_TGE ? 2 : 1);
	decider = el2_decider(sys, rule, write);
	if (decider != SYS_BY_NOTHING)
		return trap_by(decider, 2);
	route = el3_route(sys, rule);
	if (route.kind == SYSREG_DIRECT && rule->host == SYS_HOST_TIMER &&
	    sysreg_el0_host(&sys->controls))
		return reach_by(SYS_BY_HOST, host_timer(sys, rule));
	return route;
}

static struct sysreg_route at_el1(const struct soft_sys *sys, const struct sys_rule *rule,
				  bool write)
{
	struct sysreg_route route;
	enum sys_decider decider;

	/* For names of EL2's registers EL2 alone decides. */
	if (rule->lowest[write] == 2)
		return nv_route(sys, rule, write);
	decider = el2_decider(sys, rule, write);
	if (decider != SYS_BY_NOTHING)
		return trap_by(decider, 2);
	if (sysreg_hcr(&sys->controls) & sys_virtual_bits((enum sys_el2_trap)rule->el2))
		return reach_by(SYS_BY_VIRTUAL, rule->reg | SYS_VIRTUAL);
	route = el3_route(sys, rule);
	return route.kind == SYSREG_DIRECT ? nv_route(sys, rule, write) : route;
}

static struct sysreg_route at_el2(const struct soft_sys *sys, const struct sys_rule *rule)
{
	struct sysreg_route route;
	bool host = arm_el2_host(&sys->controls);

	if (rule->host == SYS_HOST_ONLY && !host)
		return undefined_by(SYS_BY_HOST);
	if (rule->el3 == SYS_EL3_LOR && sysreg_secure(&sys->controls))
		return undefined_by(SYS_BY_SECURE);
	route = el3_route(sys, rule);
	if (route.kind != SYSREG_DIRECT || !host)
		return route;
	switch (rule->host) {
	case SYS_HOST_OTHER: return reach_by(SYS_BY_HOST, rule->other);
	case SYS_HOST_TIMER: return reach_by(SYS_BY_HOST, host_timer(sys, rule));
	default: return route;
	}
}

static struct sysreg_route at_el3(const struct soft_sys *sys, const struct sys_rule *rule)
{
	if (rule->host == SYS_HOST_ONLY && !arm_el2_host(&sys->controls))
		return undefined_by(SYS_BY_HOST);
	if (rule->el3 == SYS_EL3_LOR && !(sys->controls.scr_el3 & SCR_EL3_NS))
		return undefined_by(SYS_BY_SECURE);
	return reach(rule->reg);
}

static struct sysreg_route trapped_as(const struct soft_exception *trap, enum sys_decider by)
{
	return (struct sysreg_route){
		.kind = SYSREG_TRAP,
		.syndrome = trap->iss,
		.target_el = trap->target_el,
		.ec = trap->ec,
		.rule = by,
	};
}

/* Trapped like floating-point instructions, at all levels. */
static struct sysreg_route fp_route(const struct soft_sys *sys, const struct sys_rule *rule)
{
	struct soft_exception trap;

	return soft_fp_trapped(sys, &trap) ? trapped_as(&trap, SYS_BY_FP) : reach(rule->reg);
}

static struct sysreg_route route_at(const struct soft_sys *sys, const struct sys_rule *rule,
				    bool write)
{
	unsigned int el = sys->pstate.el, lowest = rule->lowest[write];

	if (lowest == SYS_TOP)
		lowest = el < highest_el(sys) ? highest_el(sys) : el;
	if (lowest == SYS_NO)
		return undefined_by(SYS_BY_ACCESSOR);
	if (!rule_exists(sys, rule))
		return undefined_by(SYS_BY_EXISTS);
	if (rule->el0 == SYS_TRAP_FP)
		return fp_route(sys, rule);
	/* At EL1 a name of EL2 may not just be UNDEFINED. */
	if (el < lowest && !(el == 1 && rule->lowest[write] == 2 && sys->levels.el2))
		return undefined_by(SYS_BY_LEVEL);
	if (el == 1 && rule->el3 == SYS_EL3_LOR && sysreg_secure(&sys->controls))
		return undefined_by(SYS_BY_SECURE);
	/* There is neither EL2 nor EL3, so nothing of theirs can decide. */
	if (!sys->levels.el2 && !sys->levels.el3)
		return el0_trapped(sys, rule) ? trap_by(SYS_BY_EL0, 1) : reach(rule->reg);
	switch (el) {
	case 0: return at_el0(sys, rule, write);
	case 1: return at_el1(sys, rule, write);
	case 2: return at_el2(sys, rule);
	default: return at_el3(sys, rule);
	}
}

struct sysreg_route sys_route(const struct soft_sys *sys, const struct sys_rule *rule,
			      uint32_t encoding, bool write, uint8_t rt)
{
	struct sysreg_route route = route_at(sys, rule, write);
	struct soft_exception trap;

	/* An access that reaches a register, or memory by FEAT_NV2. */
	if (rule->el0 == SYS_TRAP_SVE && route.kind != SYSREG_UNDEFINED &&
	    route.kind != SYSREG_TRAP && soft_zcr_trapped(sys, &trap))
		return trapped_as(&trap, SYS_BY_SVE);
	if (route.kind == SYSREG_TRAP && route.ec == ARM_EC_SYSREG)
		route.syndrome = sysreg_trap_iss(encoding, !write, rt);
	return route;
}
