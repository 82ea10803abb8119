/* SPDX-License-Identifier: BSD-2-Clause */
/* Exception entry and return: vectors, SPSR_EL1, PSTATE, syndromes, stacks, software step. */

#include "../compare.h"
#include "arm/registers.h"
#include "system_fixture.h"

#define PC	UINT64_C(0x40001000)
#define VECTORS UINT64_C(0x40080000)

#define SCTLR_SPAN (UINT64_C(1) << 23)
#define MSR_PM_0   UINT32_C(0xd501421f)
#define MSR_PM_1   UINT32_C(0xd501431f)
#define MSR_ALLINT UINT32_C(0xd501411f)

TestSuite(system_exception, .init = fixture_reset);

static void mode(unsigned int el, bool sp)
{
	cpu.sys.pstate.el = (uint8_t)el;
	cpu.sys.pstate.sp = sp;
	cpu.sys.controls.el = (uint8_t)el;
}

static void take(unsigned int ec, uint32_t iss, uint64_t elr)
{
	const struct soft_exception exception = {.ec = (uint8_t)ec, .iss = iss};

	soft_take_exception(&cpu, &exception, elr);
}

static void take_abort(unsigned int ec, uint32_t iss, uint64_t far, uint64_t elr)
{
	const struct soft_exception abort = {
		.ec = (uint8_t)ec,
		.has_far = true,
		.iss = iss,
		.far = far,
	};

	soft_take_exception(&cpu, &abort, elr);
}

Test(system_exception, vector_is_by_source_and_kind)
{
	static const struct {
		unsigned int el;
		bool sp;
		uint64_t from, spsr;
	} sources[] = {{0, false, 0x400, 0x0}, {1, false, 0x000, 0x4}, {1, true, 0x200, 0x5}};

	for (unsigned int i = 0; i < 3; i++) {
		for (unsigned int kind = 0; kind < 4; kind++) {
			fixture_reset();
			mode(sources[i].el, sources[i].sp);
			cpu.sys.pstate.daif = 0;
			switch (kind) {
			case 0: take(ARM_EC_SVC, 0x1234, PC + 4); break;
			case 1: soft_take_interrupt(&cpu, SOFT_INTERRUPT_IRQ, PC + 4); break;
			case 2: soft_take_interrupt(&cpu, SOFT_INTERRUPT_FIQ, PC + 4); break;
			default: soft_take_interrupt(&cpu, SOFT_INTERRUPT_SERROR, PC + 4); break;
			}
			cr_expect_eq(cpu.pc, VECTORS + sources[i].from + kind * 0x80);
			cr_expect_eq(cpu.sys.elr[1], PC + 4);
			cr_expect_eq(cpu.sys.spsr[1], sources[i].spsr);
			cr_expect_eq(cpu.sys.pstate.el, 1);
			cr_expect_eq(cpu.sys.pstate.sp, 1);
			cr_expect_eq(cpu.sys.pstate.daif, 0xf);
		}
	}
}

Test(system_exception, spsr_has_every_field)
{
	static const struct {
		struct soft_pstate pstate;
		uint32_t nzcv;
		uint64_t spsr;
	} rows[] = {
		{{.el = 1, .sp = 1}, 0xf0000000, 0xf0000005},
		{{.el = 1, .sp = 1, .daif = 0xf}, 0x50000000, 0x500003c5},
		{{.el = 1, .daif = 0x8}, 0, 0x204},
		{{.el = 0, .daif = 0x4}, 0, 0x100},
		{{.el = 0, .daif = 0x2}, 0, 0x080},
		{{.el = 0, .daif = 0x1}, 0, 0x040},
		{{.el = 0, .il = true}, 0, 0x100000},
		{{.el = 0, .ss = true}, 0, 0x200000},
		{{.el = 0, .pan = true}, 0, 0x400000},
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		fixture_reset();
		cpu.sys.pstate = rows[i].pstate;
		soft_set_nzcv(&cpu, rows[i].nzcv);
		soft_take_interrupt(&cpu, SOFT_INTERRUPT_IRQ, PC);
		cr_expect_eq(cpu.sys.spsr[1], rows[i].spsr, "row %u: %#lx", i, cpu.sys.spsr[1]);
		cr_expect_not(cpu.sys.pstate.il);
		cr_expect_not(cpu.sys.pstate.ss);
		cr_expect_eq(soft_get_nzcv(&cpu), rows[i].nzcv);
	}
}

