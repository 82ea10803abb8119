/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * FEAT_SPE_EXC: whose PMBSR_ELx an event is recorded in, and the Profiling exception (J1.49, J1.50,
 * J1.56, J1.59, J1.60). Every expectation is written out from the rules, not from the code.
 */
#include "../../array.h"
#include "fixture.h"

#include "../../../spe/unit.h"

#define SCR_EA	(UINT64_C(1) << 3)
#define SCR_GPF (UINT64_C(1) << 48)
#define HCR_TEA (UINT64_C(1) << 37)
#define HCR_GPF (UINT64_C(1) << 48)

/* A PE with all Exception levels, at EL1 in Non-secure state, EL1 owning the buffer. */
static void start(struct fixture *f, unsigned int pmsee, unsigned int ee2, unsigned int ee1)
{
	fixture_init(f, SPE_V1P5);
	f->controls.features |= HIGHER;
	f->controls.scr_el3 |= SCR_NS;
	f->controls.mdcr_el2 = E2PB_EL1;
	f->controls.mdcr_el3 = NSPB_NS | PMSEE(pmsee);
	spe_update(&f->unit, &f->controls);
	spe_write(&f->unit, SYSREG_PMSCR_EL2, EE(ee2));
	spe_write(&f->unit, SYSREG_PMSCR_EL1, E0SPE | E1SPE | EE(ee1));
	eq(spe_enabled(&f->unit), 1);
}

static uint64_t status(struct fixture *f, unsigned int el)
{
	static const enum sysreg_id regs[] = {SYSREG_PMBSR_EL1, SYSREG_PMBSR_EL2, SYSREG_PMBSR_EL3};

	return fixture_read(f, regs[el - 1]);
}

/* The event is in this PMBSR_ELx and in no other. */
static void recorded_at(struct fixture *f, unsigned int el, uint64_t value)
{
	for (unsigned int n = 1; n <= 3; n++)
		cr_assert_eq(status(f, n), n == el ? value : 0,
			     "PMBSR_EL%u is 0x%llx; the event is for EL%u", n,
			     (unsigned long long)status(f, n), el);
	eq(spe_enabled(&f->unit), 0);
}

/*
 * RULE("IDBJXM")
 * "Other" events and collisions are redirected by 11 only, of the highest that has a say.
 */
Test(exception, target_of_buffer_full_and_collisions)
{
	for (unsigned int pmsee = 0; pmsee < 4; pmsee++) {
		for (unsigned int ee2 = 0; ee2 < 4; ee2++) {
			unsigned int el = pmsee == 3 ? 3 : pmsee != 0 && ee2 == 3 ? 2 : 1;
			struct spe_op op = fixture_load();
			struct fixture f;

			start(&f, pmsee, ee2, 0);
			spe_write(&f.unit, SYSREG_PMBPTR_EL1, BUFFER_VA + BUFFER_SIZE - 64);
			fixture_sample(&f, &op);
			recorded_at(&f, el, SR_S | 1);

			start(&f, pmsee, ee2, 0);
			unit_of(&f.unit)->config.lifetime = 1000;
			fixture_sample(&f, &op);
			eq(fixture_select(&f), SPE_COLLIDED);
			for (unsigned int n = 1; n <= 3; n++)
				eq(status(&f, n), n == el ? SR_COLL : 0);
			eq(spe_enabled(&f.unit), 1);
		}
	}
}

