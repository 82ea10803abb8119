/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Routing and masking of exceptions: the rows of the tables of Arm ARM D1.3 for Exception levels
 * that use AArch64, with EL2 and EL3 or without.
 */

#include "../compare.h"
#include "arm/registers.h"
#include "system_fixture.h"

#define PC UINT64_C(0x40001000)

TestSuite(system_route, .init = fixture_reset);

/* A PE with these levels, in Non-secure state unless scr says otherwise. */
static void pe(bool el2, bool el3, bool sel2)
{
	fixture_reset();
	fixture_levels((struct engine_levels){.start = 1, .el2 = el2, .el3 = el3, .sel2 = sel2});
	for (unsigned int el = 1; el < 4; el++)
		cpu.sys.vbar[el] = UINT64_C(0x40000000) + (el << 16);
}

static void at(unsigned int el)
{
	cpu.sys.pstate.el = (uint8_t)el;
	cpu.sys.pstate.sp = el != 0;
	cpu.sys.controls.el = (uint8_t)el;
}

/* How a physical interrupt meets PSTATE.{A,I,F}. */
enum masking {
	NOT_THERE, /* this level does not exist with these controls */
	NEVER,	   /* "C": it stays pending */
	MASKED,	   /* taken unless PSTATE masks it */
	ALWAYS,
};

static const struct {
	const char *name;
	enum soft_interrupt which;
	uint64_t scr, hcr;
	uint8_t daif;
	unsigned int vector;
} kinds[] = {
	{"SError", SOFT_INTERRUPT_SERROR, SCR_EL3_EA, HCR_EL2_AMO, 4, 0x180},
	{"IRQ", SOFT_INTERRUPT_IRQ, SCR_EL3_IRQ, HCR_EL2_IMO, 2, 0x080},
	{"FIQ", SOFT_INTERRUPT_FIQ, SCR_EL3_FIQ, HCR_EL2_FMO, 1, 0x100},
};

struct row {
	bool el2, el3, sel2;
	bool ns, eel2;	   /* SCR_EL3 */
	bool routed;	   /* SCR_EL3.{EA,IRQ,FIQ} */
	bool tge, mo, e2h; /* HCR_EL2 */
	struct {
		unsigned int target;
		enum masking masking;
	} from[4];
};

#define NONE                 \
	{                    \
		0, NOT_THERE \
	}
#define C                \
	{                \
		0, NEVER \
	}
#define P(el)              \
	{                  \
		el, MASKED \
	}
#define A(el)              \
	{                  \
		el, ALWAYS \
	}
#define TO_EL3                         \
	{                              \
		A(3), A(3), A(3), P(3) \
	}

