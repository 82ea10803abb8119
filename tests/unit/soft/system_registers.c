/* SPDX-License-Identifier: BSD-2-Clause */
/* MRS, MSR (register) and MSR (immediate): who may, what traps and how, RES0 bits, ID values. */

#include "../compare.h"
#include "system_fixture.h"

#define ALL ~UINT64_C(0)

TestSuite(system_registers, .init = fixture_reset);

static void at_el0(void)
{
	cpu.sys.pstate.el = 0;
	cpu.sys.pstate.sp = 0;
	cpu.sys.controls.el = 0;
}

/* What is left of all ones and of zero in a register without side effects; word is the MSR's. */
Test(system_registers, res0_and_res1_bits)
{
	static const struct {
		const char *name;
		uint32_t word;
		uint64_t ones, zero;
	} rows[] = {
		{"SCTLR_EL1", MSR_WORD(3, 0, 1, 0, 0, 0), 0x34dddb9f, 0x30500980},
		{"ACTLR_EL1", MSR_WORD(3, 0, 1, 0, 1, 0), 0, 0},
		{"CPACR_EL1", MSR_WORD(3, 0, 1, 0, 2, 0), 0x300000, 0},
		{"TTBR0_EL1", MSR_WORD(3, 0, 2, 0, 0, 0), ALL << 1, 0},
		{"TTBR1_EL1", MSR_WORD(3, 0, 2, 0, 1, 0), ALL << 1, 0},
		{"TCR_EL1", MSR_WORD(3, 0, 2, 0, 2, 0), 0x018007f7ffffffbf, 0},
		{"SPSR_EL1", MSR_WORD(3, 0, 4, 0, 0, 0), 0xf07003df, 0},
		{"ELR_EL1", MSR_WORD(3, 0, 4, 0, 1, 0), ALL, 0},
		{"SP_EL0", MSR_WORD(3, 0, 4, 1, 0, 0), ALL, 0},
		{"AFSR0_EL1", MSR_WORD(3, 0, 5, 1, 0, 0), 0, 0},
		{"AFSR1_EL1", MSR_WORD(3, 0, 5, 1, 1, 0), 0, 0},
		{"ESR_EL1", MSR_WORD(3, 0, 5, 2, 0, 0), 0xffffffff, 0},
		{"FAR_EL1", MSR_WORD(3, 0, 6, 0, 0, 0), ALL, 0},
		{"PAR_EL1", MSR_WORD(3, 0, 7, 4, 0, 0), ALL, 0},
		{"MAIR_EL1", MSR_WORD(3, 0, 10, 2, 0, 0), ALL, 0},
		{"AMAIR_EL1", MSR_WORD(3, 0, 10, 3, 0, 0), 0, 0},
		{"LORSA_EL1", MSR_WORD(3, 0, 10, 4, 0, 0), 0, 0},
		{"LOREA_EL1", MSR_WORD(3, 0, 10, 4, 1, 0), 0, 0},
		{"LORN_EL1", MSR_WORD(3, 0, 10, 4, 2, 0), 0, 0},
		{"LORC_EL1", MSR_WORD(3, 0, 10, 4, 3, 0), 0, 0},
		{"VBAR_EL1", MSR_WORD(3, 0, 12, 0, 0, 0), ALL << 11, 0},
		{"CONTEXTIDR_EL1", MSR_WORD(3, 0, 13, 0, 1, 0), 0xffffffff, 0},
		{"TPIDR_EL1", MSR_WORD(3, 0, 13, 0, 4, 0), ALL, 0},
		{"TPIDR_EL0", MSR_WORD(3, 3, 13, 0, 2, 0), ALL, 0},
		{"TPIDRRO_EL0", MSR_WORD(3, 3, 13, 0, 3, 0), ALL, 0},
		{"CSSELR_EL1", MSR_WORD(3, 2, 0, 0, 0, 0), 0xf, 0},
		{"CNTKCTL_EL1", MSR_WORD(3, 0, 14, 1, 0, 0), 0x3ff, 0},
		{"NZCV", MSR_WORD(3, 3, 4, 2, 0, 0), 0xf0000000, 0},
		{"DAIF", MSR_WORD(3, 3, 4, 2, 1, 0), 0x3c0, 0},
		{"SPSel", MSR_WORD(3, 0, 4, 2, 0, 0), 1, 0},
		{"PAN", MSR_WORD(3, 0, 4, 2, 3, 0), 1 << 22, 0},
		{"MDCCINT_EL1", MSR_WORD(2, 0, 0, 2, 0, 0), 0x60000000, 0},
		{"DBGBVR0_EL1", MSR_WORD(2, 0, 0, 0, 4, 0), ALL, 0},
		{"DBGBCR1_EL1", MSR_WORD(2, 0, 0, 1, 5, 0), 0xffe1e7, 0x1e0},
		{"DBGBVR5_EL1", MSR_WORD(2, 0, 0, 5, 4, 0), ALL, 0},
		{"DBGBCR5_EL1", MSR_WORD(2, 0, 0, 5, 5, 0), 0xffe1e7, 0x1e0},
		{"DBGWVR3_EL1", MSR_WORD(2, 0, 0, 3, 6, 0), ALL << 2, 0},
		{"DBGWCR3_EL1", MSR_WORD(2, 0, 0, 3, 7, 0), 0x1f1fffff, 0},
		{"DBGWVR0_EL1", MSR_WORD(2, 0, 0, 0, 6, 0), ALL << 2, 0},
		{"DBGWCR1_EL1", MSR_WORD(2, 0, 0, 1, 7, 0), 0x1f1fffff, 0},
		{"OSDLR_EL1", MSR_WORD(2, 0, 1, 3, 4, 0), 1, 0},
		{"DBGPRCR_EL1", MSR_WORD(2, 0, 1, 4, 4, 0), 1, 0},
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		fixture_reset();
		cr_assert_eq(msr(rows[i].word, ALL), SOFT_DONE, "%s", rows[i].name);
		cr_expect_eq(value_of(rows[i].word | 1 << 21), rows[i].ones, "%s", rows[i].name);
		fixture_reset();
		cr_assert_eq(msr(rows[i].word, 0), SOFT_DONE, "%s", rows[i].name);
		cr_expect_eq(value_of(rows[i].word | 1 << 21), rows[i].zero, "%s", rows[i].name);
	}
}