/* 10 redirects faults of some kinds. */
Test(exception, target_of_faults)
{
	enum { S1, S2, GPC, GPF, EXTERNAL };
	static const struct {
		int kind;
		unsigned int pmsee, ee2, owner;
		uint64_t scr, hcr;
		unsigned int el;
	} table[] = {
		{S1, 1, 0, 1, 0, 0, 1},
		{S1, 1, 2, 1, 0, 0, 1},
		{S1, 1, 2, 2, 0, 0, 2},
		{S1, 1, 1, 2, 0, 0, 1},
		{S1, 1, 3, 1, 0, 0, 2},
		{S1, 2, 2, 1, SCR_EA | SCR_GPF, HCR_TEA | HCR_GPF, 1},
		{S1, 3, 3, 1, 0, 0, 3},
		{S1, 0, 3, 1, 0, 0, 1},
		{S2, 1, 0, 1, 0, 0, 1},
		{S2, 1, 1, 1, 0, 0, 1},
		{S2, 1, 2, 1, 0, 0, 2},
		{S2, 2, 2, 1, 0, 0, 2},
		{S2, 2, 0, 1, 0, 0, 1},
		{S2, 3, 2, 1, 0, 0, 3},
		{GPC, 1, 1, 1, 0, 0, 1},
		{GPC, 1, 2, 1, 0, 0, 2},
		{GPC, 2, 2, 1, 0, 0, 3},
		{GPC, 0, 2, 1, 0, 0, 1},
		{GPF, 1, 2, 1, 0, 0, 1},
		{GPF, 1, 2, 1, 0, HCR_GPF, 2},
		{GPF, 2, 2, 1, 0, HCR_GPF, 2},
		{GPF, 2, 2, 1, SCR_GPF, HCR_GPF, 3},
		{GPF, 1, 2, 1, SCR_GPF, 0, 1},
		{EXTERNAL, 1, 2, 1, SCR_EA, 0, 1},
		{EXTERNAL, 1, 2, 1, 0, HCR_TEA, 2},
		{EXTERNAL, 2, 2, 1, SCR_EA, HCR_TEA, 3},
		{EXTERNAL, 2, 1, 1, 0, HCR_TEA, 1},
	};

	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		static const uint64_t syndromes[] = {SR_EC(0x24) | 0x07, SR_EC(0x25) | 0x07,
						     SR_EC(0x1e), SR_EC(0x24) | 0x28,
						     SR_EC(0x24) | 0x15};
		struct spe_op op = fixture_load();
		struct fixture f;

		start(&f, table[i].pmsee, table[i].ee2, 0);
		f.controls.scr_el3 |= table[i].scr;
		f.controls.hcr_el2 |= table[i].hcr;
		f.controls.mdcr_el2 = table[i].owner == 1 ? E2PB_EL1 : 0;
		spe_update(&f.unit, &f.controls);
		switch (table[i].kind) {
		case S1: f.fail = fixture_fault(0, 0x07, false); break;
		case S2: f.fail = fixture_fault(0, 0x07, true); break;
		case GPC:
			f.fail = fixture_fault(0, 0x07, false);
			f.fail.gpc = true;
			break;
		case GPF: f.fail = fixture_fault(0, 0x28, false); break;
		default: f.fail = fixture_fault(0, 0x15, false); /* on a walk */
		}
		fixture_sample(&f, &op);
		cr_assert(status(&f, table[i].el) & SR_S, "row %zu", i);
		recorded_at(&f, table[i].el, SR_S | syndromes[table[i].kind]);
	}
}

/*
 * RULE("RTWFRY"), RULE("IJHPHD")
 * PMBSR_EL2.S and PMBSR_EL3.S stop profiling where they have a say (10 or 11), and only there.
 */
Test(exception, which_status_stops_profiling)
{
	for (unsigned int pmsee = 0; pmsee < 4; pmsee++) {
		for (unsigned int ee2 = 0; ee2 < 4; ee2++) {
			struct fixture f;

			start(&f, pmsee, ee2, 0);
			spe_write(&f.unit, SYSREG_PMBLIMITR_EL1,
				  (BUFFER_VA + BUFFER_SIZE) | LIMIT_E | LIMIT_PMFZ);
			spe_write(&f.unit, SYSREG_PMBSR_EL3, SR_S);
			eq(spe_enabled(&f.unit), !(pmsee & 2));
			eq(spe_pmu_frozen(&f.unit, PMCR_FZS), pmsee & 2 ? SPE_FROZEN_FIRST : 0);
			spe_write(&f.unit, SYSREG_PMBSR_EL3, 0);
			spe_write(&f.unit, SYSREG_PMBSR_EL2, SR_S);
			eq(spe_enabled(&f.unit), pmsee == 0 || !(ee2 & 2));
			spe_write(&f.unit, SYSREG_PMBSR_EL2, 0);
			spe_write(&f.unit, SYSREG_PMBSR_EL1, SR_S);
			eq(spe_enabled(&f.unit), 0);
		}
	}
}

