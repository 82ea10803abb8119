/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Layouts of records and cores by name (docs/cores.md): the order of the packets and the padding
 * among them, byte for byte as published dumps have them, and what does not go with a layout.
 */
#include "../../array.h"
#include "fixture.h"

#define ZEROS_3	 0, 0, 0
#define ZEROS_5	 0, 0, 0, 0, 0
#define ZEROS_9	 ZEROS_5, 0, 0, 0, 0
#define ZEROS_16 ZEROS_9, ZEROS_5, 0, 0

/* A unit of a core, at EL1, with an EL2 above that owns nothing; timestamps if they are wanted. */
static void start(struct fixture *f, const char *core, uint64_t pmscr_el1, uint64_t pmscr_el2)
{
	fixture_init(f, SPE_V1P0);
	spe_config_core(&f->config, spe_core_find(core), spe_core_find(core)->version);
	f->controls.features = spe_config_features(&f->config) | SYSREG_FEAT_EL2;
	f->controls.mdcr_el2 = E2PB_EL1;
	fixture_start(f);
	spe_write(&f->unit, SYSREG_PMSCR_EL2, pmscr_el2);
	spe_write(&f->unit, SYSREG_PMSCR_EL1, E1SPE | pmscr_el1);
}

/* The load of google/perf_data_converter, src/quipper/arm_spe_decoder_test.cc. */
static struct spe_op published_load(void)
{
	return (struct spe_op){
		.pc = 0xffffba66eda1c2d0,
		.data_va = 0xffff0e3703096b28,
		.timestamp = 44731163950,
		.events = 0x16,
		.contextidr_el2 = 0x5f80,
		.flags = SPE_OP_LOAD | SPE_OP_VA_VALID,
		.total_latency = 12,
		.issue_latency = 4,
		.translation_latency = 1,
		.type_header = SPE_TYPE_MEMORY,
		.el = 2,
		.ns = true,
	};
}

/* ... and its branch, which is not taken, and has a target all the same. */
static struct spe_op published_branch(void)
{
	return (struct spe_op){
		.pc = 0xffffba66edefb0e0,
		.timestamp = 44731164045,
		.events = 0x02,
		.contextidr_el2 = 0xe,
		.flags = SPE_OP_BRANCH | SPE_OP_NOT_TAKEN,
		.total_latency = 17,
		.issue_latency = 16,
		.type_header = SPE_TYPE_BRANCH,
		.type_payload = SPE_TYPE_CONDITIONAL,
		.el = 2,
		.ns = true,
	};
}

/* RULE("D18.1.2/records") */
Test(layout, neoverse_n1_load_as_published)
{
	struct spe_op op = published_load();
	struct fixture f;

	start(&f, "neoverse-n1", TS, CX);
	fixture_sample(&f, &op);
	HOLDS(&f, 0xb0, 0xd0, 0xc2, 0xa1, 0xed, 0x66, 0xba, 0xff, 0xc0, ZEROS_5, 0x65, 0x80, 0x5f,
	      0, 0, 0x49, 0, 0x52, 0x16, 0, 0x99, 4, 0, 0x98, 12, 0, 0xb2, 0x28, 0x6b, 0x09, 0x03,
	      0x37, 0x0e, 0xff, 0, 0x9a, 1, 0, ZEROS_9, 0x43, 0, 0, 0, 0x71, 0x2e, 0x65, 0x2f, 0x6a,
	      0x0a, 0, 0, 0);
}

/* RULE("D18.2.1/target") */
Test(layout, neoverse_n1_branch_as_published)
{
	struct spe_op op = published_branch();
	struct fixture f;

	start(&f, "neoverse-n1", TS, CX);
	fixture_sample(&f, &op);
	HOLDS(&f, 0xb0, 0xe0, 0xb0, 0xef, 0xed, 0x66, 0xba, 0xff, 0xc0, ZEROS_5, 0x65, 0x0e, 0, 0,
	      0, 0x4a, 1, 0x52, 0x42, 0, 0x99, 16, 0, 0x98, 17, 0, 0xb1, 0xe4, 0xb0, 0xef, 0xed,
	      0x66, 0xba, 0xff, 0xc0, ZEROS_16, 0x71, 0x8d, 0x65, 0x2f, 0x6a, 0x0a, 0, 0, 0);
}

