/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packets of the newer features, byte for byte from Arm ARM D18.2: extended headers, the alternate
 * clock, the previous branch target, tags, and every class of the operation type with its gate.
 */
#include "../../array.h"
#include "fixture.h"

/* A unit of a version with records of any length. */
static void start(struct fixture *f, enum spe_version version)
{
	fixture_init(f, version);
	f->config.max_size = 8;
	f->config.align = 0;
	fixture_start(f);
}

static const struct spe_op branch = {.pc = 0x1000,
				     .target = 0x2000,
				     .flags = SPE_OP_BRANCH | SPE_OP_TAKEN,
				     .type_header = 0x4a,
				     .el = 1,
				     .ns = true,
				     .target_el = 1,
				     .target_ns = true};

/* RULE("D18.2.1/previous") */
/* RULE("D17.6.3.1/previous") */
Test(packets, previous_branch_target)
{
	const struct spe_target before = {0xffff000000401234, 0, true, false};
	struct spe_op op = branch;
	struct fixture f;

	start(&f, SPE_V1P5);
	spe_branch(&f.unit, SPE_BRANCH_TAKEN, &before);
	fixture_sample(&f, &op);
	HOLDS(&f, 0x98, 0, 0, 0x99, 0, 0, 0xb0, 0x00, 0x10, 0, 0, 0, 0, 0, 0xa0, /* PC */
	      0xb1, 0x00, 0x20, 0, 0, 0, 0, 0, 0xa0,				 /* target */
	      0xb4, 0x34, 0x12, 0x40, 0, 0, 0, 0xff, 0x80, /* previous: NS, EL0 */
	      0x4a, 0x18, 0x62, 0x02, 0, 0, 0, 0x01);
}

/* Does the next record, of this operation, have packet 4, and with which address? */
static uint64_t previous(struct fixture *f, const struct spe_op *op)
{
	uint64_t pointer = fixture_read(f, SYSREG_PMBPTR_EL1) - BUFFER_VA, at = pointer;
	uint64_t end, va = 0;

	fixture_sample(f, op);
	end = fixture_read(f, SYSREG_PMBPTR_EL1) - BUFFER_VA;
	while (at < end) {
		uint8_t h = f->buffer[at];

		if (h == 0xb4)
			memcpy(&va, f->buffer + at + 1, 7);
		at += h < 0x20 ? 1 : 1 + ((size_t)1 << (h >> 4 & 3));
	}
	return va;
}

/* The last taken branch before the selection counts, not the sampled operation itself. */
Test(packets, previous_target_is_of_the_selection)
{
	const struct spe_target one = {0x1000, 1, true, false}, two = {0x2000, 1, true, false};
	struct fixture f;

	start(&f, SPE_V1P5);
	eq(previous(&f, &branch), 0);
	spe_branch(&f.unit, SPE_BRANCH_TAKEN, &two);
	spe_branch(&f.unit, SPE_BRANCH_TAKEN, &one);
	eq(fixture_select(&f), SPE_SELECTED);
	spe_branch(&f.unit, SPE_BRANCH_TAKEN, &two);
	spe_sample(&f.unit, &branch);
	/* after the first record's 32 bytes */
	eq(f.buffer[32 + 24], 0xb4);
	eq(f.buffer[32 + 26], 0x10);
	eq(previous(&f, &branch), 0x2000);
}

/*
 * RULE("D17.6.3.1/never")
 * A taken branch where profiling is disabled leaves nothing to show, until the next.
 */
Test(packets, previous_target_is_lost_while_disabled)
{
	const struct spe_target one = {0x1000, 1, true, false}, two = {0x2000, 1, true, false};
	struct fixture f;

	start(&f, SPE_V1P5);
	spe_branch(&f.unit, SPE_BRANCH_TAKEN, &one);
	spe_write(&f.unit, SYSREG_PMSCR_EL1, 0);
	spe_write(&f.unit, SYSREG_PMSCR_EL1, E1SPE);
	eq(previous(&f, &branch), 0x1000);
	eq(spe_follows_branches(&f.unit), true);
	spe_write(&f.unit, SYSREG_PMSCR_EL1, 0);
	eq(spe_follows_branches(&f.unit), true);
	spe_branch(&f.unit, SPE_BRANCH_TAKEN, &two);
	eq(spe_follows_branches(&f.unit), false);
	spe_write(&f.unit, SYSREG_PMSCR_EL1, E1SPE);
	eq(previous(&f, &branch), 0);
	spe_branch(&f.unit, SPE_BRANCH_TAKEN, &two);
	eq(previous(&f, &branch), 0x2000);
	spe_reset(&f.unit);
	fixture_start(&f);
	eq(previous(&f, &branch), 0);
}

