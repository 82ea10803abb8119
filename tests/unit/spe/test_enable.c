/* SPDX-License-Identifier: BSD-2-Clause */
/* When profiling is enabled: every row of Arm ARM D17.4's table, and what controls decide. */
#include "../../array.h"
#include "fixture.h"

#define F_EL23 (SYSREG_FEAT_SPE | SYSREG_FEAT_EL2 | SYSREG_FEAT_EL3 | SYSREG_FEAT_VHE)
#define F_RME  (F_EL23 | SYSREG_FEAT_SEL2 | SYSREG_FEAT_RME)

#define SCR_NS	 UINT64_C(1)
#define SCR_EEL2 (UINT64_C(1) << 18)
#define SCR_NSE	 (UINT64_C(1) << 62)
#define NSPB(n)	 ((uint64_t)(n) << 12)
#define NSPBE	 (UINT64_C(1) << 11)
#define E2PB(n)	 ((uint64_t)(n) << 12)
#define TGE	 (UINT64_C(1) << 27)
#define E2H	 (UINT64_C(1) << 34)

enum bit { NEVER, PMSCR1_E0, PMSCR1_E1, PMSCR2_E0H, PMSCR2_E2 };

static const struct {
	enum sysreg_id reg;
	uint64_t mask;
} control_bits[] = {
	[PMSCR1_E0] = {SYSREG_PMSCR_EL1, E0SPE},
	[PMSCR1_E1] = {SYSREG_PMSCR_EL1, E1SPE},
	[PMSCR2_E0H] = {SYSREG_PMSCR_EL2, E0SPE},
	[PMSCR2_E2] = {SYSREG_PMSCR_EL2, E1SPE},
};

/* Exactly that bit decides: with it alone profiling is enabled, with all but it disabled. */
static void decided_by(const struct sysreg_controls *c, enum bit bit)
{
	struct fixture f;

	fixture_init(&f, SPE_V1P2);
	spe_update(&f.unit, c);
	for (enum bit b = PMSCR1_E0; b <= PMSCR2_E2; b++) {
		uint64_t other =
			b == PMSCR1_E0 || b == PMSCR1_E1 ? SYSREG_PMSCR_EL2 : SYSREG_PMSCR_EL1;
		bool alone, without;

		spe_write(&f.unit, (enum sysreg_id)other, 0);
		spe_write(&f.unit, control_bits[b].reg, control_bits[b].mask);
		alone = spe_enabled(&f.unit);
		spe_write(&f.unit, (enum sysreg_id)other, E0SPE | E1SPE);
		spe_write(&f.unit, control_bits[b].reg, (E0SPE | E1SPE) & ~control_bits[b].mask);
		without = spe_enabled(&f.unit);
		cr_assert_eq(alone, b == bit, "EL%u, bit %d of %d alone: %d", c->el, (int)b,
			     (int)bit, alone);
		cr_assert_eq(without, b != bit && bit != NEVER, "EL%u, all but bit %d of %d: %d",
			     c->el, (int)b, (int)bit, without);
		eq(spe_budget(&f.unit) == UINT64_MAX, !without);
	}
}

static struct sysreg_controls non_secure(unsigned int el, uint64_t mdcr_el2, uint64_t hcr)
{
	return (struct sysreg_controls){.features = F_EL23,
					.el = (uint8_t)el,
					.scr_el3 = SCR_NS,
					.mdcr_el3 = NSPB(3),
					.mdcr_el2 = mdcr_el2,
					.hcr_el2 = hcr};
}

/*
 * RULE("RWXXFL"), RULE("IBRTKK"), RULE("ISBQVZ"), RULE("IYZHFG"), RULE("RKFMHR"),
 * RULE("RTDHBH"), RULE("RKRVDC")
 * Owning SS = current; E2PB, TGE -> EL2, EL1, EL0. EL1 with TGE=1 does not exist.
 */
