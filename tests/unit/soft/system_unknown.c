/* SPDX-License-Identifier: BSD-2-Clause */
/* Reset with --unknown: which bits are drawn, and that nothing else changes. */

#include "../compare.h"
#include "soft/sys/sys_private.h"
#include "system_fixture.h"

TestSuite(system_unknown, .init = fixture_reset);

#define SEEDS 64

/* Each vCPU starts as fixture_reset() has left it, and draws by seeds from 1 on. */
static void draw(uint64_t seed)
{
	cpu.vm->unknown = (struct soft_unknown){.drawn = true, .seed = seed};
	soft_unknown_reset(&cpu);
}

/* A second statement of some: bits that change with some seed, and read back with others. */
Test(system_unknown, bits_that_are_drawn)
{
	static const struct {
		const char *name;
		uint32_t word; /* MRS */
		uint64_t drawn, known;
	} rows[] = {
		/* M, C and I are 0 at the highest level. */
		{"SCTLR_EL1", MRS_WORD(3, 0, 1, 0, 0, 0), 0x048dc21a, 0x1005},
		{"TCR_EL1", MRS_WORD(3, 0, 2, 0, 2, 0), 0x018007f7ffffffbf, 0},
		{"VBAR_EL1", MRS_WORD(3, 0, 12, 0, 0, 0), ~UINT64_C(0x7ff), 0x7ff},
		{"CPACR_EL1", MRS_WORD(3, 0, 1, 0, 2, 0), 0x300000, ~UINT64_C(0x300000)},
		{"CONTEXTIDR_EL1", MRS_WORD(3, 0, 13, 0, 1, 0), 0xffffffff, UINT64_MAX << 32},
		{"DBGBCR0_EL1", MRS_WORD(2, 0, 0, 0, 5, 0), 0x00ffe007, ~UINT64_C(0x00ffe1e7)},
		{"MDSCR_EL1", MRS_WORD(2, 0, 0, 2, 2, 0), 0xb001, ~UINT64_C(0xb001)},
		{"OSDLR_EL1", MRS_WORD(2, 0, 1, 3, 4, 0), 0, UINT64_MAX},
		{"MDCCINT_EL1", MRS_WORD(2, 0, 0, 2, 0, 0), 0, UINT64_MAX},
	};

	for (size_t n = 0; n < ARRAY_SIZE(rows); n++) {
		uint64_t ones = 0, zeroes = 0;

		for (uint64_t seed = 1; seed <= SEEDS; seed++) {
			uint64_t value;

			fixture_reset();
			value = value_of(rows[n].word);
			draw(seed);
			ones |= value_of(rows[n].word);
			zeroes |= ~value_of(rows[n].word);
			cr_expect_eq((value ^ value_of(rows[n].word)) & rows[n].known, 0,
				     "%s: %#lx was %#lx", rows[n].name, value_of(rows[n].word),
				     value);
		}
		cr_expect_eq(ones & zeroes & rows[n].drawn, rows[n].drawn, "%s: only %#lx is drawn",
			     rows[n].name, ones & zeroes);
	}
}

/* No register that is stored was forgotten. */
Test(system_unknown, every_register_has_a_row)
{
	for (uint32_t encoding = 0; encoding < 0x10000; encoding++)
		cr_expect(sys_register_drawn(encoding), "S%u_%u_C%u_C%u_%u has no row",
			  encoding >> 14, encoding >> 11 & 7, encoding >> 7 & 0xf,
			  encoding >> 3 & 0xf, encoding & 7);
}

Test(system_unknown, the_same_seed_draws_the_same)
{
	struct soft_sys first;

	draw(7);
	first = cpu.sys;
	cr_assert_neq(cpu.x[20], 0);
	fixture_reset();
	draw(7);
	cr_expect_arr_eq(&first.elr, &cpu.sys.elr, sizeof(first.elr));
	cr_expect_eq(first.tcr[1], cpu.sys.tcr[1]);
	fixture_reset();
	draw(8);
	cr_expect_neq(first.elr[1], cpu.sys.elr[1]);
}

/* What a guest was promised, and what belongs to levels above it. */
Test(system_unknown, promises_hold)
{
	fixture_levels((struct engine_levels){
		.start = 1, .el2 = true, .el3 = true, .rme = true, .security = ENGINE_REALM});
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		const struct soft_sys before = cpu.sys;

		draw(seed);
		cr_expect_eq(cpu.x[0] | cpu.x[1] | cpu.x[2] | cpu.x[3], 0);
		cr_expect_eq(cpu.sys.sctlr[1] & SCTLR_ELx_M, 0);
		cr_expect_eq(cpu.sys.controls.hcr_el2, before.controls.hcr_el2);
		cr_expect_eq(cpu.sys.controls.mdcr_el2, before.controls.mdcr_el2);
		cr_expect_eq(cpu.sys.controls.scr_el3, before.controls.scr_el3);
		cr_expect_eq(cpu.sys.vpidr_el2, before.vpidr_el2);
		cr_expect_eq(cpu.sys.pstate.daif, 0xf);
	}
}

/* Nothing is asked of the seed without it, and then nothing happens. */
Test(system_unknown, results_are_drawn_in_order)
{
	unsigned int happened = 0;

	cr_expect_not(soft_may(&cpu, SOFT_MAY_WFI_END));
	cr_expect_eq(cpu.loop.draws, 0);
	cpu.vm->unknown = (struct soft_unknown){.drawn = true, .seed = 3};
	for (unsigned int n = 0; n < 8000; n++)
		happened += soft_may(&cpu, SOFT_MAY_WFI_END);
	cr_expect_gt(happened, 800, "%u of 8000, once in 8", happened);
	cr_expect_lt(happened, 1200, "%u of 8000, once in 8", happened);
	cr_expect_eq(cpu.loop.draws, 8000);
}

Test(system_unknown, of_spe)
{
	uint64_t limits = 0, status = 0;

	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		fixture_reset_spe();
		draw(seed);
		limits |= spe_read(&unit, SYSREG_PMBLIMITR_EL1);
		status |= spe_read(&unit, SYSREG_PMBSR_EL1);
		cr_expect_eq(cpu.sys.controls.pmscr_el1, spe_read(&unit, SYSREG_PMSCR_EL1));
		cr_expect_eq(spe_read(&unit, SYSREG_PMSCR_EL2), 0);
	}
	cr_expect_eq(limits & 1, 0, "PMBLIMITR_EL1.E");
	cr_expect_eq(limits >> 12, UINT64_MAX >> 12);
	cr_expect_neq(status & UINT64_C(1) << 17, 0, "PMBSR_EL1.S");
}
