/* SPDX-License-Identifier: BSD-2-Clause */
/* The filters (J1.84 to J1.87) and the events that count what they do. */
#include "../../array.h"
#include "fixture.h"

#define FE  0x1u
#define FT  0x2u
#define FL  0x4u
#define FNE 0x8u
#define FDS 0x10u
#define B   0x10000u
#define LD  0x20000u
#define ST  0x40000u

/* Is the operation recorded? */
static bool recorded(struct fixture *f, const struct spe_op *op)
{
	uint64_t records = stats_of(&f->unit).records, filtrate = f->base_events[2];

	fixture_sample(f, op);
	eq(f->base_events[2] - filtrate, stats_of(&f->unit).records - records);
	return stats_of(&f->unit).records != records;
}

/* RULE("IBWNKX") */
Test(filter, nothing_is_rejected_without_an_active_filter)
{
	struct fixture f;
	struct spe_op op = fixture_load();

	fixture_init(&f, SPE_V1P2);
	spe_write(&f.unit, SYSREG_PMSEVFR_EL1, UINT64_MAX);
	spe_write(&f.unit, SYSREG_PMSNEVFR_EL1, UINT64_MAX);
	spe_write(&f.unit, SYSREG_PMSLATFR_EL1, UINT64_MAX);
	spe_write(&f.unit, SYSREG_PMSFCR_EL1, B | ST);
	eq(recorded(&f, &op), 1);
}

/*
 * RULE("D17.5.2/events"), RULE("D17.5.2/inverted")
 * FE: all selected events must be there. FnE: none of them.
 */