Test(system_registers, reset_values)
{
	cr_expect_eq(value_of(MRS_WORD(3, 0, 1, 0, 0, 0)), 0x30d50980,
		     "SCTLR_EL1: M, C and I are 0");
	cr_expect_eq(value_of(MRS_WORD(3, 3, 4, 2, 1, 0)), 0x3c0, "DAIF");
	cr_expect_eq(value_of(MRS_WORD(3, 0, 4, 2, 2, 0)), 0x4, "CurrentEL");
	cr_expect_eq(value_of(MRS_WORD(3, 0, 4, 2, 0, 0)), 1, "SPSel");
	cr_expect_eq(value_of(MRS_WORD(3, 0, 14, 1, 0, 0)), 0, "CNTKCTL_EL1");
	cr_expect_eq(value_of(MRS_WORD(2, 0, 1, 1, 4, 0)), 0xa, "OSLSR_EL1: locked");
	cr_expect_eq(value_of(MRS_WORD(2, 0, 0, 2, 2, 0)), 0, "MDSCR_EL1");
}

/* RULE("RDFFVT") */
Test(system_registers, identification)
{
	cr_expect_eq(value_of(MRS_WORD(3, 0, 0, 0, 0, 0)), 0x410fd0f0, "MIDR_EL1");
	cr_expect_eq(value_of(MRS_WORD(3, 0, 0, 0, 5, 0)), 0x80000003, "MPIDR_EL1");
	cr_expect_eq(value_of(MRS_WORD(3, 0, 0, 4, 0, 0)), 0x1000000001000011, "ID_AA64PFR0_EL1");
	cr_expect_eq(value_of(MRS_WORD(3, 0, 0, 5, 0, 0)), 0x10305006, "ID_AA64DFR0_EL1");
	cr_expect_eq(value_of(MRS_WORD(3, 0, 0, 6, 0, 0)), 0x00210000, "ID_AA64ISAR0_EL1");
	cr_expect_eq(value_of(MRS_WORD(3, 0, 0, 7, 0, 0)), 0x00100022, "ID_AA64MMFR0_EL1");
	cr_expect_eq(value_of(MRS_WORD(3, 0, 0, 7, 1, 0)), 0x00211002, "ID_AA64MMFR1_EL1");
	cr_expect_eq(value_of(MRS_WORD(3, 0, 0, 7, 2, 0)), UINT64_C(1) << 60, "ID_AA64MMFR2_EL1");
	cr_expect_eq(value_of(MRS_WORD(3, 0, 0, 7, 3, 0)), 0, "ID_AA64MMFR3_EL1: no FEAT_MEC");
	cr_expect_eq(value_of(MRS_WORD(3, 1, 0, 0, 1, 0)), 0x23, "CLIDR_EL1");
	cr_expect_eq(value_of(MRS_WORD(3, 3, 0, 0, 1, 0)), 0x9444c004, "CTR_EL0");
	cr_expect_eq(value_of(MRS_WORD(3, 0, 10, 4, 7, 0)), 0, "LORID_EL1");
	cpu.sys.rvbar = 0x40200000;
	cr_expect_eq(value_of(MRS_WORD(3, 0, 12, 0, 1, 0)), 0x40200000, "RVBAR_EL1");
}