Test(system_exception, span_decides_about_pan)
{
	for (unsigned int n = 0; n < 4; n++) {
		bool span = n & 1, pan = n & 2;

		fixture_reset();
		mode(0, false);
		cpu.sys.sctlr[1] &= ~SCTLR_SPAN;
		cpu.sys.sctlr[1] |= span ? SCTLR_SPAN : 0;
		cpu.sys.pstate.pan = pan;
		soft_take_interrupt(&cpu, SOFT_INTERRUPT_IRQ, PC);
		cr_expect_eq(cpu.sys.pstate.pan, pan || !span);
	}
}

Test(system_exception, classes_in_pairs_tell_where_from)
{
	static const unsigned int pairs[] = {0x20, 0x24, 0x30, 0x32, 0x34};
	static const unsigned int single[] = {0x00, 0x01, 0x0e, 0x15, 0x18, 0x22, 0x26, 0x3c};

	for (unsigned int el = 0; el < 2; el++) {
		for (unsigned int i = 0; i < 5; i++) {
			for (unsigned int given = 0; given < 2; given++) {
				fixture_reset();
				mode(el, el);
				take_abort(pairs[i] | given, 0x47, 0xabc123, PC);
				expect_exception(pairs[i] + el, 0x47, "pair");
				cr_expect_eq(cpu.sys.far[1], 0xabc123);
			}
		}
		for (unsigned int i = 0; i < 8; i++) {
			fixture_reset();
			mode(el, el);
			take(single[i], 0x1ffffff, PC);
			expect_exception(single[i], 0x1ffffff, "single");
		}
	}
}

Test(system_exception, an_interrupt_leaves_esr_and_far)
{
	cpu.sys.esr[1] = 0x1111;
	cpu.sys.far[1] = 0x2222;
	soft_take_interrupt(&cpu, SOFT_INTERRUPT_IRQ, PC);
	cr_expect_eq(cpu.sys.esr[1], 0x1111);
	cr_expect_eq(cpu.sys.far[1], 0x2222);
}

Test(system_exception, stack_pointers_are_banked)
{
	cpu.x[SOFT_X_SP] = 0x1000; /* SP_EL1, in use */
	cpu.sys.sp[0] = 0x2000;
	cpu.sys.spsr[1] = 0;
	cpu.sys.elr[1] = PC;
	soft_exception_return(&cpu, cpu.sys.elr[cpu.sys.pstate.el]);
	cr_expect_eq(cpu.x[SOFT_X_SP], 0x2000);
	cpu.x[SOFT_X_SP] = 0x2100;
	soft_take_interrupt(&cpu, SOFT_INTERRUPT_IRQ, PC);
	cr_expect_eq(cpu.x[SOFT_X_SP], 0x1000);
	cr_expect_eq(cpu.sys.sp[0], 0x2100);
}

Test(system_exception, return_to_each_mode)
{
	static const struct {
		uint64_t spsr;
		struct soft_pstate pstate;
		uint32_t nzcv;
	} rows[] = {
		{0x0, {.el = 0}, 0},
		{0x4, {.el = 1}, 0},
		{0xa00003c5, {.el = 1, .sp = 1, .daif = 0xf}, 0xa0000000},
		{0x500280, {.el = 0, .daif = 0xa, .il = true, .pan = true}, 0},
	};

	for (unsigned int i = 0; i < 4; i++) {
		fixture_reset();
		cpu.sys.spsr[1] = rows[i].spsr;
		cpu.sys.elr[1] = 0x40002000;
		soft_set_nzcv(&cpu, 0x10000000);
		cpu.monitor.set = true;
		soft_exception_return(&cpu, cpu.sys.elr[cpu.sys.pstate.el]);
		cr_expect_eq(cpu.pc, 0x40002000);
		cr_expect_eq(soft_get_nzcv(&cpu), rows[i].nzcv, "row %u", i);
		cr_expect_eq(cpu.sys.pstate.el, rows[i].pstate.el, "row %u", i);
		cr_expect_eq(cpu.sys.controls.el, rows[i].pstate.el, "row %u", i);
		cr_expect_eq(cpu.sys.pstate.sp, rows[i].pstate.sp, "row %u", i);
		cr_expect_eq(cpu.sys.pstate.daif, rows[i].pstate.daif, "row %u", i);
		cr_expect_eq(cpu.sys.pstate.il, rows[i].pstate.il, "row %u", i);
		cr_expect_eq(cpu.sys.pstate.pan, rows[i].pstate.pan, "row %u", i);
		cr_expect_not(cpu.monitor.set);
	}
}

