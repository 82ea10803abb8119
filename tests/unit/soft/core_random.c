/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Random code that overwrites itself, faults and profiles itself. In any pieces, the outcome is
 * that of executing one operation at a time, and the host survives.
 */
#include "../compare.h"
#include "a64/a64.h"
#include "core_support.h"
#include "soft/cpu.h"
#include "soft/run/jit/jit.h"
#include "soft/sys/isa.h"
#include "soft/tuning.h"
#include "soft/sys/pmu.h"
#include "tests/splitmix.h"

#include <string.h>

#define SEEDS 40
#define TURNS 100

static uint64_t next(uint64_t *state)
{
	return splitmix64(state);
}

/* Mostly instructions that exist, some words that do not. */
static uint32_t random_word(uint64_t *state)
{
	const struct a64_insn *insn;
	uint32_t word;

	do
		insn = &a64_table[next(state) % A64_COUNT];
	while (!insn->executed);
	word = (uint32_t)next(state);
	return next(state) % 16 ? insn->value | (word & ~insn->mask) : word;
}

static uint64_t random_code_address(uint64_t *state)
{
	return CODE + (next(state) & 0x7fffc);
}

/* How a random program is run. */
enum way {
	WHOLE,
	SINGLE_STEP,
	RENEWED, /* in pieces, each followed by new vCPUs that load the saved state */
};

/* At most `most` operations, in one piece or two. */
static void run_turn(struct core_machine *m, uint64_t most, uint64_t *cuts)
{
	const uint64_t ops = engine_soft.vcpu_ops(m->cpu[0]);
	const uint64_t piece = cuts ? next(cuts) % most : 0;

	if (!cuts) {
		core_run(m, most);
		return;
	}
	m->exit.reason = ENGINE_EXIT_BUDGET;
	if (piece)
		core_run(m, piece);
	core_renew(m);
	/* The random guest may have made a request of the machine. */
	if (m->exit.reason == ENGINE_EXIT_BUDGET && engine_soft.vcpu_ops(m->cpu[0]) - ops == piece)
		core_run(m, most - piece);
}

static struct soft_cpu *cpu_of(const struct core_machine *m)
{
	return (struct soft_cpu *)m->cpu[0]; /* its first member */
}

/* Counters of any event, near their overflow, which interrupts and may freeze. */
static void program_pmu(struct core_machine *m, uint64_t *state)
{
	static const uint16_t events[] = {
#define EVENT(name, source) PMU_##name,
#define MODEL_EVENT(name)   PMU_##name,
#include "pmu/event.def"
		SPE_PMU_SAMPLE_POP, SPE_PMU_SAMPLE_FEED, SPE_PMU_SAMPLE_FILTRATE};
	struct soft_cpu *cpu = cpu_of(m);
	struct pmu *unit;

	if (!cpu->sys.pmu)
		return;
	unit = &cpu->sys.pmu->unit;
	soft_pmu_refresh(cpu);
	for (unsigned int n = 0; n < PMU_COUNTERS; n++) {
		const uint64_t filter = next(state) & (PMU_TYPE_P | PMU_TYPE_U);
		const size_t event = next(state) % (ARRAY_SIZE(events));

		pmu_register_write(unit, PMU_PMEVTYPER0_EL0 + n, events[event] | filter);
		pmu_register_write(unit, PMU_PMEVCNTR0_EL0 + n,
				   -(next(state) % (next(state) % 2 ? 9 : 90)));
	}
	pmu_register_write(unit, PMU_PMCCNTR_EL0, -(next(state) % 300));
	pmu_register_write(unit, PMU_PMOVSCLR_EL0, UINT64_MAX);
	pmu_register_write(unit, PMU_PMINTENCLR_EL1, UINT64_MAX);
	pmu_register_write(unit, PMU_PMCNTENSET_EL0, next(state));
	pmu_register_write(unit, PMU_PMINTENSET_EL1, next(state));
	pmu_register_write(unit, PMU_PMCR_EL0,
			   PMU_PMCR_E | (next(state) & (PMU_PMCR_FZO | PMU_PMCR_FZS | PMU_PMCR_DP |
							PMU_PMCR_LP)));
	soft_pmu_refresh(cpu);
	cpu->sys.pstate.daif &= next(state) & 0xf;
}

