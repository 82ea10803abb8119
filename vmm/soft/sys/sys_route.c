/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the access to a system register, or a SYS instruction, ends: direct, UNDEFINED, trapped to
 * EL1, EL2 or EL3, or in memory by FEAT_NV2. A pure function of the registers and of a row's
 * columns, in the order of the "Accessing" sections of the register pages (Arm ARM C5, D24).
 */
#include "soft/sys/isa.h"
#include "soft/sys/sys_private.h"

/* How much further up CNTHCTL_EL2.EL1PCTEN and EL1PCEN (EL1PTEN) are when HCR_EL2.E2H is 1. */
#define E2H_DISTANCE 10

static const struct sysreg_route undefined = {.kind = SYSREG_UNDEFINED};
static const struct sysreg_route direct = {.kind = SYSREG_DIRECT};

/* The syndrome is sys_route()'s. */
static struct sysreg_route trap_to(uint8_t el)
{
	return (struct sysreg_route){.kind = SYSREG_TRAP, .target_el = el, .ec = ARM_EC_SYSREG};
}

static struct sysreg_route reach(uint16_t reg)
{
	return (struct sysreg_route){.kind = SYSREG_DIRECT, .reg = reg};
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
		/* EL3 asks whether there is a Secure EL2, which SCR_EL3.EEL2 says. */
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

bool sys_trapped(const struct soft_sys *sys, enum sys_trap trap)
{
	bool host;
	uint64_t sctlr, cntkctl;

	if (sys->pstate.el != 0 || trap == SYS_TRAP_NONE)
		return false;
	host = sysreg_el0_host(&sys->controls);
	sctlr = sys->sctlr[host ? 2 : 1];
	cntkctl = host ? sys->cnthctl_el2 : sys->cntkctl_el1;
	switch (trap) {
	case SYS_TRAP_NONE:
	case SYS_TRAP_FP: return false;
	case SYS_TRAP_UMA: return host || !(sctlr & SCTLR_ELx_UMA);
	case SYS_TRAP_UCT: return !(sctlr & SCTLR_ELx_UCT);
	case SYS_TRAP_UCI: return !(sctlr & SCTLR_ELx_UCI);
	case SYS_TRAP_DZE: return !(sctlr & SCTLR_ELx_DZE);
	case SYS_TRAP_ENRCTX: return !(sctlr & SCTLR_ELx_EnRCTX);
	case SYS_TRAP_TDCC: return sys->mdscr_el1 & MDSCR_EL1_TDCC;
	case SYS_TRAP_CNTFRQ: return !(cntkctl & (CNTKCTL_EL1_EL0PCTEN | CNTKCTL_EL1_EL0VCTEN));
	case SYS_TRAP_EL0PCTEN: return !(cntkctl & CNTKCTL_EL1_EL0PCTEN);
	case SYS_TRAP_EL0VCTEN: return !(cntkctl & CNTKCTL_EL1_EL0VCTEN);
	case SYS_TRAP_EL0VTEN: return !(cntkctl & CNTKCTL_EL1_EL0VTEN);
	case SYS_TRAP_EL0PTEN: return !(cntkctl & CNTKCTL_EL1_EL0PTEN);
	}
	return false;
}

/* A bit of CNTHCTL_EL2 by which EL1 may use the physical timer or counter. */
static bool timer_allowed(const struct soft_sys *sys, uint64_t bit)
{
	return sys->cnthctl_el2 & (arm_el2_host(&sys->controls) ? bit << E2H_DISTANCE : bit);
}

/* The controls of registers and instructions that are there for EL1; EL2 is enabled. */
static bool trapped_by_hcr(const struct soft_sys *sys, enum sys_el2_trap trap, bool write)
{
	uint64_t hcr = sys->controls.hcr_el2;

	switch (trap) {
	case SYS_EL2_VM: return hcr & (write ? HCR_EL2_TVM : HCR_EL2_TRVM);
	case SYS_EL2_TID1: return hcr & HCR_EL2_TID1;
	case SYS_EL2_TID2: return hcr & HCR_EL2_TID2;
	case SYS_EL2_TID2_4: return hcr & (HCR_EL2_TID2 | HCR_EL2_TID4);
	case SYS_EL2_TID3: return hcr & HCR_EL2_TID3;
	case SYS_EL2_TIDCP: return hcr & HCR_EL2_TIDCP;
	case SYS_EL2_TACR: return hcr & HCR_EL2_TACR;
	case SYS_EL2_APK: return !(hcr & HCR_EL2_APK);
	case SYS_EL2_TLOR: return hcr & HCR_EL2_TLOR;
	case SYS_EL2_NV1: return arm_nvx(&sys->controls) == 3;
	case SYS_EL2_TTLB: return hcr & HCR_EL2_TTLB;
	case SYS_EL2_TTLBIS: return hcr & (HCR_EL2_TTLB | HCR_EL2_TTLBIS);
	case SYS_EL2_TTLBOS: return hcr & (HCR_EL2_TTLB | HCR_EL2_TTLBOS);
	case SYS_EL2_TPCP: return hcr & HCR_EL2_TPCP;
	case SYS_EL2_TOCU: return hcr & (HCR_EL2_TPU | HCR_EL2_TOCU);
	case SYS_EL2_TICAB: return hcr & (HCR_EL2_TPU | HCR_EL2_TICAB);
	case SYS_EL2_TSW: return hcr & HCR_EL2_TSW;
	case SYS_EL2_TDZ: return hcr & HCR_EL2_TDZ;
	case SYS_EL2_AT: return hcr & HCR_EL2_AT;
	default: return false;
	}
}

/* Those of debug, timers and the GIC; EL2 is enabled. */
static bool trapped_by_others(const struct soft_sys *sys, enum sys_el2_trap trap)
{
	uint64_t mdcr = sys->controls.mdcr_el2, hcr = sys->controls.hcr_el2;
	uint64_t ich = sys->ich_hcr_el2;

	switch (trap) {
	case SYS_EL2_TCPAC: return sys->cptr_el2 & CPTR_ELx_TCPAC;
	case SYS_EL2_TDA: return mdcr & (MDCR_EL2_TDE | MDCR_ELx_TDA);
	case SYS_EL2_TDOSA: return mdcr & (MDCR_EL2_TDE | MDCR_ELx_TDOSA);
	case SYS_EL2_TDRA: return mdcr & (MDCR_EL2_TDE | MDCR_EL2_TDRA);
	case SYS_EL2_TDCC: return mdcr & (MDCR_EL2_TDE | MDCR_ELx_TDA | MDCR_ELx_TDCC);
	case SYS_EL2_PCT: return !timer_allowed(sys, CNTHCTL_EL2_EL1PCTEN);
	case SYS_EL2_PT: return !timer_allowed(sys, CNTHCTL_EL2_EL1PCEN);
	case SYS_EL2_VCT: return sys->cnthctl_el2 & CNTHCTL_EL2_EL1TVCT;
	case SYS_EL2_VT: return sys->cnthctl_el2 & CNTHCTL_EL2_EL1TVT;
	case SYS_EL2_ICC0: return ich & ICH_HCR_EL2_TALL0;
	case SYS_EL2_ICC1: return ich & ICH_HCR_EL2_TALL1;
	case SYS_EL2_ICC: return ich & ICH_HCR_EL2_TC;
	case SYS_EL2_DIR: return ich & (ICH_HCR_EL2_TC | ICH_HCR_EL2_TDIR);
	case SYS_EL2_SGI: return (ich & ICH_HCR_EL2_TC) || (hcr & (HCR_EL2_FMO | HCR_EL2_IMO));
	default: return false;
	}
}

static bool fine_trap(const struct soft_sys *sys, const struct sys_rule *rule, bool write)
{
	uint64_t bits = 0;

	if (sys->levels.el3 && !(sys->controls.scr_el3 & SCR_EL3_FGTEn))
		return false;
	switch ((enum sys_fgt)rule->fgt) {
	case SYS_FGT_NONE: return false;
	case SYS_FGT_HFG: bits = write ? sys->hfgwtr_el2 : sys->hfgrtr_el2; break;
	case SYS_FGT_HDFG:
		bits = write ? sys->controls.hdfgwtr_el2 : sys->controls.hdfgrtr_el2;
		break;
	case SYS_FGT_HFGI: bits = sys->hfgitr_el2; break;
	}
	return bits >> rule->bit & 1;
}

/* Does EL2 trap what EL1, or EL0, may do otherwise? */
static bool el2_trapped(const struct soft_sys *sys, const struct sys_rule *rule, bool write)
{
	enum sys_el2_trap trap = (enum sys_el2_trap)rule->el2;

	if (!sysreg_el2_enabled(&sys->controls))
		return false;
	if (sys->pstate.el == 0) {
		/* The debug communications channel is trapped in a host, too. */
		if (trap == SYS_EL2_TDCC && (sys->controls.hcr_el2 & HCR_EL2_TGE))
			return true;
		if (trap != SYS_EL2_TDCC && sysreg_el0_host(&sys->controls))
			return false;
	}
	return trapped_by_hcr(sys, trap, write) || trapped_by_others(sys, trap) ||
	       fine_trap(sys, rule, write);
}

/* What EL3 does to an access of a lower level that would be direct: SYSREG_DIRECT if nothing. */
static struct sysreg_route el3_route(const struct soft_sys *sys, const struct sys_rule *rule)
{
	uint64_t scr = sys->controls.scr_el3, mdcr = sys->controls.mdcr_el3;
	bool trapped = false;