/* M[3:0] other than EL0t, EL1t and EL1h; and AArch32 with any mode. */
Test(system_exception, illegal_returns_stay_and_set_il)
{
	for (unsigned int m = 0; m < 32; m++) {
		bool legal = m == 0 || m == 4 || m == 5;

		fixture_reset();
		cpu.sys.spsr[1] = 0x60000280 | m;
		cpu.sys.elr[1] = 0x40002000;
		cpu.x[SOFT_X_SP] = 0x1000;
		soft_exception_return(&cpu, cpu.sys.elr[cpu.sys.pstate.el]);
		cr_expect_eq(cpu.sys.pstate.il, !legal, "M %#x", m);
		cr_expect_eq(cpu.pc, 0x40002000);
		cr_expect_eq(soft_get_nzcv(&cpu), 0x60000000);
		cr_expect_eq(cpu.sys.pstate.daif, 0xa);
		if (!legal) {
			cr_expect_eq(cpu.sys.pstate.el, 1);
			cr_expect_eq(cpu.sys.pstate.sp, 1);
			cr_expect_eq(cpu.x[SOFT_X_SP], 0x1000);
		}
	}
}

Test(system_exception, tags_go_from_branch_targets)
{
	const uint64_t low = UINT64_C(0x5a) << 56 | 0x1000;
	const uint64_t high = UINT64_C(0x5a) << 56 | UINT64_C(0x00ffff0000001000);

	cr_expect_eq(soft_branch_address(&cpu.sys, low), low);
	cr_expect_eq(soft_branch_address(&cpu.sys, high), high);
	cpu.sys.tcr[1] = UINT64_C(1) << 37;
	cr_expect_eq(soft_branch_address(&cpu.sys, low), 0x1000);
	cr_expect_eq(soft_branch_address(&cpu.sys, high), high);
	cpu.sys.tcr[1] = UINT64_C(1) << 38;
	cr_expect_eq(soft_branch_address(&cpu.sys, low), low);
	cr_expect_eq(soft_branch_address(&cpu.sys, high), UINT64_C(0xffffff0000001000));
	cpu.sys.elr[1] = high;
	cpu.sys.spsr[1] = 5;
	soft_exception_return(&cpu, cpu.sys.elr[cpu.sys.pstate.el]);
	cr_expect_eq(cpu.pc, UINT64_C(0xffffff0000001000));
	cpu.sys.vbar[1] = high;
	soft_take_interrupt(&cpu, SOFT_INTERRUPT_IRQ, PC);
	cr_expect_eq(cpu.pc, UINT64_C(0xffffff0000001280));
}

Test(system_exception, waits_at_el0_trap_as_sctlr_says)
{
	const uint64_t ntwi = UINT64_C(1) << 16, ntwe = UINT64_C(1) << 18;

	cpu.sys.sctlr[1] &= ~(ntwi | ntwe);
	cr_expect_eq(soft_wait_trap(&cpu, false, -1), SOFT_DONE, "EL1 is not trapped");
	mode(0, false);
	cpu.sys.sctlr[1] |= ntwi;
	cr_expect_eq(soft_wait_trap(&cpu, false, -1), SOFT_DONE);
	cr_expect_eq(soft_wait_trap(&cpu, true, -1), SOFT_EXCEPTION);
	expect_exception(0x01, 0x1e00001, "WFE");

	fixture_reset();
	mode(0, false);
	cpu.sys.sctlr[1] &= ~ntwi;
	cr_expect_eq(soft_wait_trap(&cpu, true, -1), SOFT_DONE);
	cr_expect_eq(soft_wait_trap(&cpu, false, -1), SOFT_EXCEPTION);
	expect_exception(0x01, 0x1e00000, "WFI");
}