Test(enable, table_by_e2pb_and_tge)
{
	static const struct {
		unsigned int e2pb;
		uint64_t hcr;
		enum bit el2, el1, el0;
	} table[] = {
		{0, 0, PMSCR2_E2, PMSCR1_E1, PMSCR1_E0}, {0, TGE, PMSCR2_E2, NEVER, PMSCR2_E0H},
		{2, 0, NEVER, PMSCR1_E1, PMSCR1_E0},	 {3, 0, NEVER, PMSCR1_E1, PMSCR1_E0},
		{2, TGE, NEVER, NEVER, NEVER},		 {3, TGE, NEVER, NEVER, NEVER},
	};

	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct sysreg_controls c = non_secure(2, E2PB(table[i].e2pb), table[i].hcr);

		decided_by(&c, table[i].el2);
		c.el = 1;
		if (!(table[i].hcr & TGE))
			decided_by(&c, table[i].el1);
		c.el = 0;
		decided_by(&c, table[i].el0);
		c.el = 3;
		decided_by(&c, NEVER);
	}
}

/*
 * RULE("ISBQVZ"), RULE("RKFMHR")
 * Secure with EEL2=0: EL1 owns the buffer whatever E2PB and TGE say.
 */
Test(enable, table_secure_without_el2)
{
	for (unsigned int e2pb = 0; e2pb < 4; e2pb++) {
		for (unsigned int tge = 0; tge < 2; tge++) {
			struct sysreg_controls c = non_secure(1, E2PB(e2pb), tge ? TGE : 0);

			c.scr_el3 = 0;
			c.mdcr_el3 = NSPB(1);
			c.features |= SYSREG_FEAT_SEL2;
			decided_by(&c, PMSCR1_E1);
			c.el = 0;
			decided_by(&c, PMSCR1_E0);
		}
	}
}

/* RULE("ISBQVZ") */
Test(enable, table_secure_with_el2)
{
	struct sysreg_controls c = non_secure(2, 0, 0);

	c.features |= SYSREG_FEAT_SEL2;
	c.scr_el3 = SCR_EEL2;
	c.mdcr_el3 = NSPB(0);
	decided_by(&c, PMSCR2_E2);
	c.el = 1;
	decided_by(&c, PMSCR1_E1);
	c.features &= ~SYSREG_FEAT_SEL2; /* EEL2 is RES0 then */
	eq(c.el, 1);
	decided_by(&c, PMSCR1_E1);
	c.el = 2;
	decided_by(&c, NEVER);
}

/*
 * RULE("RWXXFL"), RULE("IBRTKK"), RULE("ISBQVZ"), RULE("RBWRVP"), RULE("IYCDWQ"),
 * RULE("IYZHFG")
 * Every owner against every current Security state; NSPB[0] has no say.
 */
Test(enable, owning_security_state)
{
	static const struct {
		uint64_t scr;
		int state; /* 0 Secure, 1 Non-secure, 3 Realm */
	} states[] = {{0, 0}, {SCR_NS, 1}, {SCR_NS | SCR_NSE, 3}};
	static const struct {
		uint64_t mdcr;
		int owner; /* -1: reserved */
	} owners[] = {{NSPB(0), 0},	     {NSPB(1), 0},	   {NSPB(2), 1},
		      {NSPB(3), 1},	     {NSPBE | NSPB(2), 3}, {NSPBE | NSPB(3), 3},
		      {NSPBE | NSPB(0), -1}, {NSPBE | NSPB(1), -1}};

	for (size_t s = 0; s < 3; s++) {
		for (size_t o = 0; o < 8; o++) {
			struct sysreg_controls c = {.features = F_RME, .el = 1};

			c.scr_el3 = states[s].scr;
			c.mdcr_el3 = owners[o].mdcr;
			decided_by(&c, owners[o].owner == states[s].state ? PMSCR1_E1 : NEVER);
		}
	}
}

/* RULE("RBWRVP") Without RME, NSPBE and SCR_EL3.NSE are not there. */
Test(enable, no_realm_without_rme)
{
	struct sysreg_controls c = {.features = F_EL23, .el = 1};

	c.scr_el3 = SCR_NS | SCR_NSE;
	c.mdcr_el3 = NSPBE | NSPB(3);
	decided_by(&c, PMSCR1_E1);
	c.mdcr_el3 = NSPBE | NSPB(1);
	decided_by(&c, NEVER);
	c.scr_el3 = SCR_NSE;
	decided_by(&c, PMSCR1_E1);
}