/* Do both have the same counts? */
static bool same_counts(const struct core_machine *a, const struct core_machine *b)
{
	struct soft_cpu *cpus[] = {cpu_of(a), cpu_of(b)};
	const struct pmu *units[2];

	for (unsigned int i = 0; i < 2; i++) {
		if (!cpus[i]->sys.pmu)
			return true;
		soft_pmu_refresh(cpus[i]);
		units[i] = &cpus[i]->sys.pmu->unit;
	}
	return memcmp(units[0]->counter, units[1]->counter, sizeof(units[0]->counter)) == 0 &&
	       units[0]->overflowed == units[1]->overflowed;
}

static bool same_cache(const struct model_cache *a, const struct model_cache *b)
{
	return memcmp(a->lines, b->lines, sizeof(*a->lines) * a->sets * a->ways) == 0;
}

static bool same_tlb(const struct model_tlb *a, const struct model_tlb *b)
{
	struct model_tlb_entry in_a[MODEL_TLB_WAYS_MAX], in_b[MODEL_TLB_WAYS_MAX];

	for (uint32_t set = 0; set < a->sets; set++) {
		const uint32_t count = model_tlb_list(a, set, in_a);

		if (model_tlb_list(b, set, in_b) != count ||
		    memcmp(in_a, in_b, count * sizeof(*in_a)) != 0)
			return false;
	}
	return true;
}

static bool same_predictor(const struct model_branch *a, const struct model_branch *b)
{
	return memcmp(a->counters, b->counters, a->counter_count) == 0 &&
	       memcmp(a->targets, b->targets, a->target_count * sizeof(*a->targets)) == 0 &&
	       a->history == b->history && a->depth == b->depth && a->top == b->top;
}

/* What differs between the machine models of two, without their pipelines; NULL: nothing. */
static const char *differs_in(const struct core_machine *a, const struct core_machine *b)
{
	const struct soft_model *of_a = cpu_of(a)->vm->model, *of_b = cpu_of(b)->vm->model;
	const struct model_core *one = of_a ? of_a->machine->cores : NULL;
	const struct model_core *other = of_b ? of_b->machine->cores : NULL;

	return !one						       ? NULL
	       : !same_cache(&one->l1i, &other->l1i)		       ? "L1I"
	       : !same_cache(&one->l1d, &other->l1d)		       ? "L1D"
	       : !same_cache(&one->l2, &other->l2)		       ? "L2"
	       : !same_cache(of_a->machine->llcs, of_b->machine->llcs) ? "the last level"
	       : !same_tlb(&one->itlb, &other->itlb)		       ? "the TLB of instructions"
	       : !same_tlb(&one->dtlb, &other->dtlb)		       ? "the TLB of data"
	       : !same_tlb(&one->tlb, &other->tlb)		       ? "the TLB of level 2"
	       : !same_predictor(&one->branch, &other->branch)	       ? "the predictor"
								       : NULL;
}

static const struct engine_tuning no_model = {.isa = SOFT_ISA_ALL, .sve_vl = 64};

/* The machine model and instructions of all runs of a test. */
static const struct engine_tuning *model = &no_model;

/* Is the random code profiled from its start? */
static bool sampled = true;

/* Is everything translated that can be? SINGLE_STEP translates nothing. */
static bool translated;

static struct core_machine *run(uint64_t seed, enum way way, const struct spe_config *config,
				enum pmu_version pmu)
{
	struct engine_tuning tuning = *model;
	uint64_t cuts = ~seed;
	struct core_machine *m;
	uint64_t state = seed;

	tuning.jit = translated ? SOFT_JIT_ON : SOFT_JIT_OFF;
	tuning.jit_at_once = translated;
	m = core_new((struct core_options){.single_step = way == SINGLE_STEP,
					   .spe = true,
					   .config = config,
					   .pmu = pmu,
					   .model = &tuning});