/* A load with a physical address on Ampere Altra, which is of Neoverse N1 cores. */
Test(layout, neoverse_n1_physical_address)
{
	struct spe_op op = published_load();
	struct fixture f;

	op.flags |= SPE_OP_PA_VALID;
	op.data_pa = 0x403f71d79e50;
	op.data_source = 12;
	start(&f, "neoverse-n1", TS | PA, PA);
	fixture_sample(&f, &op);
	HOLDS(&f, 0xb0, 0xd0, 0xc2, 0xa1, 0xed, 0x66, 0xba, 0xff, 0xc0, ZEROS_5, ZEROS_5, 0x49, 0,
	      0x52, 0x16, 0, 0x99, 4, 0, 0x98, 12, 0, 0xb2, 0x28, 0x6b, 0x09, 0x03, 0x37, 0x0e,
	      0xff, 0, 0x9a, 1, 0, 0xb3, 0x50, 0x9e, 0xd7, 0x71, 0x3f, 0x40, 0, 0x80, 0x43, 12, 0,
	      0, 0x71, 0x2e, 0x65, 0x2f, 0x6a, 0x0a, 0, 0, 0);
}

/*
 * struct spe_record_raw of aws/aperf (src/hotline/perf_interface.h): Events have four bytes, and
 * there is no room for padding before the timestamp.
 */
Test(layout, neoverse_v1_has_longer_events)
{
	struct spe_op op = published_load();
	struct fixture f;

	op.flags |= SPE_OP_PA_VALID;
	op.data_pa = 0x403f71d79e50;
	op.data_source = 12;
	op.contextidr_el1 = 0xa1b2c3d4;
	start(&f, "neoverse-v1", TS | PA | CX, PA | CX);
	fixture_sample(&f, &op);
	HOLDS(&f, 0xb0, 0xd0, 0xc2, 0xa1, 0xed, 0x66, 0xba, 0xff, 0xc0, 0x64, 0xd4, 0xc3, 0xb2,
	      0xa1, 0x65, 0x80, 0x5f, 0, 0, 0x49, 0, 0x62, 0x16, 0, 0, 0, 0x99, 4, 0, 0x98, 12, 0,
	      0xb2, 0x28, 0x6b, 0x09, 0x03, 0x37, 0x0e, 0xff, 0, 0x9a, 1, 0, 0xb3, 0x50, 0x9e, 0xd7,
	      0x71, 0x3f, 0x40, 0, 0x80, 0x43, 12, 0x71, 0x2e, 0x65, 0x2f, 0x6a, 0x0a, 0, 0, 0);
}

/* Without a timestamp the record has an End packet in its last byte. */
Test(layout, neoverse_records_without_a_timestamp)
{
	struct spe_op op = {.type_header = SPE_TYPE_OTHER, .events = 2};
	struct fixture f;

	start(&f, "neoverse-n1", 0, 0);
	fixture_sample(&f, &op);
	HOLDS(&f, 0xb0, 0, 0, 0, 0, 0, 0, 0, 0, ZEROS_5, ZEROS_5, 0x48, 0, 0x52, 2, 0, 0x99, 0, 0,
	      0x98, 0, 0, ZEROS_9, ZEROS_3, ZEROS_9, 0, 0, ZEROS_9, 0, 0x01);
}

/* The dump of "vSPE support" for QEMU (qemu-devel, 2020): a load of 44 bytes, an ALU operation of
 * 32; and of "perf arm-spe: Fix sample time" (linux-perf-users, 2022): a branch of 44. */