Test(system_exception, interrupts_are_masked_by_daif)
{
	for (unsigned int n = 0; n < 16; n++) {
		cpu.sys.pstate.daif = (uint8_t)n;
		cpu.sys.irq_level = cpu.sys.fiq_level = true;
		cr_expect_eq(soft_interrupt_unmasked(&cpu.sys, SOFT_INTERRUPT_IRQ), !(n & 2));
		cr_expect_eq(soft_interrupt_unmasked(&cpu.sys, SOFT_INTERRUPT_FIQ), !(n & 1));
		cr_expect_eq(soft_pending_interrupt(&cpu.sys), !(n & 1)	  ? SOFT_INTERRUPT_FIQ
							       : !(n & 2) ? SOFT_INTERRUPT_IRQ
									  : SOFT_INTERRUPT_NONE);
		cpu.sys.irq_level = cpu.sys.fiq_level = false;
		cr_expect_eq(soft_pending_interrupt(&cpu.sys), SOFT_INTERRUPT_NONE);
	}
}

/* MDSCR_EL1.SS, the OS locks, and at EL1 KDE with PSTATE.D. */
Test(system_exception, when_software_step_is_active)
{
	for (unsigned int n = 0; n < 64; n++) {
		bool ss = n & 1, lock = n & 2, dlock = n & 4, kde = n & 8, d = n & 16, el1 = n & 32;

		fixture_reset();
		mode(el1, el1);
		cpu.sys.mdscr_el1 = (ss ? 1 : 0) | (kde ? 0x2000 : 0);
		cpu.sys.os_lock = lock;
		cpu.sys.osdlr_el1 = dlock;
		cpu.sys.pstate.daif = d ? 8 : 0;
		cr_expect_eq(soft_step_active(&cpu.sys),
			     ss && !lock && !dlock && (!el1 || (kde && !d)), "%#x", n);
	}
}

Test(system_exception, return_starts_a_step_where_it_becomes_active)
{
	for (unsigned int n = 0; n < 8; n++) {
		bool enabled = n & 1, asked = n & 2, already = n & 4;

		fixture_reset();
		cpu.sys.os_lock = false;
		cpu.sys.mdscr_el1 = (enabled ? 1 : 0) | (already ? 0x2000 : 0);
		cpu.sys.pstate.daif = already ? 0 : 0xf;
		cpu.sys.spsr[1] = asked ? UINT64_C(1) << 21 : 0;
		soft_exception_return(&cpu, cpu.sys.elr[cpu.sys.pstate.el]);
		cr_expect_eq(cpu.sys.pstate.ss, enabled && asked && !already, "%#x", n);
	}
}

Test(system_exception, step_syndrome)
{
	mode(0, false);
	soft_take_step(&cpu, true, false, PC);
	expect_exception(0x32, 0x1000022, "stepped");
	fixture_reset();
	mode(0, false);
	soft_take_step(&cpu, true, true, PC);
	expect_exception(0x32, 0x1000062, "stepped a load-exclusive");
	fixture_reset();
	soft_take_step(&cpu, false, true, PC);
	expect_exception(0x33, 0x22, "nothing stepped");
}

Test(system_exception, spe_follows_the_exception_level)
{
	fixture_reset_spe();
	/* E0SPE only. */
	cr_assert_eq(msr(MSR_WORD(3, 0, 9, 9, 3, 0), 1 << 8), SOFT_DONE);      /* PMSIRR_EL1 */
	cr_assert_eq(msr(MSR_WORD(3, 0, 9, 9, 0, 0), 1), SOFT_DONE);	       /* PMSCR_EL1 */
	cr_assert_eq(msr(MSR_WORD(3, 0, 9, 10, 0, 0), 0x50000001), SOFT_DONE); /* PMBLIMITR_EL1 */
	cr_expect_not(spe_enabled(&unit));
	cpu.sys.spsr[1] = 0;
	soft_exception_return(&cpu, cpu.sys.elr[cpu.sys.pstate.el]);
	cr_expect(spe_enabled(&unit));
	soft_take_interrupt(&cpu, SOFT_INTERRUPT_IRQ, PC);
	cr_expect_not(spe_enabled(&unit));
}

