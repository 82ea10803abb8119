/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The effect of a system instruction begins at the next instruction, in the middle of code that the
 * fast loop runs.
 */
#include "../compare.h"
#include "core_regimes.h"

#define NOP	  0xd503201f
#define LDR_X5_X1 0xf9400025
#define NEW_TABLE (TABLES + 0x8000)
#define OPS	  12
#define SYNC	  0x200
#define IRQ	  0x280

/* X1: memory that EL0 may access too. words come after one NOP, and are followed by more NOPs. */
struct row {
	const char *name;
	unsigned int el;
	uint8_t daif;
	bool irq;    /* pending from the start */
	uint64_t x7; /* for words */
	uint32_t words[4];
	unsigned int taken;  /* before which instruction an exception is taken, 0: none, */
	unsigned int vector; /* and where, at el */
	uint64_t x0;
};

static const struct row rows[] = {
	{"DAIFClr, I", 1, 0xf, true, 0, {0xd50342ff}, 2, IRQ, 0},
	{"DAIFClr, F", 1, 0xf, true, 0, {0xd50341ff}, 0, 0, 0},
	{"DAIF", 1, 0xf, true, 0, {0xd51b4227}, 2, IRQ, 0},
	{"DAIF of I", 1, 0xf, true, 0x80, {0xd51b4227}, 0, 0, 0},
	{"SPSel, #0", 1, 0xf, false, 0, {0xd50040bf, 0x910003e0}, 0, 0, 0x1230},
	{"SPSel", 1, 0xf, false, 0, {0xd5184207, 0x910003e0}, 0, 0, 0x1230},
	{"PAN, #1", 1, 0xf, false, 0, {LDR_X5_X1, 0xd500419f, LDR_X5_X1}, 3, SYNC, 0},
	{"PAN", 1, 0xf, false, BIT(22), {LDR_X5_X1, 0xd5184267, LDR_X5_X1}, 3, SYNC, 0},
	{"TTBR0_EL1", 1, 0xf, false, NEW_TABLE, {LDR_X5_X1, 0xd5182007, LDR_X5_X1}, 3, SYNC, 0},
	{"MDSCR_EL1.SS", 1, 0xf, false, 0x2001, {0xd510109f, 0xd50348ff, 0xd5100247}, 4, SYNC, 0},
	{"PMBSR_EL1.S", 1, 0, false, BIT(17), {0xd5189a67}, 2, IRQ, 0},
	{"no PMBSR_EL1.S", 1, 0xf, false, BIT(17), {0xd5189a67, 0xd5189a7f, 0xd50342ff}, 0, 0, 0},
	{"HCR_EL2.IMO", 2, 0, true, BIT(31) | BIT(4), {0xd51c1107}, 2, IRQ, 0},
	{"HCR_EL2.FMO", 2, 0, true, BIT(31) | BIT(3), {0xd51c1107}, 0, 0, 0},
	{"SCR_EL3.IRQ", 3, 0, true, BIT(10) | 3, {0xd51e1107}, 2, IRQ, 0},
};

static struct core_machine *machine(unsigned int el)
{
	static const uint32_t nop = NOP;
	struct core_machine *m = core_regimes(0);
	struct soft_sys *sys = &soft(m)->sys;

	for (uint64_t pa = CODE; pa < DATA; pa += 4)
		core_load(m, pa, &nop, 1);
	core_write(m, NEW_TABLE + 8, BLOCK);
	sys->controls.scr_el3 |= BIT(10);
	sys->controls.hcr_el2 |= BIT(31);
	sys->controls.mdcr_el2 = sys->controls.mdcr_el3 = 3 << 12; /* SPE is EL1's */
	sys->vbar[el] = VECTORS;
	sys->sp[0] = 0x1230;
	sys->pstate.el = (uint8_t)el;
	sys->pstate.sp = 1;
	soft_controls_changed(soft(m));
	soft_tlb_registers_written(soft(m));
	soft_context_changed(soft(m));
	core_set(m, 0, 0);
	core_set(m, 1, DATA + 0x40000000);
	core_set(m, PC, CODE);
	return m;
}

Test(core_after, the_next_instruction)
{
	for (size_t n = 0; n < ARRAY_SIZE(rows); n++) {
		const struct row *row = &rows[n];
		struct core_machine *m = machine(row->el);
		const struct soft_sys *sys = &soft(m)->sys;

		soft(m)->sys.pstate.daif = row->daif;
		engine_soft.vcpu_irq(m->cpu[0], row->irq);
		core_set(m, 7, row->x7);
		for (size_t word = 0; word < 4 && row->words[word]; word++)
			core_load(m, CODE + 4 + 4 * word, &row->words[word], 1);
		cr_assert_eq(core_run(m, OPS), ENGINE_EXIT_BUDGET, "%s", row->name);
		cr_expect_eq(sys->pstate.el, row->el, "%s", row->name);
		if (row->taken) {
			cr_expect_eq(core_get(m, PC) & ~UINT64_C(0x7f), VECTORS + row->vector,
				     "%s: PC %#lx", row->name, core_get(m, PC));
			cr_expect_eq(sys->elr[row->el], CODE + 4 * row->taken, "%s: ELR %#lx",
				     row->name, sys->elr[row->el]);
		} else {
			cr_expect_eq(core_get(m, PC), CODE + 4 * OPS, "%s: PC %#lx", row->name,
				     core_get(m, PC));
		}
		cr_expect_eq(core_get(m, 0), row->x0, "%s", row->name);
		core_free(m);
	}
}

/* PMSCR_EL1 turns profiling on and off between two instructions: so many operations count. */
Test(core_after, profiling)
{
	static const uint32_t on = 0xd5189900; /* msr pmscr_el1, x0 */
	static const uint32_t off = 0xd518991f;
	struct core_machine *m = machine(1);
	struct spe_unit *spe = engine_soft.vcpu_spe(m->cpu[0]);
	struct spe_stats stats;

	core_load(m, CODE + 4 * 100, &on, 1);
	core_load(m, CODE + 4 * 1000, &off, 1);
	core_set(m, 0, 0x33); /* E0SPE, E1SPE, PA, TS */
	core_profile(m, 256);
	spe_write(spe, SYSREG_PMSCR_EL1, 0);
	cr_assert_eq(core_run(m, 2000), ENGINE_EXIT_BUDGET);
	cr_expect_eq(core_get(m, PC), CODE + 4 * 2000);
	spe_stats(spe, &stats);
	cr_expect_eq(stats.population, 900);
	core_free(m);
}