Test(layout, kunpeng_920_as_published)
{
	struct spe_op load = {.pc = 0xffff80001029d3f4,
			      .data_va = 0xffff000070d840d0,
			      .timestamp = 86447955877,
			      .events = 0x16,
			      .flags = SPE_OP_LOAD | SPE_OP_VA_VALID,
			      .total_latency = 13,
			      .issue_latency = 11,
			      .translation_latency = 1,
			      .type_header = SPE_TYPE_MEMORY,
			      .el = 1,
			      .ns = true},
		      other = {.pc = 0xffff80001029f97c,
			       .timestamp = 86447955951,
			       .events = 2,
			       .total_latency = 3,
			       .issue_latency = 2,
			       .type_header = SPE_TYPE_OTHER,
			       .el = 1,
			       .ns = true},
		      branch = {.pc = 0xfffd6ce72930,
				.timestamp = 7969191790314,
				.events = 2,
				.flags = SPE_OP_BRANCH | SPE_OP_NOT_TAKEN,
				.total_latency = 12,
				.issue_latency = 11,
				.type_header = SPE_TYPE_BRANCH,
				.type_payload = SPE_TYPE_CONDITIONAL,
				.ns = true};
	struct fixture f;

	start(&f, "kunpeng920", TS, 0);
	fixture_sample(&f, &load);
	HOLDS(&f, 0xb0, 0xf4, 0xd3, 0x29, 0x10, 0, 0x80, 0xff, 0xa0, 0x99, 11, 0, 0x98, 13, 0, 0x52,
	      0x16, 0, 0x49, 0, 0xb2, 0xd0, 0x40, 0xd8, 0x70, 0, 0, 0xff, 0, 0x9a, 1, 0, ZEROS_3,
	      0x71, 0xa5, 0x1f, 0xb3, 0x20, 0x14, 0, 0, 0);
	start(&f, "kunpeng920", TS, 0);
	fixture_sample(&f, &other);
	HOLDS(&f, 0xb0, 0x7c, 0xf9, 0x29, 0x10, 0, 0x80, 0xff, 0xa0, 0x99, 2, 0, 0x98, 3, 0, 0x52,
	      2, 0, 0x48, 0, ZEROS_3, 0x71, 0xef, 0x1f, 0xb3, 0x20, 0x14, 0, 0, 0);
	start(&f, "kunpeng920", TS, 0);
	fixture_sample(&f, &branch);
	HOLDS(&f, 0xb0, 0x30, 0x29, 0xe7, 0x6c, 0xfd, 0xff, 0, 0x80, 0x99, 11, 0, 0x98, 12, 0, 0x52,
	      0x42, 0, 0x4a, 1, 0xb1, 0x34, 0x29, 0xe7, 0x6c, 0xfd, 0xff, 0, 0x80, ZEROS_3, ZEROS_3,
	      0x71, 0xea, 0x86, 0xd8, 0x78, 0x3f, 0x07, 0, 0);
}

/* RULE("D18.2.3/issue") */
/* The dump of the commit that brought SPE to perf (2018). */
Test(layout, fvp_as_published)
{
	struct spe_op load = {.pc = 0xffff00000815c400,
			      .data_va = 0xffff00000f293bc0,
			      .data_pa = 0xfb24ebc0,
			      .timestamp = 39395093558,
			      .events = 0x16,
			      .flags = SPE_OP_LOAD | SPE_OP_VA_VALID | SPE_OP_PA_VALID,
			      .type_header = SPE_TYPE_MEMORY,
			      .el = 1,
			      .ns = true};
	struct fixture f;

	start(&f, "fvp", TS | PA, PA);
	fixture_sample(&f, &load);
	/* The PC's state is not what the dump has there: 0xff is no state of D18.2.1. */
	HOLDS(&f, 0x49, 0, 0xb2, 0xc0, 0x3b, 0x29, 0x0f, 0, 0, 0xff, 0xff, 0xb3, 0xc0, 0xeb, 0x24,
	      0xfb, 0, 0, 0, 0x80, 0x9a, 0, 0, 0x42, 0x16, 0xb0, 0, 0xc4, 0x15, 0x08, 0, 0, 0xff,
	      0xa0, 0x98, 0, 0, 0x71, 0x36, 0x6c, 0x21, 0x2c, 9, 0, 0, 0);
}

