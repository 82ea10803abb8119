/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * record-generator [--all] VERSION|CORE FILE: sample records of every kind, for authors of
 * decoders.
 *
 * There is no CPU: operations are made up, and libvspe makes records of them (Arm ARM D18.2) as the
 * profiling unit of a PE with FEAT_SPE would. FILE gets the bytes of the profiling buffer; standard
 * output says what each record is about, by its PC. The same operations go to every version: what a
 * version has no packet for is left out or reported as the architecture says. --all turns on all
 * the options that VERSION (v1p0 to v1p5) can have; without it they are libvspe's defaults. A CORE
 * (neoverse-n1 and so on) has the options and the layout of records that this core has.
 */
#include <vspe/spe.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Fields of the registers (Arm ARM D24). */
#define PMSCR_E1SPE	    UINT64_C(0x02)
#define PMSCR_CX	    UINT64_C(0x08)
#define PMSCR_PA	    UINT64_C(0x10)
#define PMSCR_TS	    UINT64_C(0x20)
#define PMSIRR_INTERVAL_LSB 8
#define PMBLIMITR_E	    UINT64_C(1)

#define BUFFER	    UINT64_C(0x10000)	 /* where the records would lie */
#define BUFFER_SIZE UINT64_C(0x40000000) /* more than will be written */
#define CODE	    UINT64_C(0xffff800008000000)
#define DATA	    UINT64_C(0xffff000012340000)
#define PHYSICAL    UINT64_C(0x0000000087650000)

struct generator {
	struct spe_unit unit;
	FILE *file;
	uint64_t pc, time;
};

/* spe_host.write: records come one after the other, so that the file needs no seeking. */
static struct spe_write_result write_record(void *ctx, uint8_t owning_el, uint64_t va,
					    const uint8_t *bytes, size_t size)
{
	struct generator *g = ctx;
	struct spe_write_result result = {.status = SPE_WRITE_OK};

	(void)owning_el;
	(void)va;
	result.written = fwrite(bytes, 1, size, g->file);
	if (result.written != size)
		result.status = SPE_WRITE_EXTERNAL_ABORT;
	return result;
}

/*
 * One record of an operation. The interval passes at a stroke: members that are not selected need
 * not be described.
 */
static void emit_record(struct generator *g, struct spe_op op, const char *what, uint64_t value)
{
	if (spe_advance(&g->unit, spe_budget(&g->unit)) != SPE_SELECTED) {
		fprintf(stderr, "record-generator: the profiling unit has stopped\n");
		exit(1);
	}
	op.pc = g->pc;
	g->pc += 4;
	if (!op.timestamp)
		op.timestamp = g->time += 100;
	spe_sample(&g->unit, &op);
	printf("%" PRIx64 " %s %" PRIx64 "\n", op.pc, what, value);
}

/* An ALU instruction; everything below differs from it, or from the next two, in one thing. */
static struct spe_op alu_operation(void)
{
	return (struct spe_op){
		.type_header = SPE_TYPE_OTHER,
		.events = SPE_EVENT_RETIRED,
		.total_latency = 12,
		.issue_latency = 3,
		.alternate_latency = 5,
		.contextidr_el1 = 0x1234,
		.contextidr_el2 = 0x5678,
		.el = 1,
		.target_el = 1,
		.ns = true,
		.target_ns = true,
	};
}

static struct spe_op memory_operation(uint8_t payload)
{
	struct spe_op op = alu_operation();

	op.type_header = SPE_TYPE_MEMORY;
	op.type_payload = payload;
	op.flags = SPE_OP_VA_VALID | SPE_OP_PA_VALID;
	op.flags |= payload & 1 ? SPE_OP_STORE : SPE_OP_LOAD;
	op.data_va = DATA;
	op.data_pa = PHYSICAL;
	op.translation_latency = 2;
	return op;
}

static struct spe_op branch_operation(uint8_t payload, uint64_t target)
{
	struct spe_op op = alu_operation();

	op.type_header = SPE_TYPE_BRANCH;
	op.type_payload = payload;
	op.flags = SPE_OP_BRANCH | SPE_OP_TAKEN;
	op.target = target;
	return op;
}