/* What CSSELR_EL1 selects, and nothing where it selects nothing. */
Test(system_registers, caches)
{
	static const uint64_t sizes[] = {0x1fe01a, 0x1fe01a, 0xffe03a, 0, 0};

	for (uint64_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		cr_assert_eq(msr(MSR_WORD(3, 2, 0, 0, 0, 0), i), SOFT_DONE);
		cr_expect_eq(value_of(MRS_WORD(3, 1, 0, 0, 0, 0)), sizes[i], "%d", (int)i);
	}
}

/* op0=3, op1=0, CRn=0, CRm=1..7: zero where nothing is allocated; EL1 only, and never written. */
Test(system_registers, the_id_space_reads_as_zero)
{
	static const struct {
		unsigned int crm, op2;
	} nonzero[] = {{4, 0}, {5, 0}, {6, 0}, {7, 0}, {7, 1}, {7, 2}};

	for (unsigned int crm = 1; crm < 8; crm++) {
		for (unsigned int op2 = 0; op2 < 8; op2++) {
			bool zero = true;

			for (unsigned int i = 0; i < 6; i++)
				zero &= crm != nonzero[i].crm || op2 != nonzero[i].op2;
			fixture_reset();
			cr_expect_eq(value_of(MRS_WORD(3, 0, 0, crm, op2, 0)) == 0, zero);
			cr_expect_eq(msr(MSR_WORD(3, 0, 0, crm, op2, 0), 0), SOFT_EXCEPTION);
			expect_exception(0x00, 0, "write of an ID register");
			fixture_reset();
			at_el0();
			cr_expect_eq(mrs(MRS_WORD(3, 0, 0, crm, op2, 0)), SOFT_EXCEPTION);
			expect_exception(0x00, 0, "ID register at EL0");
		}
	}
}

Test(system_registers, pmsver_is_the_units)
{
	fixture_reset_spe();
	cr_expect_eq(value_of(MRS_WORD(3, 0, 0, 5, 0, 0)), UINT64_C(0x310305006));
}