/*
 * RULE("D17.6.3.1/choices")
 * IMPLEMENTATION DEFINED: which operations show it, and what besides branches makes one.
 */
Test(packets, previous_target_choices)
{
	const struct spe_target one = {0x1000, 1, true, false}, two = {0x2000, 1, true, false};
	const struct spe_op load = fixture_load();

	for (unsigned int choice = 0; choice < 16; choice++) {
		struct fixture f;

		fixture_init(&f, SPE_V1P2);
		f.config.pbt = true;
		f.config.max_size = 8;
		f.config.pbt_exception = choice & 1;
		f.config.pbt_return = choice & 2;
		f.config.pbt_isb = choice & 4;
		f.config.pbt_all = choice & 8;
		fixture_start(&f);
		spe_branch(&f.unit, SPE_BRANCH_TAKEN, &one);
		spe_branch(&f.unit, SPE_BRANCH_EXCEPTION, &two);
		eq(previous(&f, &branch), choice & 1 ? 0x2000 : 0x1000);
		spe_branch(&f.unit, SPE_BRANCH_TAKEN, &one);
		spe_branch(&f.unit, SPE_BRANCH_RETURN, &two);
		eq(previous(&f, &branch), choice & 2 ? 0x2000 : 0x1000);
		spe_branch(&f.unit, SPE_BRANCH_TAKEN, &one);
		spe_branch(&f.unit, SPE_BRANCH_ISB, &two);
		eq(previous(&f, &branch), choice & 4 ? 0x2000 : 0x1000);
		spe_branch(&f.unit, SPE_BRANCH_TAKEN, &one);
		eq(previous(&f, &load), choice & 8 ? 0x1000 : 0);
	}
}

/* RULE("D17.6.3.1/choices") A branch that is not taken: D18.2 has it, J1.73 does not. */
Test(packets, previous_target_of_a_branch_that_is_not_taken)
{
	const struct spe_target one = {0x1000, 1, true, false};
	const struct spe_op load = fixture_load();

	for (unsigned int choice = 0; choice < 4; choice++) {
		struct spe_op other = branch;
		struct fixture f;

		other.flags = (other.flags & ~SPE_OP_TAKEN) | SPE_OP_NOT_TAKEN;
		fixture_init(&f, SPE_V1P2);
		f.config.pbt = true;
		f.config.max_size = 8;
		f.config.pbt_taken = choice & 1;
		f.config.pbt_all = choice & 2;
		fixture_start(&f);
		spe_branch(&f.unit, SPE_BRANCH_TAKEN, &one);
		eq(previous(&f, &branch), 0x1000);
		eq(previous(&f, &other), choice & 1 ? 0 : 0x1000);
		eq(previous(&f, &load), choice & 2 ? 0x1000 : 0);
	}
}

/* RULE("D18.2.1/previous") */
Test(packets, no_previous_target_without_the_feature)
{
	const struct spe_target one = {0x1000, 1, true, false};
	struct fixture f;

	start(&f, SPE_V1P4);
	spe_branch(&f.unit, SPE_BRANCH_TAKEN, &one);
	eq(previous(&f, &branch), 0);
}

/* RULE("D18.2.3/alternate") */
/* RULE("IPXWXV") Counter 4, saturating like the others. */
Test(packets, alternate_clock)
{
	struct spe_op op = {.pc = 0x1000,
			    .type_header = 0x48,
			    .el = 1,
			    .ns = true,
			    .alternate_latency = 0x1234};
	struct fixture f;

	fixture_init(&f, SPE_V1P2);
	f.config.altclk = 1;
	f.config.max_size = 7;
	f.config.align = 0;
	fixture_start(&f);
	fixture_sample(&f, &op);
	HOLDS(&f, 0x98, 0, 0, 0x99, 0, 0, 0x9c, 0xff, 0x0f, 0xb0, 0x00, 0x10, 0, 0, 0, 0, 0, 0xa0,
	      0x48, 0x00, 0x62, 0x02, 0, 0, 0, 0x01);
}

