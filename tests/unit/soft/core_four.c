/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Up to a million operations of random code on four vCPUs that share memory, with a machine model:
 * no record contradicts itself, no count of the model, which the PMU's counters are made of,
 * contradicts the records, and the bytes are the same in any way of execution.
 */
#include <string.h>

#include <vspe/decode.h>

#include "../compare.h"
#include "a64/a64.h"
#include "core_support.h"
#include "model/memory.h"
#include "soft/cpu.h"
#include "soft/run/jit/jit.h"
#include "soft/sys/isa.h"
#include "soft/tuning.h"
#include "tests/splitmix.h"

#define CPUS	   4
#define OPERATIONS 250000 /* times core_effort(): with unit_soft_million a million */
#define TURNS	   64	  /* of each vCPU, with one seed */
#define EVENT(n)   (UINT64_C(1) << (n))

#define HANDLERS (RAM_BASE + 0x20000)

enum way { SINGLE_STEP, WHOLE, TRANSLATED, RENEWED, WAYS };

static const char *const names[] = {"in single steps", "whole", "translated", "renewed"};

/* Caches that fill up completely, and two cores a chip. */
static struct engine_tuning small_chips(enum model_mode mode, enum way way)
{
	struct engine_tuning tuning = {
		.isa = SOFT_ISA_ALL, .sve_vl = 64, .model.mode = mode, .machine = model_default};

	tuning.machine.l1i_size = tuning.machine.l1d_size = 4096;
	tuning.machine.l2_size = 16384;
	tuning.machine.llc_size = 65536;
	tuning.machine.cores = 2;
	tuning.machine.clusters = 1;
	tuning.machine.forward = 0; /* else loads wait for stores, too */
	tuning.jit = way == TRANSLATED && SOFT_JIT ? SOFT_JIT_ON : SOFT_JIT_OFF;
	tuning.jit_at_once = way == TRANSLATED;
	return tuning;
}

/* Mostly loads and stores, which a million operations of any kind have few of. */
static uint32_t random_word(uint64_t *state)
{
	const bool memory = splitmix64(state) % 4;
	const struct a64_insn *insn;
	uint32_t word;

	do
		insn = &a64_table[splitmix64(state) % A64_COUNT];
	while (!insn->executed ||
	       (memory && (insn->operation < A64_OP_LOAD || insn->operation >= A64_OP_BRANCH)));
	word = (uint32_t)splitmix64(state);
	return insn->value | (word & ~insn->mask);
}

/* After an exception: the next instruction, at EL1 and in the first quarter of RAM. */
static const uint32_t program_go_on[] = {
	0xd538403e, /* mrs x30, elr_el1 */
	0x910013de, /* add x30, x30, #0x4 */
	0x927e3fde, /* and x30, x30, #0x3fffc */
	0xb26203de, /* orr x30, x30, #0x40000000 */
	0xd518403e, /* msr elr_el1, x30 */
	0xd28000be, /* mov x30, #0x5 */
	0xd518401e, /* msr spsr_el1, x30 */
	0xd69f03e0, /* eret */
};

static const uint32_t program_float_on = 0xd5181045; /* msr cpacr_el1, x5 */

/* An address in a few lines that all vCPUs use. */
static uint64_t random_data(uint64_t *state)
{
	return DATA + (splitmix64(state) & 0x7f8);
}

/* Code and tables, and all vCPUs from their reset on, profiling. */
static void begin(struct core_machine *m, uint64_t *state)
{
	for (uint64_t pa = CODE; pa < DATA; pa += 4) {
		const uint32_t word = random_word(state);

		core_load(m, pa, &word, 1);
	}
	/* What an instruction loads is an address, too. */
	for (uint64_t pa = DATA; pa < DATA + 0x8000; pa += 8)
		core_write(m, pa, random_data(state));
	for (uint64_t vector = HANDLERS; vector < HANDLERS + 0x800; vector += 0x80)
		CORE_LOAD(m, vector, program_go_on);
	core_load(m, CODE, &program_float_on, 1);
	CORE_LOAD(m, CODE + 4, program_mmu_on);
	for (m->at = 0; m->at < CPUS; m->at++) {
		core_map(m, DATA + 0x10000);
		core_set(m, 4, 0x30d01805); /* with caches */
		core_set(m, 5, 3 << 20);    /* FPEN */
		core_set(m, 8, HANDLERS);
		core_profile(m, 256);
		core_run(m, 1 + ARRAY_SIZE(program_mmu_on));
	}
}

