/* SPDX-License-Identifier: BSD-2-Clause */
/* Population, capture and collisions (Arm ARM D17.2 and D17.3.7), and the SAMPLE_* events. */
#include "fixture.h"

/* RULE("IWKZFN"), RULE("D17.1/pmu") */
Test(sample, population_and_feed_events)
{
	struct fixture f;
	struct spe_op op = fixture_load();

	fixture_init(&f, SPE_V1P2);
	spe_advance(&f.unit, 100);
	eq(f.base_events[0], 100);
	spe_advance(&f.unit, 50);
	eq(f.base_events[0], 150);
	fixture_sample(&f, &op);
	eq(f.base_events[0], 257);
	eq(f.base_events[1], 1);
	eq(f.base_events[2], 1);
	eq(f.base_events[3], 0);
	spe_write(&f.unit, SYSREG_PMSCR_EL1, 0);
	spe_advance(&f.unit, 1000);
	eq(f.base_events[0], 257);
}

/*
 * RULE("D17.2.1/excluded"), RULE("D17.2.1/captured"), RULE("D17.6.10.1/non-architectural")
 * Every combination of membership and capture, for each kind of operation.
 */
Test(sample, membership_and_capture)
{
	static const uint32_t flags[] = {SPE_OP_MISSPECULATED, SPE_OP_NO_INSTRUCTION,
					 SPE_OP_NON_ARCH_EXCEPTION};
	static const struct spe_population choices[] = {
		{false, false}, {true, false}, {true, true}};

	for (unsigned int kind = 0; kind < 3; kind++) {
		for (unsigned int choice = 0; choice < 3; choice++) {
			struct spe_population others = choices[(choice + 1) % 3];
			struct spe_population p = choices[choice];
			struct spe_op op = fixture_load();
			struct fixture f;

			fixture_init(&f, SPE_V1P2);
			f.config.arch_inst = false;
			f.config.misspeculated = kind == 0 ? p : others;
			f.config.no_instruction = kind == 1 ? p : others;
			f.config.non_arch_exception = kind == 2 ? p : others;
			fixture_start(&f);
			eq(spe_member(&f.unit, 0), 1);
			eq(spe_member(&f.unit, SPE_OP_LOAD | SPE_OP_TAKEN), 1);
			eq(spe_member(&f.unit, flags[kind]), p.member);
			eq(spe_member(&f.unit, flags[kind] | SPE_OP_LOAD), p.member);
			if (!p.member)
				continue;
			op.flags |= flags[kind];
			fixture_sample(&f, &op);
			eq(f.base_events[1], 1);		  /* FEED */
			eq(f.base_events[2], p.captured ? 1 : 0); /* FILTRATE */
			eq(f.writes, p.captured ? 1 : 0);
			eq(stats_of(&f.unit).not_captured, p.captured ? 0 : 1);
			eq(fixture_read(&f, SYSREG_PMBSR_EL1), 0);
		}
	}
}

/*
 * RULE("IQYCRM"), RULE("IDBJXM"), RULE("RLTMKQ")
 * One in flight: a selection before it has finished collides, and only COLL tells.
 */
Test(sample, collision)
{
	struct fixture f;
	struct spe_op op = fixture_load();

	fixture_init(&f, SPE_V1P2);
	spe_write(&f.unit, SYSREG_PMBSR_EL1, 0x1234);
	eq(fixture_select(&f), SPE_SELECTED);
	eq(fixture_select(&f), SPE_COLLIDED);
	eq(fixture_read(&f, SYSREG_PMBSR_EL1), 0x1234 | SR_COLL);
	eq(spe_irq_level(&f.unit), 0);
	eq(spe_enabled(&f.unit), 1);
	eq(f.base_events[3], 1);
	eq(f.base_events[1], 0);
	eq(f.base_events[0], 2 * 257);
	eq(spe_budget(&f.unit), 257);
	/* one operation was selected, and only one can be sampled */
	spe_sample(&f.unit, &op);
	spe_sample(&f.unit, &op);
	eq(f.base_events[1], 1);
	eq(f.writes, 1);
	eq(fixture_select(&f), SPE_SELECTED);
	eq(stats_of(&f.unit).collisions, 1);
}