/*
 * RULE("D18.2.1/implementation-defined") RULE("D18.2.3/implementation-defined")
 * RULE("D18.1.4.2/extended-headers")
 * RULE("D17.6/implementation")
 * Indexes of 8 and more have an extended header; those that mean something else are dropped.
 */
Test(packets, implementation_defined_packets)
{
	static const struct spe_extra extra[] = {
		{false, 6, 0x11},     {false, 5, 0x22}, /* reserved */
		{false, 31, 0x12345}, {true, 7, 0x1122334455667788},
		{true, 16, 0x99},     {true, 15, 0xaa}, /* reserved */
		{true, 32, 0xbb},			/* none */
		{true, 24, 0xcc},			/* too many */
	};
	struct spe_op op = {.pc = 0x1000,
			    .type_header = 0x48,
			    .el = 1,
			    .ns = true,
			    .extra = extra,
			    .extra_count = 8};
	struct fixture f;

	start(&f, SPE_V1P2);
	f.config.extra_packets = 7;
	fixture_start(&f);
	fixture_sample(&f, &op);
	HOLDS(&f, 0x98, 0, 0, 0x99, 0, 0, 0x9e, 0x11, 0, 0x23, 0x9f, 0xff, 0x0f, 0xb0, 0x00, 0x10,
	      0, 0, 0, 0, 0, 0xa0, 0xb7, 0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 0x22, 0xb0,
	      0x99, 0, 0, 0, 0, 0, 0, 0, 0x48, 0x00, 0x62, 0x02, 0, 0, 0, 0x01);
}

/* RULE("D18.2.1/header") RULE("D18.2.3/header") RULE("D18.1.4.2/extended-headers") */
/* Both forms of header mean the same. */
Test(packets, extended_headers_of_all)
{
	struct spe_op op = fixture_load();
	struct fixture f;

	fixture_init(&f, SPE_V1P2);
	f.config.max_size = 7;
	f.config.align = 0;
	f.config.extended_headers = true;
	fixture_start(&f);
	spe_write(&f.unit, SYSREG_PMSCR_EL1, E1SPE | PA);
	fixture_sample(&f, &op);
	HOLDS(&f, 0x20, 0x98, 0x23, 0x01, 0x20, 0x99, 0x45, 0x00, 0x20, 0x9a, 0x06, 0x00, 0x20,
	      0xb0, 0x34, 0x12, 0x00, 0x08, 0x00, 0x80, 0xff, 0xa0, 0x20, 0xb2, 0x78, 0x56, 0x34,
	      0x12, 0x00, 0x00, 0xff, 0xff, 0x20, 0xb3, 0x78, 0x56, 0x34, 0x52, 0x00, 0x00, 0x00,
	      0x80, 0x43, 0x08, 0x49, 0x00, 0x62, 0x02, 0x00, 0x00, 0x00, 0x01);
}

/* RULE("D18.2.1/physical-tag") */
/*
 * RULE("D17.6.4.1/mte")
 * FEAT_MTE2: bit 62 says that the access was checked, bits 59:56 are the tag.
 */
Test(packets, physical_address_tags)
{
	for (int mte = 0; mte < 2; mte++) {
		struct spe_op op = fixture_load();
		struct fixture f;

		fixture_init(&f, SPE_V1P2);
		f.config.mte = mte;
		fixture_start(&f);
		spe_write(&f.unit, SYSREG_PMSCR_EL1, E1SPE | PA);
		op.tag = 0xfa;
		op.flags |= SPE_OP_TAG_CHECKED;
		fixture_sample(&f, &op);
		eq(f.buffer[27], 0xb3);
		eq(f.buffer[35], mte ? 0xca : 0x80);
		op.flags &= ~SPE_OP_TAG_CHECKED;
		fixture_sample(&f, &op);
		eq(f.buffer[64 + 35], mte ? 0x8a : 0x80);
	}
}

/* RULE("D18.2.7/branch") */
/*
 * RULE("D17.6.3/gcs"), RULE("D17.6.4.5/gcs")
 * FEAT_GCS: a call stores, a return loads: both addresses, and the data of a return a source.
 */