/* clang-format off */
static const struct row rows[] = {
	/* EL2 EL3 SEL2  NS EEL2  EL3?  TGE xMO E2H   from EL0, EL1, EL2, EL3 */
	{0, 0, 0, 0, 0, 0, 0, 0, 0, {P(1), P(1), NONE, NONE}},
	{0, 1, 0, 0, 0, 0, 0, 0, 0, {P(1), P(1), NONE, C}},
	{0, 1, 0, 1, 0, 0, 0, 0, 0, {P(1), P(1), NONE, C}},
	{0, 1, 0, 0, 0, 1, 0, 0, 0, {A(3), A(3), NONE, P(3)}},
	{0, 1, 0, 1, 0, 1, 0, 0, 0, {A(3), A(3), NONE, P(3)}},
	{1, 0, 0, 0, 0, 0, 0, 0, 0, {P(1), P(1), C, NONE}},
	{1, 0, 0, 0, 0, 0, 0, 1, 0, {A(2), A(2), P(2), NONE}},
	{1, 0, 0, 0, 0, 0, 0, 1, 1, {A(2), A(2), P(2), NONE}},
	{1, 0, 0, 0, 0, 0, 1, 0, 0, {A(2), NONE, P(2), NONE}},
	{1, 0, 0, 0, 0, 0, 1, 1, 0, {A(2), NONE, P(2), NONE}},
	{1, 0, 0, 0, 0, 0, 1, 0, 1, {P(2), NONE, P(2), NONE}},
	{1, 0, 0, 0, 0, 0, 1, 1, 1, {P(2), NONE, P(2), NONE}},
	/* Secure state, without Secure EL2: HCR_EL2 says nothing */
	{1, 1, 0, 0, 1, 0, 0, 1, 0, {P(1), P(1), NONE, C}},
	{1, 1, 1, 0, 0, 0, 0, 1, 0, {P(1), P(1), NONE, C}},
	{1, 1, 1, 0, 0, 0, 1, 1, 1, {P(1), P(1), NONE, C}},
	{1, 1, 1, 0, 0, 1, 1, 1, 1, {A(3), A(3), NONE, P(3)}},
	/* Secure state with Secure EL2 */
	{1, 1, 1, 0, 1, 0, 0, 0, 0, {P(1), P(1), C, C}},
	{1, 1, 1, 0, 1, 0, 0, 1, 0, {A(2), A(2), P(2), C}},
	{1, 1, 1, 0, 1, 0, 1, 0, 0, {A(2), NONE, P(2), C}},
	{1, 1, 1, 0, 1, 0, 1, 0, 1, {P(2), NONE, P(2), C}},
	{1, 1, 1, 0, 1, 1, 0, 0, 0, TO_EL3},
	{1, 1, 1, 0, 1, 1, 0, 1, 0, TO_EL3},
	/* Non-secure state */
	{1, 1, 1, 1, 0, 0, 0, 0, 0, {P(1), P(1), C, C}},
	{1, 1, 1, 1, 0, 0, 0, 0, 1, {P(1), P(1), C, C}},
	{1, 1, 1, 1, 0, 0, 0, 1, 0, {A(2), A(2), P(2), C}},
	{1, 1, 1, 1, 0, 0, 0, 1, 1, {A(2), A(2), P(2), C}},
	{1, 1, 1, 1, 0, 0, 1, 0, 0, {A(2), NONE, P(2), C}},
	{1, 1, 1, 1, 0, 0, 1, 1, 0, {A(2), NONE, P(2), C}},
	{1, 1, 1, 1, 0, 0, 1, 0, 1, {P(2), NONE, P(2), C}},
	{1, 1, 1, 1, 0, 0, 1, 1, 1, {P(2), NONE, P(2), C}},
	{1, 1, 1, 1, 0, 1, 0, 0, 0, TO_EL3},
	{1, 1, 1, 1, 0, 1, 0, 1, 0, TO_EL3},
	{1, 1, 1, 1, 0, 1, 1, 0, 0, {A(3), NONE, A(3), P(3)}},
	{1, 1, 1, 1, 0, 1, 1, 1, 1, {A(3), NONE, A(3), P(3)}},
};
/* clang-format on */

static void set_controls(const struct row *row, unsigned int kind)
{
	pe(row->el2, row->el3, row->sel2);
	cpu.sys.controls.scr_el3 = (row->ns ? SCR_EL3_NS : 0) | (row->eel2 ? SCR_EL3_EEL2 : 0) |
				   (row->routed ? kinds[kind].scr : 0);
	cpu.sys.controls.hcr_el2 = (row->tge ? HCR_EL2_TGE : 0) | (row->mo ? kinds[kind].hcr : 0) |
				   (row->e2h ? HCR_EL2_E2H : 0);
	cpu.sys.serror = kinds[kind].which == SOFT_INTERRUPT_SERROR;
	cpu.sys.irq_level = kinds[kind].which == SOFT_INTERRUPT_IRQ;
	cpu.sys.fiq_level = kinds[kind].which == SOFT_INTERRUPT_FIQ;
}