/* Payloads of Operation Type packets (D18.2.7). A class that a version lacks becomes another. */
static void operation_types(struct generator *g)
{
	static const uint8_t others[] = {
		0x00, /* anything else */
		0x01, /* conditional select or compare */
		0x02, 0x04, 0x06,
		0x07, /* FEAT_SPE_FPF: floating point, Advanced SIMD */
		0x08, 0x0a, 0x0c,
		0x7e,		  /* SVE: 128 bits; FP; predicated; all of it and the longest */
		0x88, 0xd8, 0x8a, /* SME array: 128 bits, longer, FP */
	};
	static const uint8_t memories[] = {
		0x00, 0x04,		      /* general, SIMD&FP registers */
		0x0a, 0x12, 0x06, 0x0e, 0x1e, /* acquire or release, exclusive, atomic */
		0x10,			      /* unspecified registers */
		0x14,			      /* Allocation Tags */
		0x30,			      /* NV2 */
		0x20, 0x24,		      /* Memory Copy, Memory Set */
		0x08, 0x0c, 0x88, 0x5c, 0x78, /* SVE: predicated, gather or scatter, lengths */
		0x40, 0x44,		      /* Guarded Control Stack */
	};
	static const uint8_t branches[] = {
		0x00, 0x01, 0x02, 0x03, /* direct and indirect, conditional or not */
		0x08, 0x0a, 0x12, 0x1a, /* FEAT_SPE_CRR: calls, return, neither */
		0x0e, 0x16,		/* ... with a Guarded Control Stack */
	};
	struct spe_op op;

	for (size_t i = 0; i < sizeof(others); i++) {
		op = alu_operation();
		op.type_payload = others[i];
		emit_record(g, op, "other", others[i]);
	}
	for (size_t i = 0; i < sizeof(memories); i++) {
		emit_record(g, memory_operation(memories[i]), "load", memories[i]);
		if (memories[i] != 0x24) /* Memory Set only stores */
			emit_record(g, memory_operation(memories[i] | 1), "store", memories[i] | 1);
	}
	emit_record(g, memory_operation(0x25), "store", 0x25);
	for (size_t i = 0; i < sizeof(branches); i++) {
		op = branch_operation(branches[i], CODE + 0x100);
		emit_record(g, op, "taken branch", branches[i]);
	}
	op = branch_operation(0x01, 0);
	op.flags = SPE_OP_BRANCH | SPE_OP_NOT_TAKEN;
	emit_record(g, op, "branch not taken", 1);
}

/* Each event, reported by those versions and options that have it. */
static void emit_events(struct generator *g)
{
	for (unsigned int bit = 0; bit < 64; bit++) {
		struct spe_op op = alu_operation();

		op.events |= UINT64_C(1) << bit;
		emit_record(g, op, "event", bit);
	}
	struct spe_op op = memory_operation(0x00);

	op.events |= SPE_EVENT_EXCEPTION;
	emit_record(g, op, "load that took an exception", 0);
}

/* Counters at and beyond what they can say, and those that are left to the implementation. */
static void emit_counters(struct generator *g)
{
	static const uint16_t values[] = {0, 1, 0xfff, 0x1000, 0xffff};

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		struct spe_op op = memory_operation(0x00);

		op.total_latency = op.issue_latency = values[i];
		op.translation_latency = op.alternate_latency = values[i];
		emit_record(g, op, "latencies", values[i]);
	}
	for (unsigned int first = 16; first < 32; first += 4) {
		const struct spe_extra extra[] = {
			{false, 6, 66},
			{false, 7, 77},
			{false, (uint8_t)first, first},
			{false, (uint8_t)(first + 3), 0x10000},
			{true, 6, 0x666},
			{true, 7, 0x777},
			{true, (uint8_t)first, DATA + first},
			{true, (uint8_t)(first + 3), UINT64_MAX},
		};
		struct spe_op op = alu_operation();

		op.extra = extra;
		op.extra_count = sizeof(extra) / sizeof(extra[0]);
		emit_record(g, op, "implementation defined packets", first);
	}
}

static void emit_addresses(struct generator *g)
{
	struct spe_op op;

	for (unsigned int state = 0; state < 16; state++) {
		op = branch_operation(0x02, CODE + 0x200 + 4 * state);
		op.el = state >> 2;
		op.ns = state & 1;
		op.nse = state >> 1 & 1;
		op.target_el = 3 - op.el;
		op.target_ns = !op.ns;
		op.target_nse = op.nse;
		emit_record(g, op, "branch from el<<2|nse<<1|ns to others", state);
	}
	for (unsigned int tag = 0; tag < 16; tag += 5) {
		op = memory_operation(0x01);
		op.data_va = (uint64_t)tag << 56 | 0x00001234567890; /* the top byte is kept */
		op.tag = (uint8_t)tag;
		op.flags |= tag & 1 ? SPE_OP_TAG_CHECKED : 0;
		op.ns = !(tag & 2);
		emit_record(g, op, "data address with tag", tag);
	}
	op = memory_operation(0x00);
	op.flags &= ~SPE_OP_PA_VALID;
	emit_record(g, op, "data address without a physical one", 0);
	op.flags &= ~SPE_OP_VA_VALID;
	emit_record(g, op, "load without an address", 0);
	for (unsigned int bit = 0; bit < 16; bit++) {
		op = memory_operation(0x00);
		op.data_source = (uint16_t)(1u << bit | 3);
		emit_record(g, op, "data source", op.data_source);
	}
}

