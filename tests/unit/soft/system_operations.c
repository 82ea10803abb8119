/* SPDX-License-Identifier: BSD-2-Clause */
/* SYS instructions: address translation, cache and TLB maintenance, and their aborts. */

#include "../compare.h"
#include "soft/mem/memory.h"
#include "system_fixture.h"

#define IC_IALLUIS     MSR_WORD(1, 0, 7, 1, 0, 0)
#define IC_IALLU       MSR_WORD(1, 0, 7, 5, 0, 0)
#define IC_IVAU	       MSR_WORD(1, 3, 7, 5, 1, 0)
#define DC_IVAC	       MSR_WORD(1, 0, 7, 6, 1, 0)
#define DC_ISW	       MSR_WORD(1, 0, 7, 6, 2, 0)
#define DC_CVAC	       MSR_WORD(1, 3, 7, 10, 1, 0)
#define DC_CVAU	       MSR_WORD(1, 3, 7, 11, 1, 0)
#define DC_CVAP	       MSR_WORD(1, 3, 7, 12, 1, 0)
#define DC_CIVAC       MSR_WORD(1, 3, 7, 14, 1, 0)
#define DC_ZVA	       MSR_WORD(1, 3, 7, 4, 1, 0)
#define AT(crm, op2)   MSR_WORD(1, 0, 7, crm, op2, 0)
#define TLBI(crm, op2) MSR_WORD(1, 0, 8, crm, op2, 0)

#define SCTLR_DZE (UINT64_C(1) << 14)
#define SCTLR_UCI (UINT64_C(1) << 26)

/* Pages of a level 3 table that maps 2 MiB from virtual address 0. */
#define TABLE	  (RAM_BASE + 0x10000)
#define AF	  (UINT64_C(1) << 10)
#define USER	  (UINT64_C(1) << 6)
#define READ_ONLY (UINT64_C(1) << 7)
#define DBM	  (UINT64_C(1) << 51)
#define NORMAL	  (UINT64_C(1) << 2) /* MAIR_EL1 byte 1 */

static void mmu_on(void)
{
	fixture_reset();
	cpu.sys.sctlr[1] |= 1;
	cpu.sys.tcr[1] = UINT64_C(2) << 32 | UINT64_C(1) << 23 | 39;
	cpu.sys.mair[1] = 0xff00;
	cpu.sys.ttbr0[1] = RAM_BASE + 0x20000;
	*ram_word(RAM_BASE + 0x20000) = TABLE | 3;
}

TestSuite(system_operations, .init = mmu_on);

static void map(uint64_t va, uint64_t pa, uint64_t bits)
{
	*ram_word(TABLE + (va >> 12) * 8) = pa | bits | 3;
}

static void at_el0(uint64_t sctlr)
{
	cpu.sys.pstate.el = 0;
	cpu.sys.pstate.sp = 0;
	cpu.sys.sctlr[1] |= sctlr;
}

Test(system_operations, at_succeeds)
{
	map(0x5000, 0x40003000, AF | USER | NORMAL | 3 << 8);
	map(0x6000, 0x40004000, AF | READ_ONLY);
	cr_assert_eq(msr(AT(8, 0), 0x5123), SOFT_DONE);
	cr_expect_eq(cpu.sys.par_el1, UINT64_C(0xff00000040003b80));
	cr_assert_eq(msr(AT(8, 0), 0x6123), SOFT_DONE); /* Device: Outer Shareable */
	cr_expect_eq(cpu.sys.par_el1, UINT64_C(0x0000000040004b00));
}

