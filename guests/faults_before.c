/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * faults: what comes before an access gets to its address, with each thing that may be wrong with
 * that: traps, SP alignment, Illegal Execution state, software step and breakpoints (Arm ARM
 * D1.4.5.6).
 */
#include "arch.h"
#include "boot.h"
#include "faults.h"

#define LEVEL3	   3u
#define SPSR_SS	   (UINT64_C(1) << 21)
#define SPSR_BTYPE (UINT64_C(1) << 10) /* as after BLR */
#define PAGE_GP	   (UINT64_C(1) << 50)
#define MDSCR_SS   UINT64_C(1)
#define MDSCR_ON   (UINT64_C(5) << 13)		    /* KDE, MDE */
#define BREAK_ALL  (UINT64_C(1) | 3 << 1 | 15 << 5) /* DBGBCR0_EL1: E, PMC, BAS */
#define BRK	   0xd4200000u
#define UDF	   0u

#define EC_BREAKPOINT 0x30
#define EC_STEP	      0x32

#define DC_CVAC	 A64_SYS(3, 7, 10, 1, 1)
#define DC_CVAU	 A64_SYS(3, 7, 11, 1, 1)
#define DC_CIVAC A64_SYS(3, 7, 14, 1, 1)
#define DC_ZVA	 A64_SYS(3, 7, 4, 1, 1)
#define IC_IVAU	 A64_SYS(3, 7, 5, 1, 1)

static void expect(const struct outcome *o, enum taken taken, unsigned int class, const char *what)
{
	CHECK(o->taken == taken && ESR_EC(o->esr) == class,
	      "%s: taken to %u, ESR 0x%lx, not to EL%u with class 0x%x", what,
	      (unsigned int)o->taken, o->esr, (unsigned int)taken, class);
}

/* Arm ARM D1.4.5.6, 21 and 25, before 44. */
void traps_first(void)
{
	static const struct {
		const char *name;
		uint32_t word;
		uint64_t sctlr; /* which has to be set for EL0 */
		uint64_t hcr;	/* what traps it to EL2 */
	} rows[] = {
		{"DC CVAC", DC_CVAC, 1 << 26, HCR_TPCP}, {"DC CIVAC", DC_CIVAC, 1 << 26, HCR_TPCP},
		{"DC CVAU", DC_CVAU, 1 << 26, HCR_TPU},	 {"IC IVAU", IC_IVAU, 1 << 26, HCR_TPU},
		{"DC ZVA", DC_ZVA, 1 << 14, HCR_TDZ},
	};
	static const enum cause kinds[] = {CAUSE_TRANSLATION, CAUSE_WALK_STAGE2,
					   CAUSE_S2_TRANSLATION};

	for (unsigned int n = 0; n < sizeof(rows) / sizeof(rows[0]); n++)
		for (unsigned int k = 0; k < 3; k++) {
			struct scene scene = {.access = LOAD};
			struct outcome o;

			scene_add(&scene, kinds[k], LEVEL3);
			scene_make(&scene);
			c.sctlr_el1 &= ~rows[n].sctlr;
			c.x[1] = scene_address(&scene);
			o = scene_enter(scene_code(0, rows[n].word));
			expect(&o, TAKEN_EL1, EC_SYSREG, rows[n].name);
			scene.el = 1;
			scene_make(&scene);
			c.hcr_el2 |= rows[n].hcr;
			c.x[1] = scene_address(&scene);
			o = scene_enter(scene_code(1, rows[n].word));
			expect(&o, TAKEN_EL2, EC_SYSREG, rows[n].name);
		}
}

/* LDR X5, [SP]; 41. */
void sp_alignment(void)
{
	for (unsigned int el = 0; el < 2; el++)
		for (unsigned int cause = 0; cause < CAUSES; cause++) {
			struct scene scene = {.access = LOAD, .el = el};
			struct outcome o;

			if (!scene_reports(LOAD, el, (enum cause)cause))
				continue;
			scene_add(&scene, (enum cause)cause, LEVEL3);
			scene_make(&scene);
			c.sctlr_el1 |= 3 << 3; /* SA, SA0 */
			c.sp_el0 = c.sp_el1 = FAULTS_VA + FAULTS_AT + 9;
			o = scene_enter(scene_code(el, 0xf94003e5));
			expect(&o, TAKEN_EL1, EC_SP_ALIGN, "LDR X5, [SP]");
		}
}