Test(filter, events)
{
	static const struct {
		uint64_t fcr, evfr, nevfr, events;
		bool recorded;
	} table[] = {
		{FE, 0x08, 0, 0x00, false},
		{FE, 0x08, 0, 0x08, true},
		{FE, 0x28, 0, 0x08, false},
		{FE, 0x28, 0, 0x28, true},
		{FE, 0x28, 0, 0x8a8, true},
		{FE, 0x800, 0, 0x0a8, false},
		{FNE, 0, 0x08, 0x08, false},
		{FNE, 0, 0x08, 0x00, true},
		{FNE, 0, 0x28, 0x20, false},
		{FNE, 0, 0x28, 0x880, true},
		{FE | FNE, 0x08, 0x20, 0x08, true},
		{FE | FNE, 0x08, 0x20, 0x28, false},
		{FE | FNE, 0x08, 0x20, 0x00, false},
		/* constrained unpredictable: nothing selected rejects nothing ... */
		{FE, 0, 0, 0, true},
		{FNE, 0, 0, 0x8aa, true},
		{FE, 0x02, 0, 0, true},
		{FNE, 0, 0x02, 0x2, true},
		/* ... and a common event rejects all */
		{FE | FNE, 0x08, 0x08, 0x00, false},
		{FE | FNE, 0x08, 0x08, 0x08, false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct fixture f;
		struct spe_op op = fixture_load();

		fixture_init(&f, SPE_V1P2);
		spe_write(&f.unit, SYSREG_PMSEVFR_EL1, table[i].evfr);
		spe_write(&f.unit, SYSREG_PMSNEVFR_EL1, table[i].nevfr);
		spe_write(&f.unit, SYSREG_PMSFCR_EL1, table[i].fcr);
		op.events = table[i].events;
		cr_assert_eq(recorded(&f, &op), table[i].recorded, "row %zu", i);
	}
}

/*
 * RULE("D17.6.5/conditional")
 * Events that are not reported count as absent; "not taken" comes from the flag alone.
 */
Test(filter, not_taken_comes_from_the_operation)
{
	struct fixture f;
	struct spe_op op = fixture_load();

	fixture_init(&f, SPE_V1P2);
	spe_write(&f.unit, SYSREG_PMSEVFR_EL1, 0x40);
	spe_write(&f.unit, SYSREG_PMSFCR_EL1, FE);
	op.events = 0x40;
	eq(recorded(&f, &op), 0);
	op.events = 0;
	op.flags |= SPE_OP_NOT_TAKEN;
	eq(recorded(&f, &op), 1);
}

/* E[1] is a filter where speculative operations are sampled, and only there. */
Test(filter, retired_matters_with_speculation)
{
	struct fixture f;
	struct spe_op op = fixture_load();

	fixture_init(&f, SPE_V1P2);
	f.config.misspeculated = (struct spe_population){true, true};
	fixture_start(&f);
	spe_write(&f.unit, SYSREG_PMSEVFR_EL1, 0x2);
	spe_write(&f.unit, SYSREG_PMSFCR_EL1, FE);
	op.events = 0;
	eq(recorded(&f, &op), 0);
	op.events = 2;
	eq(recorded(&f, &op), 1);
}

/*
 * RULE("RYGCFK")
 * FT, every combination of TYPE and of the operation's flags: at least one in common.
 */
Test(filter, types)
{
	static const uint32_t flags[] = {SPE_OP_BRANCH, SPE_OP_LOAD, SPE_OP_STORE};

	for (uint32_t type = 0; type < 8; type++) {
		for (uint32_t kind = 0; kind < 8; kind++) {
			struct fixture f;
			struct spe_op op = fixture_load();

			fixture_init(&f, SPE_V1P2);
			spe_write(&f.unit, SYSREG_PMSFCR_EL1, FT | type << 16);
			op.flags = 0;
			for (unsigned int i = 0; i < 3; i++)
				if (kind & 1u << i)
					op.flags |= flags[i];
			/* TYPE of zero: constrained unpredictable, rejects nothing */
			cr_assert_eq(recorded(&f, &op), type == 0 || (type & kind),
				     "type %u, kind %u", type, kind);
		}
	}
}

/* RULE("D17.5.3/latency") */
Test(filter, latency)
{
	static const struct {
		uint16_t minimum, latency;
		bool recorded;
	} table[] = {{0, 0, true},	    {1, 0, false},	  {1, 1, true},
		     {100, 99, false},	    {100, 100, true},	  {100, 101, true},
		     {0xfff, 0xffe, false}, {0xfff, 0xfff, true}, {0xfff, 0xffff, true}};

	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct fixture f;
		struct spe_op op = fixture_load();

		fixture_init(&f, SPE_V1P2);
		spe_write(&f.unit, SYSREG_PMSLATFR_EL1, table[i].minimum);
		spe_write(&f.unit, SYSREG_PMSFCR_EL1, FL);
		op.total_latency = table[i].latency;
		cr_assert_eq(recorded(&f, &op), table[i].recorded, "row %zu", i);
	}
}

/* RULE("D17.5/all") Every active filter can reject alone. */
Test(filter, any_active_filter_rejects)
{
	for (unsigned int bad = 0; bad < 16; bad++) {
		struct fixture f;
		struct spe_op op = fixture_load();

		fixture_init(&f, SPE_V1P2);
		spe_write(&f.unit, SYSREG_PMSEVFR_EL1, bad & 1 ? 0x20 : 0x08);
		spe_write(&f.unit, SYSREG_PMSNEVFR_EL1, bad & 2 ? 0x80 : 0x800);
		spe_write(&f.unit, SYSREG_PMSLATFR_EL1, bad & 4 ? 200 : 50);
		spe_write(&f.unit, SYSREG_PMSFCR_EL1, FE | FNE | FT | FL | (bad & 8 ? ST : LD));
		op.events = 0x88;
		op.total_latency = 100;
		cr_assert_eq(recorded(&f, &op), bad == 0, "case %u", bad);
	}
}

