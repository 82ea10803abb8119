/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * AT and TLBI with EL2 and EL3: their regimes, PAR_EL1, and what is dropped (Arm ARM C5.4, C5.5,
 * D8).
 */

#include "../compare.h"
#include "system_fixture.h"

#define BIT(n) (UINT64_C(1) << (n))

#define HCR_VM	BIT(0)
#define HCR_FB	BIT(9)
#define HCR_TGE BIT(27)
#define HCR_E2H BIT(34)

#define AT(op1, op2)	    MSR_WORD(1, op1, 7, 8, op2, 0)
#define TLBI(op1, crm, op2) MSR_WORD(1, op1, 8, crm, op2, 0)

#define AF   BIT(10)
#define USER BIT(6)

#define VA UINT64_C(0x5ac8)

/* Tables of the regimes of EL1, EL2 and EL3, with three pages each; stage 2's has 1G blocks. */
#define TABLES(el) (RAM_BASE + 0x10000 * (el))
#define STAGE2	   (RAM_BASE + 0x80000)

static void all_levels(void)
{
	fixture_reset();
	fixture_levels((struct engine_levels){.el2 = true, .el3 = true, .start = 3});
	cpu.sys.controls.scr_el3 = 1;
}

TestSuite(system_operations_el2, .init = all_levels);

/* Map VA's page to pa in the regime of el, and set its registers. */
static void map(unsigned int el, bool two, uint64_t pa, uint64_t attributes)
{
	cpu.sys.sctlr[el] = 1;
	cpu.sys.tcr[el] = 25 | (two ? UINT64_C(2) << 32 | BIT(23) : UINT64_C(2) << 16);
	cpu.sys.ttbr0[el] = TABLES(el);
	cpu.sys.mair[el] = 0xff;
	*ram_word(TABLES(el)) = (TABLES(el) + 0x1000) | 3;
	*ram_word(TABLES(el) + 8) = RAM_BASE | AF | 1; /* RAM to itself */
	*ram_word(TABLES(el) + 0x1000) = (TABLES(el) + 0x2000) | 3;
	*ram_word(TABLES(el) + 0x2000 + (VA >> 12) * 8) = pa | attributes | 3;
}

/* The second GB to itself, the first to the third. */
static void stage2(void)
{
	cpu.sys.controls.hcr_el2 |= HCR_VM;
	cpu.sys.vtcr_el2 = 2 << 16 | 1 << 6 | 32;
	cpu.sys.vttbr_el2 = STAGE2;
	*ram_word(STAGE2) = 0x80000000 | AF | 3 << 6 | 0xf << 2 | 1;
	*ram_word(STAGE2 + 8) = RAM_BASE | AF | 3 << 6 | 0xf << 2 | 1;
}

static uint64_t at(unsigned int el, uint32_t word)
{
	cpu.sys.pstate.el = (uint8_t)el;
	cpu.sys.par_el1 = 0;
	cr_assert_eq(msr(word, VA), SOFT_DONE, "%#x at EL%u", word, el);
	return cpu.sys.par_el1;
}

static uint64_t pa_of(uint64_t par)
{
	cr_assert_not(par & 1, "PAR_EL1 %#lx", par);
	return par & UINT64_C(0xfffffffff000);
}

Test(system_operations_el2, at_means_the_regime_of_its_name)
{
	map(1, true, 0x40007000, AF | USER);
	map(2, false, 0x40008000, AF);
	map(3, false, 0x40009000, AF);
	for (unsigned int write = 0; write < 2; write++) {
		for (unsigned int el = 2; el < 4; el++) {
			cr_expect_eq(pa_of(at(el, AT(0, 0 + write))), 0x40007000, "S1E1 at EL%u",
				     el);
			cr_expect_eq(pa_of(at(el, AT(0, 2 + write))), 0x40007000, "S1E0 at EL%u",
				     el);
			cr_expect_eq(pa_of(at(el, AT(4, 0 + write))), 0x40008000, "S1E2 at EL%u",
				     el);
			cr_expect_eq(pa_of(at(el, AT(4, 4 + write))), 0x40007000, "S12E1 at EL%u",
				     el);
			cr_expect_eq(pa_of(at(el, AT(4, 6 + write))), 0x40007000, "S12E0 at EL%u",
				     el);
		}
		cr_expect_eq(pa_of(at(3, AT(6, 0 + write))), 0x40009000, "S1E3");
	}
}

