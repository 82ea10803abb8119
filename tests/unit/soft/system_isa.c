/* SPDX-License-Identifier: BSD-2-Clause */
/* System registers and instructions of optional features: FEAT_RNG, FEAT_DPB, FEAT_DPB2,
 * FEAT_SPECRES. */

#include "../compare.h"
#include "soft/sys/isa.h"
#include "system_fixture.h"

#define RNDR	   MRS_WORD(3, 3, 2, 4, 0, 0)
#define RNDRRS	   MRS_WORD(3, 3, 2, 4, 1, 0)
#define DC_CVAP	   MSR_WORD(1, 3, 7, 12, 1, 0)
#define DC_CVADP   MSR_WORD(1, 3, 7, 13, 1, 0)
#define CFP_RCTX   MSR_WORD(1, 3, 7, 3, 4, 0)
#define DVP_RCTX   MSR_WORD(1, 3, 7, 3, 5, 0)
#define CPP_RCTX   MSR_WORD(1, 3, 7, 3, 7, 0)
#define HFGITR_EL2 MSR_WORD(3, 4, 1, 1, 6, 0)
#define SCTLR_UCI  (UINT64_C(1) << 26)
#define BIT(n)	   (UINT64_C(1) << (n))

TestSuite(system_isa, .init = fixture_reset);

static uint64_t draw(uint32_t word)
{
	uint64_t value;

	soft_set_flags(&cpu, 15);
	value = value_of(word);
	cr_expect_eq(soft_flags(&cpu), 0, "there is always a number");
	return value;
}

Test(system_isa, random_numbers_follow_the_seed)
{
	uint64_t first, second, third;

	cpu.sys.isa = SOFT_ISA(RNG);
	cpu.sys.random = 1;
	first = draw(RNDR);
	second = draw(RNDRRS);
	third = draw(RNDR);
	cr_expect_neq(first, second);
	cr_expect_neq(second, third);
	cr_expect_neq(first, third);
	cpu.sys.random = 1;
	cr_expect_eq(draw(RNDR), first);
	cpu.sys.random = 2;
	cr_expect_neq(draw(RNDR), first);
	cpu.sys.random = 1;
	cpu.sys.pstate.el = 0;
	cr_expect_eq(draw(RNDR), first, "nobody keeps EL0 from it");
	cr_expect_eq(msr(RNDR & ~(UINT32_C(1) << 21), 0), SOFT_EXCEPTION, "nor is it written");
}

Test(system_isa, without_a_feature_they_are_undefined)
{
	static const struct {
		uint32_t word;
		uint64_t needs;
	} rows[] = {
		{RNDR, SOFT_ISA(RNG)},	       {RNDRRS, SOFT_ISA(RNG)},
		{DC_CVAP, SOFT_ISA(DPB)},      {DC_CVADP, SOFT_ISA(DPB2)},
		{CFP_RCTX, SOFT_ISA(SPECRES)}, {DVP_RCTX, SOFT_ISA(SPECRES)},
		{CPP_RCTX, SOFT_ISA(SPECRES)},
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		cpu.sys.isa = SOFT_ISA_ALL & ~rows[i].needs;
		cr_expect_eq(msr(rows[i].word, 0), SOFT_EXCEPTION, "%u", i);
		expect_exception(0, 0, "UNDEFINED");
		fixture_reset();
		cpu.sys.isa = rows[i].needs;
		cr_expect_eq(msr(rows[i].word, RAM_BASE), SOFT_DONE, "%u", i);
		fixture_reset();
	}
}

