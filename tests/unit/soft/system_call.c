/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SVC, HVC, SMC, ERET and waits: when they are UNDEFINED, when trapped, and by whom they are
 * answered (Arm ARM C6.2; HCR_EL2, SCR_EL3, HFGITR_EL2).
 */

#include "../compare.h"
#include "arm/registers.h"
#include "system_fixture.h"

TestSuite(system_call, .init = fixture_reset);

/* The machines that vspe makes, by their lowest free level. */
static const struct engine_levels el1 = {.start = 1};
static const struct engine_levels secure_el1 = {.start = 1, .el3 = true};
static const struct engine_levels realm_el1 = {.start = 1, .el2 = true, .el3 = true, .rme = true};
static const struct engine_levels el2 = {.start = 2, .el2 = true};
static const struct engine_levels secure_el2 = {.start = 2, .el2 = true, .el3 = true, .sel2 = true};
static const struct engine_levels el3 = {.start = 3, .el2 = true, .el3 = true, .sel2 = true};

static void pe(const struct engine_levels *levels, unsigned int el, uint64_t hcr, uint64_t scr)
{
	fixture_reset();
	fixture_levels(*levels);
	cpu.sys.pstate.el = (uint8_t)el;
	cpu.sys.controls.el = (uint8_t)el;
	cpu.sys.controls.hcr_el2 = hcr;
	cpu.sys.controls.scr_el3 = scr;
}

struct row {
	const struct engine_levels *levels;
	uint64_t hcr, scr;
	enum soft_call from[4];
};

#define U   SOFT_CALL_UNDEFINED
#define X   SOFT_CALL_TRAPPED
#define T   SOFT_CALL_TAKEN
#define M   SOFT_CALL_MACHINE
#define A   SOFT_CALL_ALLOWED
#define ANY 99 /* the level does not exist there, or cannot be entered */

static void check(const struct row *row, enum soft_call (*call)(const struct soft_sys *),
		  const char *what)
{
	for (unsigned int el = 0; el < 4; el++) {
		if ((unsigned int)row->from[el] == ANY)
			continue;
		pe(row->levels, el, row->hcr, row->scr);
		cr_expect_eq(call(&cpu.sys), row->from[el],
			     "%s at EL%u, HCR_EL2 %#lx, SCR_EL3 %#lx, start %u", what, el, row->hcr,
			     row->scr, row->levels->start);
	}
}