/* In a host S1E1 and S12E1 use EL2&0; with E2H alone they use EL1&0. */
Test(system_operations_el2, at_in_a_host)
{
	static const uint32_t words[] = {AT(0, 0), AT(0, 1), AT(0, 2), AT(0, 3), AT(4, 4),
					 AT(4, 5), AT(4, 6), AT(4, 7), AT(4, 0), AT(4, 1)};

	map(1, true, 0x40007000, AF | USER);
	map(2, true, 0x40008000, AF | USER);
	stage2();
	for (unsigned int n = 0; n < 10; n++) {
		cpu.sys.controls.hcr_el2 = HCR_E2H | HCR_TGE | HCR_VM;
		cr_expect_eq(pa_of(at(2, words[n])), 0x40008000, "%u", n);
		cpu.sys.controls.hcr_el2 = HCR_E2H | HCR_VM;
		cr_expect_eq(pa_of(at(2, words[n])), n < 8 ? 0x40007000 : 0x40008000, "%u", n);
	}
}

/* S12 goes through both stages; S1 uses stage 2 only for the tables. */
Test(system_operations_el2, at_through_both_stages)
{
	map(1, true, 0x00007000, AF | USER);
	stage2();
	cr_expect_eq(pa_of(at(2, AT(0, 0))), 0x00007000);
	cr_expect_eq(pa_of(at(2, AT(4, 4))), 0x80007000);
	cr_expect_eq(pa_of(at(2, AT(4, 6))), 0x80007000);
	*ram_word(STAGE2) = 0x80000000 | AF | 1 << 6 | 0x5 << 2 | 1;
	cr_expect_eq(at(2, AT(4, 4)) >> 56, 0x44, "both stages' attributes");
	cr_expect_eq(at(2, AT(4, 4)) >> 7 & 3, 2);
	cr_expect_eq(at(2, AT(0, 0)) >> 56, 0xff);
}

/* PAR_EL1 of a fault: F, FST, PTW in bit 8, S in bit 9, bit 11 is RES1. */
Test(system_operations_el2, par_says_which_stage)
{
	map(1, true, 0x00007000, AF | USER);
	stage2();
	*ram_word(STAGE2) = 0;
	cr_expect_eq(at(2, AT(4, 4)), 0xa01 | 0x05 << 1, "stage 2");
	*ram_word(STAGE2) = 0x80000000 | AF | 1 << 6 | 1;
	cr_expect_eq(at(3, AT(4, 5)), 0xa01 | 0x0d << 1, "a write that stage 2 forbids");
	*ram_word(STAGE2 + 8) = 0;
	cr_expect_eq(at(2, AT(4, 4)), 0xb01 | 0x05 << 1, "stage 2 on the walk");
	cr_expect_eq(at(2, AT(0, 0)), 0xb01 | 0x05 << 1, "stage 2 on the walk");
	stage2();
	*ram_word(TABLES(1) + 0x1000) = 0;
	cr_expect_eq(at(2, AT(4, 4)), 0x801 | 0x06 << 1, "stage 1");
}

/*
 * Taken, not reported: at EL1, stage 2's faults on the walk of stage 1, which go to the hypervisor,
 * and at any level an external abort on a walk. CM and WnR are 1.
 */