/* A few of EL2 and EL3, floating point, PMU, later extensions, unallocated. */
Test(system_registers, undefined_at_el1)
{
	static const struct {
		const char *name;
		uint32_t word;
	} rows[] = {
		{"HCR_EL2", MRS_WORD(3, 4, 1, 1, 0, 0)},
		{"SP_EL1", MRS_WORD(3, 4, 4, 1, 0, 0)},
		{"SCTLR_EL12", MRS_WORD(3, 5, 1, 0, 0, 0)},
		{"SCR_EL3", MRS_WORD(3, 6, 1, 1, 0, 0)},
		{"PMCR_EL0", MRS_WORD(3, 3, 9, 12, 0, 0)},
		{"UAO", MRS_WORD(3, 0, 4, 2, 4, 0)},
		{"RNDR", MRS_WORD(3, 3, 2, 4, 0, 0)},
		{"CNTPS_CTL_EL1", MRS_WORD(3, 7, 14, 2, 1, 0)},
		{"DBGBVR6_EL1", MRS_WORD(2, 0, 0, 6, 4, 0)},
		{"DBGWCR4_EL1", MRS_WORD(2, 0, 0, 4, 7, 0)},
		{"RMR_EL1", MRS_WORD(3, 0, 12, 0, 2, 0)},
		{"S3_0_C15_C0_0", MRS_WORD(3, 0, 15, 0, 0, 0)},
		{"write of MIDR_EL1", MSR_WORD(3, 0, 0, 0, 0, 0)},
		{"write of CurrentEL", MSR_WORD(3, 0, 4, 2, 2, 0)},
		{"write of CNTVCT_EL0", MSR_WORD(3, 3, 14, 0, 2, 0)},
		{"write of CTR_EL0", MSR_WORD(3, 3, 0, 0, 1, 0)},
		{"read of OSLAR_EL1", MRS_WORD(2, 0, 1, 0, 4, 0)},
		{"read of ICC_EOIR1_EL1", MRS_WORD(3, 0, 12, 12, 1, 0)},
		{"write of ICC_IAR1_EL1", MSR_WORD(3, 0, 12, 12, 0, 0)},
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		fixture_reset();
		cr_expect_eq(msr(rows[i].word, 0), SOFT_EXCEPTION, "%s", rows[i].name);
		expect_exception(0x00, 0, rows[i].name);
	}
}

Test(system_registers, undefined_at_el0)
{
	static const struct {
		const char *name;
		uint32_t word;
	} rows[] = {
		{"SCTLR_EL1", MRS_WORD(3, 0, 1, 0, 0, 0)},
		{"TTBR0_EL1", MSR_WORD(3, 0, 2, 0, 0, 0)},
		{"CurrentEL", MRS_WORD(3, 0, 4, 2, 2, 0)},
		{"SP_EL0", MRS_WORD(3, 0, 4, 1, 0, 0)},
		{"SPSel", MSR_WORD(3, 0, 4, 2, 0, 0)},
		{"MIDR_EL1", MRS_WORD(3, 0, 0, 0, 0, 0)},
		{"CNTKCTL_EL1", MRS_WORD(3, 0, 14, 1, 0, 0)},
		{"write of CNTFRQ_EL0", MSR_WORD(3, 3, 14, 0, 0, 0)},
		{"write of TPIDRRO_EL0", MSR_WORD(3, 3, 13, 0, 3, 0)},
		{"ICC_PMR_EL1", MRS_WORD(3, 0, 4, 6, 0, 0)},
		{"MDSCR_EL1", MRS_WORD(2, 0, 0, 2, 2, 0)},
		{"PMSCR_EL1", MRS_WORD(3, 0, 9, 9, 0, 0)},
		{"PMBIDR_EL1", MRS_WORD(3, 0, 9, 10, 7, 0)},
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		fixture_reset_spe();
		at_el0();
		cr_expect_eq(msr(rows[i].word, 0), SOFT_EXCEPTION, "%s", rows[i].name);
		expect_exception(0x00, 0, rows[i].name);
	}
}

/*
 * Traps of EL0 to EL1: by which bit of which register (1 allows, but for TDCC), and the ISS:
 * op0 21:20, op2 19:17, op1 16:14, CRn 13:10, Rt 9:5 (here 5 for MSR, 6 for MRS), CRm 4:1, read 0.
 */
