/* SPDX-License-Identifier: BSD-2-Clause */
/* Records byte for byte, written out by hand from Arm ARM D18.2 and the order of J1.78. */
#include "../../array.h"
#include "fixture.h"

#define F_EL2 (SYSREG_FEAT_SPE | SYSREG_FEAT_SPE_FNE | SYSREG_FEAT_EL2 | SYSREG_FEAT_VHE)

/*
 * RULE("D18.1.2/records") RULE("D18.1.2/order") RULE("D18.2.1/pc")
 * RULE("D18.2.1/data-virtual") RULE("D18.2.2/context") RULE("D18.2.3/total")
 * RULE("D18.2.3/issue") RULE("D18.2.3/translation") RULE("D18.2.4/source")
 * RULE("D18.2.7/general") RULE("D18.2.9/timestamp")
 * RULE("D17.6/executed"), RULE("D17.6.4/addresses"), RULE("D17.6.10/always")
 * Everything a load can have: exactly 64 bytes, with nothing to pad.
 */
Test(record, load_of_64_bytes)
{
	struct fixture f;
	struct spe_op op = fixture_load();

	fixture_init(&f, SPE_V1P2);
	f.controls.features = F_EL2;
	f.controls.mdcr_el2 = 0; /* owner EL2 */
	f.config.align = 0;
	fixture_start(&f);
	spe_write(&f.unit, SYSREG_PMSCR_EL2, E1SPE | CX | PA | TS);
	spe_write(&f.unit, SYSREG_PMSCR_EL1, E1SPE | CX | PA);
	fixture_sample(&f, &op);
	eq(f.last_el, 2);
	HOLDS(&f, 0x64, 0xd4, 0xc3, 0xb2, 0xa1,			     /* CONTEXTIDR_EL1 */
	      0x65, 0xfe, 0xca, 0xad, 0x0b,			     /* CONTEXTIDR_EL2 */
	      0x98, 0x23, 0x01,					     /* total */
	      0x99, 0x45, 0x00,					     /* issue */
	      0x9a, 0x06, 0x00,					     /* translation */
	      0xb0, 0x34, 0x12, 0x00, 0x08, 0x00, 0x80, 0xff, 0xa0,  /* PC, NS, EL1 */
	      0xb2, 0x78, 0x56, 0x34, 0x12, 0x00, 0x00, 0xff, 0xff,  /* data VA */
	      0xb3, 0x78, 0x56, 0x34, 0x52, 0x00, 0x00, 0x00, 0x80,  /* data PA, NS */
	      0x43, 0x08,					     /* data source */
	      0x49, 0x00,					     /* load, general registers */
	      0x62, 0x02, 0x00, 0x00, 0x00,			     /* retired */
	      0x71, 0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11); /* timestamp */
	eq(stats_of(&f.unit).bytes, 64);
}

/*
 * RULE("D18.1.3/framing") RULE("D18.2.5/end") RULE("D18.2.7/other")
 * RULE("D18.2.8/padding")
 */
/*
 * RULE("D17.6.10/always")
 * The smallest: no context, no PA, no timestamp; an End packet; zeros up to the alignment.
 */