Test(system_route, physical_interrupts)
{
	for (unsigned int n = 0; n < ARRAY_SIZE(rows) * 3 * 4 * 16; n++) {
		const struct row *row = &rows[n / (3 * 4 * 16)];
		const unsigned int kind = n / 64 % 3, el = n / 16 % 4, daif = n % 16;
		const unsigned int target = row->from[el].target;
		const enum masking masking = row->from[el].masking;
		bool taken;

		if (masking == NOT_THERE)
			continue;
		set_controls(row, kind);
		at(el);
		cpu.sys.pstate.daif = (uint8_t)daif;
		taken = masking == ALWAYS || (masking == MASKED && !(daif & kinds[kind].daif));
		cr_assert_eq(soft_pending_interrupt(&cpu.sys),
			     taken ? kinds[kind].which : SOFT_INTERRUPT_NONE,
			     "row %zu: %s from EL%u with DAIF %x", row - rows, kinds[kind].name, el,
			     daif);
		if (!taken)
			continue;
		soft_take_interrupt(&cpu, kinds[kind].which, PC);
		cr_assert_eq(cpu.sys.pstate.el, target, "row %zu from EL%u: to EL%u", row - rows,
			     el, cpu.sys.pstate.el);
		cr_assert_eq(cpu.sys.elr[target], PC);
		cr_assert_eq(cpu.sys.spsr[target],
			     (uint64_t)daif << 6 | el << 2 | (el != 0 ? 1u : 0u));
		cr_assert_eq(cpu.pc, cpu.sys.vbar[target] + kinds[kind].vector +
					     (target > el ? 0x400 : 0x200));
	}
}

/*
 * Virtual interrupts: HCR_EL2.{VSE,VI,VF} and the lines of the virtual CPU interface, at EL1 and
 * EL0, with EL2 enabled, HCR_EL2.{AMO,IMO,FMO} and not TGE.
 */
Test(system_route, virtual_interrupts)
{
	static const struct {
		enum soft_interrupt which;
		uint64_t hcr, pend;
		uint8_t daif;
		unsigned int vector;
	} virtual[] = {
		{SOFT_INTERRUPT_VSERROR, HCR_EL2_AMO, HCR_EL2_VSE, 4, 0x180},
		{SOFT_INTERRUPT_VIRQ, HCR_EL2_IMO, HCR_EL2_VI, 2, 0x080},
		{SOFT_INTERRUPT_VFIQ, HCR_EL2_FMO, HCR_EL2_VF, 1, 0x100},
	};

	for (unsigned int n = 0; n < 3 * 4 * 64; n++) {
		const unsigned int kind = n / 256, el = n / 64 % 4;
		const bool enabled = n & 1, tge = n & 2, masked = n & 4, line = n & 8, bit = n & 16,
			   secure = n & 32;
		const bool has_line = virtual[kind].which != SOFT_INTERRUPT_VSERROR;
		const bool taken = el <= 1 && enabled && !tge && !masked && !secure &&
				   (bit || (line && has_line));

		pe(true, true, false);
		at(el);
		cpu.sys.controls.scr_el3 = secure ? 0 : SCR_EL3_NS;
		cpu.sys.controls.hcr_el2 = (enabled ? virtual[kind].hcr : 0) |
					   (tge ? HCR_EL2_TGE : 0) | (bit ? virtual[kind].pend : 0);
		cpu.sys.pstate.daif = masked ? virtual[kind].daif : 0;
		cpu.sys.virq_level = line && virtual[kind].which == SOFT_INTERRUPT_VIRQ;
		cpu.sys.vfiq_level = line && virtual[kind].which == SOFT_INTERRUPT_VFIQ;
		cr_assert_eq(soft_pending_interrupt(&cpu.sys),
			     taken ? virtual[kind].which : SOFT_INTERRUPT_NONE, "%u: case %#x",
			     kind, n);
		if (!taken)
			continue;
		soft_take_interrupt(&cpu, virtual[kind].which, PC);
		cr_assert_eq(cpu.sys.pstate.el, 1);
		cr_assert_eq(cpu.pc,
			     cpu.sys.vbar[1] + virtual[kind].vector + (el == 0 ? 0x400 : 0x200));
		cr_assert_eq(cpu.sys.controls.hcr_el2 & HCR_EL2_VSE, 0, "taking it clears VSE");
	}
}