/* SAMPLE_FEED_*: whatever the enables say, from v1p2 on. */
Test(filter, feed_events)
{
	static const struct {
		uint32_t flags;
		uint64_t fcr, evfr, nevfr, latfr, events;
		uint64_t expected[6]; /* BR, LD, ST, OP, EVENT, LAT */
	} table[] = {
		{SPE_OP_BRANCH, 0, 0, 0, 0, 0, {1, 0, 0, 0, 1, 1}},
		{SPE_OP_LOAD, LD | ST, 0, 0, 0, 0, {0, 1, 0, 1, 1, 1}},
		{SPE_OP_LOAD | SPE_OP_STORE, B, 0, 0, 0, 0, {0, 1, 1, 0, 1, 1}},
		{SPE_OP_STORE, ST, 0x8, 0, 100, 0, {0, 0, 1, 1, 0, 1}},
		{0, B | LD | ST, 0x8, 0x20, 101, 0x8, {0, 0, 0, 0, 1, 0}},
		{0, 0, 0x8, 0x20, 101, 0x28, {0, 0, 0, 0, 0, 0}},
	};

	for (enum spe_version v = SPE_V1P1; v <= SPE_V1P2; v++) {
		for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
			struct fixture f;
			struct spe_op op = fixture_load();

			fixture_init(&f, v);
			spe_write(&f.unit, SYSREG_PMSEVFR_EL1, table[i].evfr);
			spe_write(&f.unit, SYSREG_PMSNEVFR_EL1, table[i].nevfr);
			spe_write(&f.unit, SYSREG_PMSLATFR_EL1, table[i].latfr);
			spe_write(&f.unit, SYSREG_PMSFCR_EL1, table[i].fcr);
			op.flags = table[i].flags;
			op.events = table[i].events;
			op.total_latency = 100;
			fixture_sample(&f, &op);
			for (unsigned int e = 0; e < 6; e++)
				cr_assert_eq(f.feed_events[e],
					     v >= SPE_V1P2 ? table[i].expected[e] : 0,
					     "row %zu, event 0x%x", i, 0x812a + e);
			eq(f.base_events[1], 1);
			eq(f.base_events[2], 1);
			eq(f.other_events, 0);
		}
	}
}

/*
 * RULE("IZZTZL"), RULE("RNYZKJ"), RULE("RYGCFK"), RULE("ILVCZH")
 * FEAT_SPE_EFT, every combination of type, mask and operation (J1.87): of the types without a mask
 * bit one has to be there, of those with one exactly what TYPE says.
 */
Test(filter, types_and_masks)
{
	struct fixture f;
	struct spe_op op = fixture_load();

	fixture_init(&f, SPE_V1P5);
	spe_write(&f.unit, SYSREG_PMBLIMITR_EL1, LIMIT_E | LIMIT_DISCARD);
	for (uint32_t type = 0; type < 32; type++) {
		for (uint32_t mask = 0; mask < 32; mask++) {
			spe_write(&f.unit, SYSREG_PMSFCR_EL1,
				  FT | (uint64_t)type << 16 | (uint64_t)mask << 48);
			for (uint32_t kind = 0; kind < 32; kind++) {
				bool any = false, wanted = false, all = true;
				uint64_t discarded = stats_of(&f.unit).discarded;
				uint64_t counted = f.feed_events[3];

				for (unsigned int i = 0; i < 5; i++) {
					bool t = type >> i & 1, m = mask >> i & 1,
					     k = kind >> i & 1;

					wanted |= t && !m;
					any |= t && !m && k;
					all &= !m || t == k;
				}
				op.flags = kind; /* SPE_OP_BRANCH to SPE_OP_SIMD */
				fixture_sample(&f, &op);
				cr_assert_eq(stats_of(&f.unit).discarded != discarded,
					     (!wanted || any) && all,
					     "TYPE 0x%x, TYPEm 0x%x, operation 0x%x", type, mask,
					     kind);
				eq(f.feed_events[3] - counted,
				   (type || mask) && (!wanted || any) && all);
			}
		}
	}
	eq(f.new_events[2], 32 * 32 * 16); /* FP */
	eq(f.new_events[3], 32 * 32 * 16); /* SIMD */
}

/*
 * RULE("D17.5.4/source")
 * FEAT_SPE_FDS: loads with a data source whose bit is 0 are rejected; nothing else is.
 */
