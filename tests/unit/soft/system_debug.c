/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which instructions and accesses breakpoints and watchpoints match (Arm ARM D2.8, D2.9). The guest
 * debug tests what EL1 sees without EL2 and EL3. This tests Exception levels and Security states,
 * contexts, and reserved values.
 */

#include <string.h>

#include "../compare.h"
#include "soft/sys/debug.h"
#include "system_fixture.h"

#define PC	 UINT64_C(0x0000ffff00001234)
#define ADDRESS	 UINT64_C(0x0000ffff00004440)
#define CR_E	 UINT64_C(1)
#define CR_BOTH	 (UINT64_C(3) << 1) /* EL1 and EL0 */
#define LSC_BOTH (UINT64_C(3) << 3)
#define BAS_ALL	 (UINT64_C(0xff) << 5)
#define LBN(n)	 ((uint64_t)(n) << 16)
#define BT(n)	 ((uint64_t)(n) << 20)
#define WT	 (UINT64_C(1) << 20)
#define MASK(n)	 ((uint64_t)(n) << 24)

#define HCR_EL2_TGE  (UINT64_C(1) << 27)
#define HCR_EL2_E2H  (UINT64_C(1) << 34)
#define SCR_EL3_NS   UINT64_C(1)
#define SCR_EL3_EEL2 (UINT64_C(1) << 18)
#define MDCR_TDE     (UINT64_C(1) << 8)
#define MDCR_SDD     (UINT64_C(1) << 16)

#define MDSCR_EL1_KDE (UINT64_C(1) << 13)

TestSuite(system_debug, .init = fixture_reset);

/* A PE with all levels, in Non-secure state by default. */
static void all_levels(bool sel2)
{
	cpu.sys.levels.el2 = cpu.sys.levels.el3 = true;
	cpu.sys.levels.sel2 = sel2;
	fixture_levels(cpu.sys.levels);
	cpu.sys.controls.features |=
		SYSREG_FEAT_EL2 | SYSREG_FEAT_EL3 | SYSREG_FEAT_VHE | (sel2 ? SYSREG_FEAT_SEL2 : 0);
	cpu.sys.controls.hcr_el2 = 0;
	cpu.sys.controls.mdcr_el2 = cpu.sys.controls.mdcr_el3 = 0;
	cpu.sys.controls.scr_el3 = SCR_EL3_NS | (sel2 ? SCR_EL3_EEL2 : 0);
	cpu.sys.os_lock = false;
	cpu.sys.mdscr_el1 = SOFT_MDSCR_MDE | MDSCR_EL1_KDE;
}

static void at(unsigned int el, bool secure)
{
	cpu.sys.pstate.el = (uint8_t)el;
	cpu.sys.pstate.daif = 0;
	cpu.sys.controls.el = (uint8_t)el;
	cpu.sys.controls.scr_el3 =
		(cpu.sys.controls.scr_el3 & ~SCR_EL3_NS) | (secure ? 0 : SCR_EL3_NS);
}

/* The combinations that have a meaning, and where they match; all else is reserved. */
static const struct {
	unsigned int hmc, ssc, pxc;
	const char *where; /* N and S with the levels in each state; EL3 is Secure */
	bool sel2;	   /* needs FEAT_SEL2 */
} states[] = {
	{0, 0, 1, "N1 S1", false},
	{0, 0, 2, "N0 S0", false},
	{0, 0, 3, "N0 N1 S0 S1", false},
	{0, 1, 1, "N1", false},
	{0, 1, 2, "N0", false},
	{0, 1, 3, "N0 N1", false},
	{0, 2, 1, "S1", false},
	{0, 2, 2, "S0", false},
	{0, 2, 3, "S0 S1", false},
	{0, 3, 0, "S2", true},
	{0, 3, 1, "S1 S2", true},
	{0, 3, 3, "S0 S1 S2", true},
	{1, 0, 1, "N1 N2 S1 S2 S3", false},
	{1, 0, 3, "N0 N1 N2 S0 S1 S2 S3", false},
	{1, 1, 0, "N2", true},
	{1, 1, 1, "N1 N2", false},
	{1, 1, 3, "N0 N1 N2", false},
	{1, 2, 0, "S3", false},
	{1, 2, 1, "S1 S2 S3", false},
	{1, 2, 3, "S0 S1 S2 S3", false},
	{1, 3, 0, "N2 S2", false},
	{1, 3, 1, "N1 N2 S1 S2", true},
	{1, 3, 3, "N0 N1 N2 S0 S1 S2", true},
};

static bool expected_match(unsigned int hmc, unsigned int ssc, unsigned int pxc, unsigned int el,
			   bool secure, bool sel2)
{
	const char name[] = {secure ? 'S' : 'N', (char)('0' + el), '\0'};

	for (size_t i = 0; i < ARRAY_SIZE(states); i++)
		if (states[i].hmc == hmc && states[i].ssc == ssc && states[i].pxc == pxc)
			return (sel2 || !states[i].sel2) && strstr(states[i].where, name);
	return false;
}