/* RULE("RQWTQB") */
Test(sample, as_many_in_flight_as_configured)
{
	for (unsigned int limit = 1; limit <= SPE_IN_FLIGHT_MAX; limit++) {
		struct fixture f;
		struct spe_op op = fixture_load();

		fixture_init(&f, SPE_V1P2);
		f.config.in_flight = (uint8_t)limit;
		fixture_start(&f);
		for (unsigned int round = 0; round < 5; round++) {
			for (unsigned int i = 0; i < limit; i++)
				eq(fixture_select(&f), SPE_SELECTED);
			eq(fixture_select(&f), SPE_COLLIDED);
			spe_sample(&f.unit, &op);
			eq(fixture_select(&f), SPE_SELECTED);
			eq(fixture_select(&f), SPE_COLLIDED);
			for (unsigned int i = 0; i < limit; i++)
				spe_sample(&f.unit, &op);
		}
		eq(stats_of(&f.unit).feed, 5 * (limit + 1));
		eq(stats_of(&f.unit).collisions, 10);
	}
}

/*
 * RULE("RQWTQB")
 * An operation that is in flight for longer than the interval makes the next selection collide.
 */
Test(sample, lifetime)
{
	for (uint32_t lifetime = 254; lifetime < 260; lifetime++) {
		struct fixture f;
		struct spe_op op = fixture_load();

		fixture_init(&f, SPE_V1P2);
		f.config.lifetime = lifetime;
		fixture_start(&f);
		fixture_sample(&f, &op);
		eq(fixture_select(&f), lifetime >= 257 ? SPE_COLLIDED : SPE_SELECTED);
		if (lifetime < 257)
			spe_sample(&f.unit, &op);
		/* the collision did not prolong it */
		eq(fixture_select(&f), SPE_SELECTED);
	}
}

Test(sample, abandoned_operations_leave_nothing)
{
	struct fixture f;
	struct spe_op op = fixture_load();

	fixture_init(&f, SPE_V1P2);
	eq(fixture_select(&f), SPE_SELECTED);
	spe_abandon(&f.unit);
	spe_abandon(&f.unit);
	spe_sample(&f.unit, &op);
	eq(f.writes, 0);
	eq(f.base_events[1], 0);
	eq(fixture_select(&f), SPE_SELECTED);
}

/* RULE("RQWTQB") RULE("IDBJXM") A collision that the engine alone knows of. */
Test(sample, engine_finds_a_collision)
{
	struct fixture f;
	struct spe_op op = fixture_load();

	fixture_init(&f, SPE_V1P2);
	f.config.in_flight = 2;
	fixture_start(&f);
	eq(fixture_select(&f), SPE_SELECTED);
	eq(fixture_select(&f), SPE_SELECTED);
	eq(spe_read(&f.unit, SYSREG_PMBSR_EL1), 0);
	/* The newest one; the other is still to be sampled. */
	spe_collide(&f.unit);
	eq(spe_read(&f.unit, SYSREG_PMBSR_EL1), SR_COLL);
	eq(f.base_events[3], 1);
	spe_sample(&f.unit, &op);
	eq(f.writes, 1);
	spe_collide(&f.unit);
	eq(f.base_events[3], 1);
	eq(stats_of(&f.unit).collisions, 1);
	eq(stats_of(&f.unit).feed, 1);
	eq(fixture_select(&f), SPE_SELECTED);
}

Test(sample, nothing_to_sample_after_reset)
{
	struct fixture f;
	struct spe_op op = fixture_load();

	fixture_init(&f, SPE_V1P2);
	eq(fixture_select(&f), SPE_SELECTED);
	spe_reset(&f.unit);
	spe_sample(&f.unit, &op);
	eq(f.base_events[1], 0);
	eq(f.writes, 0);
}