Test(record, other_operation_padded_to_64_bytes)
{
	struct fixture f;
	struct spe_op op = {.pc = 0x4008, .type_header = 0x48, .total_latency = 1, .el = 1};

	fixture_init(&f, SPE_V1P2);
	fixture_sample(&f, &op);
	eq(f.last_el, 1);
	HOLDS(&f, 0x98, 0x01, 0x00, 0x99, 0x00, 0x00,		    /* counters */
	      0xb0, 0x08, 0x40, 0x00, 0x00, 0x00, 0x00, 0x00, 0x20, /* PC, Secure, EL1 */
	      0x48, 0x00,					    /* other */
	      0x62, 0x02, 0x00, 0x00, 0x00,			    /* retired, always */
	      0x01,						    /* End */
	      0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	      0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
}

/* RULE("D18.2.1/target") RULE("D18.2.6/E7") RULE("D18.2.7/branch") */
/*
 * RULE("D17.6.3/branch")
 * A taken branch from EL0 to EL1, with the state at its target: 32 bytes, aligned as they are.
 */
Test(record, taken_branch)
{
	struct fixture f;
	struct spe_op op = {.pc = 0x400100,
			    .target = 0xffff800000080400,
			    .flags = SPE_OP_BRANCH | SPE_OP_TAKEN,
			    .type_header = 0x4a,
			    .type_payload = 0x02,
			    .el = 0,
			    .ns = true,
			    .target_el = 1,
			    .target_ns = true,
			    .events = 0x82};

	fixture_init(&f, SPE_V1P2);
	f.config.align = 3;
	fixture_start(&f);
	fixture_sample(&f, &op);
	HOLDS(&f, 0x98, 0x00, 0x00, 0x99, 0x00, 0x00, 0xb0, 0x00, 0x01, 0x40, 0x00, 0x00, 0x00,
	      0x00, 0x80,					    /* PC, NS, EL0 */
	      0xb1, 0x00, 0x04, 0x08, 0x00, 0x00, 0x80, 0xff, 0xa0, /* target, NS, EL1 */
	      0x4a, 0x02,					    /* indirect branch */
	      0x62, 0x82, 0x00, 0x00, 0x00,			    /* mispredicted, retired */
	      0x01);
}

/* RULE("D18.2.1/pc") RULE("D18.2.6/E6") */
/*
 * RULE("D17.6.3/untaken"), RULE("D17.6.5/conditional")
 * Not taken: no target, Events[6] set. Realm state: NSE and NS.
 */
Test(record, branch_not_taken_in_realm_state)
{
	struct fixture f;
	struct spe_op op = {.pc = 0x400100,
			    .target = 0x1234,
			    .flags = SPE_OP_BRANCH | SPE_OP_NOT_TAKEN,
			    .type_header = 0x4a,
			    .type_payload = 0xff,
			    .el = 2,
			    .ns = true,
			    .nse = true};

	fixture_init(&f, SPE_V1P2);
	f.config.align = 0;
	fixture_start(&f);
	fixture_sample(&f, &op);
	HOLDS(&f, 0x98, 0x00, 0x00, 0x99, 0x00, 0x00, 0xb0, 0x00, 0x01, 0x40, 0x00, 0x00, 0x00,
	      0x00, 0xd0, /* PC, NS, EL2, NSE */
	      0x4a, 0x03, /* conditional, indirect */
	      0x62, 0x42, 0x00, 0x00, 0x00, 0x01);
}

/* RULE("D18.2.6/E0") RULE("D18.2.1/data-virtual") */
/*
 * RULE("D17.6/outcome"), RULE("D17.6.4/physical")
 * A store has no data source; without a PA there is none; a fault leaves the VA.
 */
Test(record, store_that_faulted)
{
	struct fixture f;
	struct spe_op op = {.pc = 0x8,
			    .data_va = 0x7f00000000001234,
			    .flags = SPE_OP_STORE | SPE_OP_VA_VALID,
			    .type_header = 0x49,
			    .type_payload = 0x01,
			    .data_source = 0x8,
			    .events = 0x3,
			    .el = 1};

	fixture_init(&f, SPE_V1P2);
	spe_write(&f.unit, SYSREG_PMSCR_EL1, E1SPE | PA);
	f.config.align = 0;
	fixture_start(&f);
	spe_write(&f.unit, SYSREG_PMSCR_EL1, E1SPE | PA);
	fixture_sample(&f, &op);
	HOLDS(&f, 0x98, 0x00, 0x00, 0x99, 0x00, 0x00, 0x9a, 0x00, 0x00, 0xb0, 0x08, 0x00, 0x00,
	      0x00, 0x00, 0x00, 0x00, 0x20, 0xb2, 0x34, 0x12, 0x00, 0x00, 0x00, 0x00, 0x00,
	      0x7f,	  /* with its tag */
	      0x49, 0x01, /* store */
	      0x62, 0x03, 0x00, 0x00, 0x00, 0x01);
}

/* RULE("D18.2.3/saturation") */
/* Counters saturate at their size. */
Test(record, counters_saturate)
{
	for (unsigned int bits = 12; bits <= 16; bits += 4) {
		struct fixture f;
		struct spe_op op = fixture_load();
		uint16_t max = (uint16_t)((1u << bits) - 1);

		fixture_init(&f, SPE_V1P2);
		f.config.count_size = (uint8_t)bits;
		fixture_start(&f);
		op.total_latency = 0xffff;
		op.issue_latency = 0x1000;
		op.translation_latency = 0xfff;
		fixture_sample(&f, &op);
		eq(f.buffer[1] | f.buffer[2] << 8, max);
		eq(f.buffer[4] | f.buffer[5] << 8, bits == 12 ? 0xfff : 0x1000);
		eq(f.buffer[7] | f.buffer[8] << 8, 0xfff);
	}
}

/* Where in the record a packet with this header is; the record is walked by sizes. 0: nowhere. */
static size_t find(const uint8_t *record, size_t size, uint8_t header)
{
	size_t at = 0;

	while (at < size) {
		uint8_t h = record[at];

		if (h == header)
			return at + 1;
		if (h == 0x01 || h == 0x71)
			return 0;
		at += h < 0x20 ? 1 : 1 + ((size_t)1 << (h >> 4 & 3));
	}
	return 0;
}

static bool has(const struct fixture *f, uint8_t header)
{
	return find(f->buffer, 64, header) != 0;
}

/*
 * RULE("D18.2.4/size") RULE("D18.2.6/size") RULE("D18.2.6/E32-47") RULE("D18.2.6/E48-63")
 * RULE("D18.2.6/E12-15")
 */
Test(record, sizes_of_events_and_data_source)
{
	static const struct {
		uint8_t events_size, source_size, events_header, source_header;
	} cases[] = {
		{1, 1, 0x42, 0x43}, {2, 2, 0x52, 0x53}, {4, 1, 0x62, 0x43}, {8, 2, 0x72, 0x53}};

	for (size_t i = 0; i < 4; i++) {
		uint64_t events = UINT64_C(0x8001f0000000f7bf), payload = 0;
		struct fixture f;
		struct spe_op op = fixture_load();
		size_t at;

		fixture_init(&f, SPE_V1P2);
		f.config.events = UINT64_C(0xffff0000ff00f714);
		f.config.max_size = 7;
		f.config.align = 7;
		f.config.events_size = cases[i].events_size;
		f.config.source_size = cases[i].source_size;
		fixture_start(&f);
		op.events = events & ~UINT64_C(1); /* no exception: the data source is there */
		op.data_source = 0xa55a;
		fixture_sample(&f, &op);
		eq(fixture_read(&f, SYSREG_PMBPTR_EL1), BUFFER_VA + 128);
		at = find(f.buffer, 128, cases[i].events_header);
		cr_assert_neq(at, 0, "case %zu", i);
		memcpy(&payload, f.buffer + at, cases[i].events_size);
		/* bits 32 to 47 are no events; the rest is cut to the size */
		eq(payload, (events & UINT64_C(0xffff00000000f7be)) &
				    (UINT64_MAX >> (64 - 8 * cases[i].events_size)));
		at = find(f.buffer, 128, cases[i].source_header);
		cr_assert_neq(at, 0, "case %zu", i);
		eq(f.buffer[at], 0x5a);
		if (cases[i].source_size == 2)
			eq(f.buffer[at + 1], 0xa5);
		for (size_t n = 96; n < 128; n++)
			eq(f.buffer[n], 0);
	}
}

/* RULE("D18.1.2/granule") RULE("D18.2.8/padding") */
/* Records as long as 2 KB are padded with zeros to their end. */
Test(record, large_alignment)
{
	struct fixture f;
	struct spe_op op = fixture_load();

	fixture_init(&f, SPE_V1P2);
	f.config.max_size = 11;
	f.config.align = 11;
	fixture_start(&f);
	fixture_sample(&f, &op);
	eq(fixture_read(&f, SYSREG_PMBPTR_EL1), BUFFER_VA + 2048);
	for (size_t n = 64; n < 2048; n++)
		eq(f.buffer[n], 0);
	eq(f.buffer[2048], 0xee);
}

/* RULE("D18.2.4/present") */
/* RULE("D17.6.4/optional") */
Test(record, data_source_only_with_lds_and_for_loads_that_complete)
{
	struct fixture f;
	struct spe_op op = fixture_load();

	fixture_init(&f, SPE_V1P2);
	fixture_sample(&f, &op);
	cr_assert(has(&f, 0x43));
	fixture_init(&f, SPE_V1P2);
	op.events |= 1; /* an exception: no data */
	fixture_sample(&f, &op);
	cr_assert_not(has(&f, 0x43));
	cr_assert(has(&f, 0xb2));
	op.events &= ~UINT64_C(1);
	fixture_init(&f, SPE_V1P2);
	f.config.lds = false;
	fixture_start(&f);
	fixture_sample(&f, &op);
	cr_assert_not(has(&f, 0x43));
	cr_assert_not(has(&f, 0x53));
	fixture_init(&f, SPE_V1P2);
	op.flags = SPE_OP_LOAD;
	fixture_sample(&f, &op);
	cr_assert_not(has(&f, 0x43));
	cr_assert_not(has(&f, 0xb2));
	cr_assert_not(has(&f, 0x9a));
}

/*
 * RULE("D17.6.4/physical"), RULE("D17.6.9/physical")
 * Facts, section 9.1: the permission for the PA, by owner and both PA bits.
 */
Test(record, physical_addresses_by_permission)
{
	static const struct {
		bool el2;
		unsigned int e2pb;
		uint64_t pmscr1, pmscr2;
		bool pa;
	} table[] = {
		{false, 0, 0, PA, false}, {false, 0, PA, 0, true}, {true, 0, 0, PA, true},
		{true, 0, PA, 0, false},  {true, 3, PA, 0, false}, {true, 3, 0, PA, false},
		{true, 3, PA, PA, true},  {true, 2, PA, PA, true},
	};

	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct fixture f;
		struct spe_op op = fixture_load();

		fixture_init(&f, SPE_V1P2);
		f.controls.features = SYSREG_FEAT_SPE | (table[i].el2 ? SYSREG_FEAT_EL2 : 0);
		f.controls.mdcr_el2 = (uint64_t)table[i].e2pb << 12;
		fixture_start(&f);
		spe_write(&f.unit, SYSREG_PMSCR_EL1, E1SPE | table[i].pmscr1);
		spe_write(&f.unit, SYSREG_PMSCR_EL2, table[i].pmscr2);
		fixture_sample(&f, &op);
		cr_assert_eq(has(&f, 0xb3), table[i].pa, "row %zu", i);
	}
}

