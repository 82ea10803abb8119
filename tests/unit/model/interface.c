/* SPDX-License-Identifier: BSD-2-Clause */
/* The machine model as an embedder has it: through vspe/model.h alone. */
#include <stdlib.h>

#include <vspe/model.h>
#include <vspe/pmu.h>

#include "../compare.h"

#define LINE	64u
#define CODE_PA UINT64_C(0x40000000)
#define DATA_PA UINT64_C(0x80000000)
#define TABLES	UINT64_C(0x7f000000)

/* docs/model.md: the built-in model. */
#define L1D_LATENCY  4
#define L2_LATENCY   11
#define LLC_LATENCY  40
#define DRAM_LATENCY 200

static struct spe_model *make(const struct spe_model_config *config, unsigned int cores)
{
	const size_t size = spe_model_size(config, cores);
	struct spe_model *model = NULL;

	cr_assert_gt(size, 0);
	cr_assert_eq(spe_model_init(malloc(size), size, config, cores, &model), 0);
	return model;
}

static struct spe_model *make_built_in(unsigned int cores)
{
	struct spe_model_config config;

	spe_model_config_defaults(&config, NULL);
	return make(&config, cores);
}

static struct spe_op access_op(uint32_t flags, uint64_t pa)
{
	return (struct spe_op){
		.pc = CODE_PA,
		.flags = flags | SPE_OP_VA_VALID | SPE_OP_PA_VALID,
		.events = SPE_EVENT_RETIRED,
		.data_va = pa,
		.data_pa = pa,
	};
}

static struct spe_op load(struct spe_model *model, unsigned int core, uint64_t pa)
{
	const struct spe_model_facts facts = {.place = SPE_MODEL_RAM, .size = 8};
	struct spe_op op = access_op(SPE_OP_LOAD, pa);

	spe_model_alone(model, core, &facts, &op);
	return op;
}

static void store(struct spe_model *model, unsigned int core, uint64_t pa)
{
	const struct spe_model_facts facts = {.place = SPE_MODEL_RAM, .size = 8};
	const struct spe_op op = access_op(SPE_OP_STORE, pa);

	spe_model_warm(model, core, &facts, &op);
}

/* Line n of a ring, in an order that the prefetcher does not follow: 64 lines by their reversed
 * bits. */
static uint64_t ring(uint64_t n)
{
	uint64_t low = 0;

	for (unsigned int bit = 0; bit < 6; bit++)
		low |= (n >> bit & 1) << (5 - bit);
	return DATA_PA + LINE * ((n & ~UINT64_C(63)) | low);
}

/* A ring of pointers, a line each, that is followed twice: where the second time finds them. */
Test(model_interface, chase)
{
	static const struct {
		uint64_t size;
		unsigned int source, latency;
		uint64_t events;
	} rows[] = {
		{16u << 10, SPE_MODEL_FROM_L1D, L1D_LATENCY, 0},
		{256u << 10, SPE_MODEL_FROM_L2, L2_LATENCY, SPE_EVENT_L1D_REFILL},
		{8u << 20, SPE_MODEL_FROM_SYSTEM_CACHE, LLC_LATENCY, SPE_EVENT_L1D_REFILL | 1 << 8},
		{64u << 20, SPE_MODEL_FROM_DRAM, DRAM_LATENCY,
		 SPE_EVENT_L1D_REFILL | 1 << 8 | 1 << 9},
	};

	for (unsigned int row = 0; row < ARRAY_SIZE(rows); row++) {
		const uint64_t shown = SPE_EVENT_L1D_REFILL | 1 << 8 | 1 << 9;
		struct spe_model *model = make_built_in(1);
		unsigned int wrong = 0;

		for (uint64_t n = 0; n < rows[row].size / LINE; n++)
			(void)load(model, 0, ring(n));
		for (uint64_t n = 0; n < rows[row].size / LINE && wrong < 3; n++) {
			const struct spe_op op = load(model, 0, ring(n));
			const unsigned int cycles =
				op.total_latency - op.issue_latency - op.translation_latency;

			wrong += op.data_source != rows[row].source;
			cr_expect_eq(op.data_source, rows[row].source, "row %u", row);
			cr_expect_eq(cycles, rows[row].latency, "row %u", row);
			cr_expect_eq(op.events & shown, rows[row].events, "row %u", row);
			cr_expect(op.events & SPE_EVENT_L1D_ACCESS);
			cr_expect(op.events & SPE_EVENT_RETIRED);
		}
		free(model);
	}
}