/* RULE("RTSJRP") RULE("IGRLRX") */
/* The interrupt is for as long as EL1 has no exceptions: its effective EE is 00. */
Test(exception, interrupt_or_exception)
{
	for (unsigned int pmsee = 0; pmsee < 4; pmsee++) {
		for (unsigned int ee2 = 0; ee2 < 4; ee2++) {
			for (unsigned int ee1 = 0; ee1 < 4; ee1++) {
				bool exceptions = pmsee != 0 && ee2 != 0 && ee1 >= 2;
				struct spe_syndrome s;
				struct fixture f;

				start(&f, pmsee, ee2, ee1);
				spe_write(&f.unit, SYSREG_PMBSR_EL1, SR_S);
				eq(spe_irq_level(&f.unit), !exceptions);
				f.controls.el = 0;
				spe_update(&f.unit, &f.controls);
				eq(spe_exception_level(&f.unit, true, &s), exceptions ? 1 : 0);
				spe_write(&f.unit, SYSREG_PMBSR_EL1, 0);
				eq(spe_irq_level(&f.unit), 0);
				eq(spe_exception_level(&f.unit, true, &s), 0);
			}
		}
	}
}

/* Without EL3 PMSEE is 01, without EL2 PMSCR_EL2.EE is 01: EL1 alone decides. */
Test(exception, a_pe_with_el1_alone)
{
	struct spe_op op = fixture_load();
	struct spe_syndrome s = {0};
	struct fixture f;

	fixture_init(&f, SPE_V1P5);
	f.controls.mdcr_el3 = PMSEE(3);
	spe_update(&f.unit, &f.controls);
	spe_write(&f.unit, SYSREG_PMSCR_EL2, EE(3));
	spe_write(&f.unit, SYSREG_PMSCR_EL1, E1SPE | EE(3) | KE);
	spe_write(&f.unit, SYSREG_PMBPTR_EL1, BUFFER_VA + BUFFER_SIZE - 64);
	fixture_sample(&f, &op);
	recorded_at(&f, 1, SR_S | 1);
	eq(spe_irq_level(&f.unit), 0);
	eq(spe_exception_level(&f.unit, true, &s), 0);
	eq(spe_exception_level(&f.unit, false, &s), 1);
	eq(s.ec, 0x3d);
	eq(s.iss, 0x2);
}