Test(system_debug, levels_and_security_states)
{
	struct soft_exception exception;

	for (unsigned int n = 0; n < 2 * 32 * 8; n++) {
		const unsigned int el = n & 3, hmc = n >> 3 & 1, ssc = n >> 4 & 3, pxc = n >> 6 & 3;
		const bool secure = n >> 2 & 1 || el == 3, sel2 = n >> 8;
		const uint64_t control = CR_E | pxc << 1 | hmc << 13 | ssc << 14;
		const struct soft_watched access = {ADDRESS, 1, el, true, false};
		bool want;

		if (el == 2 && secure && !sel2)
			continue; /* there is no such level */
		want = expected_match(hmc, ssc, pxc, el, secure, sel2);
		all_levels(sel2);
		at(el, secure);
		cpu.sys.dbgbvr[0] = PC;
		cpu.sys.dbgbcr[0] = control;
		cpu.sys.dbgwvr[1] = ADDRESS;
		cpu.sys.dbgwcr[1] = control | LSC_BOTH | BAS_ALL;
		cr_expect_eq(soft_breakpoint_matches(&cpu.sys, PC), want,
			     "HMC %u SSC %u PMC %u at %c EL%u, SEL2 %d", hmc, ssc, pxc,
			     secure ? 'S' : 'N', el, sel2);
		cr_expect_eq(soft_watchpoint_matches(&cpu.sys, &access, &exception), want,
			     "HMC %u SSC %u PAC %u at %c EL%u, SEL2 %d", hmc, ssc, pxc,
			     secure ? 'S' : 'N', el, sel2);
	}
}

/* Without EL2 and EL3 only EL1 and EL0 exist, in both Security states. */
Test(system_debug, el1_alone)
{
	for (unsigned int n = 0; n < 64; n++) {
		const unsigned int el = n & 1, hmc = n >> 1 & 1, ssc = n >> 2 & 3, pxc = n >> 4 & 3;

		fixture_reset();
		cpu.sys.pstate.el = (uint8_t)el;
		cpu.sys.dbgbvr[1] = PC;
		cpu.sys.dbgbcr[1] = CR_E | pxc << 1 | hmc << 13 | ssc << 14;
		cr_expect_eq(soft_breakpoint_matches(&cpu.sys, PC),
			     !hmc && !ssc && pxc >> (1 - el) & 1);
	}
}

Test(system_debug, addresses)
{
	all_levels(true);
	at(1, false);
	cpu.sys.dbgbvr[0] = PC | 3; /* bits 1:0 are not compared */
	cpu.sys.dbgbcr[0] = CR_E | CR_BOTH;
	cr_assert(soft_breakpoint_matches(&cpu.sys, PC));
	for (unsigned int bit = 2; bit < 64; bit++)
		cr_expect_not(soft_breakpoint_matches(&cpu.sys, PC ^ UINT64_C(1) << bit), "bit %u",
			      bit);
	cpu.sys.dbgbcr[0] &= ~CR_E;
	cr_assert_not(soft_breakpoint_matches(&cpu.sys, PC));
}

/* Kinds of context by BT; bit 0 of it is "linked". */
enum context { CID1 = 1, VMID = 2, CID2 = 4 };

static const struct {
	unsigned int bt, at_el1, in_host; /* what must match, at EL1 and at EL0 of a host */
} contexts[] = {
	{2, CID1, CID2 | 8},  {6, CID1, 0},	{8, VMID, 0},
	{10, VMID | CID1, 0}, {12, CID2, CID2}, {14, CID1 | CID2, 0},
};

/* what: which values are as in the breakpoint. Bit 3 of what: CID2 in the low half. */
static void set_context(unsigned int aware, unsigned int what, unsigned int have)
{
	const bool low = what & 8;

	cpu.sys.dbgbvr[aware] = UINT64_C(0x0000007700000000) | 0x55;
	cpu.sys.contextidr[1] = have & CID1 ? 0x55 : 0x56;
	cpu.sys.contextidr[2] = have & CID2 ? (low ? 0x55 : 0x77) : 0x78;
	cpu.sys.vttbr_el2 = (have & VMID ? UINT64_C(0x77) : UINT64_C(0x79)) << 48;
}