/* ISR_EL1 at EL1 under HCR_EL2.{AMO,IMO,FMO} is of virtual interrupts, elsewhere of physical. */
Test(system_route, isr)
{
	for (unsigned int n = 0; n < 64; n++) {
		const bool el2 = n & 1, imo = n & 2, irq = n & 4, virq = n & 8, vi = n & 16,
			   serror = n & 32;
		const bool shown = !el2 && imo ? virq || vi : irq;

		pe(true, false, false);
		at(el2 ? 2 : 1);
		cpu.sys.controls.hcr_el2 = (imo ? HCR_EL2_IMO : 0) | (vi ? HCR_EL2_VI : 0);
		cpu.sys.irq_level = irq;
		cpu.sys.virq_level = virq;
		cpu.sys.serror = serror;
		cr_expect_eq(soft_isr(&cpu.sys), (shown ? 0x80u : 0) | (serror ? 0x100u : 0),
			     "case %#x", n);
	}
	pe(true, false, false);
	at(1);
	cpu.sys.controls.hcr_el2 = HCR_EL2_FMO | HCR_EL2_AMO | HCR_EL2_VSE;
	cpu.sys.vfiq_level = cpu.sys.irq_level = true;
	cr_expect_eq(soft_isr(&cpu.sys), 0x1c0);
}

/*
 * Synchronous exceptions.
 */

#define SYNC_EXTERNAL 0x10
#define WALK_EXTERNAL 0x17
#define PERMISSION    0x0f

struct sync {
	struct soft_exception exception;
	uint64_t hcr, mdcr_el2, scr;
	unsigned int target[4]; /* from EL0 to EL3; 0: does not arise there */
};