/* RULE("RBWRVP") */
Test(enable, without_el3_there_is_one_security_state)
{
	struct sysreg_controls c = {.features = SYSREG_FEAT_SPE | SYSREG_FEAT_EL2, .el = 1};

	c.mdcr_el3 = NSPB(0); /* not there */
	decided_by(&c, PMSCR1_E1);
	c.el = 2;
	decided_by(&c, PMSCR2_E2);
	c.features = SYSREG_FEAT_SPE | SYSREG_FEAT_SECURE;
	c.el = 0;
	decided_by(&c, PMSCR1_E0);
}

/* A fixture at EL1 with EL2 and EL3, Non-secure, owner EL1, all enabled. */
static void enabled_at_el1(struct fixture *f)
{
	fixture_init(f, SPE_V1P2);
	f->controls = non_secure(1, E2PB(3), 0);
	spe_update(&f->unit, &f->controls);
	eq(spe_enabled(&f->unit), 1);
}

/* RULE("RWXXFL") */
Test(enable, not_in_aarch32_nor_debug_state)
{
	struct fixture f;

	enabled_at_el1(&f);
	f.controls.aarch32 = true;
	spe_update(&f.unit, &f.controls);
	eq(spe_enabled(&f.unit), 0);
	f.controls.el = 0; /* of an owner in AArch64 state */
	spe_update(&f.unit, &f.controls);
	eq(spe_enabled(&f.unit), 0);
	f.controls.aarch32 = false;
	spe_update(&f.unit, &f.controls);
	eq(spe_enabled(&f.unit), 1);
	f.controls.el = 1;
	f.controls.halted = true;
	spe_update(&f.unit, &f.controls);
	eq(spe_enabled(&f.unit), 0);
	f.controls.halted = false;
	spe_update(&f.unit, &f.controls);
	eq(spe_enabled(&f.unit), 1);
}

/* RULE("RTWFRY"), RULE("RWXXFL") */
Test(enable, limit_e_and_status_s_act_at_once)
{
	struct fixture f;

	enabled_at_el1(&f);
	spe_write(&f.unit, SYSREG_PMBLIMITR_EL1, BUFFER_VA + BUFFER_SIZE);
	eq(spe_enabled(&f.unit), 0);
	spe_write(&f.unit, SYSREG_PMBLIMITR_EL1, (BUFFER_VA + BUFFER_SIZE) | LIMIT_E);
	eq(spe_enabled(&f.unit), 1);
	spe_write(&f.unit, SYSREG_PMBSR_EL1, SR_S);
	eq(spe_enabled(&f.unit), 0);
	eq(spe_irq_level(&f.unit), 1);
	spe_write(&f.unit, SYSREG_PMBSR_EL1, ~(uint64_t)SR_S);
	eq(spe_enabled(&f.unit), 1);
	eq(spe_irq_level(&f.unit), 0);
}