/* PAR_EL1: F, FST in bits 6:1, RES1 bit 11. */
Test(system_operations, at_fails_into_par)
{
	static const struct {
		uint32_t word;
		uint64_t bits;
		bool pan;
		uint64_t fsc; /* 0: success */
	} rows[] = {
		{AT(8, 0), AF | READ_ONLY, false, 0},
		{AT(8, 1), AF | READ_ONLY, false, 0x0f},
		{AT(8, 1), AF, false, 0},
		{AT(8, 2), AF, false, 0x0f},
		{AT(8, 2), AF | USER | READ_ONLY, false, 0},
		{AT(8, 3), AF | USER | READ_ONLY, false, 0x0f},
		{AT(8, 3), AF | USER, false, 0},
		{AT(8, 0), USER, false, 0x0b},
		{AT(8, 0), AF | USER, true, 0}, /* PAN counts for the P forms only */
		{AT(9, 0), AF | USER, true, 0x0f},
		{AT(9, 0), AF | USER, false, 0},
		{AT(9, 1), AF | USER, true, 0x0f},
		{AT(9, 1), AF | USER, false, 0},
		{AT(9, 1), AF | USER | READ_ONLY, false, 0x0f},
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		mmu_on();
		map(0x5000, 0x40003000, rows[i].bits);
		cpu.sys.pstate.pan = rows[i].pan;
		cr_assert_eq(msr(rows[i].word, 0x5000), SOFT_DONE);
		if (rows[i].fsc)
			cr_expect_eq(cpu.sys.par_el1, 0x801 | rows[i].fsc << 1, "row %u", i);
		else
			cr_expect_eq(cpu.sys.par_el1 & 1, 0, "row %u", i);
	}
}

Test(system_operations, at_updates_no_descriptor)
{
	uint64_t *d = ram_word(TABLE + 5 * 8);

	cpu.sys.tcr[1] |= UINT64_C(3) << 39;
	map(0x5000, 0x40003000, READ_ONLY | DBM);
	cr_assert_eq(msr(AT(8, 1), 0x5000), SOFT_DONE);
	cr_expect_eq(cpu.sys.par_el1 & 1, 0);
	cr_expect_eq(*d, 0x40003000 | READ_ONLY | DBM | 3);
}

Test(system_operations, at_takes_an_external_abort_on_the_walk)
{
	*ram_word(RAM_BASE + 0x20000) = 0x08000000 | 3;
	cr_expect_eq(msr(AT(8, 0), 0x5678), SOFT_EXCEPTION);
	expect_exception(0x25, 0x157, "AT");
	cr_expect_eq(cpu.sys.far[1], 0x5678);
}

Test(system_operations, undefined_at_el0)
{
	static const uint32_t words[] = {IC_IALLUIS, IC_IALLU, DC_IVAC,	   DC_ISW,
					 AT(8, 0),   AT(9, 1), TLBI(3, 0), TLBI(7, 7)};

	for (unsigned int i = 0; i < ARRAY_SIZE(words); i++) {
		fixture_reset();
		at_el0(SCTLR_UCI | SCTLR_DZE);
		cr_expect_eq(msr(words[i], 0), SOFT_EXCEPTION);
		expect_exception(0x00, 0, "EL0");
	}
}

/* Not of Armv8.1, EL2's, unallocated; and every SYSL. */
Test(system_operations, undefined_everywhere)
{
	static const uint32_t words[] = {
		DC_CVAP,
		MSR_WORD(1, 4, 7, 8, 0, 0),  /* AT S1E2R */
		MSR_WORD(1, 4, 7, 8, 4, 0),  /* AT S12E1R */
		MSR_WORD(1, 4, 8, 7, 4, 0),  /* TLBI ALLE1 */
		MSR_WORD(1, 0, 8, 7, 4, 0),  /* unallocated */
		MSR_WORD(1, 0, 8, 1, 0, 0),  /* TLBI VMALLE1OS: Armv8.4 */
		MSR_WORD(1, 0, 8, 6, 1, 0),  /* TLBI RVAE1: Armv8.4 */
		MSR_WORD(1, 3, 7, 3, 4, 0),  /* CFP RCTX: Armv8.5 */
		MSR_WORD(1, 0, 11, 0, 0, 0), /* IMPLEMENTATION DEFINED */
		MRS_WORD(1, 0, 7, 5, 0, 0),
		MRS_WORD(1, 3, 7, 10, 1, 0),
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(words); i++) {
		fixture_reset();
		cr_expect_eq(msr(words[i], 0), SOFT_EXCEPTION, "%#x", words[i]);
		expect_exception(0x00, 0, "undefined");
	}
}