/* clang-format off */
static const struct sync syncs[] = {
	/* what has no control but HCR_EL2.TGE */
	{{.ec = ARM_EC_UNKNOWN},       0, 0, 0, {1, 1, 2, 3}},
	{{.ec = ARM_EC_UNKNOWN},       HCR_EL2_TGE, 0, 0, {2, 0, 2, 3}},
	{{.ec = ARM_EC_UNKNOWN},       HCR_EL2_TGE | HCR_EL2_E2H, 0, 0, {2, 0, 2, 3}},
	{{.ec = ARM_EC_UNKNOWN},       HCR_EL2_TEA, MDCR_EL2_TDE, SCR_EL3_EA, {1, 1, 2, 3}},
	{{.ec = ARM_EC_ILLEGAL_STATE}, HCR_EL2_TGE, 0, 0, {2, 0, 2, 3}},
	{{.ec = ARM_EC_PC_ALIGNMENT},  HCR_EL2_TGE, 0, 0, {2, 0, 2, 3}},
	{{.ec = ARM_EC_SP_ALIGNMENT},  0, 0, 0, {1, 1, 2, 3}},
	{{.ec = ARM_EC_SVC},           0, 0, 0, {1, 1, 2, 3}},
	{{.ec = ARM_EC_SVC},           HCR_EL2_TGE, 0, 0, {2, 0, 2, 3}},
	{{.ec = ARM_EC_SYSREG, .target_el = 1}, 0, 0, 0, {1, 1, 0, 0}},
	{{.ec = ARM_EC_SYSREG, .target_el = 1}, HCR_EL2_TGE, 0, 0, {2, 0, 0, 0}},
	{{.ec = ARM_EC_SYSREG, .target_el = 2}, 0, 0, 0, {2, 2, 2, 0}},
	{{.ec = ARM_EC_SYSREG, .target_el = 3}, HCR_EL2_TGE, 0, 0, {3, 0, 3, 3}},
	/* calls */
	{{.ec = ARM_EC_HVC},           0, 0, 0, {0, 2, 2, 3}},
	{{.ec = ARM_EC_SMC},           0, 0, 0, {0, 3, 3, 3}},
	{{.ec = ARM_EC_SMC, .target_el = 2}, HCR_EL2_TSC, 0, 0, {0, 2, 0, 0}},
	/* debug exceptions: MDCR_EL2.TDE */
	{{.ec = ARM_EC_BRK},           0, 0, 0, {1, 1, 2, 3}},
	{{.ec = ARM_EC_BRK},           0, MDCR_EL2_TDE, 0, {2, 2, 2, 3}},
	{{.ec = ARM_EC_BRK},           HCR_EL2_TGE, 0, 0, {2, 0, 2, 3}},
	{{.ec = ARM_EC_STEP},          0, MDCR_EL2_TDE, 0, {2, 2, 2, 0}},
	{{.ec = ARM_EC_STEP},          0, 0, 0, {1, 1, 0, 0}},
	{{.ec = ARM_EC_WATCHPOINT},    0, MDCR_EL2_TDE, 0, {2, 2, 2, 0}},
	{{.ec = ARM_EC_BREAKPOINT},    HCR_EL2_TGE, 0, 0, {2, 0, 2, 0}},
	/* aborts: stage 2, external */
	{{.ec = ARM_EC_DATA_ABORT, .iss = PERMISSION},  HCR_EL2_TEA, 0, SCR_EL3_EA, {1, 1, 2, 3}},
	{{.ec = ARM_EC_DATA_ABORT, .iss = PERMISSION},  HCR_EL2_TGE, 0, SCR_EL3_EA, {2, 0, 2, 3}},
	{{.ec = ARM_EC_DATA_ABORT, .iss = PERMISSION, .target_el = 2}, 0, 0, 0, {2, 2, 2, 0}},
	{{.ec = ARM_EC_FETCH_ABORT, .iss = PERMISSION, .target_el = 2}, 0, 0, 0, {2, 2, 2, 0}},
	{{.ec = ARM_EC_DATA_ABORT, .iss = SYNC_EXTERNAL},  0, 0, 0, {1, 1, 2, 3}},
	{{.ec = ARM_EC_DATA_ABORT, .iss = SYNC_EXTERNAL},  HCR_EL2_TEA, 0, 0, {2, 2, 2, 3}},
	{{.ec = ARM_EC_DATA_ABORT, .iss = WALK_EXTERNAL},  HCR_EL2_TEA, 0, 0, {2, 2, 2, 3}},
	{{.ec = ARM_EC_FETCH_ABORT, .iss = WALK_EXTERNAL}, HCR_EL2_TEA, 0, 0, {2, 2, 2, 3}},
	{{.ec = ARM_EC_DATA_ABORT, .iss = SYNC_EXTERNAL},  0, 0, SCR_EL3_EA, {3, 3, 3, 3}},
	{{.ec = ARM_EC_FETCH_ABORT, .iss = SYNC_EXTERNAL}, HCR_EL2_TEA, 0, SCR_EL3_EA, {3, 3, 3, 3}},
	{{.ec = ARM_EC_DATA_ABORT, .iss = WALK_EXTERNAL, .target_el = 2}, 0, 0, SCR_EL3_EA, {3, 3, 3, 3}},
};
/* clang-format on */

Test(system_route, synchronous_exceptions)
{
	for (unsigned int n = 0; n < ARRAY_SIZE(syncs) * 4; n++) {
		const struct sync *row = &syncs[n / 4];
		const unsigned int el = n % 4, target = row->target[el];

		if (target == 0)
			continue;
		pe(true, true, false);
		cpu.sys.controls.scr_el3 = SCR_EL3_NS | row->scr;
		cpu.sys.controls.hcr_el2 = row->hcr;
		cpu.sys.controls.mdcr_el2 = row->mdcr_el2;
		at(el);
		cr_assert_eq(soft_exception_target(&cpu.sys, &row->exception), target,
			     "row %zu from EL%u", row - syncs, el);
		soft_take_exception(&cpu, &row->exception, PC);
		cr_assert_eq(cpu.sys.pstate.el, target);
		cr_assert_eq(cpu.sys.elr[target], PC);
		cr_assert_eq(cpu.pc, cpu.sys.vbar[target] + (target > el ? 0x400 : 0x200));
		cr_assert_eq(cpu.sys.esr[target] >> 26 & ~1u, row->exception.ec & ~1u);
	}
}