/* RULE("D18.2.2/context") */
/* RULE("D17.6/context"), RULE("D17.6.9/contextidr") Facts, section 9.1: contexts. */
Test(record, contexts_by_el_and_tge)
{
	static const struct {
		bool el2;
		unsigned int el;
		uint64_t hcr, pmscr1, pmscr2;
		bool context1, context2;
	} table[] = {
		{false, 1, 0, CX, CX, true, false},
		{false, 1, 0, 0, CX, false, false},
		{true, 1, 0, CX, CX, true, true},
		{true, 1, 0, CX, 0, true, false},
		{true, 2, 0, CX, CX, false, true},
		{true, 0, UINT64_C(1) << 27, CX, CX, false, true},
		{true, 0, 0, CX, 0, true, false},
		{true, 2, 0, CX, 0, false, false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct fixture f;
		struct spe_op op = fixture_load();

		fixture_init(&f, SPE_V1P2);
		f.controls.features = SYSREG_FEAT_SPE | (table[i].el2 ? SYSREG_FEAT_EL2 : 0);
		f.controls.hcr_el2 = table[i].hcr;
		f.controls.el = (uint8_t)table[i].el;
		fixture_start(&f);
		spe_write(&f.unit, SYSREG_PMSCR_EL1, E0SPE | E1SPE | table[i].pmscr1);
		spe_write(&f.unit, SYSREG_PMSCR_EL2, E0SPE | E1SPE | table[i].pmscr2);
		fixture_sample(&f, &op);
		cr_assert_eq(has(&f, 0x64), table[i].context1, "row %zu", i);
		cr_assert_eq(has(&f, 0x65), table[i].context2, "row %zu", i);
	}
}

/* Classes of features that are not there are reported as without them. */
Test(record, operation_types_by_version)
{
	static const struct {
		enum spe_version version;
		uint8_t header, payload, expected;
	} table[] = {
		{SPE_V1P2, 0x48, 0x07, 0x01},				    /* no FPF */
		{SPE_V1P2, 0x4a, 0x1f, 0x03},				    /* no CRR, no GCS */
		{SPE_V1P0, 0x49, 0x10, 0x00}, {SPE_V1P0, 0x49, 0x11, 0x01}, /* unspecified: v1p1 */
		{SPE_V1P1, 0x49, 0x10, 0x10}, {SPE_V1P1, 0x49, 0x11, 0x11},
		{SPE_V1P0, 0x49, 0x1f, 0x1f}, {SPE_V1P0, 0x49, 0x05, 0x05},
	};

	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct fixture f;
		struct spe_op op = fixture_load();
		size_t at;

		fixture_init(&f, table[i].version);
		op.type_header = table[i].header;
		op.type_payload = table[i].payload;
		fixture_sample(&f, &op);
		at = find(f.buffer, 64, table[i].header);
		cr_assert_neq(at, 0, "row %zu", i);
		cr_assert_eq(f.buffer[at], table[i].expected, "row %zu", i);
	}
}