/* A record ends with a Timestamp or an End packet, and begins with contexts if they are wanted. */
static void emit_ends(struct generator *g)
{
	static const uint64_t times[] = {0x00ffffff, 0x123456789, UINT64_C(0x0123456789abcdef)};
	const uint64_t pmscr = spe_read(&g->unit, SYSREG_PMSCR_EL1);

	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		struct spe_op op = alu_operation();

		op.timestamp = times[i];
		op.contextidr_el1 = (uint32_t)times[i];
		op.contextidr_el2 = (uint32_t)~times[i];
		emit_record(g, op, "time", times[i]);
	}
	spe_write(&g->unit, SYSREG_PMSCR_EL1, pmscr & ~PMSCR_TS);
	emit_record(g, alu_operation(), "no time", 0);
	spe_write(&g->unit, SYSREG_PMSCR_EL1, pmscr & ~(PMSCR_TS | PMSCR_CX | PMSCR_PA));
	emit_record(g, memory_operation(0), "no time, no context, no physical address", 0);
	spe_write(&g->unit, SYSREG_PMSCR_EL1, pmscr);
	if (spe_follows_branches(&g->unit)) {
		const struct spe_target from = {.va = CODE + 0x300, .el = 1, .ns = true};

		spe_branch(&g->unit, SPE_BRANCH_TAKEN, &from);
		emit_record(g, branch_operation(0x00, CODE + 0x400),
			    "branch with its previous target", from.va);
	}
}

/* All that a version can have: see struct spe_config. */
static void all_options(struct spe_config *config)
{
	const bool v1p1 = config->version >= SPE_V1P1, v1p2 = config->version >= SPE_V1P2;
	const bool v1p4 = config->version >= SPE_V1P4;

	config->sve = config->mte = config->tme = true;
	config->sme = v1p1;
	config->pbt = v1p2;
	config->crr = config->fds = config->gcs = v1p4;
	config->eft = config->fpf = true;
	config->altclk = 1;
	config->count_size = 16;
	config->source_size = 2;
	config->events_size = 8;
	config->extra_packets = SPE_EXTRA_MAX;
	config->extended_headers = false;
	config->max_size = 8;
	config->events |= UINT64_C(0xffff) << 48 | 0xf << 12 | 0x7 << 8;
	config->events |= v1p4 ? 0x1f << 19 : UINT64_C(0x3f) << 26;
}

/* By the name of a version or a core. False: there is none of that name. */
static bool configure(struct spe_config *config, const char *name)
{
	const struct spe_core *core = spe_core_find(name);

	if (core)
		spe_config_core(config, core, core->version);
	else if (strncmp(name, "v1p", 3) == 0 && strlen(name) == 4)
		spe_config_defaults(config, (enum spe_version)(SPE_V1P0 + (name[3] - '0')));
	else
		return false;
	/* There is nothing to translate addresses, nor to take exceptions. */
	config->nvm = config->exc = false;
	config->incomplete = true;
	return true;
}

static void enable_unit(struct generator *g, const struct spe_config *config)
{
	/* EL1 profiles itself, with an EL2 above it that owns nothing and lets it. */
	const struct sysreg_controls controls = {
		.features = spe_config_features(config) | SYSREG_FEAT_EL2,
		.el = 1,
		.mdcr_el2 = UINT64_C(3) << SYSREG_MDCR_EL2_E2PB_LSB,
	};

	spe_write(&g->unit, SYSREG_PMSIRR_EL1, UINT64_C(1) << PMSIRR_INTERVAL_LSB);
	spe_write(&g->unit, SYSREG_PMSCR_EL2, PMSCR_CX | PMSCR_PA);
	spe_write(&g->unit, SYSREG_PMSCR_EL1, PMSCR_E1SPE | PMSCR_CX | PMSCR_PA | PMSCR_TS);
	spe_write(&g->unit, SYSREG_PMBPTR_EL1, BUFFER);
	spe_write(&g->unit, SYSREG_PMBLIMITR_EL1, (BUFFER + BUFFER_SIZE) | PMBLIMITR_E);
	spe_update(&g->unit, &controls);
}

int main(int argc, char **argv)
{
	const bool all = argc == 4 && !strcmp(argv[1], "--all");
	struct generator g = {.pc = CODE};
	const struct spe_host host = {.ctx = &g, .write = write_record};
	struct spe_config config;
	const char *field;
	int error;

	if (argc != 3 + all || !configure(&config, argv[1 + all])) {
		fprintf(stderr, "usage: record-generator [--all] v1p0...v1p5|CORE FILE\n");
		return 2;
	}
	if (all)
		all_options(&config);
	error = spe_config_check(&config, &field);
	if (error) {
		fprintf(stderr, "record-generator: %s: %s: %s\n", argv[1 + all], field,
			spe_strerror(error));
		return 2;
	}
	g.file = fopen(argv[2 + all], "wb");
	if (!g.file || spe_init(&g.unit, sizeof(g.unit), &config, &host)) {
		perror(argv[2 + all]);
		return 2;
	}
	enable_unit(&g, &config);
	operation_types(&g);
	emit_events(&g);
	emit_counters(&g);
	emit_addresses(&g);
	emit_ends(&g);
	if (fclose(g.file)) {
		perror(argv[2 + all]);
		return 1;
	}
	return 0;
}
