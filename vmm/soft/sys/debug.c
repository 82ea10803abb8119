/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which instructions and accesses DBGBVR<n>_EL1, DBGBCR<n>_EL1, DBGWVR<n>_EL1 and DBGWCR<n>_EL1
 * match (Arm ARM D2.8 breakpoints, D2.9 watchpoints, the registers' pages). With a reserved
 * combination of fields, a breakpoint or watchpoint is disabled.
 */
#include "soft/sys/debug.h"
#include "arm/registers.h"
#include "soft/sys/sys_private.h"

/* Breakpoint types: bit 0 is "linked" for each. */
#define BT_LINKED    1
#define BT_KIND(bt)  ((bt) >> 1)
#define KIND_ADDRESS 0

/*
 * What each kind of context breakpoint compares: CONTEXTIDR_EL1, or EL2's in a host for kind 1;
 * VMID; CONTEXTIDR_EL2.
 */
static const struct context_kind {
	bool exists;
	bool cid1, host_cid2, vmid, cid2;
	bool vhe; /* FEAT_VHE has it */
} context_kinds[8] = {
	[1] = {.exists = true, .cid1 = true, .host_cid2 = true},
	[3] = {.exists = true, .cid1 = true, .vhe = true},
	[4] = {.exists = true, .vmid = true},
	[5] = {.exists = true, .vmid = true, .cid1 = true},
	[6] = {.exists = true, .cid2 = true, .vhe = true},
	[7] = {.exists = true, .cid1 = true, .cid2 = true, .vhe = true},
};

/* VTCR_EL2.VS: VMIDs of 16 bits. */

static bool secure_state(const struct soft_sys *sys, unsigned int el)
{
	const struct arm_security_state security = arm_security_at(&sys->controls, el);

	return !security.ns && !security.nse;
}

/* Combinations of {HMC, SSC, PxC} that a PE of these levels reserves. */
static bool control_reserved(const struct soft_sys *sys, unsigned int hmc, unsigned int ssc,
			     unsigned int pxc)
{
	const bool el2 = sys->levels.el2, el3 = sys->levels.el3;
	const bool secure_el2 = sys->levels.sel2;
	const unsigned int all = hmc << 4 | ssc << 2 | pxc;

	/* Only for AArch32, or not allocated. */
	if ((hmc == 0 && pxc == 0 && ssc != 3) || (hmc && ssc == 0 && !(pxc & 1)) ||
	    (hmc && ssc != 0 && pxc == 2) || all == 0x0e)
		return true;
	if (!el2 && !el3)
		return hmc || ssc;
	if (!el3 && (ssc == 1 || ssc == 2) && all != 0x14)
		return true;
	if (!el2 && all == 0x1c)
		return true;
	/* Secure EL2: 01100, 10100, x11x1. */
	return !secure_el2 && (all == 0x0c || all == 0x14 || (all & 0x0d) == 0x0d);
}

/* Does a control register match at el: D2.8.2, the tables of HMC, SSC and PMC or PAC. */
static bool state_matches(const struct soft_sys *sys, uint64_t cr, unsigned int el)
{
	const unsigned int hmc = arm_field(cr, DBGBCR_EL1_HMC), ssc = arm_field(cr, DBGBCR_EL1_SSC),
			   pxc = arm_field(cr, DBGBCR_EL1_PMC);
	const bool levels[4] = {
		pxc & 2,
		pxc & 1,
		(hmc && !(ssc == 2 && pxc == 0)) || ssc == 3,
		hmc && !(ssc & 1),
	};

	if (!(cr & DBGBCR_EL1_E) || control_reserved(sys, hmc, ssc, pxc) || !levels[el])
		return false;
	switch (ssc) {
	case 0: return true;
	case 1: return arm_security_at(&sys->controls, el).ns;
	case 2: return secure_state(sys, el);
	default: return hmc || secure_state(sys, el);
	}
}

/* Does the context of breakpoint n match now? */
static bool context_matches(const struct soft_sys *sys, unsigned int n)
{
	const struct context_kind *kind =
		&context_kinds[BT_KIND(arm_field(sys->dbgbcr[n], DBGBCR_EL1_BT))];
	const uint64_t value = sys->dbgbvr[n];
	const bool low = sys->pstate.el <= 1, host = sysreg_el0_host(&sys->controls);
	const bool vhe = sys->controls.features & SYSREG_FEAT_VHE;
	const uint64_t vmids = sys->vtcr_el2 & VTCR_EL2_VS ? 0xffff : 0xff;

	if (!(sys->dbgbcr[n] & DBGBCR_EL1_E) || !kind->exists || (kind->vhe && !vhe) ||
	    ((kind->vmid || kind->cid2) && !sysreg_el2_enabled(&sys->controls)))
		return false;
	if (kind->cid2 && sys->contextidr[2] != value >> 32)
		return false;
	if (kind->vmid && (!low || host || ((sys->vttbr_el2 >> 48 ^ value >> 32) & vmids)))
		return false;
	if (!kind->cid1)
		return true;
	if (kind->host_cid2 && vhe &&
	    (host || (sys->pstate.el == 2 && sysreg_el2_enabled(&sys->controls) &&
		      sys->controls.hcr_el2 & HCR_EL2_E2H)))
		return sys->contextidr[2] == (uint32_t)value;
	return low && !host && sys->contextidr[1] == (uint32_t)value;
}

static bool context_aware(unsigned int n)
{
	return n >= SOFT_BREAKPOINTS - SOFT_CONTEXT_BREAKPOINTS && n < SOFT_BREAKPOINTS;
}

/* Does breakpoint n, which another breakpoint or a watchpoint is linked to, match? */
static bool link_matches(const struct soft_sys *sys, unsigned int n)
{
	return context_aware(n) && arm_field(sys->dbgbcr[n], DBGBCR_EL1_BT) & BT_LINKED &&
	       context_matches(sys, n);
}

static bool breakpoint_matches(const struct soft_sys *sys, unsigned int n, uint64_t pc)
{
	const uint64_t cr = sys->dbgbcr[n];
	const unsigned int bt = arm_field(cr, DBGBCR_EL1_BT);

	if (!state_matches(sys, cr, sys->pstate.el))
		return false;
	if (BT_KIND(bt) == KIND_ADDRESS)
		return !((sys->dbgbvr[n] ^ pc) >> 2) &&
		       (!(bt & BT_LINKED) || link_matches(sys, arm_field(cr, DBGBCR_EL1_LBN)));
	/* A linked context generates nothing by itself. */
	return !(bt & BT_LINKED) && context_aware(n) && context_matches(sys, n);
}

bool soft_breakpoint_matches(const struct soft_sys *sys, uint64_t pc)
{
	for (unsigned int n = 0; n < SOFT_BREAKPOINTS; n++)
		if (breakpoint_matches(sys, n, pc))
			return true;
	return false;
}

/* The address without a tag, as translation uses it. */
static uint64_t untagged_address(uint64_t va)
{
	return (uint64_t)((int64_t)(va << 8) >> 8);
}

/* Is the byte at va watched? MASK counts only with all of BAS set; 1 and 2 are reserved. */
static bool byte_watched(uint64_t cr, uint64_t watched, uint64_t va)
{
	const unsigned int mask = arm_field(cr, DBGWCR_EL1_MASK),
			   bas = arm_field(cr, DBGWCR_EL1_BAS);
	/* A watched word in the upper half of a doubleword has its BAS in the lower bits. */
	const unsigned int unit = watched & 4 ? 2 : 3;
	const uint64_t difference = untagged_address(va) ^ untagged_address(watched);

	if (mask == 0)
		return !(difference >> unit) && bas >> (va & ((1u << unit) - 1)) & 1;
	return mask > 2 && bas == 0xff && !(difference >> mask);
}

static bool watchpoint_matches(const struct soft_sys *sys, unsigned int n,
			       const struct soft_watched *access, uint64_t *va)
{
	const uint64_t cr = sys->dbgwcr[n];
	const unsigned int kinds = (access->read ? 1u : 0) | (access->write ? 2u : 0);

	if (!(arm_field(cr, DBGWCR_EL1_LSC) & kinds) || !state_matches(sys, cr, access->el) ||
	    (arm_field(cr, DBGWCR_EL1_WT) && !link_matches(sys, arm_field(cr, DBGBCR_EL1_LBN))))
		return false;
	for (*va = access->va; *va - access->va < access->size; ++*va)
		if (byte_watched(cr, sys->dbgwvr[n], *va))
			return true;
	return false;
}

bool soft_watchpoint_matches(const struct soft_sys *sys, const struct soft_watched *access,
			     struct soft_exception *exception)
{
	bool matches = false, read = false;
	uint64_t lowest = 0, va;

	for (unsigned int n = 0; n < SOFT_WATCHPOINTS; n++) {
		if (!watchpoint_matches(sys, n, access, &va))
			continue;
		lowest = matches && lowest < va ? lowest : va;
		matches = true;
		read |= access->read && arm_field(sys->dbgwcr[n], DBGWCR_EL1_LSC) & 1;
	}
	/* WnR of an instruction that reads and writes is 0 if the read alone would match. */
	if (matches)
		*exception = (struct soft_exception){
			.ec = ARM_EC_WATCHPOINT,
			.has_far = true,
			.iss = ARM_FSC_DEBUG | (read ? 0 : ARM_ISS_WNR),
			.far = lowest,
		};
	return matches;
}

bool soft_debug_active(const struct soft_sys *sys)
{
	const unsigned int el = sys->pstate.el;

	if (!soft_debug_monitored(sys) || !soft_debug_enabled(sys))
		return false;
	for (unsigned int n = 0; n < SOFT_BREAKPOINTS; n++)
		if (state_matches(sys, sys->dbgbcr[n], el))
			return true;
	for (unsigned int n = 0; n < SOFT_WATCHPOINTS; n++)
		if (state_matches(sys, sys->dbgwcr[n], el))
			return true;
	return false;
}