Test(system_registers, traps_from_el0)
{
	enum control { SCTLR, MDSCR, CNTKCTL };
	static const struct {
		const char *name;
		uint32_t word;
		enum control control;
		uint64_t allow;
		uint32_t iss;
	} rows[] = {
		{"MRS DAIF", MRS_WORD(3, 3, 4, 2, 1, 0), SCTLR, 1 << 9, 0x32d0c5},
		{"MSR DAIF", MSR_WORD(3, 3, 4, 2, 1, 0), SCTLR, 1 << 9, 0x32d0a4},
		{"MRS CTR_EL0", MRS_WORD(3, 3, 0, 0, 1, 0), SCTLR, 1 << 15, 0x32c0c1},
		{"MRS MDCCSR_EL0", MRS_WORD(2, 3, 0, 1, 0, 0), MDSCR, 0, 0x20c0c3},
		{"MRS DBGDTR_EL0", MRS_WORD(2, 3, 0, 4, 0, 0), MDSCR, 0, 0x20c0c9},
		{"MSR DBGDTRTX_EL0", MSR_WORD(2, 3, 0, 5, 0, 0), MDSCR, 0, 0x20c0aa},
		{"MRS CNTFRQ_EL0", MRS_WORD(3, 3, 14, 0, 0, 0), CNTKCTL, 1, 0x30f8c1},
		{"MRS CNTFRQ_EL0", MRS_WORD(3, 3, 14, 0, 0, 0), CNTKCTL, 2, 0x30f8c1},
		{"MRS CNTPCT_EL0", MRS_WORD(3, 3, 14, 0, 1, 0), CNTKCTL, 1, 0x32f8c1},
		{"MRS CNTVCT_EL0", MRS_WORD(3, 3, 14, 0, 2, 0), CNTKCTL, 2, 0x34f8c1},
		{"MRS CNTP_CTL_EL0", MRS_WORD(3, 3, 14, 2, 1, 0), CNTKCTL, 0x200, 0x32f8c5},
		{"MSR CNTP_CVAL_EL0", MSR_WORD(3, 3, 14, 2, 2, 0), CNTKCTL, 0x200, 0x34f8a4},
		{"MRS CNTP_TVAL_EL0", MRS_WORD(3, 3, 14, 2, 0, 0), CNTKCTL, 0x200, 0x30f8c5},
		{"MRS CNTV_CTL_EL0", MRS_WORD(3, 3, 14, 3, 1, 0), CNTKCTL, 0x100, 0x32f8c7},
		{"MSR CNTV_CVAL_EL0", MSR_WORD(3, 3, 14, 3, 2, 0), CNTKCTL, 0x100, 0x34f8a6},
		{"MRS CNTV_TVAL_EL0", MRS_WORD(3, 3, 14, 3, 0, 0), CNTKCTL, 0x100, 0x30f8c7},
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		bool read = rows[i].word >> 21 & 1;

		for (unsigned int allow = 0; allow < 2; allow++) {
			uint64_t *control;
			enum soft_outcome outcome;

			fixture_reset();
			at_el0();
			switch (rows[i].control) {
			case SCTLR: control = &cpu.sys.sctlr[1]; break;
			case MDSCR: control = &cpu.sys.mdscr_el1; break;
			default: control = &cpu.sys.cntkctl_el1; break;
			}
			/* Every other bit the opposite way: none of them matters. */
			*control = allow ? rows[i].allow : ~rows[i].allow;
			if (rows[i].control == CNTKCTL && !allow)
				*control = rows[i].word == rows[6].word ? 0x3fc
									: 0x3ff & ~rows[i].allow;
			outcome = read ? mrs(rows[i].word) : msr(rows[i].word, 0);
			cr_expect_eq(outcome, allow ? SOFT_DONE : SOFT_EXCEPTION, "%s",
				     rows[i].name);
			if (!allow)
				expect_exception(0x18, rows[i].iss, rows[i].name);
		}
		/* EL1 is never trapped. */
		fixture_reset();
		cpu.sys.sctlr[1] = 0;
		cpu.sys.mdscr_el1 = 0x1000;
		cr_expect_eq(read ? mrs(rows[i].word) : msr(rows[i].word, 0), SOFT_DONE);
	}
}