Test(model_interface, other_cores_and_maintenance)
{
	struct spe_model_sys sys = {
		.encoding = sysreg_encode(1, 3, 7, 14, 1), /* DC CIVAC */
		.pa = DATA_PA,
	};
	struct spe_model *model = make_built_in(8);

	store(model, 0, DATA_PA);
	cr_expect_eq(load(model, 1, DATA_PA).data_source, SPE_MODEL_FROM_PEER_CORE);
	store(model, 1, DATA_PA);
	cr_expect_eq(load(model, 5, DATA_PA).data_source, SPE_MODEL_FROM_PEER_CLUSTER);
	cr_expect(spe_model_sys(model, 0, &sys));
	cr_expect_eq(load(model, 5, DATA_PA).data_source, SPE_MODEL_FROM_L1D, "no address");
	sys.pa_valid = true;
	cr_expect(spe_model_sys(model, 0, &sys));
	cr_expect_eq(load(model, 5, DATA_PA).data_source, SPE_MODEL_FROM_DRAM);
	sys.encoding = sysreg_encode(1, 3, 7, 4, 1); /* DC ZVA */
	cr_expect_not(spe_model_sys(model, 0, &sys));
	free(model);
}

/* Where data comes from without a record: of two lines, the farther. */
Test(model_interface, warmed)
{
	struct spe_model_facts facts = {.place = SPE_MODEL_RAM, .size = 8};
	struct spe_op op = access_op(SPE_OP_LOAD, DATA_PA);
	struct spe_model *model = make_built_in(1);

	cr_expect_eq(spe_model_warm(model, 0, &facts, &op), SPE_MODEL_FROM_DRAM);
	cr_expect_eq(spe_model_warm(model, 0, &facts, &op), SPE_MODEL_FROM_L1D);
	op.data_pa += LINE - 4;
	cr_expect_eq(spe_model_warm(model, 0, &facts, &op), SPE_MODEL_FROM_DRAM);
	cr_expect_eq(spe_model_warm(model, 0, &facts, &op), SPE_MODEL_FROM_L1D);
	facts.place = SPE_MODEL_DEVICE;
	op.data_pa += 4 * LINE;
	cr_expect_eq(spe_model_warm(model, 0, &facts, &op), SPE_MODEL_FROM_L1D);
	free(model);
}

static unsigned int walks;

static void walk(void *ctx, uint64_t va, bool data, struct spe_model_walk *walk)
{
	cr_expect_eq(*(const int *)ctx, 1234);
	cr_expect(data);
	walk->count = 4;
	for (unsigned int n = 0; n < 4; n++)
		walk->descriptors[n] = TABLES + 0x100000 * n + (va >> (39 - 9 * n)) % 512 * 8;
	walk->shift = 12;
	walks++;
}

/* What a load that tables translate takes. */
static unsigned int translation(struct spe_model *model, uint64_t va)
{
	static const int known = 1234;
	const struct spe_model_facts facts = {
		.place = SPE_MODEL_RAM,
		.size = 8,
		.data_tables = true,
		.ctx = (void *)&known,
		.walk = walk,
	};
	struct spe_op op = access_op(SPE_OP_LOAD, va);

	spe_model_alone(model, 0, &facts, &op);
	cr_expect_eq(!!(op.events & SPE_EVENT_TLB_REFILL), op.translation_latency > 5);
	return op.translation_latency;
}