Test(system_operations_el2, at_takes_exceptions)
{
	static const uint32_t at_s1e1r = AT(0, 0);

	map(1, true, 0x00007000, AF);
	stage2();
	*ram_word(STAGE2 + 8) = 0;
	cpu.sys.pstate.el = 1;
	cr_assert_eq(msr(at_s1e1r, VA), SOFT_EXCEPTION);
	cr_expect_eq(cpu.sys.pstate.el, 2);
	cr_expect_eq(cpu.sys.esr[2], UINT64_C(0x24) << 26 | BIT(25) | 0x1c5);
	cr_expect_eq(cpu.sys.far[2], VA);
	cr_expect_eq(cpu.sys.hpfar_el2, TABLES(1) >> 12 << 4);

	all_levels();
	map(1, true, 0x00007000, AF);
	*ram_word(TABLES(1) + 0x1000) = 0x08000000 | 3;
	for (unsigned int el = 1; el < 4; el++) {
		cpu.sys.pstate.el = (uint8_t)el;
		cr_assert_eq(msr(at_s1e1r, VA), SOFT_EXCEPTION);
		cr_expect_eq(cpu.sys.pstate.el, el);
		cr_expect_eq(cpu.sys.esr[el], UINT64_C(0x25) << 26 | BIT(25) | 0x157, "EL%u", el);
	}
}

/* AT does not write to descriptors of either stage. */
Test(system_operations_el2, at_updates_no_descriptor)
{
	map(1, true, 0x00007000, USER);
	stage2();
	*ram_word(STAGE2) = 0x80000000 | BIT(51) | 1 << 6 | 1;
	cpu.sys.tcr[1] |= UINT64_C(3) << 39;
	cpu.sys.vtcr_el2 |= UINT64_C(3) << 21;
	cr_expect_eq(pa_of(at(2, AT(4, 5))), 0x80007000);
	cr_expect_eq(*ram_word(STAGE2), 0x80000000 | BIT(51) | 1 << 6 | 1);
	cr_expect_eq(*ram_word(TABLES(1) + 0x2000 + (VA >> 12) * 8), 0x00007000 | USER | 3);
}

/* NS and, for EL3 with FEAT_RME, NSE. */
Test(system_operations_el2, par_says_which_address_space)
{
	map(1, true, 0x40007000, AF);
	map(3, false, 0x40009000, AF);
	cr_expect_eq(at(3, AT(0, 0)) & 0xa00, 0xa00, "Non-secure");
	cr_expect_eq(at(3, AT(6, 0)) & 0xa00, 0x800, "Secure");
	cpu.sys.controls.scr_el3 = 0;
	cr_expect_eq(at(3, AT(0, 0)) & 0xa00, 0x800, "Secure");
	cpu.sys.levels.rme = true;
	fixture_levels(cpu.sys.levels);
	cr_expect_eq(at(3, AT(6, 0)) & 0xa00, 0x000, "Secure, of Root");
	*ram_word(TABLES(3) + 0x2000 + (VA >> 12) * 8) |= BIT(11);
	cr_expect_eq(at(3, AT(6, 0)) & 0xa00, 0x800, "Root");
	*ram_word(TABLES(3) + 0x2000 + (VA >> 12) * 8) |= BIT(5);
	cr_expect_eq(at(3, AT(6, 0)) & 0xa00, 0xa00, "Realm");
}

/*
 * Operations on EL2's and EL3's regimes do not exist at lower levels, nor those of a disabled EL2.
 */