	for (uint64_t pa = RAM_BASE; pa < TABLES; pa += 4) {
		const uint32_t word = random_word(&state);

		core_load(m, pa, &word, 1);
	}
	/* registers that point into RAM, aligned or not, most of the time */
	for (unsigned int n = 0; n < 31; n++)
		core_set(m, n,
			 next(&state) % 4 ? RAM_BASE + next(&state) % RAM_SIZE : next(&state));
	core_map(m, DATA);
	core_set(m, 8, RAM_BASE + 0x20000); /* vectors: random code, too */
	if (seed % 4)
		core_set(m, 4, 0x30d01805); /* with caches, which the machine model has */
	if (next(&state) % 2)
		core_set(m, 4, 0x30d00800); /* without the MMU */
	CORE_LOAD(m, CODE, program_mmu_on);
	if (sampled)
		core_profile(m, 256);
	core_run(m, sizeof(program_mmu_on) / 4);
	for (unsigned int turn = 0; turn < TURNS; turn++) {
		const uint64_t ops = engine_soft.vcpu_ops(m->cpu[0]), most = 1 + next(&state) % 700;

		core_set(m, PC, random_code_address(&state));
		program_pmu(m, &state);
		run_turn(m, most, way == RENEWED && next(&cuts) % 8 == 0 ? &cuts : NULL);
		cr_assert_leq(engine_soft.vcpu_ops(m->cpu[0]) - ops, most);
		if (m->exit.reason == ENGINE_EXIT_BUDGET)
			cr_assert_eq(engine_soft.vcpu_ops(m->cpu[0]) - ops, most);
		engine_soft.vcpu_irq(m->cpu[0], next(&state) % 4 == 0);
	}
	return m;
}

static void compare_pmus(const struct spe_config *config, enum way other, enum way way,
			 enum pmu_version pmu)
{
	size_t records = 0;

	for (uint64_t seed = 1; seed <= SEEDS * core_effort(); seed++) {
		struct core_machine *reference = run(seed, other, config, pmu);
		struct core_machine *m = run(seed, way, config, pmu);

		cr_assert(core_same(m, reference), "seed %d", (int)seed);
		cr_assert(same_counts(m, reference), "seed %d", (int)seed);
		cr_assert_null(differs_in(m, reference), "seed %d: %s", (int)seed,
			       differs_in(m, reference));
		cr_assert_eq(engine_soft.vcpu_ops(m->cpu[0]),
			     engine_soft.vcpu_ops(reference->cpu[0]), "seed %d", (int)seed);
		cr_assert_eq(m->record_bytes, reference->record_bytes, "seed %d", (int)seed);
		if (m->record_bytes)
			cr_assert_arr_eq(m->records, reference->records, m->record_bytes, "seed %d",
					 (int)seed);
		records += m->record_bytes / 64;
		core_free(m);
		core_free(reference);
	}
	cr_assert_gt(records, SEEDS / 2, "the code profiles itself");
}

static void compare_ways(const struct spe_config *config, enum way other, enum way way)
{
	compare_pmus(config, other, way, PMU_NONE);
}

static void compare(const struct spe_config *config)
{
	compare_ways(config, SINGLE_STEP, WHOLE);
}

Test(core_random, saved_and_loaded_is_exact)
{
	struct spe_config config;

	compare_ways(NULL, WHOLE, RENEWED);
	spe_config_defaults(&config, SPE_V1P2);
	config.pbt = config.pbt_exception = config.pbt_return = true;
	config.lifetime = 300;
	compare_ways(&config, WHOLE, RENEWED);
	config.arch_inst = false;
	compare_ways(&config, WHOLE, RENEWED);
}

Test(core_random, fast_is_exact)
{
	compare(NULL);
}