/* RULE("D18.2.1/data-virtual") */
/* A tag stays in the top byte; what only repeats bit 55 does not, in the layouts of real cores. */
Test(layout, the_top_byte_of_a_data_address)
{
	static const struct {
		const char *core;
		uint64_t va, shown;
	} table[] = {
		{"neoverse-n1", 0xffff0e3703096b28, 0x00ff0e3703096b28},
		{"neoverse-n1", 0x5a000e3703096b28, 0x5a000e3703096b28},
		{"neoverse-n1", 0x00ff0e3703096b28, 0x00ff0e3703096b28},
		{"neoverse-n1", 0xff000e3703096b28, 0xff000e3703096b28},
		{"neoverse-n1", 0x00000e3703096b28, 0x00000e3703096b28},
		{"fvp", 0xffff0e3703096b28, 0xffff0e3703096b28},
		{"generic", 0xffff0e3703096b28, 0xffff0e3703096b28},
	};

	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct spe_op op = published_load();
		struct fixture f;
		uint64_t shown = 0;
		size_t at = 0;

		op.data_va = table[i].va;
		start(&f, table[i].core, TS, 0);
		fixture_sample(&f, &op);
		while (f.buffer[at] != 0xb2)
			at += f.buffer[at] < 0x20 ? 1 : 1 + ((size_t)1 << (f.buffer[at] >> 4 & 3));
		memcpy(&shown, f.buffer + at + 1, 8);
		eq(shown, table[i].shown);
	}
}

/* Padding before the end goes by the alignment, whatever that is. */
Test(layout, the_end_of_a_record_is_aligned)
{
	struct spe_op op = published_load();

	for (uint8_t align = 0; align <= 11; align++) {
		struct fixture f;
		size_t size = (size_t)1 << align, record;

		fixture_init(&f, SPE_V1P0);
		spe_config_core(&f.config, spe_core_find("kunpeng920"), SPE_V1P0);
		f.config.max_size = 11;
		f.config.align = align;
		fixture_start(&f);
		spe_write(&f.unit, SYSREG_PMSCR_EL1, E1SPE | TS);
		fixture_sample(&f, &op);
		record = (41 + size - 1) / size * size;
		eq(fixture_read(&f, SYSREG_PMBPTR_EL1), BUFFER_VA + record);
		eq(f.buffer[record - 9], 0x71);
		for (size_t i = 32; i < record - 9; i++)
			eq(f.buffer[i], 0);
	}
}

static void refused(const struct spe_config *config, int error, const char *name)
{
	const char *field = "nothing";

	eq(spe_config_check(config, &field), -error);
	cr_assert_str_eq(field, name);
}