static void set_registers(struct core_machine *m, uint64_t *state)
{
	for (unsigned int n = 0; n < 31; n++)
		core_set(m, n, random_data(state));
	core_set(m, PC, HANDLERS + 0x1000 + (splitmix64(state) & 0x3fffc));
}

static struct core_machine *run(enum model_mode mode, enum way way, const struct spe_config *config,
				uint64_t seed)
{
	const struct engine_tuning tuning = small_chips(mode, way);
	uint64_t state = seed, cuts = ~seed;
	struct core_machine *m = core_new((struct core_options){
		.cpus = CPUS,
		.single_step = way == SINGLE_STEP,
		.spe = true,
		.config = config,
		.model = &tuning,
	});

	begin(m, &state);
	for (unsigned int turn = 0; turn < TURNS; turn++) {
		for (m->at = 0; m->at < CPUS; m->at++) {
			set_registers(m, &state);
			core_run(m, 1 + splitmix64(&state) % 256);
		}
		if (way == RENEWED && splitmix64(&cuts) % 16 == 0)
			core_renew(m);
	}
	return m;
}

static uint64_t operations(const struct core_machine *m)
{
	uint64_t sum = 0;

	for (unsigned int n = 0; n < CPUS; n++)
		sum += engine_soft.vcpu_ops(m->cpu[n]);
	return sum;
}

static const struct model *model_of(const struct core_machine *m)
{
	return ((const struct soft_cpu *)m->cpu[0])->vm->model->machine;
}

/* What the records of a run say, added up. */
struct sums {
	uint64_t records, damaged, sources[16], events[24];
};

/* Of a load or store that took part in caching: source, events and latency say the same. */
static void check_cached(const struct model *model, const struct spe_record *r, uint64_t n)
{
	const enum model_source source = (enum model_source)r->data_source;
	const uint64_t events = r->events;
	const uint32_t cycles = r->total_latency - r->issue_latency - r->translation_latency;

	cr_expect_eq(!!(events & EVENT(3)), source != MODEL_FROM_L1D, "%lu: refill", n);
	cr_expect_eq(!!(events & EVENT(8)), source >= MODEL_FROM_PEER_CORE, "%lu: LLC", n);
	cr_expect_eq(!!(events & EVENT(9)), model_source_missed_llc(&model->config, source),
		     "%lu: LLC missed", n);
	cr_expect_eq(!!(events & EVENT(10)), source == MODEL_FROM_REMOTE, "%lu: remote", n);
	cr_expect_eq(!!(events & EVENT(19)), source != MODEL_FROM_L1D, "%lu: L2 access", n);
	cr_expect_eq(!!(events & EVENT(20)), source >= MODEL_FROM_PEER_CORE, "%lu: L2 miss", n);
	cr_expect_eq(!!(events & EVENT(23)),
		     source == MODEL_FROM_PEER_CORE || source == MODEL_FROM_PEER_CLUSTER ||
			     source == MODEL_FROM_REMOTE,
		     "%lu: snooped", n);
	if (!(events & EVENT(12)) && r->total_latency != UINT16_MAX)
		cr_expect_eq(cycles, model_memory_latency(model, 0, source, RAM_BASE),
			     "%lu: latency of another source than 0x%x", n, source);
}

static void check_record(const struct model *model, const struct spe_record *r, struct sums *sums,
			 uint64_t n)
{
	const uint64_t events = r->events;

	for (unsigned int bit = 0; bit < ARRAY_SIZE(sums->events); bit++)
		sums->events[bit] += events >> bit & 1;
	cr_expect(!(events & EVENT(3)) || events & EVENT(2), "%lu: a refill, no access", n);
	cr_expect(!(events & EVENT(5)) || events & EVENT(4), "%lu: a walk, no TLB", n);
	if (events & EVENT(7))
		cr_expect_eq(r->type_header, SPE_TYPE_BRANCH, "%lu: mispredicted", n);
	if (!(r->has & SPE_HAS_DATA_SOURCE))
		return;
	cr_assert_lt(r->data_source, ARRAY_SIZE(sums->sources), "%lu", n);
	sums->sources[r->data_source]++;
	if (events & EVENT(2))
		check_cached(model, r, n);
	else
		cr_expect_eq(r->data_source, MODEL_FROM_DRAM, "%lu: 0x%x without caches", n,
			     r->data_source);
}