Test(packets, branches_with_data)
{
	for (int gcs = 0; gcs < 2; gcs++) {
		struct spe_op op = branch;
		struct fixture f;

		fixture_init(&f, SPE_V1P4);
		f.config.max_size = 7;
		f.config.align = 0;
		f.config.gcs = gcs;
		fixture_start(&f);
		op.flags |= SPE_OP_LOAD | SPE_OP_VA_VALID;
		op.type_payload = 0x16; /* return, GCS, indirect */
		op.data_va = 0x3000;
		op.data_source = 1;
		fixture_sample(&f, &op);
		if (gcs)
			HOLDS(&f, 0x98, 0, 0, 0x99, 0, 0, 0x9a, 0, 0, 0xb0, 0x00, 0x10, 0, 0, 0, 0,
			      0, 0xa0, 0xb1, 0x00, 0x20, 0, 0, 0, 0, 0, 0xa0, 0xb2, 0x00, 0x30, 0,
			      0, 0, 0, 0, 0, 0x43, 1, 0x4a, 0x16, 0x62, 0x02, 0, 0, 0, 0x01);
		else
			HOLDS(&f, 0x98, 0, 0, 0x99, 0, 0, 0xb0, 0x00, 0x10, 0, 0, 0, 0, 0, 0xa0,
			      0xb1, 0x00, 0x20, 0, 0, 0, 0, 0, 0xa0, 0x4a, 0x12, 0x62, 0x02, 0, 0,
			      0, 0x01);
	}
}

/* PE and SPE features that gate classes of operation types. */
#define G_FPF 0x01u
#define G_CRR 0x02u
#define G_SVE 0x04u
#define G_SME 0x08u
#define G_MTE 0x10u
#define G_GCS 0x20u

/*
 * RULE("D18.2.7/other") RULE("D18.2.7/sve-data") RULE("D18.2.7/sme-array")
 * RULE("D18.2.7/general") RULE("D18.2.7/simd-fp") RULE("D18.2.7/unspecified")
 * RULE("D18.2.7/tag") RULE("D18.2.7/nv2") RULE("D18.2.7/extended")
 * RULE("D18.2.7/sve-memory") RULE("D18.2.7/memory-copy") RULE("D18.2.7/memory-set")
 * RULE("D18.2.7/gcs") RULE("D18.2.7/branch")
 * RULE("D17.6.4/type"), RULE("D17.6.4.1/mte"), RULE("D17.6.4.3/mops"), RULE("ICKWPL"),
 * RULE("RCYBGV"), RULE("RLQXZR"), RULE("RMDBYZ"), RULE("RMJQCL"), RULE("RJCLMP"),
 * RULE("RBHKSC"), RULE("D17.6.8/other")
 * Every class, with its gate and without (D18.2.7).
 */