Test(system_registers, daif_immediate)
{
	const uint32_t set = MSR_WORD(0, 3, 4, 0, 6, 31), clear = MSR_WORD(0, 3, 4, 0, 7, 31);

	for (unsigned int imm = 0; imm < 16; imm++) {
		cpu.sys.pstate.daif = 0x5;
		cr_expect_eq(soft_system_instruction(&cpu, set | imm << 8), SOFT_DONE);
		cr_expect_eq(cpu.sys.pstate.daif, 0x5 | imm);
		cpu.sys.pstate.daif = 0x5;
		cr_expect_eq(soft_system_instruction(&cpu, clear | imm << 8), SOFT_DONE);
		cr_expect_eq(cpu.sys.pstate.daif, 0x5 & ~imm);
	}
	at_el0();
	cr_expect_eq(soft_system_instruction(&cpu, set | 2 << 8), SOFT_EXCEPTION);
	expect_exception(0x18, 0x0cd3e4, "MSR DAIFSet, #2 with UMA 0");
	fixture_reset();
	at_el0();
	cpu.sys.sctlr[1] |= 1 << 9;
	cr_expect_eq(soft_system_instruction(&cpu, clear | 0xf << 8), SOFT_DONE);
	cr_expect_eq(cpu.sys.pstate.daif, 0);
}

Test(system_registers, pan_and_spsel_immediate)
{
	const uint32_t pan = MSR_WORD(0, 0, 4, 0, 4, 31), spsel = MSR_WORD(0, 0, 4, 0, 5, 31);

	cpu.x[SOFT_X_SP] = 0x1000;
	cpu.sys.sp[0] = 0x2000;
	cr_expect_eq(soft_system_instruction(&cpu, spsel), SOFT_DONE);
	cr_expect_eq(cpu.x[SOFT_X_SP], 0x2000);
	cr_expect_not(cpu.sys.pstate.sp);
	cr_expect_eq(mrs(MRS_WORD(3, 0, 4, 1, 0, 0)), SOFT_EXCEPTION);
	expect_exception(0x00, 0, "SP_EL0 while it is SP");
	cr_expect_eq(cpu.x[SOFT_X_SP], 0x1000, "the vector runs on SP_EL1");
	cr_expect_eq(value_of(MRS_WORD(3, 0, 4, 1, 0, 0)), 0x2000);
	cr_expect_eq(soft_system_instruction(&cpu, spsel | 1 << 8), SOFT_DONE);
	cr_expect_eq(cpu.x[SOFT_X_SP], 0x1000);

	cr_expect_eq(soft_system_instruction(&cpu, pan | 1 << 8), SOFT_DONE);
	cr_expect(cpu.sys.pstate.pan);
	cr_expect_eq(soft_system_instruction(&cpu, pan), SOFT_DONE);
	cr_expect_not(cpu.sys.pstate.pan);

	for (unsigned int i = 0; i < 2; i++) {
		fixture_reset();
		at_el0();
		cr_expect_eq(soft_system_instruction(&cpu, i ? pan : spsel), SOFT_EXCEPTION);
		expect_exception(0x00, 0, "EL0");
	}
}