#define REFUSED(core, member, value, error)                                               \
	do {                                                                              \
		struct spe_config bad;                                                    \
		spe_config_core(&bad, spe_core_find(core), spe_core_find(core)->version); \
		bad.member = (value);                                                     \
		refused(&bad, error, #member);                                            \
	} while (0)

Test(layout, what_has_no_place_is_refused)
{
	static const char *const cores[] = {"neoverse-n1", "neoverse-v2", "kunpeng920", "fvp"};
	struct spe_config config;

	for (size_t i = 0; i < 4; i++) {
		REFUSED(cores[i], altclk, 1, SPE_ELAYOUT);
		REFUSED(cores[i], extra_packets, 1, SPE_ELAYOUT);
		REFUSED(cores[i], extended_headers, true, SPE_ELAYOUT);
		spe_config_core(&config, spe_core_find(cores[i]), SPE_V1P5);
		refused(&config, SPE_ELAYOUT, "pbt");
		config.pbt = false;
		eq(spe_config_check(&config, NULL), 0);
		config.gcs = true;
		refused(&config, SPE_ELAYOUT, "gcs");
		config.gcs = false;
		config.layout = (enum spe_layout)4;
		refused(&config, SPE_ECHOICE, "layout");
	}
	REFUSED("kunpeng920", lds, true, SPE_ELAYOUT);
	REFUSED("fvp", lds, true, SPE_ELAYOUT);
	REFUSED("neoverse-n1", source_size, 2, SPE_ELAYOUT);
	REFUSED("neoverse-n1", max_size, 7, SPE_ELAYOUTSIZE);
	REFUSED("neoverse-n1", align, 5, SPE_ELAYOUTSIZE);
	spe_config_core(&config, spe_core_find("neoverse-v1"), SPE_V1P1);
	config.events_size = 8;
	refused(&config, SPE_EMAXSIZE, "max_size");
	/* A Guarded Control Stack before v1p4 has no packets. */
	spe_config_core(&config, spe_core_find("neoverse-n1"), SPE_V1P2);
	config.gcs = true;
	eq(spe_config_check(&config, NULL), 0);
}

Test(layout, cores_are_found_by_their_names)
{
	struct spe_config config, defaults;
	unsigned int count = 0;

	for (const struct spe_core *core; (core = spe_core(count)); count++) {
		cr_assert_eq(spe_core_find(core->name), core, "%s", core->name);
		cr_assert_str_neq(core->what, "");
		spe_config_core(&config, core, core->version);
		eq(spe_config_check(&config, NULL), 0);
		eq(config.version, core->version);
	}
	eq(count, 7);
	cr_assert_null(spe_core(UINT32_MAX));
	cr_assert_null(spe_core_find(""));
	cr_assert_null(spe_core_find("neoverse"));
	cr_assert_null(spe_core_find("neoverse-n12"));
	cr_assert_null(spe_core_find("Neoverse-n1"));
	cr_assert_eq(spe_core(0), spe_core_find("generic"));
	for (enum spe_version v = SPE_V1P0; v <= SPE_V1P5; v++) {
		memset(&config, 0, sizeof(config));
		memset(&defaults, 0, sizeof(defaults));
		spe_config_core(&config, spe_core(0), v);
		spe_config_defaults(&defaults, v);
		cr_assert_arr_eq(&config, &defaults, sizeof(config));
	}
}

/* PMSIDR_EL1 and PMBIDR_EL1 as what is known of the core makes them (docs/cores.md). */
Test(layout, id_registers_of_cores)
{
	static const struct {
		const char *name;
		uint32_t midr;
		unsigned int version;
		uint64_t pmsidr, align;
	} table[] = {
		{"neoverse-n1", 0x414fd0c1, 1, 0x26417, 6},
		{"neoverse-v1", 0x411fd402, 2, 0x26417, 6},
		{"neoverse-n2", 0x410fd493, 2, 0x26417, 6},
		{"neoverse-v2", 0x410fd4f0, 2, 0x26417, 6},
		{"kunpeng920", 0x481fd010, 1, 0x27007, 2},
		{"fvp", 0x410fd0f0, 1, 0x2600f, 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct fixture f;

		start(&f, table[i].name, 0, 0);
		eq(spe_core_find(table[i].name)->midr, table[i].midr);
		eq(spe_config_id_aa64dfr0(&f.config) >> 32, table[i].version);
		eq(fixture_read(&f, SYSREG_PMSIDR_EL1), table[i].pmsidr);
		eq(fixture_read(&f, SYSREG_PMBIDR_EL1) & 15, table[i].align);
	}
}