static void check_contexts(unsigned int aware)
{
	for (size_t i = 0; i < ARRAY_SIZE(contexts); i++) {
		for (unsigned int have = 0; have < 8; have++) {
			const unsigned int bt = contexts[i].bt, need = contexts[i].at_el1;
			unsigned int host = contexts[i].in_host;

			all_levels(true);
			at(1, false);
			cpu.sys.dbgbcr[aware] = CR_E | CR_BOTH | BT(bt);
			set_context(aware, need, have);
			cr_expect_eq(soft_breakpoint_matches(&cpu.sys, PC), (have & need) == need,
				     "BT %u with %u", bt, have);
			/* The same linked: it does nothing by itself, only for what links to it. */
			cpu.sys.dbgbcr[aware] |= BT(1);
			cr_expect_not(soft_breakpoint_matches(&cpu.sys, PC), "BT %u", bt | 1);
			cpu.sys.dbgbvr[0] = PC;
			cpu.sys.dbgbcr[0] = CR_E | CR_BOTH | BT(1) | LBN(aware);
			cr_expect_eq(soft_breakpoint_matches(&cpu.sys, PC), (have & need) == need,
				     "linked to BT %u with %u", bt | 1, have);
			cr_expect_not(soft_breakpoint_matches(&cpu.sys, PC + 4));
			/* EL0 of a host */
			cpu.sys.controls.hcr_el2 = HCR_EL2_E2H | HCR_EL2_TGE;
			at(0, false);
			set_context(aware, host, have);
			cr_expect_eq(soft_breakpoint_matches(&cpu.sys, PC),
				     (host & 7) && (have & host & 7) == (host & 7),
				     "BT %u in a host with %u", bt | 1, have);
			cpu.sys.dbgbcr[0] = 0;
		}
	}
}

Test(system_debug, contexts)
{
	for (unsigned int n = SOFT_BREAKPOINTS - SOFT_CONTEXT_BREAKPOINTS; n < SOFT_BREAKPOINTS;
	     n++)
		check_contexts(n);
}

/* Links to a breakpoint that is not a linked context one, is disabled, or does not exist. */
Test(system_debug, links_that_lead_nowhere)
{
	const unsigned int aware = SOFT_BREAKPOINTS - 1;
	static const uint64_t linked[] = {0, CR_E | BT(2), BT(3), CR_E | BT(1), CR_E | BT(5)};

	for (size_t i = 0; i < ARRAY_SIZE(linked); i++) {
		all_levels(true);
		at(1, false);
		cpu.sys.dbgbvr[0] = cpu.sys.dbgbvr[aware] = PC;
		cpu.sys.contextidr[1] = (uint32_t)PC;
		cpu.sys.dbgbcr[0] = CR_E | CR_BOTH | BT(1) | LBN(aware);
		cpu.sys.dbgbcr[aware] = linked[i];
		cr_expect_not(soft_breakpoint_matches(&cpu.sys, PC), "DBGBCR5_EL1 0x%x",
			      (unsigned int)linked[i]);
	}
	cpu.sys.dbgbcr[aware] = CR_E | BT(3);
	cr_assert(soft_breakpoint_matches(&cpu.sys, PC));
	for (unsigned int n = 0; n < 16; n++) {
		cpu.sys.dbgbcr[0] = CR_E | CR_BOTH | BT(1) | LBN(n);
		cr_expect_eq(soft_breakpoint_matches(&cpu.sys, PC), n == aware, "LBN %u", n);
	}
	/* Only the last ones can match context: ID_AA64DFR0_EL1.CTX_CMPs. */
	for (unsigned int n = 0; n < SOFT_BREAKPOINTS; n++) {
		cpu.sys.dbgbcr[0] = cpu.sys.dbgbcr[aware] = 0;
		cpu.sys.dbgbvr[n] = PC;
		cpu.sys.dbgbcr[n] = CR_E | CR_BOTH | BT(2);
		cr_expect_eq(soft_breakpoint_matches(&cpu.sys, PC), n >= 4, "breakpoint %u", n);
		cpu.sys.dbgbcr[n] = 0;
	}
	/* Mismatch only exists in AArch32. */
	cpu.sys.dbgbcr[0] = CR_E | CR_BOTH | BT(4);
	cr_assert_not(soft_breakpoint_matches(&cpu.sys, PC + 4));
}

static bool watches(uint64_t va, unsigned int size, bool read, bool write, uint64_t *far,
		    uint32_t *iss)
{
	const struct soft_watched access = {va, size, 1, read, write};
	struct soft_exception exception = {0};
	const bool matches = soft_watchpoint_matches(&cpu.sys, &access, &exception);

	if (!matches)
		return false;
	cr_assert_eq(exception.ec, ARM_EC_WATCHPOINT);
	cr_assert(exception.has_far);
	*far = exception.far;
	*iss = exception.iss;
	return true;
}