/* UAO, DIT, SSBS, TCO and what is not allocated. */
Test(system_registers, other_immediates_are_undefined)
{
	for (unsigned int i = 0; i < 64; i++) {
		unsigned int op1 = i >> 3, op2 = i & 7;
		bool known = (op1 == 0 && (op2 == 4 || op2 == 5)) ||
			     (op1 == 3 && (op2 == 6 || op2 == 7));

		fixture_reset();
		cr_expect_eq(soft_system_instruction(&cpu, MSR_WORD(0, op1, 4, 1, op2, 31)),
			     known ? SOFT_DONE : SOFT_EXCEPTION, "op1 %u op2 %u", op1, op2);
		if (!known)
			expect_exception(0x00, 0, "unallocated");
		/* Neither with a register but XZR, nor read. */
		fixture_reset();
		cr_expect_eq(msr(MSR_WORD(0, op1, 4, 1, op2, 0), 0), SOFT_EXCEPTION);
		cr_expect_eq(soft_system_instruction(&cpu, MRS_WORD(0, op1, 4, 1, op2, 31)),
			     SOFT_EXCEPTION);
	}
}

Test(system_registers, dczid_says_whether_zva_is_allowed_here)
{
	const uint32_t dczid = MRS_WORD(3, 3, 0, 0, 7, 0);

	cr_expect_eq(value_of(dczid), 0x4);
	at_el0();
	cpu.sys.sctlr[1] &= ~(UINT64_C(1) << 14);
	cr_expect_eq(value_of(dczid), 0x14);
	cpu.sys.sctlr[1] |= UINT64_C(1) << 14;
	cr_expect_eq(value_of(dczid), 0x4);
}

Test(system_registers, isr_shows_the_lines)
{
	const uint32_t isr = MRS_WORD(3, 0, 12, 1, 0, 0);

	cr_expect_eq(value_of(isr), 0);
	cpu.sys.irq_level = true;
	cr_expect_eq(value_of(isr), 0x80);
	cpu.sys.fiq_level = true;
	cr_expect_eq(value_of(isr), 0xc0);
}

Test(system_registers, os_lock)
{
	const uint32_t mdscr = MSR_WORD(2, 0, 0, 2, 2, 0);

	cr_assert_eq(msr(mdscr, ALL), SOFT_DONE);
	cr_expect_eq(cpu.sys.mdscr_el1, 0x6ce0f041, "locked: EDSCR's fields too");
	cr_assert_eq(msr(MSR_WORD(2, 0, 1, 0, 4, 0), 0), SOFT_DONE); /* OSLAR_EL1 */
	cr_expect_eq(value_of(MRS_WORD(2, 0, 1, 1, 4, 0)), 0x8);
	cr_assert_eq(msr(mdscr, 0), SOFT_DONE);
	cr_expect_eq(cpu.sys.mdscr_el1, 0x6ce04040, "unlocked: they are read-only");
	cr_assert_eq(msr(MSR_WORD(2, 0, 1, 0, 4, 0), 1), SOFT_DONE);
	cr_expect_eq(value_of(MRS_WORD(2, 0, 1, 1, 4, 0)), 0xa);
}

Test(system_registers, claim_tags)
{
	const uint32_t set = MSR_WORD(2, 0, 7, 8, 6, 0), clear = MSR_WORD(2, 0, 7, 9, 6, 0);

	cr_expect_eq(value_of(set | 1 << 21), 0xff);
	cr_assert_eq(msr(set, 0x1f5), SOFT_DONE);
	cr_expect_eq(value_of(clear | 1 << 21), 0xf5);
	cr_assert_eq(msr(clear, 0x30), SOFT_DONE);
	cr_expect_eq(value_of(clear | 1 << 21), 0xc5);
}

Test(system_registers, xzr)
{
	cpu.sys.tpidr[1] = 7;
	cr_expect_eq(soft_system_instruction(&cpu, MRS_WORD(3, 0, 13, 0, 4, 31)), SOFT_DONE);
	cr_expect_eq(soft_system_instruction(&cpu, MSR_WORD(3, 0, 13, 0, 4, 31)), SOFT_DONE);
	cr_expect_eq(cpu.sys.tpidr[1], 0);
}