Test(system_operations_el2, undefined_below)
{
	static const struct {
		uint32_t word;
		unsigned int el;
		bool el2; /* needs one in the Security state */
	} rows[] = {
		{AT(4, 0), 2, true},	   {AT(4, 1), 2, true},	      {AT(4, 4), 2, false},
		{AT(4, 7), 2, false},	   {AT(6, 0), 3, false},      {AT(6, 1), 3, false},
		{TLBI(4, 0, 1), 2, false}, {TLBI(4, 4, 5), 2, false}, {TLBI(4, 3, 0), 2, true},
		{TLBI(4, 7, 1), 2, true},  {TLBI(4, 7, 5), 2, true},  {TLBI(4, 3, 4), 2, false},
		{TLBI(4, 7, 6), 2, false}, {TLBI(6, 3, 0), 3, false}, {TLBI(6, 7, 1), 3, false},
		{TLBI(6, 7, 5), 3, false},
	};

	for (unsigned int n = 0; n < ARRAY_SIZE(rows); n++) {
		for (unsigned int el = 1; el < 4; el++) {
			for (unsigned int secure = 0; secure < 2; secure++) {
				const bool there = el >= rows[n].el && !(secure && rows[n].el2);

				if (secure && el == 2) /* there is no Secure EL2 here */
					continue;
				all_levels();
				cpu.sys.controls.scr_el3 = !secure;
				cpu.sys.pstate.el = (uint8_t)el;
				cr_expect_eq(msr(rows[n].word, 0),
					     there ? SOFT_DONE : SOFT_EXCEPTION,
					     "row %u at EL%u, %s", n, el,
					     secure ? "Secure" : "Non-secure");
			}
		}
	}
}

#define EL10 (1u << ARM_REGIME_EL10)
#define EL20 (1u << ARM_REGIME_EL20)
#define EL2  (1u << ARM_REGIME_EL2)
#define EL3  (1u << ARM_REGIME_EL3)

/* What is dropped: at least what the instruction names, of that regime alone. */
Test(system_operations_el2, tlbi)
{
	static const struct {
		uint32_t word;
		uint8_t regimes, e2h, host; /* with HCR_EL2.E2H, and as a host */
		bool by_va, shared;
	} rows[] = {
		{TLBI(0, 7, 0), EL10, EL10, EL20, false, false}, /* VMALLE1 */
		{TLBI(0, 3, 0), EL10, EL10, EL20, false, true},
		{TLBI(0, 7, 1), EL10, EL10, EL20, true, false}, /* VAE1 */
		{TLBI(0, 3, 7), EL10, EL10, EL20, true, true},	/* VAALE1IS */
		{TLBI(4, 0, 1), EL10, EL10, EL10, false, true}, /* IPAS2E1IS */
		{TLBI(4, 0, 5), EL10, EL10, EL10, false, true},
		{TLBI(4, 4, 1), EL10, EL10, EL10, false, false},
		{TLBI(4, 4, 5), EL10, EL10, EL10, false, false},
		{TLBI(4, 3, 0), EL2, EL20, EL20, false, true}, /* ALLE2IS */
		{TLBI(4, 7, 0), EL2, EL20, EL20, false, false},
		{TLBI(4, 3, 1), EL2, EL20, EL20, true, true}, /* VAE2IS */
		{TLBI(4, 7, 1), EL2, EL20, EL20, true, false},
		{TLBI(4, 3, 5), EL2, EL20, EL20, true, true},
		{TLBI(4, 7, 5), EL2, EL20, EL20, true, false},
		{TLBI(4, 3, 4), EL10, EL10, EL10, false, true}, /* ALLE1IS */
		{TLBI(4, 7, 4), EL10, EL10, EL10, false, false},
		{TLBI(4, 3, 6), EL10, EL10, EL10, false, true}, /* VMALLS12E1IS */
		{TLBI(4, 7, 6), EL10, EL10, EL10, false, false},
		{TLBI(6, 3, 0), EL3, EL3, EL3, false, true}, /* ALLE3IS */
		{TLBI(6, 7, 0), EL3, EL3, EL3, false, false},
		{TLBI(6, 3, 1), EL3, EL3, EL3, true, true},
		{TLBI(6, 7, 1), EL3, EL3, EL3, true, false},
		{TLBI(6, 3, 5), EL3, EL3, EL3, true, true},
		{TLBI(6, 7, 5), EL3, EL3, EL3, true, false},
	};

	for (unsigned int n = 0; n < ARRAY_SIZE(rows); n++) {
		for (unsigned int how = 0; how < 3; how++) {
			const uint8_t expected[3] = {rows[n].regimes, rows[n].e2h, rows[n].host};

			all_levels();
			cpu.sys.pstate.el = rows[n].regimes == EL3 ? 3 : 2;
			cpu.sys.controls.hcr_el2 = (how ? HCR_E2H : 0) | (how == 2 ? HCR_TGE : 0);
			cr_assert_eq(msr(rows[n].word, 0x123), SOFT_DONE, "row %u", n);
			cr_expect_eq(heard.tlbi.regimes, expected[how], "row %u, %u: %#x", n, how,
				     heard.tlbi.regimes);
			cr_expect_eq(heard.tlbi.by_va, rows[n].by_va, "row %u", n);
			cr_expect_eq(heard.tlbi.all_cpus, rows[n].shared, "row %u", n);
			if (rows[n].by_va)
				cr_expect_eq(heard.tlbi.va, 0x123000);
			else
				cr_expect(heard.tlbi.all);
		}
	}
}