/*
 * EL2 and EL3.
 */

static void pe(unsigned int el, uint64_t hcr, uint64_t scr)
{
	fixture_reset();
	fixture_levels((struct engine_levels){
		.start = 3,
		.el2 = true,
		.el3 = true,
		.sel2 = true,
		.rme = true,
	});
	cpu.sys.controls.hcr_el2 = hcr;
	cpu.sys.controls.scr_el3 = scr;
	mode(el, true);
	for (unsigned int n = 1; n < 4; n++)
		cpu.sys.vbar[n] = VECTORS + ((uint64_t)n << 12);
}

/* Each M[4:0], from each level: legal are those that exist, are in use and are not above. */
Test(system_exception, returns_from_each_level)
{
	static const struct {
		uint64_t hcr, scr;
		bool el2, el1; /* may be returned to */
	} states[] = {
		{0, SCR_EL3_NS, true, true},
		{HCR_EL2_E2H, SCR_EL3_NS, true, true},
		{HCR_EL2_TGE, SCR_EL3_NS, true, false},
		{HCR_EL2_TGE | HCR_EL2_E2H, SCR_EL3_NS, true, false},
		{0, 0, false, true},
		{HCR_EL2_TGE, 0, false, true}, /* EL2 is not enabled: TGE counts for nothing */
		{0, SCR_EL3_EEL2, true, true},
		{HCR_EL2_TGE, SCR_EL3_EEL2, true, false},
		{0, SCR_EL3_NS | SCR_EL3_NSE, true, true},
	};

	for (unsigned int n = 0; n < ARRAY_SIZE(states) * 3 * 32; n++) {
		const unsigned int state = n / 96, from = n / 32 % 3 + 1, m = n % 32, to = m >> 2;
		const bool mode_legal =
			m == 0 || m == 4 || m == 5 || m == 8 || m == 9 || m == 12 || m == 13;
		const bool there = to == 3 || to == 0 || (to == 2 && states[state].el2) ||
				   (to == 1 && states[state].el1);
		const bool legal = mode_legal && to <= from && there;

		if (from == 2 && !states[state].el2)
			continue;
		pe(from, states[state].hcr, states[state].scr);
		cpu.sys.spsr[from] = 0x60000280 | m;
		cpu.sys.elr[from] = 0x40002000;
		soft_exception_return(&cpu, cpu.sys.elr[cpu.sys.pstate.el]);
		cr_assert_eq(cpu.sys.pstate.il, !legal, "state %u from EL%u, M %#x", state, from,
			     m);
		cr_assert_eq(cpu.sys.pstate.el, legal ? to : from);
		cr_assert_eq(cpu.sys.pstate.sp, legal ? m & 1 : 1);
		cr_assert_eq(cpu.pc, 0x40002000);
		cr_assert_eq(cpu.sys.pstate.daif, 0xa);
	}
	/* SCR_EL3.{NSE,NS} of {1,0} is no state of lower levels. */
	for (unsigned int m = 0; m < 16; m += 4) {
		pe(3, 0, SCR_EL3_NSE | SCR_EL3_EEL2);
		cpu.sys.spsr[3] = m;
		soft_exception_return(&cpu, cpu.sys.elr[cpu.sys.pstate.el]);
		cr_expect_eq(cpu.sys.pstate.il, m != 12, "M %#x", m);
	}
}

Test(system_exception, a_level_that_is_not_implemented_is_not_returned_to)
{
	for (unsigned int n = 0; n < 4; n++) {
		pe(2, 0, 0);
		fixture_levels((struct engine_levels){.start = 2, .el2 = true});
		cpu.sys.spsr[2] = n << 2;
		soft_exception_return(&cpu, cpu.sys.elr[cpu.sys.pstate.el]);
		cr_expect_eq(cpu.sys.pstate.il, n == 3);
		fixture_reset();
		cpu.sys.spsr[1] = n << 2;
		soft_exception_return(&cpu, cpu.sys.elr[cpu.sys.pstate.el]);
		cr_expect_eq(cpu.sys.pstate.il, n >= 2);
	}
}