/* Where EL2 is not enabled, its controls count for nothing. */
Test(system_route, controls_of_an_el2_that_is_not_enabled)
{
	for (unsigned int n = 0; n < ARRAY_SIZE(syncs) * 2; n++) {
		const struct sync *row = &syncs[n / 2];
		const bool external = (row->exception.iss & 0x30) == 0x10;
		const unsigned int el = n % 2;

		if (row->exception.target_el || row->exception.ec == ARM_EC_HVC ||
		    row->exception.ec == ARM_EC_SMC)
			continue;
		pe(true, true, true);
		cpu.sys.controls.scr_el3 = row->scr;
		cpu.sys.controls.hcr_el2 = row->hcr;
		cpu.sys.controls.mdcr_el2 = row->mdcr_el2;
		at(el);
		cr_expect_eq(soft_exception_target(&cpu.sys, &row->exception),
			     external && row->scr ? 3 : 1, "row %zu from EL%u", row - syncs, el);
	}
}

Test(system_route, fault_registers_are_the_target_s)
{
	const struct soft_exception abort = {
		.ec = ARM_EC_DATA_ABORT,
		.target_el = 2,
		.has_far = true,
		.has_ipa = true,
		.iss = 0x47,
		.far = 0x1234,
		.ipa = UINT64_C(0x12345678a),
	};
	const struct soft_exception vncr = {
		.ec = ARM_EC_DATA_ABORT, .target_el = 2, .iss = ARM_ISS_VNCR | 0x10};

	pe(true, true, false);
	cpu.sys.controls.scr_el3 = SCR_EL3_NS;
	at(1);
	soft_take_exception(&cpu, &abort, PC);
	cr_expect_eq(cpu.sys.esr[2], UINT64_C(0x92000047), "from a lower level");
	cr_expect_eq(cpu.sys.far[2], 0x1234);
	cr_expect_eq(cpu.sys.hpfar_el2, 0x1234560, "IPA[55:12] in [47:4]");
	cr_expect_eq(cpu.sys.esr[1] | cpu.sys.far[1], 0);
	at(1);
	soft_take_exception(&cpu, &vncr, PC);
	cr_expect_eq(cpu.sys.esr[2], UINT64_C(0x96002010), "as if from EL2");
	at(1);
	cpu.sys.controls.scr_el3 |= SCR_EL3_EA;
	soft_take_exception(&cpu, &vncr, PC);
	cr_expect_eq(cpu.sys.esr[3], UINT64_C(0x92000010));
}

/*
 * Profiling exceptions (FEAT_SPE_EXC): every combination of who has them and of what masks them.
 * EL3's come first, then EL2's; those of EL1 go to EL2 under HCR_EL2.TGE.
 */

#define PMBSR_S	      (UINT64_C(1) << 17)
#define PMSCR_KE      (UINT64_C(1) << 10)
#define PMSCR_EE(ee)  ((uint64_t)(ee) << 8)
#define MDCR_PMSEE(n) ((uint64_t)(n) << 51)

struct profiling {
	unsigned int el, pmsee, ee2, ee1;
	bool ke2, ke1, pm, tge, s3, s2, s1;
};