/* The bits that addresses of 52 bits add to registers. */
Test(system_isa, registers_of_52_bits)
{
	const uint64_t lpa2 = SOFT_ISA(LVA) | SOFT_ISA(LPA) | SOFT_ISA(LPA2);
	static const struct {
		const char *name;
		uint32_t word;
		uint64_t mask, without, with;
	} rows[] = {
		{"TCR_EL1.DS", MSR_WORD(3, 0, 2, 0, 2, 0), BIT(59), 0, BIT(59)},
		{"TCR_EL2.DS", MSR_WORD(3, 4, 2, 0, 2, 0), BIT(59) | BIT(32), BIT(32),
		 BIT(59) | BIT(32)},
		{"TCR_EL3.DS", MSR_WORD(3, 6, 2, 0, 2, 0), BIT(32), 0, BIT(32)},
		{"VTCR_EL2.SL2, DS", MSR_WORD(3, 4, 2, 1, 2, 0), BIT(33) | BIT(32), 0,
		 BIT(33) | BIT(32)},
		{"VSTCR_EL2.SL2", MSR_WORD(3, 4, 2, 6, 2, 0), BIT(33), 0, BIT(33)},
		{"HPFAR_EL2.FIPA", MSR_WORD(3, 4, 6, 0, 4, 0), UINT64_C(0xffffffffffff),
		 UINT64_C(0xfffffff0), UINT64_C(0xffffffffff0)},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		for (unsigned int with = 0; with < 2; with++) {
			fixture_reset();
			fixture_levels((struct engine_levels){.start = 3,
							      .el2 = true,
							      .el3 = true,
							      .sel2 = true,
							      .security = ENGINE_SECURE});
			cpu.sys.pstate.el = 3;
			cpu.sys.controls.scr_el3 = BIT(18); /* EEL2 */
			cpu.sys.isa = with ? lpa2 : 0;
			cr_assert_eq(msr(rows[i].word, UINT64_MAX), SOFT_DONE, "%s", rows[i].name);
			cr_expect_eq(value_of(rows[i].word | 1 << 21) & rows[i].mask,
				     with ? rows[i].with : rows[i].without, "%s: %lx", rows[i].name,
				     (unsigned long)value_of(rows[i].word | 1 << 21));
		}
	}
}

/* Stage 2's part of the ID register is EL2's. */
Test(system_isa, granules_of_52_bits)
{
	const uint32_t mmfr0 = MRS_WORD(3, 0, 0, 7, 0, 0);
	const uint64_t granules = UINT64_C(0xff) << 36 | UINT64_C(0xffffff00000) | 0xf;

	cr_expect_eq(value_of(mmfr0) & granules, 0x100002);
	cpu.sys.isa = SOFT_ISA(LVA) | SOFT_ISA(LPA) | SOFT_ISA(LPA2);
	cr_expect_eq(value_of(mmfr0) & granules, 0x10200006);
	fixture_levels((struct engine_levels){.start = 2, .el2 = true});
	cr_expect_eq(value_of(mmfr0) & granules, UINT64_C(0x32310200006));
	cpu.sys.isa = 0;
	cr_expect_eq(value_of(mmfr0) & granules, UINT64_C(0x22200100002));
}

Test(system_isa, cleaning_to_persistence_traps_as_cleaning_does)
{
	cpu.sys.isa = SOFT_ISA_ALL;
	cpu.sys.pstate.el = 0;
	cpu.sys.sctlr[1] &= ~SCTLR_UCI;
	cr_expect_eq(msr(DC_CVAP, RAM_BASE), SOFT_EXCEPTION);
	fixture_reset();
	cpu.sys.isa = SOFT_ISA_ALL;
	cpu.sys.pstate.el = 0;
	cpu.sys.sctlr[1] |= SCTLR_UCI;
	cr_expect_eq(msr(DC_CVADP, RAM_BASE), SOFT_DONE);
}

/* The fine-grained traps are there with the instructions. */
Test(system_isa, fine_grained_traps)
{
	static const struct {
		uint64_t isa, bits;
	} rows[] = {
		{0, 0},
		{SOFT_ISA(DPB), 0x100},
		{SOFT_ISA(DPB) | SOFT_ISA(DPB2), 0x300},
		{SOFT_ISA(SPECRES), UINT64_C(7) << 48},
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		fixture_levels((struct engine_levels){.el2 = true, .start = 2});
		cpu.sys.pstate.el = cpu.sys.controls.el = 2;
		cpu.sys.isa = rows[i].isa;
		cpu.sys.hfgitr_el2 = 0;
		cr_assert_eq(msr(HFGITR_EL2, ~UINT64_C(0)), SOFT_DONE);
		cr_expect_eq(cpu.sys.hfgitr_el2 & (0x300 | UINT64_C(7) << 48), rows[i].bits, "%u",
			     i);
	}
}