/* RULE("D18.2.6/E1") */
/* RULE("D17.6.7/misspeculated") Misspeculated operations: Events[1] is the engine's word then. */
Test(record, retired_is_forced_without_speculation_only)
{
	for (int speculative = 0; speculative < 2; speculative++) {
		struct fixture f;
		struct spe_op op = fixture_load();

		fixture_init(&f, SPE_V1P2);
		f.config.misspeculated = (struct spe_population){speculative, speculative};
		fixture_start(&f);
		op.events = 0;
		fixture_sample(&f, &op);
		eq(f.buffer[find(f.buffer, 64, 0x62)], speculative ? 0 : 2);
	}
}

/*
 * RULE("D17.3.6/where")
 * An operation that changes the controls, or leaves the EL that is profiled, has the record that
 * was due when it was selected.
 */
Test(record, shape_is_of_the_selection)
{
	struct fixture f;
	struct spe_op op = fixture_load();

	fixture_init(&f, SPE_V1P2);
	f.controls.el = 0;
	spe_update(&f.unit, &f.controls);
	spe_write(&f.unit, SYSREG_PMSCR_EL1, E0SPE | CX | TS);
	eq(fixture_select(&f), SPE_SELECTED);
	f.controls.el = 1; /* not profiled */
	spe_update(&f.unit, &f.controls);
	eq(spe_enabled(&f.unit), 0);
	eq(spe_timestamp_kind(&f.unit), SPE_TIMESTAMP_PHYSICAL);
	spe_sample(&f.unit, &op);
	eq(f.writes, 1);
	cr_assert(has(&f, 0x64));
	cr_assert(has(&f, 0x71));
	eq(spe_timestamp_kind(&f.unit), SPE_TIMESTAMP_NONE);
}