void fp_trap(void)
{
	for (unsigned int el = 0; el < 2; el++)
		for (unsigned int cause = 0; cause < CAUSES; cause++) {
			struct scene scene = {.access = LOAD, .el = el};
			struct outcome o;

			if (!scene_reports(LOAD, el, (enum cause)cause))
				continue;
			scene_add(&scene, (enum cause)cause, LEVEL3);
			scene_make(&scene);
			c.cpacr_el1 = 0;
			c.x[1] = scene_address(&scene);
			o = scene_enter(scene_code(el, 0x3dc00020)); /* LDR Q0, [X1] */
			expect(&o, TAKEN_EL1, EC_FP, "LDR Q0, [X1]");
		}
}

/* 8 or 11: after PC alignment, before all that the instruction does; a fetch may abort before. */
void illegal_state(void)
{
	for (unsigned int el = 0; el < 2; el++) {
		static const uint32_t words[] = {BRK, UDF, A64_LDR(5, 1), A64_MRS(0, 5)};
		struct scene scene = {.access = LOAD, .el = el},
			     fetch = {.access = FETCH, .el = el};
		struct outcome o;

		scene_add(&scene, CAUSE_TRANSLATION, LEVEL3);
		for (unsigned int n = 0; n < sizeof(words) / sizeof(words[0]); n++) {
			scene_make(&scene);
			c.spsr |= SPSR_IL;
			c.x[1] = scene_address(&scene);
			o = scene_enter(scene_code(el, words[n]));
			expect(&o, TAKEN_EL1, EC_ILLEGAL, "an instruction");
		}
		scene_add(&fetch, CAUSE_ALIGNMENT, 0);
		scene_make(&fetch);
		c.spsr |= SPSR_IL;
		o = scene_go(&fetch);
		expect(&o, TAKEN_EL1, EC_PC_ALIGN, "PC alignment");
		fetch = (struct scene){.access = FETCH, .el = el};
		scene_add(&fetch, CAUSE_TRANSLATION, LEVEL3);
		scene_make(&fetch);
		c.spsr |= SPSR_IL;
		o = scene_go(&fetch);
		CHECK(o.taken == TAKEN_EL1 &&
			      (ESR_EC(o.esr) == EC_ILLEGAL || ESR_EC(o.esr) == EC_INSN_LOWER + el),
		      "a fetch that aborts: %u, ESR 0x%lx", (unsigned int)o.taken, o.esr);
	}
}

/* What c runs, with debug exceptions on. */
static struct outcome debugged(uint64_t pc, uint64_t mdscr)
{
	struct outcome o;

	c.spsr &= ~SPSR_D;
	write_sysreg(mdscr_el1, MDSCR_ON | mdscr);
	isb();
	o = scene_enter(pc);
	write_sysreg(mdscr_el1, 0);
	write_sysreg(dbgbcr0_el1, 0);
	isb();
	return o;
}

/* 4: with PSTATE.SS 0 a step is pending, whatever the instruction is. */
void step_first(void)
{
	for (unsigned int el = 0; el < 2; el++) {
		struct scene scene = {.access = FETCH, .el = el};
		struct outcome o;

		scene_make(&scene);
		c.spsr = (c.spsr & ~SPSR_SS) | SPSR_IL;
		o = debugged(scene_code(el, A64_NOP), MDSCR_SS);
		expect(&o, TAKEN_EL1, EC_STEP + el, "Illegal Execution state");
		scene_add(&scene, CAUSE_ALIGNMENT, 0);
		scene_make(&scene);
		c.spsr &= ~SPSR_SS;
		o = debugged(scene_address(&scene), MDSCR_SS);
		expect(&o, TAKEN_EL1, EC_STEP + el, "PC alignment");
	}
}