static void check_records(const struct core_machine *m, struct sums *sums)
{
	struct spe_decoder decoder;
	struct spe_record records[64];
	size_t at = 0, taken;
	int count;

	cr_assert_eq(spe_decoder_init(&decoder, sizeof(decoder), sizeof(records[0])), 0);
	do {
		count = spe_decoder_read(&decoder, m->records + at, m->record_bytes - at, true,
					 records, ARRAY_SIZE(records), &taken);
		at += taken;
		for (int i = 0; i < count; i++) {
			if (records[i].damage)
				sums->damaged++;
			else
				check_record(model_of(m), &records[i], sums, sums->records++);
		}
	} while (count == (int)ARRAY_SIZE(records));
}

static const struct {
	unsigned int event;
	enum model_event count;
} rows[] = {
	{2, MODEL_L1D_CACHE},	  {3, MODEL_L1D_CACHE_REFILL}, {4, MODEL_L1D_TLB},
	{5, MODEL_DTLB_WALK},	  {7, MODEL_BR_MIS_PRED},      {8, MODEL_LL_CACHE},
	{9, MODEL_LL_CACHE_MISS}, {19, MODEL_L2D_CACHE},       {20, MODEL_LL_CACHE_RD},
};

/* A record has an event only if it was counted. */
static void check_counts(const struct core_machine *m, const struct sums *sums,
			 const uint64_t before[24], uint64_t seed)
{
	const struct model *model = model_of(m);

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		const uint64_t seen = sums->events[rows[i].event] - before[rows[i].event];
		uint64_t counted = 0;

		for (unsigned int n = 0; n < CPUS; n++)
			counted += model->cores[n].counts[rows[i].count];
		cr_expect_leq(seen, counted, "seed %lu: event %u", seed, rows[i].event);
	}
}

static void compare(enum model_mode mode, struct core_machine *reference,
		    const struct spe_config *config, uint64_t seed)
{
	for (enum way way = WHOLE; way < WAYS; way++) {
		struct core_machine *m = run(mode, way, config, seed);

		for (m->at = reference->at = 0; m->at < CPUS; reference->at = ++m->at)
			cr_assert(core_same(m, reference), "seed %lu %s: vCPU %u", seed, names[way],
				  m->at);
		cr_assert_eq(m->record_bytes, reference->record_bytes, "seed %lu %s", seed,
			     names[way]);
		if (m->record_bytes)
			cr_assert_arr_eq(m->records, reference->records, m->record_bytes,
					 "seed %lu %s", seed, names[way]);
		core_free(m);
	}
}

static void check_million(enum model_mode mode, const struct spe_config *config)
{
	struct sums sums = {0};
	uint64_t done = 0;

	for (uint64_t seed = 1; done < OPERATIONS * core_effort(); seed++) {
		struct core_machine *reference = run(mode, SINGLE_STEP, config, seed);
		uint64_t before[24];

		memcpy(before, sums.events, sizeof(before));
		check_records(reference, &sums);
		if (mode == MODEL_FULL)
			check_counts(reference, &sums, before, seed);
		compare(mode, reference, config, seed);
		done += operations(reference);
		core_free(reference);
	}
	cr_expect_gt(sums.records, done / 300, "one operation in 256 is sampled");
	cr_expect_leq(sums.damaged, sums.records / 100);
	cr_expect_gt(sums.sources[MODEL_FROM_PEER_CORE], 0);
	cr_expect_gt(sums.sources[MODEL_FROM_REMOTE], 0);
}

/* RULE("D18.2.6/E3") RULE("D18.2.6/E23") RULE("D18.2.4/source") */
Test(core_four, nothing_contradicts)
{
	struct spe_config config;

	spe_config_defaults(&config, SPE_V1P4);
	config.events |= 0x981700; /* last level, remote, late prefetch; L2, snooped */
	check_million(MODEL_WARM, &config);
	check_million(MODEL_FULL, &config);
}