Test(filter, data_sources)
{
	for (unsigned int source = 0; source < 256; source += 7) {
		for (int selected = 0; selected < 2; selected++) {
			uint64_t bit = UINT64_C(1) << (source & 63);
			struct spe_op op = fixture_load();
			struct fixture f;

			fixture_init(&f, SPE_V1P4);
			spe_write(&f.unit, SYSREG_PMSDSFR_EL1, selected ? bit : ~bit);
			op.data_source = (uint16_t)source;
			eq(recorded(&f, &op), 1);
			eq(f.new_events[0], selected);
			spe_write(&f.unit, SYSREG_PMSFCR_EL1, FDS);
			eq(recorded(&f, &op), selected);
			eq(f.new_events[0], 2 * selected);
			/* no data source: a store, a load that took an exception, no access */
			op.flags = SPE_OP_STORE | SPE_OP_VA_VALID;
			eq(recorded(&f, &op), 1);
			op.flags = SPE_OP_LOAD;
			eq(recorded(&f, &op), 1);
			op.flags = SPE_OP_LOAD | SPE_OP_VA_VALID;
			op.events |= 1;
			eq(recorded(&f, &op), 1);
			eq(f.new_events[0], 2 * selected);
		}
	}
}

/* RULE("D17.5.4/source") */
Test(filter, no_data_source_filter_without_data_sources_or_the_feature)
{
	struct spe_op op = fixture_load();
	struct fixture f;

	fixture_init(&f, SPE_V1P4);
	f.config.lds = false;
	fixture_start(&f);
	spe_write(&f.unit, SYSREG_PMSFCR_EL1, FDS);
	eq(recorded(&f, &op), 1);
	eq(f.new_events[0], 0);
	fixture_init(&f, SPE_V1P3);
	spe_write(&f.unit, SYSREG_PMSDSFR_EL1, UINT64_MAX);
	spe_write(&f.unit, SYSREG_PMSFCR_EL1, FDS);
	eq(recorded(&f, &op), 1);
	eq(f.new_events[0], 0);
}

/* RULE("RYGCFK") A filter that is on and asks for nothing can also reject everything. */
Test(filter, empty_filters)
{
	static const uint64_t on[] = {FE, FNE, FT, FL, FE | FNE | FT | FL};

	for (size_t i = 0; i < ARRAY_SIZE(on); i++) {
		for (int rejects = 0; rejects < 2; rejects++) {
			struct spe_op op = fixture_load();
			struct fixture f;

			fixture_init(&f, SPE_V1P2);
			f.config.empty_filter =
				rejects ? SPE_EMPTY_FILTER_NO_SAMPLES : SPE_EMPTY_FILTER_IGNORED;
			fixture_start(&f);
			eq(recorded(&f, &op), 1);
			spe_write(&f.unit, SYSREG_PMSFCR_EL1, on[i]);
			eq(recorded(&f, &op), !rejects);
			spe_write(&f.unit, SYSREG_PMSFCR_EL1, on[i] | LD);
			spe_write(&f.unit, SYSREG_PMSLATFR_EL1, 1);
			spe_write(&f.unit, SYSREG_PMSEVFR_EL1, 8);
			spe_write(&f.unit, SYSREG_PMSNEVFR_EL1, 0x20);
			op.events = 8;
			eq(recorded(&f, &op), 1);
		}
	}
}

/*
 * RULE("RYGCFK")
 * With EFT an empty TYPE and TYPEm mean every operation, and nothing is unpredictable.
 */
Test(filter, empty_type_with_eft)
{
	struct spe_op op = fixture_load();
	struct fixture f;

	fixture_init(&f, SPE_V1P5);
	f.config.empty_filter = SPE_EMPTY_FILTER_NO_SAMPLES;
	fixture_start(&f);
	spe_write(&f.unit, SYSREG_PMSFCR_EL1, FT);
	eq(recorded(&f, &op), 1);
	eq(f.feed_events[3], 0);
}