Test(packets, operation_types)
{
	static const struct {
		enum spe_version version;
		unsigned int gates;
		uint8_t header, payload, expected;
	} table[] = {
		/* other: ASIMD, FP, conditional */
		{SPE_V1P5, 0, 0x48, 0x07, 0x01},
		{SPE_V1P5, G_FPF, 0x48, 0x07, 0x07},
		{SPE_V1P0, G_FPF, 0x48, 0x02, 0x02},
		/* SVE data processing: EVL, predicated, FP */
		{SPE_V1P1, G_SVE, 0x48, 0x3e, 0x3e},
		{SPE_V1P1, 0, 0x48, 0x3e, 0x00},
		{SPE_V1P0, G_SVE, 0x48, 0x3e, 0x00},
		{SPE_V1P1, G_SVE, 0x48, 0x7a, 0x6a}, /* EVL of 7 is SME's */
		{SPE_V1P1, G_SVE | G_SME, 0x48, 0x78, 0x78},
		{SPE_V1P1, G_SME, 0x48, 0x78, 0x00}, /* the class is SVE's */
		{SPE_V1P1, G_SVE, 0x48, 0x3f, 0x3e}, /* no bit 0 */
		/* SME array */
		{SPE_V1P1, G_SME, 0x48, 0xfe, 0xfe},
		{SPE_V1P1, G_SME, 0x48, 0xff, 0xfe},
		{SPE_V1P5, G_SVE, 0x48, 0xfe, 0x00},
		/* loads and stores: general, SIMD&FP, extended */
		{SPE_V1P0, 0, 0x49, 0x00, 0x00},
		{SPE_V1P0, 0, 0x49, 0x01, 0x01},
		{SPE_V1P0, 0, 0x49, 0x04, 0x04},
		{SPE_V1P0, 0, 0x49, 0x05, 0x05},
		{SPE_V1P0, 0, 0x49, 0x02, 0x02},
		{SPE_V1P0, 0, 0x49, 0x1f, 0x1f},
		{SPE_V1P0, 0, 0x49, 0x0e, 0x0e},
		{SPE_V1P5, 0, 0x49, 0xe6, 0x06}, /* it does not have bits 7 to 5 */
		/* unspecified registers */
		{SPE_V1P0, 0, 0x49, 0x11, 0x01},
		{SPE_V1P1, 0, 0x49, 0x11, 0x11},
		/* Allocation Tags */
		{SPE_V1P2, G_MTE, 0x49, 0x14, 0x10},
		{SPE_V1P0, G_MTE, 0x49, 0x15, 0x01},
		{SPE_V1P3, G_MTE, 0x49, 0x15, 0x15},
		{SPE_V1P3, 0, 0x49, 0x15, 0x11},
		/* system registers in memory (NV2) */
		{SPE_V1P0, 0, 0x49, 0x30, 0x30},
		{SPE_V1P5, 0, 0x49, 0x31, 0x31},
		/* Memory Copy, Memory Set */
		{SPE_V1P3, 0, 0x49, 0x20, 0x20},
		{SPE_V1P3, 0, 0x49, 0x21, 0x21},
		{SPE_V1P3, 0, 0x49, 0x25, 0x25},
		{SPE_V1P3, 0, 0x49, 0x24, 0x10}, /* Memory Set stores */
		{SPE_V1P2, 0, 0x49, 0x21, 0x11},
		{SPE_V1P2, 0, 0x49, 0x25, 0x11},
		{SPE_V1P0, 0, 0x49, 0x25, 0x01},
		/* SVE and SME */
		{SPE_V1P1, G_SVE, 0x49, 0xdd, 0xdd},
		{SPE_V1P1, G_SVE, 0x49, 0x08, 0x08},
		{SPE_V1P1, G_SVE, 0x49, 0xdc, 0xd8}, /* predicated loads: from v1p2 */
		{SPE_V1P2, G_SVE, 0x49, 0xdc, 0xdc},
		{SPE_V1P1, G_SVE, 0x49, 0x78, 0x68}, /* EVL of 7 is SME's */
		{SPE_V1P1, G_SME, 0x49, 0x79, 0x79},
		{SPE_V1P0, G_SVE, 0x49, 0xdd, 0x05},
		{SPE_V1P4, 0, 0x49, 0x58, 0x04},
		/* GCS */
		{SPE_V1P4, G_GCS, 0x49, 0x44, 0x44},
		{SPE_V1P4, G_GCS, 0x49, 0x41, 0x41},
		{SPE_V1P3, G_GCS, 0x49, 0x41, 0x11},
		{SPE_V1P4, 0, 0x49, 0x45, 0x11},
		/* reserved */
		{SPE_V1P5, 0, 0x49, 0xa1, 0x11},
		/* branches: CR, GCS, indirect, conditional */
		{SPE_V1P4, G_CRR, 0x4a, 0x1f, 0x1b},
		{SPE_V1P4, G_CRR | G_GCS, 0x4a, 0x16, 0x16},
		{SPE_V1P4, 0, 0x4a, 0x1f, 0x03},
		{SPE_V1P3, G_GCS, 0x4a, 0x07, 0x03},
		{SPE_V1P5, G_CRR, 0x4a, 0xff, 0x1b},
		{SPE_V1P4, G_CRR, 0x4a, 0x01, 0x19}, /* "not recorded" is not permitted */
		{SPE_V1P4, G_CRR, 0x4a, 0x09, 0x09},
	};

	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		const unsigned int gates = table[i].gates;
		struct spe_op op = {.pc = 0x1000,
				    .type_header = table[i].header,
				    .type_payload = table[i].payload,
				    .el = 1};
		struct fixture f;

		fixture_init(&f, table[i].version);
		f.config.max_size = 8;
		f.config.align = 0;
		f.config.eft = f.config.fpf = gates & G_FPF;
		/* features that CRR needs come with it, except where that is tested */
		f.config.crr = gates & G_CRR || table[i].version == SPE_V1P5 ||
			       (gates & G_GCS && table[i].version >= SPE_V1P4);
		f.config.sve = gates & G_SVE;
		f.config.sme = gates & G_SME;
		f.config.mte = gates & G_MTE;
		f.config.gcs = gates & G_GCS;
		fixture_start(&f);
		fixture_sample(&f, &op);
		eq(f.buffer[15], table[i].header);
		cr_assert_eq(f.buffer[16], table[i].expected, "row %zu: 0x%02x", i, f.buffer[16]);
	}
}