/* What the TLBs of the machine model receive in addition. */
Test(system_operations_el2, tlbi_of_vmids)
{
	static const struct {
		uint32_t word;
		bool any_vmid, stage2_alone;
	} rows[] = {
		{TLBI(0, 7, 0), false, false},				      /* VMALLE1 */
		{TLBI(4, 7, 4), true, false},				      /* ALLE1 */
		{TLBI(4, 3, 4), true, false},  {TLBI(4, 7, 6), false, false}, /* VMALLS12E1 */
		{TLBI(4, 3, 6), false, false}, {TLBI(4, 4, 1), false, true},  /* IPAS2E1 */
		{TLBI(4, 4, 5), false, true},  {TLBI(4, 0, 1), false, true},
		{TLBI(4, 0, 5), false, true},  {TLBI(4, 7, 0), false, false}, /* ALLE2 */
	};

	for (unsigned int n = 0; n < ARRAY_SIZE(rows); n++) {
		all_levels();
		cpu.sys.pstate.el = 2;
		cr_assert_eq(msr(rows[n].word, 0), SOFT_DONE, "row %u", n);
		cr_expect_eq(heard.tlbi.any_vmid, rows[n].any_vmid, "row %u", n);
		cr_expect_eq(heard.tlbi.stage2_alone, rows[n].stage2_alone, "row %u", n);
	}
}

/* HCR_EL2.FB: EL1's invalidations are broadcast; EL2's are not. */
Test(system_operations_el2, forced_broadcast)
{
	for (unsigned int n = 0; n < 4; n++) {
		const bool fb = n & 1, el2 = n & 2;

		all_levels();
		cpu.sys.pstate.el = el2 ? 2 : 1;
		cpu.sys.controls.hcr_el2 = fb ? HCR_FB : 0;
		cr_assert_eq(msr(TLBI(0, 7, 0), 0), SOFT_DONE);
		cr_expect_eq(heard.tlbi.all_cpus, fb && !el2);
	}
}

/* Cache maintenance translates in the regime of the level that executes it. */
Test(system_operations_el2, maintenance_in_the_current_regime)
{
	const uint32_t dc_civac = MSR_WORD(1, 3, 7, 14, 1, 0);

	for (unsigned int el = 1; el < 4; el++) {
		all_levels();
		map(el, el == 1, 0x40007000, AF);
		cpu.sys.pstate.el = (uint8_t)el;
		cr_expect_eq(msr(dc_civac, VA), SOFT_DONE, "EL%u", el);
		*ram_word(TABLES(el) + 0x1000) = 0;
		cr_expect_eq(msr(dc_civac, VA), SOFT_EXCEPTION, "EL%u", el);
	}
}