/* An exception to EL1 from EL1 under FEAT_NV: SPSR_EL1.M says EL2 for {NV2,NV1,NV} x01 and 111. */
Test(system_exception, spsr_of_a_guest_hypervisor)
{
	static const bool shown[8] = {[1] = true, [5] = true, [7] = true};

	for (unsigned int nv = 0; nv < 8; nv++) {
		for (unsigned int el = 0; el < 2; el++) {
			pe(el,
			   (nv & 1 ? HCR_EL2_NV : 0) | (nv & 2 ? HCR_EL2_NV1 : 0) |
				   (nv & 4 ? HCR_EL2_NV2 : 0),
			   SCR_EL3_NS);
			take(ARM_EC_SVC, 0, PC);
			cr_expect_eq(cpu.sys.spsr[1] & 0xf,
				     el == 0	 ? 1u
				     : shown[nv] ? 9u
						 : 5u,
				     "NVx %u from EL%u", nv, el);
			/* where EL2 is not enabled it is as ever */
			pe(el, cpu.sys.controls.hcr_el2, 0);
			take(ARM_EC_SVC, 0, PC);
			cr_expect_eq(cpu.sys.spsr[1] & 0xf, el == 0 ? 1u : 5u);
		}
	}
}

/* SCTLR_EL1.SPAN, SCTLR_EL2.SPAN in a host, nothing at EL2 otherwise and at EL3. */
Test(system_exception, pan_of_each_level)
{
	for (unsigned int n = 0; n < 4 * 8; n++) {
		const unsigned int target = n / 8;
		const bool span = n & 1, e2h = n & 2, tge = n & 4;
		const struct soft_exception trap = {
			.ec = ARM_EC_SYSREG,
			.target_el = (uint8_t)target,
		};

		if (target == 0 || (target == 1 && tge))
			continue;
		pe(0, (e2h ? HCR_EL2_E2H : 0) | (tge ? HCR_EL2_TGE : 0), SCR_EL3_NS);
		cpu.sys.sctlr[target] = span ? SCTLR_SPAN : 0;
		soft_take_exception(&cpu, &trap, PC);
		cr_expect_eq(cpu.sys.pstate.el, target);
		cr_expect_eq(cpu.sys.pstate.pan,
			     !span && (target == 1 || (target == 2 && e2h && tge)), "case %#x", n);
	}
}

Test(system_exception, stack_pointers_of_each_level)
{
	pe(3, 0, SCR_EL3_NS);
	cpu.x[SOFT_X_SP] = 0x3000;
	cpu.sys.sp[0] = 0x10;
	cpu.sys.sp[1] = 0x1000;
	cpu.sys.sp[2] = 0x2000;
	for (unsigned int el = 2; el > 0; el--) {
		cpu.sys.spsr[el + 1] = el << 2 | 1;
		soft_exception_return(&cpu, cpu.sys.elr[cpu.sys.pstate.el]);
		cr_expect_eq(cpu.x[SOFT_X_SP], (uint64_t)el << 12);
		cr_expect_eq(cpu.sys.sp[el + 1], (uint64_t)(el + 1) << 12);
	}
	cpu.sys.spsr[1] = 4;
	soft_exception_return(&cpu, cpu.sys.elr[cpu.sys.pstate.el]);
	cr_expect_eq(cpu.x[SOFT_X_SP], 0x10, "EL1t");
	take(ARM_EC_SMC, 0, PC);
	cr_expect_eq(cpu.x[SOFT_X_SP], 0x3000);
	cr_expect_eq(cpu.pc, VECTORS + 0x3000 + 0x400, "a lower level, whatever its SP");
}