Test(system_call, hvc)
{
	static const struct row rows[] = {
		{&el1, 0, 0, {U, M, ANY, ANY}},
		{&secure_el1, 0, 0, {U, M, ANY, ANY}},
		{&realm_el1, 0, SCR_EL3_NS | SCR_EL3_NSE | SCR_EL3_HCE, {U, M, ANY, ANY}},
		/* without EL3: HCR_EL2.HCD */
		{&el2, 0, 0, {U, T, T, ANY}},
		{&el2, HCR_EL2_HCD, 0, {U, U, U, ANY}},
		/* with EL3: SCR_EL3.HCE, and HCD is RES0 */
		{&el3, 0, SCR_EL3_NS, {U, U, U, U}},
		{&el3, 0, SCR_EL3_NS | SCR_EL3_HCE, {U, T, T, T}},
		{&el3, HCR_EL2_HCD, SCR_EL3_NS | SCR_EL3_HCE, {U, T, T, T}},
		/* Secure EL1 has an EL2 to call only with EEL2 */
		{&el3, 0, SCR_EL3_HCE, {U, U, ANY, T}},
		{&el3, 0, SCR_EL3_HCE | SCR_EL3_EEL2, {U, T, T, T}},
		{&secure_el2, 0, SCR_EL3_HCE | SCR_EL3_EEL2, {U, T, T, ANY}},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		check(&rows[i], soft_hvc_call, "HVC");
}

Test(system_call, smc)
{
	static const struct row rows[] = {
		{&el1, 0, 0, {U, U, ANY, ANY}},
		{&secure_el1, 0, 0, {U, M, ANY, ANY}},
		{&realm_el1, 0, SCR_EL3_NS | SCR_EL3_NSE, {U, M, ANY, ANY}},
		{&el2, 0, 0, {U, M, M, ANY}},
		{&el2, HCR_EL2_TSC, 0, {U, X, M, ANY}},
		{&el2, HCR_EL2_NV | HCR_EL2_TSC, 0, {U, X, M, ANY}},
		{&secure_el2, HCR_EL2_TSC, SCR_EL3_EEL2, {U, X, M, ANY}},
		{&el3, 0, SCR_EL3_NS, {U, T, T, T}},
		{&el3, HCR_EL2_TSC, SCR_EL3_NS, {U, X, T, T}},
		/* a trap to EL2 comes before SCR_EL3.SMD */
		{&el3, 0, SCR_EL3_NS | SCR_EL3_SMD, {U, U, U, U}},
		{&el3, HCR_EL2_TSC, SCR_EL3_NS | SCR_EL3_SMD, {U, X, U, U}},
		/* HCR_EL2 where EL2 is not enabled */
		{&el3, HCR_EL2_TSC, 0, {U, T, ANY, T}},
		{&el3, HCR_EL2_TSC, SCR_EL3_EEL2, {U, X, T, T}},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		check(&rows[i], soft_smc_call, "SMC");
}

Test(system_call, eret)
{
	static const struct row rows[] = {
		{&el1, 0, 0, {U, A, ANY, ANY}},
		{&el2, 0, 0, {U, A, A, ANY}},
		{&el2, HCR_EL2_NV, 0, {U, X, A, ANY}},
		{&el2, HCR_EL2_NV | HCR_EL2_NV1 | HCR_EL2_NV2, 0, {U, X, A, ANY}},
		{&el2, HCR_EL2_NV1 | HCR_EL2_NV2, 0, {U, A, A, ANY}},
		{&el3, HCR_EL2_NV, SCR_EL3_NS, {U, X, A, A}},
		{&el3, HCR_EL2_NV, 0, {U, A, ANY, A}},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		check(&rows[i], soft_eret_call, "ERET");
}

/* HFGITR_EL2.{ERET,SVC_EL1,SVC_EL0}: with EL3 SCR_EL3.FGTEn, never of a host. */
Test(system_call, fine_grained_traps)
{
	for (unsigned int n = 0; n < 64; n++) {
		const bool eret = n & 1, svc1 = n & 2, svc0 = n & 4, fgten = n & 8,
			   has_el3 = n & 16, host = n & 32;
		const bool on = (fgten || !has_el3) && !host;

		for (unsigned int el = 0; el < 3; el++) {
			pe(has_el3 ? &el3 : &el2, el,
			   host ? HCR_EL2_E2H | HCR_EL2_TGE : HCR_EL2_E2H,
			   SCR_EL3_NS | (fgten ? SCR_EL3_FGTEn : 0));
			cpu.sys.hfgitr_el2 = (eret ? HFGITR_EL2_ERET : 0) |
					     (svc1 ? HFGITR_EL2_SVC_EL1 : 0) |
					     (svc0 ? HFGITR_EL2_SVC_EL0 : 0);
			cr_expect_eq(soft_svc_call(&cpu.sys),
				     on && ((el == 0 && svc0) || (el == 1 && svc1)) ? X : T,
				     "SVC at EL%u, case %#x", el, n);
			cr_expect_eq(soft_eret_call(&cpu.sys),
				     el == 0		     ? U
				     : on && el == 1 && eret ? X
							     : A,
				     "ERET at EL%u, case %#x", el, n);
		}
	}
}

/*
 * SCTLR_ELx.{nTWI,nTWE}, HCR_EL2.{TWI,TWE}, SCR_EL3.{TWI,TWE}: the lowest that traps gets it. Of
 * WFIT and WFET bit 1 of TI and RV are 1, and RN is the register.
 */
Test(system_call, waits)
{
	for (unsigned int n = 0; n < 4 * 2 * 64; n++) {
		const unsigned int el = n / 128;
		const bool wfe = n & 64, sctlr1 = n & 1, sctlr2 = n & 2, hcr = n & 4, scr = n & 8,
			   host = n & 16, tge = n & 32;
		const uint64_t ntw = UINT64_C(1) << (wfe ? 18 : 16);
		const int until = (int)(n % 33) - 1;
		const uint64_t timed = until < 0 ? 0 : 6 | (uint64_t)until << 5;
		unsigned int target = 0;

		if (el == 1 && (host || tge))
			continue;
		if (el == 0 && !(host ? sctlr2 : sctlr1))
			target = host || tge ? 2 : 1;
		else if ((el == 1 || (el == 0 && !host)) && hcr)
			target = 2;
		else if (el < 3 && scr)
			target = 3;
		pe(&el3, el,
		   (hcr ? (wfe ? HCR_EL2_TWE : HCR_EL2_TWI) : 0) |
			   (host ? HCR_EL2_E2H | HCR_EL2_TGE : 0) | (tge ? HCR_EL2_TGE : 0),
		   SCR_EL3_NS | (scr ? (wfe ? SCR_EL3_TWE : SCR_EL3_TWI) : 0));
		cpu.sys.sctlr[1] = sctlr1 ? ntw : 0;
		cpu.sys.sctlr[2] = sctlr2 ? ntw : 0;
		cr_assert_eq(soft_wait_trap(&cpu, wfe, until), target ? SOFT_EXCEPTION : SOFT_DONE,
			     "EL%u, case %#x", el, n);
		cr_assert_eq(cpu.sys.pstate.el, target ? target : el, "EL%u, case %#x", el, n);
		if (target)
			cr_assert_eq(cpu.sys.esr[target],
				     UINT64_C(0x07e00000) | timed | (wfe ? 1 : 0));
	}
}

/* CNTVCT_EL0 as it reads here: without CNTVOFF_EL2 for a host. */
Test(system_call, times_are_of_the_virtual_counter)
{
	fixture_levels((struct engine_levels){.start = 2, .el2 = true});
	cpu.sys.cntvoff_el2 = 100;
	heard.device_value = 1000;
	for (unsigned int el = 1; el <= 2; el++) {
		cpu.sys.pstate.el = (uint8_t)el;
		cr_expect(soft_timed_out(&cpu, 900), "EL%u", el);
		cr_expect_not(soft_timed_out(&cpu, 901), "EL%u", el);
	}
	cpu.sys.controls.hcr_el2 |= HCR_EL2_E2H;
	cr_expect(soft_timed_out(&cpu, 1000));
	cr_expect_not(soft_timed_out(&cpu, 1001));
}