	if (!sys->levels.el3)
		return rule->el3 == SYS_EL3_ST ? undefined : direct;
	switch ((enum sys_el3_trap)rule->el3) {
	case SYS_EL3_NONE: break;
	case SYS_EL3_TCPAC: trapped = sys->cptr_el3 & CPTR_ELx_TCPAC; break;
	case SYS_EL3_TDA: trapped = mdcr & MDCR_ELx_TDA; break;
	case SYS_EL3_TDOSA: trapped = mdcr & MDCR_ELx_TDOSA; break;
	case SYS_EL3_TDCC: trapped = mdcr & (MDCR_ELx_TDA | MDCR_ELx_TDCC); break;
	case SYS_EL3_TLOR:
	case SYS_EL3_LOR: trapped = scr & SCR_EL3_TLOR; break;
	case SYS_EL3_FGTEN: trapped = !(scr & SCR_EL3_FGTEn); break;
	case SYS_EL3_FGTEN2: trapped = !(scr & SCR_EL3_FGTEn2); break;
	case SYS_EL3_APK: trapped = !(scr & SCR_EL3_APK); break;
	case SYS_EL3_ECVEN: trapped = !(scr & SCR_EL3_ECVEn); break;
	case SYS_EL3_HXEN: trapped = !(scr & SCR_EL3_HXEn); break;
	case SYS_EL3_ST:
		if (sys->pstate.el != 1 || !sysreg_secure(&sys->controls) || (scr & SCR_EL3_EEL2))
			return undefined;
		trapped = !(scr & SCR_EL3_ST);
		break;
	case SYS_EL3_ICC0: trapped = scr & SCR_EL3_FIQ; break;
	case SYS_EL3_ICC1: trapped = scr & SCR_EL3_IRQ; break;
	case SYS_EL3_ICC:
		trapped = (scr & (SCR_EL3_FIQ | SCR_EL3_IRQ)) == (SCR_EL3_FIQ | SCR_EL3_IRQ);
		break;
	}
	return trapped ? trap_to(3) : direct;
}

/* An access at EL1 that FEAT_NV2 redirects: direct if it does not. */
static struct sysreg_route nv_route(const struct soft_sys *sys, const struct sys_rule *rule,
				    bool write)
{
	unsigned int nvx = arm_nvx(&sys->controls);
	bool redirected = false;

	switch ((enum sys_nv)rule->nv) {
	case SYS_NV_NONE: break;
	case SYS_NV_111: redirected = nvx == 7; break;
	case SYS_NV_1x1: redirected = (nvx & 5) == 5; break;
	case SYS_NV_101: redirected = nvx == 5; break;
	case SYS_NV_101P:
		redirected = nvx == 5 && !(sys->cnthctl_el2 & CNTHCTL_EL2_EL1NVPCT);
		break;
	case SYS_NV_101V:
		redirected = nvx == 5 && !(sys->cnthctl_el2 & CNTHCTL_EL2_EL1NVVCT);
		break;
	case SYS_NV_TO:
		if ((nvx & 5) == 5)
			return reach(rule->other);
		break;
	}
	if (redirected)
		return (struct sysreg_route){.kind = SYSREG_NVMEM, .nvmem_offset = rule->offset};
	/* The name of a register of EL2's, to a hypervisor that runs at EL1. */
	if (rule->lowest[write] == 2)
		return nvx & 1 ? trap_to(2) : undefined;
	return reach(rule->reg);
}

/* HCR_EL2.{IMO,FMO}: does an ICC_* name at EL1 mean the virtual register? */
static bool is_virtual(const struct soft_sys *sys, const struct sys_rule *rule)
{
	uint64_t hcr = sysreg_hcr(&sys->controls);

	switch (rule->el2) {
	case SYS_EL2_ICC0: return hcr & HCR_EL2_FMO;
	case SYS_EL2_ICC1: return hcr & HCR_EL2_IMO;
	case SYS_EL2_ICC:
	case SYS_EL2_DIR: return hcr & (HCR_EL2_FMO | HCR_EL2_IMO);
	default: return false;
	}
}

/* The other register of SYS_HOST_TIMER, which at EL0 is that of EL2 in a host. */
static uint16_t host_timer(const struct soft_sys *sys, const struct sys_rule *rule)
{
	return sysreg_secure(&sys->controls) && sys->levels.sel2 ? rule->secure : rule->other;
}

static struct sysreg_route at_el0(const struct soft_sys *sys, const struct sys_rule *rule,
				  bool write)
{
	struct sysreg_route route;

	if (sys_trapped(sys, (enum sys_trap)rule->el0))
		return trap_to(sysreg_hcr(&sys->controls) & HCR_EL2_TGE ? 2 : 1);
	if (el2_trapped(sys, rule, write))
		return trap_to(2);
	route = el3_route(sys, rule);
	route.reg = rule->reg;
	if (rule->host == SYS_HOST_TIMER && sysreg_el0_host(&sys->controls))
		route.reg = host_timer(sys, rule);
	return route;
}

static struct sysreg_route at_el1(const struct soft_sys *sys, const struct sys_rule *rule,
				  bool write)
{
	struct sysreg_route route;

	/* What EL2 does with its own registers' names decides alone. */
	if (rule->lowest[write] == 2)
		return nv_route(sys, rule, write);
	if (el2_trapped(sys, rule, write))
		return trap_to(2);
	if (is_virtual(sys, rule))
		return reach(rule->reg | SYS_VIRTUAL);
	route = el3_route(sys, rule);
	return route.kind == SYSREG_DIRECT ? nv_route(sys, rule, write) : route;
}

static struct sysreg_route at_el2(const struct soft_sys *sys, const struct sys_rule *rule)
{
	struct sysreg_route route;
	bool host = arm_el2_host(&sys->controls);