/* TCR_ELx.TBI of the level that is branched to: two ranges in EL1&0 and EL2&0, one else. */
Test(system_exception, tags_at_each_level)
{
	const uint64_t low = UINT64_C(0x5a) << 56 | 0x1000;
	const uint64_t high = UINT64_C(0x5a) << 56 | UINT64_C(0x00ffff0000001000);
	const uint64_t one = UINT64_C(1) << 20, both = UINT64_C(3) << 37;

	for (unsigned int el = 2; el < 4; el++) {
		pe(el, 0, SCR_EL3_NS);
		cr_expect_eq(soft_branch_address(&cpu.sys, high), high);
		cpu.sys.tcr[el] = one;
		cr_expect_eq(soft_branch_address(&cpu.sys, low), 0x1000);
		cr_expect_eq(soft_branch_address(&cpu.sys, high), UINT64_C(0x00ffff0000001000));
	}
	pe(2, HCR_EL2_E2H, SCR_EL3_NS);
	cpu.sys.tcr[2] = both;
	cr_expect_eq(soft_branch_address(&cpu.sys, low), 0x1000);
	cr_expect_eq(soft_branch_address(&cpu.sys, high), UINT64_C(0xffffff0000001000));
	pe(0, HCR_EL2_E2H | HCR_EL2_TGE, SCR_EL3_NS);
	cpu.sys.tcr[2] = both;
	cr_expect_eq(soft_branch_address(&cpu.sys, high), UINT64_C(0xffffff0000001000));
	cpu.sys.tcr[2] = 0;
	cpu.sys.tcr[1] = both;
	cr_expect_eq(soft_branch_address(&cpu.sys, high), high, "EL1 has no say");
}

/* Below the level that debug exceptions go to always, at it with KDE and not D, above it never. */
Test(system_exception, software_step_by_level)
{
	for (unsigned int n = 0; n < 4 * 32; n++) {
		const unsigned int el = n / 32, route = n & 3;
		const bool kde = n & 4, d = n & 8, sdd = n & 16;
		const unsigned int target = route ? 2 : 1;
		const uint64_t hcr = route == 2 ? HCR_EL2_TGE : 0;

		if (el == 1 && hcr)
			continue;
		for (unsigned int secure = 0; secure < 2; secure++) {
			const bool active =
				(el < target || (el == target && kde && !d)) && !(secure && sdd);

			pe(el, hcr, secure ? SCR_EL3_EEL2 : SCR_EL3_NS);
			cpu.sys.controls.mdcr_el2 = route & 1 ? MDCR_EL2_TDE : 0;
			cpu.sys.controls.mdcr_el3 = sdd ? MDCR_EL3_SDD : 0;
			cpu.sys.os_lock = false;
			cpu.sys.mdscr_el1 = 1 | (kde ? 0x2000 : 0);
			cpu.sys.pstate.daif = d ? 8 : 0;
			cr_assert_eq(soft_step_active(&cpu.sys), active,
				     "EL%u, case %#x, secure %u", el, n, secure);
			if (!active)
				continue;
			soft_take_step(&cpu, true, false, PC);
			cr_assert_eq(cpu.sys.pstate.el, target);
			cr_assert_eq(cpu.sys.esr[target] >> 26, 0x32u + (el == target));
		}
	}
}

/* PSTATE.PM is there with FEAT_SPE_EXC: set on entry, saved and restored. */
Test(system_exception, profiling_mask)
{
	for (unsigned int n = 0; n < 4; n++) {
		const bool exc = n & 1, pm = n & 2;

		fixture_reset();
		cpu.sys.controls.features = exc ? SYSREG_FEAT_SPE_EXC : 0;
		cpu.sys.spsr[1] = 5 | (pm ? UINT64_C(1) << 32 : 0);
		soft_exception_return(&cpu, cpu.sys.elr[cpu.sys.pstate.el]);
		cr_expect_eq(cpu.sys.pstate.pm, exc && pm);
		take(ARM_EC_SVC, 0, PC);
		cr_expect_eq(cpu.sys.spsr[1] >> 32, exc && pm);
		cr_expect_eq(cpu.sys.pstate.pm, exc);
		cr_expect_eq(soft_system_instruction(&cpu, MSR_PM_1),
			     exc ? SOFT_DONE : SOFT_EXCEPTION);
		mode(1, true);
		cpu.sys.pstate.pm = true;
		cr_expect_eq(soft_system_instruction(&cpu, MSR_PM_0),
			     exc ? SOFT_DONE : SOFT_EXCEPTION);
		if (exc)
			cr_expect_not(cpu.sys.pstate.pm);
		cr_expect_eq(soft_system_instruction(&cpu, MSR_ALLINT), SOFT_EXCEPTION,
			     "FEAT_NMI is not there");
		mode(0, false);
		cr_expect_eq(soft_system_instruction(&cpu, MSR_PM_0), SOFT_EXCEPTION,
			     "not for EL0");
	}
}