/* SCTLR_EL1.UCI and DZE: EC 0x18 with the instruction's fields; here Rt is 5. */
Test(system_operations, traps_from_el0)
{
	static const struct {
		uint32_t word, iss;
	} rows[] = {
		{IC_IVAU, 0x12dcaa}, /* op0 1 op2 1 op1 3 CRn 7 Rt 5 CRm 5 */
		{DC_CVAC, 0x12dcb4}, /* CRm 10 */
		{DC_CVAU, 0x12dcb6}, {DC_CIVAC, 0x12dcbc}, {DC_ZVA, 0x12dca8},
	};

	for (unsigned int i = 0; i < 5; i++) {
		fixture_reset();
		*ram_word(RAM_BASE) = 1;
		at_el0(rows[i].word == DC_ZVA ? SCTLR_UCI : SCTLR_DZE);
		cr_expect_eq(msr(rows[i].word, RAM_BASE), SOFT_EXCEPTION);
		expect_exception(0x18, rows[i].iss, "UCI, DZE");
		cr_expect_eq(heard.code_calls, 0);
		cr_expect_eq(*ram_word(RAM_BASE), 1, "a block that is not zeroed");
	}
}

/* CM and WnR are 1, whatever the instruction does. */
Test(system_operations, maintenance_checks_the_address)
{
	static const uint32_t words[] = {IC_IVAU, DC_CVAC, DC_CVAU, DC_CIVAC, DC_IVAC};

	for (unsigned int i = 0; i < 5; i++) {
		mmu_on();
		map(0x5000, 0x40003000, AF);
		map(0x7000, 0x40003000, AF | READ_ONLY);
		cr_expect_eq(msr(words[i], 0x5040), SOFT_DONE, "%u", i);
		cr_expect_eq(msr(words[i], 0x6044), SOFT_EXCEPTION, "%u", i);
		expect_exception(0x25, 0x147, "translation fault");
		cr_expect_eq(cpu.sys.far[1], 0x6044);
		/* Of EL1's, DC IVAC alone needs a permission. */
		cpu.pc = 0x40001000;
		cr_expect_eq(msr(words[i], 0x7000),
			     words[i] == DC_IVAC ? SOFT_EXCEPTION : SOFT_DONE);
		if (words[i] == DC_IVAC)
			expect_exception(0x25, 0x14f, "permission fault");
	}
}

Test(system_operations, maintenance_updates_no_descriptor)
{
	static const uint32_t words[] = {IC_IVAU, DC_CVAC, DC_CVAU, DC_CIVAC, DC_IVAC};
	const uint64_t clean = 0x40003000 | READ_ONLY | DBM | 3;

	cpu.sys.tcr[1] |= UINT64_C(3) << 39;
	for (unsigned int i = 0; i < 5; i++) {
		map(0x5000, 0x40003000, READ_ONLY | DBM);
		cr_expect_eq(msr(words[i], 0x5000), SOFT_DONE);
		cr_expect_eq(*ram_word(TABLE + 5 * 8), clean, "%u", i);
	}
}

Test(system_operations, maintenance_at_el0_needs_read_permission)
{
	static const uint32_t words[] = {IC_IVAU, DC_CVAC, DC_CVAU, DC_CIVAC};

	for (unsigned int i = 0; i < 4; i++) {
		mmu_on();
		at_el0(SCTLR_UCI);
		map(0x5000, 0x40003000, AF | USER | READ_ONLY);
		map(0x6000, 0x40003000, AF);
		cr_expect_eq(msr(words[i], 0x5040), SOFT_DONE);
		cr_expect_eq(msr(words[i], 0x6044), SOFT_EXCEPTION);
		expect_exception(0x24, 0x14f, "permission fault");
	}
}

Test(system_operations, pan_does_not_concern_maintenance)
{
	map(0x5000, 0x40003000, AF | USER | NORMAL);
	cpu.sys.pstate.pan = true;
	cr_expect_eq(msr(DC_IVAC, 0x5000), SOFT_DONE);
	cr_expect_eq(msr(DC_CIVAC, 0x5000), SOFT_DONE);
	cr_expect_eq(msr(DC_ZVA, 0x5000), SOFT_EXCEPTION);
	expect_exception(0x25, 0x4f, "DC ZVA with PAN");
}