/* docs/model.md: dtlb.latency is 1, l2tlb.latency 5; a first walk reads four lines of memory. */
Test(model_interface, translation)
{
	const struct spe_model_tlbi by_asid = {
		.regimes = 1 << SPE_MODEL_EL10, .asid = 7, .by_asid = true};
	struct spe_model_sys sys = {.encoding = sysreg_encode(1, 0, 8, 3, 0)}; /* TLBI VMALLE1IS */
	struct spe_model *model = make_built_in(2);
	uint64_t count = 0;

	spe_model_context(model, 0, SPE_MODEL_EL10, 7, 0, 0);
	cr_expect_eq(translation(model, DATA_PA), 5 + 4 * DRAM_LATENCY);
	cr_expect_eq(translation(model, DATA_PA), 1);
	spe_model_context(model, 0, SPE_MODEL_EL10, 8, 0, 0);
	cr_expect_eq(translation(model, DATA_PA), 5 + 4 * L2_LATENCY, "of another ASID");
	spe_model_context(model, 0, SPE_MODEL_EL10, 7, 0, 0);
	cr_expect_eq(translation(model, DATA_PA), 1);
	spe_model_tlbi(model, 0, &by_asid);
	cr_expect_eq(translation(model, DATA_PA), 5 + 4 * L2_LATENCY, "dropped");
	cr_expect(spe_model_sys(model, 1, &sys));
	cr_expect_eq(translation(model, DATA_PA), 5 + 4 * L2_LATENCY, "by the other core");
	spe_model_tlbi(model, 0, NULL);
	cr_expect_eq(translation(model, DATA_PA), 5 + 4 * L2_LATENCY, "with all others");
	cr_expect_eq(walks, 5);
	cr_expect(spe_model_count(model, 0, PMU_DTLB_WALK, &count));
	cr_expect_eq(count, 5);
	free(model);
}

/* Two loads that depend on each other, and two that do not, of lines in memory. */
Test(model_interface, pipeline)
{
	struct spe_model_facts facts = {.fetch_pa = CODE_PA, .place = SPE_MODEL_NOWHERE};
	struct spe_op op = {.pc = CODE_PA};
	struct spe_model *model = make_built_in(1);
	uint64_t cycles = 0;
	uint32_t held;

	cr_assert(a64_summarize(&facts.insn, 0xf9400020)); /* LDR X0, [X1] */
	cr_expect_eq(facts.insn.registers.reads, 1 << 1);
	cr_expect_eq(facts.insn.registers.writes, 1 << 0);
	held = spe_model_fetch(model, 0, op.pc, &facts);
	cr_expect_eq(held, DRAM_LATENCY);
	cr_expect_eq(spe_model_fetch(model, 0, op.pc, &facts), 0);
	op = access_op(SPE_OP_LOAD, DATA_PA);
	facts.place = SPE_MODEL_RAM;
	spe_model_execute(model, 0, &facts, held, &op);
	cr_expect_eq(op.issue_latency, 1);
	cr_expect_eq(op.total_latency, 1 + 1 + DRAM_LATENCY);
	op = (struct spe_op){.pc = CODE_PA};
	facts = (struct spe_model_facts){.fetch_pa = CODE_PA};
	cr_assert(a64_summarize(&facts.insn, 0x91000400)); /* ADD X0, X0, #1 */
	spe_model_execute(model, 0, &facts, 0, &op);
	cr_expect_gt(op.issue_latency, DRAM_LATENCY, "it waits for the load");
	cr_expect(spe_model_count(model, 0, PMU_CPU_CYCLES, &cycles));
	cr_expect_gt(cycles, 2 * DRAM_LATENCY);
	free(model);
}

static bool is_mispredicted(struct spe_model *model, bool taken)
{
	struct spe_model_facts facts = {.fetch_pa = CODE_PA};
	struct spe_op op = {
		.pc = CODE_PA,
		.target = CODE_PA + 64,
		.flags = SPE_OP_BRANCH | (taken ? SPE_OP_TAKEN : SPE_OP_NOT_TAKEN),
	};

	cr_assert(a64_summarize(&facts.insn, 0x54000200)); /* B.EQ */
	cr_assert_eq(facts.insn.flow, A64_FLOW_CONDITIONAL);
	spe_model_alone(model, 0, &facts, &op);
	return op.events & SPE_EVENT_MISPREDICTED;
}