/* RULE("RKFMHR") P: may the current EL program the buffer? Never 1 at EL3. */
Test(enable, pmbidr_p_by_owner)
{
	static const struct {
		unsigned int el;
		uint64_t mdcr_el2, mdcr_el3;
		bool p;
	} table[] = {
		{1, E2PB(0), NSPB(3), true},  {2, E2PB(0), NSPB(3), false},
		{1, E2PB(2), NSPB(3), false}, {2, E2PB(3), NSPB(3), false},
		{1, E2PB(3), NSPB(1), true},  {2, E2PB(0), NSPB(1), true},
		{3, E2PB(0), NSPB(1), false}, {3, E2PB(0), NSPB(3), false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct fixture f;

		fixture_init(&f, SPE_V1P2);
		f.controls = non_secure(table[i].el, table[i].mdcr_el2, 0);
		f.controls.mdcr_el3 = table[i].mdcr_el3;
		spe_update(&f.unit, &f.controls);
		cr_assert_eq(!!(fixture_read(&f, SYSREG_PMBIDR_EL1) & 0x10), table[i].p, "row %zu",
			     i);
	}
}

/*
 * RULE("D17.6.9/timestamp"), RULE("D17.6.9/offsets")
 * J1.55. in_host is EL2 with E2H, or EL0 with E2H and TGE.
 */
Test(enable, timestamp_kind)
{
	static const struct {
		unsigned int el;
		uint64_t e2pb, hcr, pmscr1, pmscr2;
		enum spe_timestamp kind;
	} table[] = {
		/* the owner's TS */
		{1, 3, 0, 0, TS | PCT, SPE_TIMESTAMP_NONE},
		{1, 0, 0, TS | PCT, PCT, SPE_TIMESTAMP_NONE},
		/* PCT_EL2 = 00 */
		{1, 3, 0, TS | PCT, 0, SPE_TIMESTAMP_VIRTUAL},
		{1, 0, 0, PCT, TS, SPE_TIMESTAMP_VIRTUAL},
		{2, 0, E2H, 0, TS, SPE_TIMESTAMP_PHYSICAL},
		{2, 0, 0, 0, TS, SPE_TIMESTAMP_VIRTUAL},
		{0, 0, E2H | TGE, 0, TS, SPE_TIMESTAMP_PHYSICAL},
		{0, 0, TGE, 0, TS, SPE_TIMESTAMP_VIRTUAL},
		{0, 0, E2H, 0, TS, SPE_TIMESTAMP_VIRTUAL},
		/* PCT_EL2 = 01: physical for owner EL2, else as PCT_EL1 says */
		{1, 0, 0, 0, TS | PCT, SPE_TIMESTAMP_PHYSICAL},
		{1, 3, 0, TS, PCT, SPE_TIMESTAMP_VIRTUAL},
		{1, 3, 0, TS | PCT, PCT, SPE_TIMESTAMP_PHYSICAL},
	};

	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct fixture f;

		fixture_init(&f, SPE_V1P2);
		f.controls = non_secure(table[i].el, E2PB(table[i].e2pb), table[i].hcr);
		spe_update(&f.unit, &f.controls);
		spe_write(&f.unit, SYSREG_PMSCR_EL1, table[i].pmscr1 | E0SPE | E1SPE);
		spe_write(&f.unit, SYSREG_PMSCR_EL2, table[i].pmscr2 | E0SPE | E1SPE);
		eq(spe_enabled(&f.unit), 1);
		cr_assert_eq(spe_timestamp_kind(&f.unit), table[i].kind, "row %zu: %d", i,
			     (int)spe_timestamp_kind(&f.unit));
		spe_write(&f.unit, SYSREG_PMBSR_EL1, SR_S);
		eq(spe_timestamp_kind(&f.unit), SPE_TIMESTAMP_NONE);
	}
}

Test(enable, timestamps_are_physical_without_el2)
{
	struct fixture f;

	fixture_init(&f, SPE_V1P2);
	spe_write(&f.unit, SYSREG_PMSCR_EL1, E1SPE | TS);
	eq(spe_timestamp_kind(&f.unit), SPE_TIMESTAMP_PHYSICAL);
}

Test(enable, pmu_freeze_needs_e_pmfz_and_s)
{
	for (unsigned int i = 0; i < 8; i++) {
		uint64_t limit = (i & 1 ? LIMIT_E : 0) | (i & 2 ? LIMIT_PMFZ : 0);
		struct fixture f;

		fixture_init(&f, SPE_V1P2);
		spe_write(&f.unit, SYSREG_PMBLIMITR_EL1, BUFFER_VA | limit);
		spe_write(&f.unit, SYSREG_PMBSR_EL1, i & 4 ? SR_S : 0);
		eq(spe_pmu_frozen(&f.unit, PMCR_FZS), i == 7 ? SPE_FROZEN_FIRST : 0);
		fixture_init(&f, SPE_V1P1);
		spe_write(&f.unit, SYSREG_PMBLIMITR_EL1, BUFFER_VA | limit);
		spe_write(&f.unit, SYSREG_PMBSR_EL1, i & 4 ? SR_S : 0);
		eq(spe_pmu_frozen(&f.unit, PMCR_FZS), 0);
	}
}