Test(system_operations, ic_tells_the_interpreter)
{
	map(0x5000, 0x40003000, AF);
	cr_assert_eq(msr(IC_IVAU, 0x5044), SOFT_DONE);
	cr_expect_eq(heard.code_calls, 1);
	cr_expect_not(heard.code_all);
	cr_expect_eq(heard.code_va, 0x5044);
	cr_assert_eq(msr(IC_IALLU, 0), SOFT_DONE);
	cr_expect(heard.code_all);
	heard.code_all = false;
	cr_assert_eq(msr(IC_IALLUIS, 0), SOFT_DONE);
	cr_assert(heard.code_all);
	cr_expect_eq(heard.code_calls, 3);
	cr_assert_eq(msr(IC_IVAU, 0x9000), SOFT_EXCEPTION);
	cr_expect_eq(heard.code_calls, 3);
}

/* A store to Normal memory in RAM; CM is 0. */
Test(system_operations, zva)
{
	map(0x5000, 0x40003000, AF | NORMAL);
	map(0x6000, 0x40003000, AF);
	map(0x7000, 0x08000000, AF | NORMAL);
	map(0x8000, 0x40003000, AF | NORMAL | READ_ONLY);
	map(0x9000, 0x40003000, AF | READ_ONLY);
	soft_tlb_reset(&cpu);
	memset(ram_word(0x40003f00), 0xff, 256);
	cr_assert_eq(msr(DC_ZVA, 0x5ff9), SOFT_DONE);
	cr_expect_eq(*ram_word(0x40003fb8), UINT64_MAX, "what is before the block");
	for (uint64_t pa = 0x40003fc0; pa < 0x40004000; pa += 8)
		cr_expect_eq(*ram_word(pa), 0);
	*ram_word(0x40003008) = 1;
	cr_expect_eq(msr(DC_ZVA, 0x6009), SOFT_EXCEPTION);
	expect_exception(0x25, 0x61, "alignment fault: Device memory");
	cr_expect_eq(cpu.sys.far[1], 0x6009);
	cpu.pc = 0x40001000;
	cr_expect_eq(msr(DC_ZVA, 0x7000), SOFT_EXCEPTION);
	expect_exception(0x25, 0x50, "external abort: not RAM");
	cpu.pc = 0x40001000;
	cr_expect_eq(msr(DC_ZVA, 0x8000), SOFT_EXCEPTION);
	expect_exception(0x25, 0x4f, "permission fault");
	cpu.pc = 0x40001000;
	cr_expect_eq(msr(DC_ZVA, 0x9000), SOFT_EXCEPTION);
	expect_exception(0x25, 0x61, "alignment fault: Device memory, before the permission");
	cr_expect_eq(*ram_word(0x40003008), 1, "a block that is not zeroed");
}

Test(system_operations, tlbi)
{
	static const struct {
		unsigned int op2;
		bool all, by_va, by_asid;
	} rows[] = {
		{0, true, false, false}, {1, false, true, true}, {2, false, false, true},
		{3, false, true, false}, {5, false, true, true}, {7, false, true, false},
	};

	for (unsigned int i = 0; i < 12; i++) {
		bool shared = i >= 6, wide = i & 1;
		unsigned int row = i % 6;

		fixture_reset();
		cpu.sys.tcr[1] = wide ? UINT64_C(1) << 36 : 0;
		/* ASID 0x1234, VA bits 43:0 of the operand: 0xfff80abcdef. */
		cr_assert_eq(msr(TLBI(shared ? 3 : 7, rows[row].op2), UINT64_C(0x1234fff80abcdef5)),
			     SOFT_DONE);
		cr_expect_eq(heard.tlb_calls, 1);
		cr_expect_eq(heard.tlbi.all, rows[row].all, "row %u", i);
		cr_expect_eq(heard.tlbi.by_va, rows[row].by_va, "row %u", i);
		cr_expect_eq(heard.tlbi.by_asid, rows[row].by_asid, "row %u", i);
		cr_expect_eq(heard.tlbi.all_cpus, shared);
		if (rows[row].by_va)
			cr_expect_eq(heard.tlbi.va, UINT64_C(0xffff80abcdef5000));
		if (rows[row].by_asid)
			cr_expect_eq(heard.tlbi.asid, wide ? 0x1234 : 0x34);
	}
}