Test(model_interface, branches)
{
	struct spe_model *model = make_built_in(1);
	uint64_t count = 0;

	cr_expect(is_mispredicted(model, true));
	for (unsigned int n = 0; n < 20; n++)
		(void)is_mispredicted(model, true);
	cr_expect_not(is_mispredicted(model, true));
	cr_expect(is_mispredicted(model, false));
	cr_expect(spe_model_count(model, 0, PMU_BR_PRED, &count));
	cr_expect_eq(count, 23);
	free(model);
}

Test(model_interface, prefetched)
{
	static int known = 1234;
	const struct spe_model_facts facts = {.data_tables = true, .ctx = &known, .walk = walk};
	struct spe_model *model = make_built_in(1);

	spe_model_prefetch(model, 0, &facts, DATA_PA, DATA_PA, 0);
	cr_expect_eq(load(model, 0, DATA_PA).data_source, SPE_MODEL_FROM_DRAM, "no TLB has it");
	(void)translation(model, DATA_PA);
	spe_model_prefetch(model, 0, &facts, DATA_PA + LINE, DATA_PA + LINE, 0);
	cr_expect_eq(load(model, 0, DATA_PA + LINE).data_source, SPE_MODEL_FROM_L1D);
	spe_model_prefetch(model, 0, &facts, DATA_PA + 2 * LINE, DATA_PA + 2 * LINE, 2);
	cr_expect_eq(load(model, 0, DATA_PA + 2 * LINE).data_source, SPE_MODEL_FROM_L2);
	free(model);
}

/* Every key can be set to both of its ends, and read; not to what is beyond. */
Test(model_interface, keys)
{
	struct spe_model_config config;
	struct spe_model_key key = {.low = 0};
	unsigned int number = 0;
	uint32_t value;

	for (; spe_model_key(number, &key); number++) {
		spe_model_config_defaults(&config, NULL);
		cr_expect_eq(spe_model_config_set(&config, key.name, key.low), 0, "%s", key.name);
		cr_expect_eq(spe_model_config_set(&config, key.name, key.high), 0, "%s", key.name);
		cr_expect_eq(spe_model_config_set(&config, key.name, key.high + 1),
			     -SPE_MODEL_EVALUE, "%s", key.name);
		if (key.power_of_two)
			cr_expect_eq(spe_model_config_set(&config, key.name, key.high - 1),
				     -SPE_MODEL_EVALUE, "%s", key.name);
		cr_expect_eq(spe_model_config_get(&config, key.name, &value), 0);
		cr_expect_eq(value, key.high, "%s", key.name);
	}
	cr_expect_eq(number, config.count);
}

Test(model_interface, of_a_core)
{
	struct spe_model_config config, built_in;
	uint32_t value = 0;

	spe_model_config_defaults(&built_in, NULL);
	spe_model_config_defaults(&config, spe_core_find("generic"));
	cr_expect_arr_eq(&config, &built_in, sizeof(config));
	for (unsigned int n = 0; spe_core(n); n++) {
		spe_model_config_defaults(&config, spe_core(n));
		cr_expect_eq(spe_model_config_check(&config, NULL), 0, "%s", spe_core(n)->name);
	}
	spe_model_config_defaults(&config, spe_core_find("neoverse-v1"));
	cr_expect_eq(spe_model_config_get(&config, "llc.size", &value), 0);
	cr_expect_eq(spe_model_config_get(&config, "no.key", &value), -SPE_MODEL_EKEY);
	/* A configuration of a version with a single key. */
	built_in.count = 1;
	cr_expect_eq(spe_model_config_get(&built_in, "llc.size", &value), -SPE_MODEL_EKEY);
	cr_expect_eq(spe_model_config_set(&built_in, "llc.size", 1 << 20), -SPE_MODEL_EKEY);
	memset(built_in.values + 1, 0, sizeof(built_in.values) - sizeof(built_in.values[0]));
	cr_expect_eq(spe_model_config_check(&built_in, NULL), 0);
}