/* The same where the profiling unit must see some operations singly. */
Test(core_random, previous_targets_are_exact)
{
	struct spe_config config;

	for (unsigned int choice = 0; choice < 8; choice++) {
		spe_config_defaults(&config, SPE_V1P2);
		config.pbt = true;
		config.pbt_exception = choice & 1;
		config.pbt_return = choice & 2;
		config.pbt_isb = choice & 4;
		compare(&config);
	}
}

Test(core_random, micro_ops_are_exact)
{
	struct spe_config config;

	spe_config_defaults(&config, SPE_V1P2);
	config.arch_inst = false;
	compare(&config);
	config.pbt = true;
	compare(&config);
}

/* A small machine, which fills up completely. */
static struct engine_tuning small_model(enum model_mode mode)
{
	struct engine_tuning tuning = {
		.isa = SOFT_ISA_ALL, .sve_vl = 64, .model.mode = mode, .machine = model_default};

	tuning.machine.l1i_size = tuning.machine.l1d_size = 4096;
	tuning.machine.l2_size = 16384;
	tuning.machine.llc_size = 65536;
	tuning.machine.directions = tuning.machine.targets = 64;
	tuning.machine.dtlb_entries = 8;
	return tuning;
}

/* The same with the machine model: the records do not depend on the pieces of a run. */
Test(core_random, modelled_is_exact)
{
	struct engine_tuning tuning = small_model(MODEL_FULL);
	struct spe_config config;

	model = &tuning;
	compare_ways(NULL, WHOLE, RENEWED);
	spe_config_defaults(&config, SPE_V1P4);
	config.pbt = true;
	config.arch_inst = false;
	config.events = 0xf80714; /* all that the model knows, and some more */
	config.misspeculated = (struct spe_population){true, true};
	config.in_flight = 2;
	compare_ways(&config, SINGLE_STEP, RENEWED);
	tuning = small_model(MODEL_WARM);
	compare_ways(NULL, SINGLE_STEP, WHOLE);
	compare_ways(NULL, WHOLE, RENEWED);
	compare_ways(&config, WHOLE, RENEWED);
}

/*
 * With --model warm, caches, TLBs and the predictor are those of --model full, which is shown each
 * operation on its own. Nothing is sampled: collisions make the records differ.
 */
static void compare_with_full(bool translate)
{
	struct engine_tuning full = small_model(MODEL_FULL), warm = small_model(MODEL_WARM);

	unsigned int compared = 0;

	sampled = false;
	for (uint64_t seed = 1; seed <= SEEDS * core_effort(); seed++) {
		struct core_machine *reference, *m;

		model = &full;
		translated = false;
		reference = run(seed, SINGLE_STEP, NULL, PMU_NONE);
		model = &warm;
		translated = translate;
		m = run(seed, WHOLE, NULL, PMU_NONE);
		/* Code that overwrites its tables without TLBI may go on with either. */
		if (core_same(m, reference)) {
			compared++;
			cr_assert_null(differs_in(m, reference), "seed %d: %s", (int)seed,
				       differs_in(m, reference));
		}
		core_free(m);
		core_free(reference);
	}
	cr_assert_gt(compared, SEEDS * core_effort() * 9 / 10);
}

Test(core_random, warm_is_full)
{
	compare_with_full(false);
}

Test(core_random, translated_warm_is_full)
{
	if (!SOFT_JIT)
		cr_skip("this build has no translator for this host");
	compare_with_full(true);
}

/* Operations on wrong paths are members if the configuration says so, and change nothing. */
Test(core_random, misspeculated_is_exact)
{
	struct engine_tuning tuning = small_model(MODEL_FULL);
	uint64_t population[2] = {0};
	struct spe_stats stats;
	struct spe_config config;

	model = &tuning;
	spe_config_defaults(&config, SPE_V1P2);
	for (unsigned int member = 0; member < 2; member++) {
		config.misspeculated.member = member;
		for (uint64_t seed = 1; seed <= SEEDS; seed++) {
			struct core_machine *m = run(seed, WHOLE, &config, PMU_NONE);

			spe_stats(engine_soft.vcpu_spe(m->cpu[0]), &stats);
			population[member] += stats.population;
			core_free(m);
		}
	}
	cr_assert_gt(population[1], population[0]);
	compare_ways(&config, WHOLE, RENEWED);
}