Test(system_debug, what_is_reported)
{
	uint64_t far;
	uint32_t iss;

	at(1, false);
	cpu.sys.dbgwvr[0] = ADDRESS + 8;
	cpu.sys.dbgwcr[0] = CR_E | CR_BOTH | LSC_BOTH | BAS_ALL;
	cpu.sys.dbgwvr[1] = ADDRESS;
	cpu.sys.dbgwcr[1] = CR_E | CR_BOTH | UINT64_C(2) << 3 | UINT64_C(0x30) << 5;
	/* The lowest watched address of the access, even if both watch it. */
	cr_assert(watches(ADDRESS, 16, false, true, &far, &iss));
	cr_assert_eq(far, ADDRESS + 4);
	cr_assert_eq(iss, ARM_FSC_DEBUG | ARM_ISS_WNR);
	cr_assert(watches(ADDRESS, 16, true, false, &far, &iss));
	cr_assert_eq(far, ADDRESS + 8);
	cr_assert_eq(iss, ARM_FSC_DEBUG);
	cr_assert_not(watches(ADDRESS, 8, true, false, &far, &iss));
	/* An atomic: WnR is 0 if the read would have been enough. */
	cr_assert(watches(ADDRESS, 8, true, true, &far, &iss));
	cr_assert_eq(iss, ARM_FSC_DEBUG | ARM_ISS_WNR);
	cr_assert(watches(ADDRESS + 8, 8, true, true, &far, &iss));
	cr_assert_eq(iss, ARM_FSC_DEBUG);
	/* The comparison ignores a tag, but the syndrome has it. */
	cr_assert(watches((ADDRESS + 8) | UINT64_C(0x5a) << 56, 1, true, false, &far, &iss));
	cr_assert_eq(far, (ADDRESS + 8) | UINT64_C(0x5a) << 56);
	/* The end of the address space. */
	cpu.sys.dbgwvr[0] = UINT64_C(0xfffffffffffffff8);
	cr_assert(watches(UINT64_C(0xfffffffffffffffc), 8, true, false, &far, &iss));
	cr_assert_not(watches(0, 8, true, false, &far, &iss));
}

Test(system_debug, masks)
{
	uint64_t far;
	uint32_t iss;

	at(1, false);
	cpu.sys.dbgwvr[0] = ADDRESS & ~UINT64_C(0xfff);
	for (unsigned int mask = 0; mask < 32; mask++) {
		const uint64_t size = UINT64_C(1) << (mask ? mask : 3);
		const uint64_t from = cpu.sys.dbgwvr[0] & ~(size - 1);

		cpu.sys.dbgwcr[0] = CR_E | CR_BOTH | LSC_BOTH | BAS_ALL | MASK(mask);
		cr_expect_eq(watches(from, 1, true, false, &far, &iss), mask != 1 && mask != 2);
		cr_expect_eq(watches(from + size - 1, 1, true, false, &far, &iss),
			     mask != 1 && mask != 2);
		cr_expect_not(watches(from + size, 1, true, false, &far, &iss));
		cr_expect_not(watches(from - 1, 1, true, false, &far, &iss));
	}
	/* MASK with some bytes only: reserved. */
	cpu.sys.dbgwcr[0] = CR_E | CR_BOTH | LSC_BOTH | UINT64_C(0x0f) << 5 | MASK(5);
	cr_assert_not(watches(cpu.sys.dbgwvr[0], 1, true, false, &far, &iss));
}

Test(system_debug, where_exceptions_are_generated)
{
	for (unsigned int n = 0; n < 512; n++) {
		const unsigned int el = n & 3;
		const bool d = n >> 2 & 1, kde = n >> 3 & 1, tde = n >> 4 & 1, lock = n >> 5 & 1;
		const bool mde = n >> 6 & 1, secure = n >> 7 & 1 || el == 3, sdd = n >> 8;
		const unsigned int target = tde ? 2 : 1;
		bool want = mde && !lock && !(secure && sdd) &&
			    (el < target || (el == target && kde && !d));

		all_levels(true);
		at(el, secure);
		cpu.sys.pstate.daif = d ? 8 : 0;
		cpu.sys.mdscr_el1 = (kde ? MDSCR_EL1_KDE : 0) | (mde ? SOFT_MDSCR_MDE : 0);
		cpu.sys.controls.mdcr_el2 = tde ? MDCR_TDE : 0;
		cpu.sys.controls.mdcr_el3 = sdd ? MDCR_SDD : 0;
		cpu.sys.os_lock = lock;
		cr_expect_not(soft_debug_active(&cpu.sys), "with nothing enabled");
		cpu.sys.dbgbcr[0] = CR_E | CR_BOTH | UINT64_C(1) << 13; /* every level */
		cr_expect_eq(soft_debug_active(&cpu.sys), want, "breakpoint, %u", n);
		cpu.sys.dbgbcr[0] = 0;
		cpu.sys.dbgwcr[0] = CR_E | CR_BOTH | UINT64_C(1) << 13;
		cr_expect_eq(soft_debug_active(&cpu.sys), want, "watchpoint, %u", n);
		cpu.sys.dbgwcr[0] = 0;
	}
}