/* RULE("RYZJQX") RULE("IGMBMC") */
/* From where an event of each level is taken: at[EL] for EL0 to EL3. */
Test(exception, masks)
{
	static const struct {
		unsigned int pmsee, ee2, ee1, of; /* of: whose PMBSR_ELx.S is 1 */
		bool ke, pm;
		unsigned int at[4];
	} table[] = {
		{2, 1, 3, 3, false, true, {3, 3, 3, 0}},  {3, 1, 3, 3, true, false, {3, 3, 3, 0}},
		{1, 1, 3, 3, true, false, {0, 0, 0, 0}},  {1, 2, 3, 2, true, false, {2, 2, 0, 0}},
		{1, 3, 3, 2, false, false, {2, 2, 0, 0}}, {1, 3, 3, 2, true, true, {2, 2, 0, 0}},
		{1, 3, 3, 2, true, false, {2, 2, 2, 0}},  {1, 1, 3, 2, true, false, {0, 0, 0, 0}},
		{1, 1, 3, 1, false, false, {1, 0, 0, 0}}, {1, 1, 3, 1, true, true, {1, 0, 0, 0}},
		{1, 1, 3, 1, true, false, {1, 1, 0, 0}},  {1, 0, 3, 1, true, false, {0, 0, 0, 0}},
		{0, 3, 3, 1, true, false, {0, 0, 0, 0}},  {1, 1, 0, 1, true, false, {0, 0, 0, 0}},
	};
	static const enum sysreg_id regs[] = {SYSREG_PMBSR_EL1, SYSREG_PMBSR_EL2, SYSREG_PMBSR_EL3};

	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		const uint64_t ke = table[i].ke ? KE : 0;
		struct fixture f;

		start(&f, table[i].pmsee, table[i].ee2, table[i].ee1);
		spe_write(&f.unit, SYSREG_PMSCR_EL2, EE(table[i].ee2) | ke);
		spe_write(&f.unit, SYSREG_PMSCR_EL1, EE(table[i].ee1) | ke);
		spe_write(&f.unit, regs[table[i].of - 1], SR_S);
		for (uint8_t el = 0; el < 4; el++) {
			struct spe_syndrome s = {0};
			unsigned int taken;

			f.controls.el = el;
			spe_update(&f.unit, &f.controls);
			taken = spe_exception_level(&f.unit, table[i].pm, &s);
			cr_assert_eq(taken, table[i].at[el], "row %zu, EL%u: EL%u", i, el, taken);
			f.controls.halted = true;
			spe_update(&f.unit, &f.controls);
			eq(spe_exception_level(&f.unit, table[i].pm, &s), 0);
			f.controls.halted = false;
			/* EL1's and EL2's wait for the owning Security state */
			f.controls.scr_el3 &= ~SCR_NS;
			spe_update(&f.unit, &f.controls);
			taken = spe_exception_level(&f.unit, table[i].pm, &s);
			eq(taken, table[i].of == 3 ? table[i].at[el] : 0);
			f.controls.scr_el3 |= SCR_NS;
		}
	}
}

/* RULE("ISFJPD") */
/* With TGE, EL0 is the host's: EL1's exception goes to EL2. */
Test(exception, tge_takes_el1s_to_el2)
{
	struct spe_syndrome s;
	struct fixture f;

	start(&f, 1, 1, 3);
	spe_write(&f.unit, SYSREG_PMBSR_EL1, SR_S);
	f.controls.hcr_el2 = TGE;
	f.controls.el = 0;
	spe_update(&f.unit, &f.controls);
	eq(spe_exception_level(&f.unit, false, &s), 2);
	f.controls.el = 2;
	spe_update(&f.unit, &f.controls);
	eq(spe_exception_level(&f.unit, false, &s), 0);
}

/* Without the feature there are interrupts only, whatever the controls hold. */
Test(exception, nothing_without_the_feature)
{
	struct spe_op op = fixture_load();
	struct spe_syndrome s;
	struct fixture f;

	fixture_init(&f, SPE_V1P4);
	f.controls.features |= HIGHER;
	f.controls.scr_el3 = SCR_NS;
	f.controls.mdcr_el2 = E2PB_EL1;
	f.controls.mdcr_el3 = NSPB_NS | PMSEE(3);
	spe_update(&f.unit, &f.controls);
	spe_write(&f.unit, SYSREG_PMSCR_EL2, EE(3) | KE);
	spe_write(&f.unit, SYSREG_PMSCR_EL1, E1SPE | EE(3) | KE);
	spe_write(&f.unit, SYSREG_PMBPTR_EL1, BUFFER_VA + BUFFER_SIZE - 64);
	fixture_sample(&f, &op);
	eq(fixture_read(&f, SYSREG_PMBSR_EL1), SR_S | 1);
	eq(spe_irq_level(&f.unit), 1);
	eq(spe_exception_level(&f.unit, false, &s), 0);
}