/*
 * RULE("D18.2.6/E2") RULE("D18.2.6/E3") RULE("D18.2.6/E4") RULE("D18.2.6/E5")
 * RULE("D18.2.6/E8") RULE("D18.2.6/E9") RULE("D18.2.6/E10") RULE("D18.2.6/E11")
 * RULE("D18.2.6/E16") RULE("D18.2.6/E17") RULE("D18.2.6/E18") RULE("D18.2.6/E19")
 * RULE("D18.2.6/E20") RULE("D18.2.6/E21") RULE("D18.2.6/E22") RULE("D18.2.6/E23")
 * RULE("D18.2.6/E24") RULE("D18.2.6/E25") RULE("D18.2.6/E26-31")
 */
/* Events 24 and 25 are SME's; before v1p4 they could be IMPLEMENTATION DEFINED. */
Test(packets, events_by_feature)
{
	static const struct {
		enum spe_version version;
		bool sve, sme, tme;
		uint64_t optional, expected;
	} table[] = {
		{SPE_V1P0, false, false, false, 0, 0xeb},
		{SPE_V1P1, false, false, false, 0, 0x8eb},
		{SPE_V1P1, true, false, false, 0, 0x608eb},
		{SPE_V1P2, false, true, false, 0, 0x30608eb},
		{SPE_V1P2, false, false, true, 0, 0x108eb},
		{SPE_V1P4, false, false, false, 0, 0x8ff},
		{SPE_V1P4, false, false, false, 0xf80700, 0xf80fff},
		{SPE_V1P3, false, false, false, 0xff000000, 0xff0008eb},
		{SPE_V1P5, true, true, true, UINT64_C(0xffff000000f8f714),
		 UINT64_C(0xffff000003ffffff)},
	};

	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct spe_op op = {.pc = 0x1000,
				    .type_header = 0x48,
				    .el = 1,
				    .events = UINT64_MAX,
				    .flags = SPE_OP_NOT_TAKEN};
		uint64_t events;
		struct fixture f;

		fixture_init(&f, table[i].version);
		f.config.max_size = 8;
		f.config.events_size = 8;
		f.config.events = table[i].optional;
		f.config.sve = table[i].sve;
		f.config.sme = table[i].sme;
		f.config.tme = table[i].tme;
		fixture_start(&f);
		fixture_sample(&f, &op);
		eq(f.buffer[17], 0x72);
		memcpy(&events, f.buffer + 18, 8);
		cr_assert_eq(events, table[i].expected, "row %zu: 0x%llx", i,
			     (unsigned long long)events);
	}
}

/* RULE("D17.6.9/timestamp") PCT with FEAT_ECV: facts, section 9.3. */
Test(packets, timestamps_with_ecv)
{
	enum { V, P, O };
	static const enum spe_timestamp kinds[] = {SPE_TIMESTAMP_VIRTUAL, SPE_TIMESTAMP_PHYSICAL,
						   SPE_TIMESTAMP_OFFSET};
	/* PMSCR_EL2.PCT, PMSCR_EL1.PCT of 00, 01, 10 (reserved: as 00), 11 */
	static const uint8_t owner1[4][4] = {
		{V, V, V, V}, {V, P, V, O}, {V, V, V, V}, {V, O, V, O}};
	static const uint8_t owner2[4][4] = {
		{V, V, V, V}, {P, P, P, P}, {V, V, V, V}, {O, O, O, O}};

	for (uint64_t pct2 = 0; pct2 < 4; pct2++) {
		for (uint64_t pct1 = 0; pct1 < 4; pct1++) {
			for (int owner = 1; owner <= 2; owner++) {
				struct fixture f;

				fixture_init(&f, SPE_V1P2);
				f.config.ecv = true;
				f.controls.features |= SYSREG_FEAT_EL2;
				f.controls.mdcr_el2 = owner == 1 ? E2PB_EL1 : 0;
				fixture_start(&f);
				spe_write(&f.unit, SYSREG_PMSCR_EL2, TS | pct2 << 6);
				spe_write(&f.unit, SYSREG_PMSCR_EL1, E1SPE | TS | pct1 << 6);
				eq(spe_timestamp_kind(&f.unit),
				   kinds[owner == 1 ? owner1[pct2][pct1] : owner2[pct2][pct1]]);
			}
		}
	}
}