/* A fetch at el with a cause, where there is a breakpoint, or a step is pending. */
static struct outcome debug_fetch(unsigned int el, enum cause cause, bool step)
{
	struct scene scene = {.access = FETCH, .el = el};

	scene_add(&scene, cause, LEVEL3);
	scene_make(&scene);
	c.spsr &= ~SPSR_SS;
	write_sysreg(dbgbvr0_el1, scene_address(&scene));
	write_sysreg(dbgbcr0_el1, step ? 0 : BREAK_ALL);
	return debugged(scene_address(&scene), step ? MDSCR_SS : 0);
}

void step_before_fetch(void)
{
	for (unsigned int el = 0; el < 2; el++)
		for (unsigned int cause = 0; cause < CAUSES; cause++) {
			struct outcome o;

			if (!scene_reports(FETCH, el, (enum cause)cause))
				continue;
			o = debug_fetch(el, (enum cause)cause, true);
			expect(&o, TAKEN_EL1, EC_STEP + el, "a fetch");
		}
}

/* 10: before all that the instruction does. */
void breakpoint_first(void)
{
	static const uint32_t words[] = {BRK, UDF, A64_LDR(5, 1), A64_MRS(0, 5)};

	for (unsigned int el = 0; el < 2; el++) {
		struct scene scene = {.access = LOAD, .el = el};
		struct outcome o;

		scene_add(&scene, CAUSE_TRANSLATION, LEVEL3);
		for (unsigned int n = 0; n < sizeof(words) / sizeof(words[0]); n++) {
			const uint64_t pc = scene_code(el, words[n]);

			scene_make(&scene);
			c.x[1] = scene_address(&scene);
			write_sysreg(dbgbvr0_el1, pc);
			write_sysreg(dbgbcr0_el1, BREAK_ALL);
			o = debugged(pc, 0);
			expect(&o, TAKEN_EL1, EC_BREAKPOINT + el, "an instruction");
		}
	}
}

/* 9 comes before. */
void breakpoint_after_fetch(void)
{
	for (unsigned int el = 0; el < 2; el++)
		for (unsigned int cause = 0; cause < CAUSES; cause++) {
			struct outcome o;

			if (!scene_reports(FETCH, el, (enum cause)cause))
				continue;
			o = debug_fetch(el, (enum cause)cause, false);
			CHECK((ESR_EC(o.esr) & ~1u) == EC_INSN_LOWER, "EL%u, cause %u: ESR 0x%lx",
			      el, cause, o.esr);
		}
}

const char *needs_bti(void)
{
	return needs_too(needs_el2(), field(read_sysreg(id_aa64pfr1_el1), 3, 0) != 0,
			 "no FEAT_BTI");
}

/* 14: after the fetch, Illegal Execution state and a breakpoint, before the instruction. */
void branch_target(void)
{
	for (unsigned int el = 0; el < 2; el++)
		for (unsigned int n = 0; n < 4; n++) {
			struct scene scene = {.access = FETCH, .el = el};
			volatile uint64_t *entry = scene_entry(el, LEVEL3);
			struct outcome o;

			if (n == 1)
				scene_add(&scene, CAUSE_TRANSLATION, LEVEL3);
			scene_make(&scene);
			*entry |= PAGE_GP;
			stage_flush();
			c.spsr |= SPSR_BTYPE | (n == 2 ? SPSR_IL : 0);
			write_sysreg(dbgbvr0_el1, scene_address(&scene));
			write_sysreg(dbgbcr0_el1, n == 3 ? BREAK_ALL : 0);
			o = debugged(scene_address(&scene), 0);
			expect(&o, TAKEN_EL1,
			       n == 0	? EC_BRANCH_TARGET
			       : n == 1 ? EC_INSN_LOWER + el
			       : n == 2 ? EC_ILLEGAL
					: EC_BREAKPOINT + el,
			       "a call that lands in guarded memory");
		}
}