	if (rule->host == SYS_HOST_ONLY && !host)
		return undefined;
	if (rule->el3 == SYS_EL3_LOR && sysreg_secure(&sys->controls))
		return undefined;
	route = el3_route(sys, rule);
	route.reg = rule->reg;
	if (rule->host == SYS_HOST_OTHER && host)
		route.reg = rule->other;
	else if (rule->host == SYS_HOST_TIMER && host)
		route.reg = host_timer(sys, rule);
	return route;
}

static struct sysreg_route at_el3(const struct soft_sys *sys, const struct sys_rule *rule)
{
	if (rule->host == SYS_HOST_ONLY && !arm_el2_host(&sys->controls))
		return undefined;
	if (rule->el3 == SYS_EL3_LOR && !(sys->controls.scr_el3 & SCR_EL3_NS))
		return undefined;
	return reach(rule->reg);
}

/* As instructions of floating-point are trapped, at all levels. */
static struct sysreg_route fp_route(const struct soft_sys *sys, const struct sys_rule *rule)
{
	struct soft_exception trap;

	if (!soft_fp_trapped(sys, &trap))
		return reach(rule->reg);
	return (struct sysreg_route){
		.kind = SYSREG_TRAP,
		.syndrome = trap.iss,
		.target_el = trap.target_el,
		.ec = trap.ec,
	};
}

static struct sysreg_route route_at(const struct soft_sys *sys, const struct sys_rule *rule,
				    bool write)
{
	unsigned int el = sys->pstate.el, lowest = rule->lowest[write];

	if (lowest == SYS_TOP)
		lowest = el < highest_el(sys) ? SYS_NO : el;
	if (lowest == SYS_NO || !rule_exists(sys, rule))
		return undefined;
	if (rule->el0 == SYS_TRAP_FP)
		return fp_route(sys, rule);
	/* At EL1 a name of EL2's may be more than UNDEFINED. */
	if (el < lowest && !(el == 1 && lowest == 2 && sys->levels.el2))
		return undefined;
	if (el == 1 && rule->el3 == SYS_EL3_LOR && sysreg_secure(&sys->controls))
		return undefined;
	/* Neither EL2 nor EL3: whatever they could do is not there. */
	if (!sys->levels.el2 && !sys->levels.el3)
		return sys_trapped(sys, (enum sys_trap)rule->el0) ? trap_to(1) : reach(rule->reg);
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

	if (route.kind == SYSREG_TRAP && route.ec == ARM_EC_SYSREG)
		route.syndrome = sysreg_trap_iss(encoding, !write, rt);
	return route;
}