/* The model does not change what a random guest does. */
Test(core_random, modelled_changes_nothing)
{
	struct engine_tuning tuning = small_model(MODEL_FULL);
	uint64_t seen = 0;

	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct core_machine *plain, *m;
		const uint64_t *counts;

		model = &no_model;
		plain = run(seed, WHOLE, NULL, PMU_NONE);
		cr_assert_null(soft_model_counts((const struct soft_cpu *)plain->cpu[0]));
		model = &tuning;
		m = run(seed, WHOLE, NULL, PMU_NONE);
		counts = soft_model_counts((const struct soft_cpu *)m->cpu[0]);
		cr_assert_not_null(counts);
		seen += counts[MODEL_L1D_CACHE_REFILL] + counts[MODEL_DTLB_WALK];
		for (unsigned int n = 0; n <= PC; n++)
			cr_assert_eq(core_get(m, n), core_get(plain, n), "seed %d", (int)seed);
		/* Except for the contents of records, wherever the guest has put its buffer. */
		cr_assert_eq(m->record_bytes, plain->record_bytes, "seed %d", (int)seed);
		cr_assert_eq(engine_soft.vcpu_ops(m->cpu[0]), engine_soft.vcpu_ops(plain->cpu[0]),
			     "seed %d", (int)seed);
		cr_assert_eq(((const struct soft_cpu *)m->cpu[0])
				     ->vm->model->machine->cores[0]
				     .operations,
			     engine_soft.vcpu_ops(m->cpu[0]), "it has seen them all");
		core_free(m);
		core_free(plain);
	}
	cr_assert_gt(seen, 0, "no access has missed");
}

/* Counters and their interrupts, exact to the operation, even if nothing stops there. */
Test(core_random, counters_are_exact)
{
	struct spe_config config;

	compare_pmus(NULL, SINGLE_STEP, WHOLE, PMU_V3P7);
	compare_pmus(NULL, WHOLE, RENEWED, PMU_V3P5);
	spe_config_defaults(&config, SPE_V1P2);
	config.lifetime = 300;
	config.pbt = config.dpfzs = true;
	compare_pmus(&config, SINGLE_STEP, WHOLE, PMU_V3P8);
	config.arch_inst = false;
	compare_pmus(&config, SINGLE_STEP, WHOLE, PMU_V3P7);
	compare_pmus(&config, WHOLE, RENEWED, PMU_V3P7);
}

/* The same for the events and cycles of the machine model. */
Test(core_random, modelled_counters_are_exact)
{
	struct engine_tuning tuning = small_model(MODEL_FULL);
	struct spe_config config;

	model = &tuning;
	compare_pmus(NULL, SINGLE_STEP, WHOLE, PMU_V3P8);
	spe_config_defaults(&config, SPE_V1P2);
	config.pbt = config.dpfzs = true;
	config.arch_inst = false;
	compare_pmus(&config, WHOLE, RENEWED, PMU_V3P7);
}

/* Translated code does what its handlers do, and stops where they would. */
Test(core_random, translated_is_exact, .timeout = 20000)
{
	struct engine_tuning tuning = small_model(MODEL_WARM);
	struct spe_config config;

	if (!SOFT_JIT)
		cr_skip("this build has no translator for this host");
	translated = true;
	compare(NULL);
	compare_ways(NULL, SINGLE_STEP, RENEWED);
	compare_pmus(NULL, SINGLE_STEP, WHOLE, PMU_V3P7);
	spe_config_defaults(&config, SPE_V1P2);
	config.pbt = config.pbt_exception = config.pbt_return = true;
	compare(&config);
	config.arch_inst = false;
	compare_pmus(&config, SINGLE_STEP, RENEWED, PMU_V3P8);
	model = &tuning;
	compare_ways(NULL, SINGLE_STEP, WHOLE);
}