static unsigned int profiling_target(const struct profiling *p)
{
	const unsigned int ee2 = p->pmsee ? p->ee2 : 0;
	const unsigned int ee1 = !ee2 ? 0 : p->ee1 >= 2 ? 3 : 0;

	if (p->pmsee >= 2 && p->s3 && p->el != 3)
		return 3;
	if (ee2 >= 2 && p->s2 && (p->el < 2 || (p->el == 2 && ee2 == 3 && p->ke2 && !p->pm)))
		return 2;
	if (ee1 == 3 && p->s1 && (p->el == 0 || (p->el == 1 && p->ke1 && !p->pm)))
		return p->tge ? 2 : 1;
	return 0;
}

static void set_profiling(const struct profiling *p)
{
	fixture_levels((struct engine_levels){.start = 3, .el2 = true, .el3 = true});
	for (unsigned int el = 1; el < 4; el++)
		cpu.sys.vbar[el] = UINT64_C(0x40000000) + (el << 16);
	at(p->el);
	cpu.sys.pstate.pm = p->pm;
	cpu.sys.pstate.daif = 0xf; /* which does not matter */
	cpu.sys.controls.features |= SYSREG_FEAT_EL2 | SYSREG_FEAT_EL3 | SYSREG_FEAT_VHE;
	cpu.sys.controls.scr_el3 = SCR_EL3_NS;
	cpu.sys.controls.mdcr_el3 = MDCR_EL3_NSPB | MDCR_PMSEE(p->pmsee);
	cpu.sys.controls.hcr_el2 = p->tge ? HCR_EL2_TGE : 0;
	spe_write(&unit, SYSREG_PMSCR_EL2, PMSCR_EE(p->ee2) | (p->ke2 ? PMSCR_KE : 0));
	spe_write(&unit, SYSREG_PMSCR_EL1, PMSCR_EE(p->ee1) | (p->ke1 ? PMSCR_KE : 0));
	spe_write(&unit, SYSREG_PMBSR_EL3, p->s3 ? PMBSR_S : 0);
	spe_write(&unit, SYSREG_PMBSR_EL2, p->s2 ? PMBSR_S : 0);
	spe_write(&unit, SYSREG_PMBSR_EL1, p->s1 ? PMBSR_S : 0);
	soft_controls_changed(&cpu);
}

Test(system_route, profiling_exceptions)
{
	unsigned int taken[4] = {0};

	fixture_reset_spe_version(SPE_V1P5);
	for (unsigned int n = 0; n < 1u << 15; n++) {
		const struct profiling p = {
			.el = n & 3,
			.pmsee = n >> 2 & 3,
			.ee2 = n >> 4 & 3,
			.ee1 = n >> 6 & 3,
			.ke2 = n >> 8 & 1,
			.ke1 = n >> 9 & 1,
			.pm = n >> 10 & 1,
			.tge = n >> 11 & 1,
			.s3 = n >> 12 & 1,
			.s2 = n >> 13 & 1,
			.s1 = n >> 14 & 1,
		};
		const unsigned int target = profiling_target(&p);

		if (p.el == 1 && p.tge)
			continue;
		set_profiling(&p);
		cr_assert_eq(soft_pending_interrupt(&cpu.sys),
			     target ? SOFT_INTERRUPT_PROFILING : SOFT_INTERRUPT_NONE, "case %#x",
			     n);
		taken[target]++;
		if (!target)
			continue;
		soft_take_interrupt(&cpu, SOFT_INTERRUPT_PROFILING, PC);
		cr_assert_eq(cpu.sys.pstate.el, target, "case %#x", n);
		cr_assert_eq(cpu.sys.esr[target], UINT64_C(0xf6000002));
		cr_assert_eq(cpu.sys.elr[target], PC);
		cr_assert_eq(cpu.pc, cpu.sys.vbar[target] + (target > p.el ? 0x400 : 0x200));
		cr_assert(cpu.sys.pstate.pm);
		cr_assert_eq(cpu.sys.spsr[target] >> 32 & 1, p.pm);
	}
	cr_assert(taken[0]);
	cr_assert(taken[1]);
	cr_assert(taken[2]);
	cr_assert(taken[3]);
}