Test(model_interface, impossible)
{
	static const struct {
		const char *key;
		uint32_t value;
		int error;
		const char *blamed;
	} rows[] = {
		{"l1d.ways", 3, -SPE_MODEL_ESETS, "l1d.ways"},
		{"l2.latency", 3, -SPE_MODEL_EORDER, "l2.latency"},
		{"l1d.latency", 12, -SPE_MODEL_EORDER, "l2.latency"},
		{"l2.size", 32 << 10, -SPE_MODEL_EORDER, "l2.size"},
	};
	static uint64_t memory[64];
	struct spe_model_config config;
	struct spe_model *model = NULL;
	const char *name;
	size_t size;

	for (unsigned int row = 0; row < ARRAY_SIZE(rows); row++) {
		name = NULL;
		spe_model_config_defaults(&config, NULL);
		cr_expect_eq(spe_model_config_set(&config, rows[row].key, rows[row].value), 0);
		cr_expect_eq(spe_model_config_check(&config, &name), rows[row].error, "%u", row);
		cr_expect_str_eq(name, rows[row].blamed, "row %u", row);
		cr_expect_eq(spe_model_size(&config, 1), 0);
		cr_expect_eq(spe_model_init(memory, sizeof(memory), &config, 1, &model),
			     rows[row].error, "row %u", row);
	}
	spe_model_config_defaults(&config, NULL);
	size = spe_model_size(&config, 2);
	cr_expect_eq(spe_model_init(memory, sizeof(memory), &config, 2, &model), -SPE_MODEL_ESIZE);
	cr_expect_eq(spe_model_init((char *)memory + 4, size, &config, 2, &model),
		     -SPE_MODEL_EALIGN);
	cr_expect_eq(spe_model_init(memory, size, &config, 0, &model), -SPE_MODEL_ECORES);
	cr_expect_eq(spe_model_size(&config, 0), 0);
	cr_expect_eq(spe_model_size(&config, SPE_MODEL_CORES_MAX + 1), 0);
	cr_expect_gt(spe_model_size(&config, SPE_MODEL_CORES_MAX), size);
	cr_expect_null(model);
	config.values[0] = 1000;
	cr_expect_eq(spe_model_config_check(&config, &name), -SPE_MODEL_EVALUE);
	cr_expect_str_eq(name, "core.width");
	for (int error = 1; error <= SPE_MODEL_EALIGN; error++) {
		cr_expect_str_eq(spe_model_strerror(error), spe_model_strerror(-error));
		cr_expect_str_neq(spe_model_strerror(error), spe_model_strerror(0), "%d", error);
		cr_expect_str_neq(spe_model_strerror(error), spe_model_strerror(99), "%d", error);
	}
}

/* A core that is not there, and numbers that mean nothing, have no effect. */
Test(model_interface, of_no_meaning)
{
	const struct spe_model_facts facts = {
		.insn.flow = (enum a64_flow)99, .place = 99, .size = UINT32_MAX, .data_regime = 9};
	const struct spe_model_sys sys = {.encoding = sysreg_encode(1, 0, 7, 5, 0)};
	struct spe_model *model = make_built_in(1);
	struct spe_op op = access_op(SPE_OP_LOAD, UINT64_MAX), before = op;
	uint64_t count;

	cr_expect_eq(spe_model_fetch(model, 1, 0, &facts), 0);
	spe_model_execute(model, 1, &facts, 0, &op);
	spe_model_alone(model, 1, &facts, &op);
	spe_model_warm(model, 1, &facts, &op);
	spe_model_context(model, 1, SPE_MODEL_EL10, 0, 0, 0);
	spe_model_prefetch(model, 1, &facts, 0, 0, 0);
	spe_model_tlbi(model, 1, NULL);
	cr_expect_not(spe_model_sys(model, 1, &sys));
	cr_expect_not(spe_model_count(model, 1, PMU_L1D_CACHE, &count));
	cr_expect_not(spe_model_count(model, 0, 0x3ff, &count));
	cr_expect_arr_eq(&op, &before, sizeof(op));
	spe_model_alone(model, 0, &facts, &op);
	cr_expect_not(op.events & SPE_EVENT_L1D_ACCESS);
	free(model);
}