Test(system_registers, device_registers_are_the_machines)
{
	const uint32_t sgi = MSR_WORD(3, 0, 12, 11, 5, 0), iar = MRS_WORD(3, 0, 12, 12, 0, 0);

	cpu.x[5] = 0x1234;
	cr_expect_eq(soft_system_instruction(&cpu, sgi | 5), SOFT_DONE);
	cr_expect_eq(heard.device_encoding, SYSREG_ENCODING(3, 0, 12, 11, 5));
	cr_expect_eq(heard.device_value, 0x1234);
	heard.device_value = 27;
	cr_expect_eq(value_of(iar), 27);
	heard.device_answer = ENGINE_NONE;
	cr_expect_eq(mrs(iar), SOFT_EXCEPTION);
	expect_exception(0x00, 0, "no such device register");
	cr_expect_eq(heard.device_calls, 3);
	/* A trapped access does not reach the machine. */
	fixture_reset();
	at_el0();
	cr_expect_eq(mrs(MRS_WORD(3, 3, 14, 0, 2, 0)), SOFT_EXCEPTION);
	cr_expect_eq(heard.device_calls, 0);
}

/* Writes alone, and of the registers of translation alone. */
Test(system_registers, what_the_tlb_hears_of)
{
	static const struct {
		uint32_t word;
		unsigned int calls;
	} rows[] = {
		{MSR_WORD(3, 0, 1, 0, 0, 0), 1},  {MRS_WORD(3, 0, 1, 0, 0, 0), 0},
		{MSR_WORD(3, 0, 2, 0, 0, 0), 1},  {MSR_WORD(3, 0, 2, 0, 1, 0), 1},
		{MSR_WORD(3, 0, 2, 0, 2, 0), 1},  {MSR_WORD(3, 0, 10, 2, 0, 0), 1},
		{MSR_WORD(3, 0, 4, 2, 3, 0), 0},  {MSR_WORD(3, 3, 4, 2, 1, 0), 0},
		{MSR_WORD(3, 0, 13, 0, 4, 0), 0}, {MSR_WORD(3, 0, 9, 9, 0, 0), 0},
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		fixture_reset_spe();
		cr_assert_eq(soft_system_instruction(&cpu, rows[i].word), SOFT_DONE);
		cr_expect_eq(heard.translation_writes, rows[i].calls, "row %u", i);
	}
}

/* CRm 9 and 10 of op0=3, op1=0, CRn=9: what FEAT_SPEv1p2 has, and nothing without the unit. */
Test(system_registers, spe_registers)
{
	static const uint8_t exists[2] = {0xff, 0x8b}; /* bit op2 */

	for (unsigned int i = 0; i < 16; i++) {
		uint32_t word = MRS_WORD(3, 0, 9, 9 + i / 8, i % 8, 0);
		bool read_only = i % 8 == 7, there = exists[i / 8] >> i % 8 & 1;

		fixture_reset();
		cr_expect_eq(mrs(word), SOFT_EXCEPTION);
		expect_exception(0x00, 0, "no SPE");
		fixture_reset_spe();
		cr_expect_eq(mrs(word), there ? SOFT_DONE : SOFT_EXCEPTION, "%#x", word);
		fixture_reset_spe();
		cr_expect_eq(msr(word & ~(UINT32_C(1) << 21), 0),
			     there && !read_only ? SOFT_DONE : SOFT_EXCEPTION, "%#x", word);
	}
	/* EL2's and the aliases. */
	fixture_reset_spe();
	cr_expect_eq(mrs(MRS_WORD(3, 4, 9, 9, 0, 0)), SOFT_EXCEPTION);
	cr_expect_eq(mrs(MRS_WORD(3, 5, 9, 9, 0, 0)), SOFT_EXCEPTION);
}

Test(system_registers, spe_values_go_to_the_unit)
{
	fixture_reset_spe();
	cr_assert_eq(msr(MSR_WORD(3, 0, 9, 9, 3, 0), 0x12345601), SOFT_DONE);
	cr_expect_eq(spe_read(&unit, SYSREG_PMSIRR_EL1), 0x12345601);
	cr_expect_eq(value_of(MRS_WORD(3, 0, 9, 9, 3, 0)), 0x12345601);
}