/* HFGITR_EL2.PSBCSYNC: EL0 and EL1 of AArch64, EL2 enabled and not the host of both. */
Test(exception, trap_of_psb_csync)
{
	static const struct {
		enum spe_version version;
		uint32_t without;
		uint8_t el;
		uint64_t hcr, scr, hfgitr;
		bool trapped;
	} table[] = {
		{SPE_V1P5, 0, 1, 0, 1, 1, true},
		{SPE_V1P5, 0, 0, 0, 1, 1, true},
		{SPE_V1P5, 0, 2, 0, 1, 1, false},
		{SPE_V1P5, 0, 3, 0, 1, 1, false},
		{SPE_V1P5, 0, 1, 0, 1, 0, false},
		{SPE_V1P5, 0, 1, 0, 0, 1, false}, /* SCR_EL3.FGTEn is 0 */
		{SPE_V1P5, SYSREG_FEAT_EL3, 1, 0, 0, 1, true},
		{SPE_V1P5, SYSREG_FEAT_FGT, 1, 0, 1, 1, false},
		{SPE_V1P5, SYSREG_FEAT_EL2, 1, 0, 1, 1, false},
		{SPE_V1P5, 0, 0, TGE | E2H, 1, 1, false},
		{SPE_V1P5, 0, 0, TGE, 1, 1, true},
		{SPE_V1P5, 0, 1, E2H, 1, 1, true},
		{SPE_V1P4, 0, 1, 0, 1, 1, false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct spe_syndrome s = {0};
		struct fixture f;

		fixture_init(&f, table[i].version);
		f.controls.features |= HIGHER | SYSREG_FEAT_FGT;
		f.controls.features &= ~table[i].without;
		f.controls.el = table[i].el;
		f.controls.hcr_el2 = table[i].hcr;
		f.controls.scr_el3 = SCR_NS | table[i].scr << 27;
		spe_update(&f.unit, &f.controls);
		cr_assert_eq(spe_psb_csync_trapped(&f.unit, table[i].hfgitr << 63, &s),
			     table[i].trapped, "row %zu", i);
		if (table[i].trapped) {
			cr_assert_eq(s.ec, 0x0a);
			cr_assert_eq(s.iss, 3);
		}
	}
}

/* PMCR_EL0.FZS, MDCR_EL2.HPMFZS, and the cycle counter with DP and FEAT_SPE_DPFZS only. */
Test(exception, which_counters_freeze)
{
	const uint64_t fzs = UINT64_C(1) << 32, dp = 1 << 5, hpmfzs = UINT64_C(1) << 36;
	struct fixture f;

	for (int dpfzs = 0; dpfzs < 2; dpfzs++) {
		fixture_init(&f, SPE_V1P5);
		f.config.dpfzs = dpfzs;
		f.controls.features |= SYSREG_FEAT_EL2;
		f.controls.mdcr_el2 = E2PB_EL1;
		fixture_start(&f);
		spe_write(&f.unit, SYSREG_PMBLIMITR_EL1,
			  (BUFFER_VA + BUFFER_SIZE) | LIMIT_E | LIMIT_PMFZ);
		eq(spe_pmu_frozen(&f.unit, fzs | dp), 0);
		spe_write(&f.unit, SYSREG_PMBSR_EL1, SR_S);
		eq(spe_pmu_frozen(&f.unit, 0), 0);
		eq(spe_pmu_frozen(&f.unit, dp), 0);
		eq(spe_pmu_frozen(&f.unit, fzs), SPE_FROZEN_FIRST);
		eq(spe_pmu_frozen(&f.unit, fzs | dp),
		   SPE_FROZEN_FIRST | (dpfzs ? SPE_FROZEN_CYCLES : 0));
		f.controls.mdcr_el2 |= hpmfzs;
		spe_update(&f.unit, &f.controls);
		eq(spe_pmu_frozen(&f.unit, 0), SPE_FROZEN_SECOND);
		eq(spe_pmu_frozen(&f.unit, fzs), SPE_FROZEN_FIRST | SPE_FROZEN_SECOND);
		spe_write(&f.unit, SYSREG_PMBLIMITR_EL1, (BUFFER_VA + BUFFER_SIZE) | LIMIT_E);
		eq(spe_pmu_frozen(&f.unit, fzs | dp), 0);
	}
}
