/* SPDX-License-Identifier: BSD-2-Clause */
/* The pipeline of the machine model, and that its records do not contradict themselves. */
#include <criterion/criterion.h>
#include <stdio.h>

#include "arm/model.h"
#include "arm/model_state.h"
#include "model_support.h"

#define EVENT(n) (UINT64_C(1) << (n))

/* A load on its own: its latency is made of its parts. */
Test(model_core, load)
{
	const struct model_config *config = &model_default;
	struct model *model = model_new(config, 1);
	struct spe_op op = run_load(model, 0, DATA_PA);

	cr_expect_eq(op.data_source, MODEL_FROM_DRAM);
	cr_expect_eq(op.issue_latency, config->issue);
	cr_expect_eq(op.translation_latency, config->dtlb_latency);
	cr_expect_eq(op.total_latency, config->issue + config->dtlb_latency + config->dram);
	/* What comes behind it is dispatched, and waits. */
	op = run_op(model, 0, 0, plain_facts(), 0);
	cr_expect_eq(op.issue_latency, config->dtlb_latency + config->dram + config->issue);
	cr_expect_eq(op.total_latency, op.issue_latency + config->simple);
	free(model);
}

/* Operations wait for the results that they need, and for no others: n loads from L1D. */
static uint64_t cycles_of_loads(struct model *model, unsigned int n, struct model_needs needs)
{
	const uint64_t *counts = model->cores[0].counts;
	struct model_facts facts = plain_facts();
	uint64_t before;

	run_load(model, 0, DATA_PA);
	model_core_rest(model, 0);
	run_op(model, 0, 0, plain_facts(), 0);
	before = counts[MODEL_CPU_CYCLES];
	facts.needs = needs;
	for (unsigned int i = 0; i < n; i++)
		cr_expect_eq(run_op(model, 0, SPE_OP_LOAD, facts, DATA_PA).data_source,
			     MODEL_FROM_L1D);
	return counts[MODEL_CPU_CYCLES] - before;
}

Test(model_core, waits_for_results)
{
	const struct model_config *config = &model_default;
	const uint64_t load = config->l1d_latency + config->dtlb_latency, n = 100;
	struct model *model = model_new(config, 1);
	struct model_needs needs = {{.reads = 2, .writes = 4}, .alone = false};
	struct model_facts facts = plain_facts();
	uint64_t issued;
	struct spe_op op;

	cr_expect_leq(cycles_of_loads(model, n, needs), n / config->width + 1, "apart");
	needs.registers.writes = 2;
	cr_expect_leq(cycles_of_loads(model, n, needs), n * load + 1);
	cr_expect_geq(cycles_of_loads(model, n, needs), (n - 1) * load, "a chase");
	needs.registers.base = 2;
	cr_expect_leq(cycles_of_loads(model, n, needs), n * config->simple + 1,
		      "a base that goes up is no result of a load");
	/* Flags, and what has cycles of its own. */
	needs = (struct model_needs){{.writes_flags = true}, .alone = false};
	(void)cycles_of_loads(model, 1, needs);
	facts.needs.registers.reads_flags = true;
	issued = model->cores[0].pipe.issue;
	run_op(model, 0, 0, facts, 0);
	cr_expect_eq(model->cores[0].pipe.issue, issued + load);
	model_core_rest(model, 0);
	op = run_op(model, 0, 0, facts, 0);
	cr_expect_eq(op.issue_latency, config->issue, "a rest leaves nothing to wait for");
	needs = (struct model_needs){.alone = true};
	cr_expect_geq(cycles_of_loads(model, n, needs), n - 1, "alone");
	/* Behind one that is not: in no cycle of another's. */
	model_core_rest(model, 0);
	run_op(model, 0, 0, plain_facts(), 0);
	for (unsigned int i = 0; i < 8; i++) {
		facts.needs = (struct model_needs){.alone = i & 1};
		issued = model->cores[0].pipe.issue;
		run_op(model, 0, 0, facts, 0);
		cr_expect(!(i & 1) || model->cores[0].pipe.issue > issued, "%u", i);
	}
	free(model);
}

/* What a counter sees that is read by an operation which is yet to be seen: its own issue. */
Test(model_core, issue_ahead)
{
	struct model *model = model_new(&model_default, 1);
	const struct model_needs needs = {.alone = false};
	uint64_t ahead[MODEL_EVENTS], before;

	run_load(model, 0, DATA_PA);
	before = model->cores[0].counts[MODEL_CPU_CYCLES];
	model_core_issue_ahead(model, 0, 0, &needs, ahead);
	cr_expect_eq(model->cores[0].counts[MODEL_CPU_CYCLES], before, "it changes nothing");
	cr_expect_geq(ahead[MODEL_CPU_CYCLES], before + model_default.dram,
		      "it waits for the load");
	run_op(model, 0, 0, plain_facts(), 0);
	for (unsigned int event = 0; event < MODEL_EVENTS; event++)
		cr_expect_eq(model->cores[0].counts[event], ahead[event], "%s",
			     model_event_name(event));
	free(model);
}

/* Cycles without issue: of loads, of stores that find the buffer full, and together. */
Test(model_core, stalls)
{
	struct model *model = model_new(&model_default, 1);
	uint64_t *counts = model->cores[0].counts;

	run_op(model, 0, 0, plain_facts(), 0);
	for (uint64_t n = 0; n < 4; n++)
		run_load(model, 0, DATA_PA + 64 * n);
	run_op(model, 0, 0, plain_facts(), 0);
	cr_expect_geq(counts[MODEL_STALL_BACKEND], 4 * (model_default.dram - 2));
	cr_expect_eq(counts[MODEL_STALL_BACKEND_ST], 0);
	for (uint64_t n = 0; n < 2 * model_default.stores; n++)
		run_op(model, 0, SPE_OP_STORE, plain_facts(), DATA_PA + 4096 + 64 * n);
	cr_expect_geq(counts[MODEL_STALL_BACKEND_ST],
		      (model_default.stores - 1) * (model_default.dram - 2));
	cr_expect_leq(counts[MODEL_STALL_BACKEND_ST], counts[MODEL_STALL_BACKEND]);
	cr_expect_eq(counts[MODEL_STALL],
		     counts[MODEL_STALL_BACKEND] + counts[MODEL_STALL_FRONTEND]);
	cr_expect_lt(counts[MODEL_STALL], counts[MODEL_CPU_CYCLES]);
	free(model);
}

/* What only warms the model leaves its line and its page there, and takes no time. */
Test(model_core, warm)
{
	const struct model_config *config = &model_default;
	struct model *model = model_new(config, 1);
	struct model_facts facts = plain_facts();
	struct spe_op op = {
		.flags = SPE_OP_LOAD | SPE_OP_VA_VALID,
		.data_va = DATA_PA,
		.data_pa = DATA_PA,
	};

	facts.data_tables = true;
	facts.place = MODEL_RAM;
	facts.size = 8;
	model_core_warm(model, 0, &facts, &op);
	cr_expect_eq(model->cores[0].operations, 1);
	cr_expect_eq(model->cores[0].counts[MODEL_CPU_CYCLES], 0);
	cr_expect_eq(model->cores[0].counts[MODEL_L1D_CACHE_REFILL], 1);
	op = run_op(model, 0, SPE_OP_LOAD, facts, DATA_PA + 8);
	cr_expect_eq(op.data_source, MODEL_FROM_L1D);
	cr_expect_eq(op.translation_latency, config->dtlb_latency);
	/* A branch that is always taken is foreseen. */
	for (unsigned int n = 0; n < 20; n++) {
		op = (struct spe_op){.pc = CODE_PA, .flags = SPE_OP_BRANCH | SPE_OP_TAKEN};
		facts = plain_facts();
		facts.flow = A64_FLOW_CONDITIONAL;
		model_core_warm(model, 0, &facts, &op);
	}
	op = run_op(model, 0, SPE_OP_BRANCH | SPE_OP_TAKEN, facts, 0);
	cr_expect_not(op.events & SPE_EVENT_MISPREDICTED);
	free(model);
}

/* After a rest nothing waits for what was before. */
Test(model_core, rest)
{
	const struct model_config *config = &model_default;
	struct model *model = model_new(config, 1);
	struct spe_op op;

	run_load(model, 0, DATA_PA);
	op = run_op(model, 0, 0, plain_facts(), 0);
	cr_expect_gt(op.issue_latency, config->issue);
	run_load(model, 0, DATA_PA + 4096);
	model_core_rest(model, 0);
	op = run_op(model, 0, 0, plain_facts(), 0);
	cr_expect_eq(op.issue_latency, config->issue);
	free(model);
}

/*
 * Reads of descriptors go through the caches: the second walk next to the first finds them in L2.
 */
Test(model_core, walk)
{
	const struct model_config *config = &model_default;
	struct model *model = model_new(config, 1);
	struct model_facts facts = plain_facts();
	struct spe_op op;

	facts.data_tables = true;
	op = run_op(model, 0, SPE_OP_LOAD, facts, DATA_PA);
	cr_expect(op.events & SPE_EVENT_TLB_REFILL);
	cr_expect_eq(op.translation_latency, config->tlb_latency + 4 * config->dram);
	op = run_op(model, 0, SPE_OP_LOAD, facts, DATA_PA + 8);
	cr_expect_not(op.events & SPE_EVENT_TLB_REFILL);
	cr_expect_eq(op.translation_latency, config->dtlb_latency);
	op = run_op(model, 0, SPE_OP_LOAD, facts, DATA_PA + 4096);
	cr_expect(op.events & SPE_EVENT_TLB_REFILL);
	cr_expect_eq(op.translation_latency, config->tlb_latency + 4 * config->l2_latency);
	cr_expect_eq(model->cores[0].counts[MODEL_L1D_TLB], 3);
	cr_expect_eq(model->cores[0].counts[MODEL_DTLB_WALK], 2);
	/* More pages than the first level has, and fewer than the second: no walk. */
	for (uint64_t n = 0; n <= config->dtlb_entries; n++)
		run_op(model, 0, SPE_OP_LOAD, facts, DATA_PA + 4096 * n);
	op = run_op(model, 0, SPE_OP_LOAD, facts, DATA_PA);
	cr_expect_not(op.events & SPE_EVENT_TLB_REFILL);
	cr_expect_eq(op.translation_latency, config->tlb_latency);
	model_core_forget(model, 0, NULL);
	op = run_op(model, 0, SPE_OP_LOAD, facts, DATA_PA);
	cr_expect(op.events & SPE_EVENT_TLB_REFILL);
	free(model);
}

/* Simple operations go through at the core's width; nothing stalls. */
Test(model_core, width)
{
	for (uint32_t width = 1; width <= 8; width++) {
		struct model_config config = model_default;
		struct model *model;
		uint64_t before;

		config.width = width;
		model = model_new(&config, 1);
		run_op(model, 0, 0, plain_facts(), 0);
		before = model->cores[0].counts[MODEL_CPU_CYCLES];
		for (unsigned int n = 0; n < 8000; n++)
			run_op(model, 0, 0, plain_facts(), 0);
		cr_expect_eq((model->cores[0].counts[MODEL_CPU_CYCLES] - before + width / 2) / 8,
			     (8000 / width + width / 2) / 8, "width %u", width);
		cr_expect_eq(model->cores[0].counts[MODEL_STALL_BACKEND], 0);
		free(model);
	}
}

/* Stores wait for room in the store buffer, and for nothing else. */
Test(model_core, store_buffer)
{
	const struct model_config *config = &model_default;
	struct model *model = model_new(config, 1);

	for (uint32_t n = 0; n < config->stores; n++) {
		const struct spe_op op = run_store(model, 0, DATA_PA + n * MODEL_LINE);

		cr_expect_leq(op.issue_latency, 2 * config->issue);
		cr_expect_eq(op.total_latency,
			     op.issue_latency + config->dtlb_latency + config->simple);
	}
	cr_expect_eq(model->cores[0].counts[MODEL_STALL_BACKEND], 0);
	cr_expect_geq(run_store(model, 0, DATA_PA + 64 * MODEL_LINE).issue_latency,
		      config->dram / 2);
	cr_expect_gt(model->cores[0].counts[MODEL_STALL_BACKEND], 0);
	free(model);
}

/* A misprediction costs the penalty at the front end; a prediction nothing. */
Test(model_core, mispredicted)
{
	const struct model_config *config = &model_default;
	struct model *model = model_new(config, 1);
	const uint64_t *counts = model->cores[0].counts;
	struct model_facts facts = plain_facts();
	uint64_t before;
	struct spe_op op;

	run_op(model, 0, 0, facts, 0);
	facts.flow = A64_FLOW_CONDITIONAL;
	before = counts[MODEL_STALL_FRONTEND];
	op = run_op(model, 0, SPE_OP_BRANCH | SPE_OP_TAKEN, facts, 0);
	cr_expect(op.events & SPE_EVENT_MISPREDICTED);
	cr_expect_eq(counts[MODEL_BR_MIS_PRED], 1);
	facts.flow = A64_FLOW_NONE;
	run_op(model, 0, 0, facts, 0);
	cr_expect_eq(counts[MODEL_STALL_FRONTEND] - before, config->penalty + config->simple);
	free(model);
}

/* One page in sixteen is in no cache. */
static bool is_uncached(uint64_t va)
{
	return (va >> 12) % 16 == 3;
}

static void walk_some(void *ctx, uint64_t va, bool data, struct model_walk *walk)
{
	walk_pages(ctx, va, data, walk);
	walk->uncached = is_uncached(va);
}

/* Behind it: no more than there is room for, and all of it before it is done. */
Test(model_core, wrong_path)
{
	struct model_config config = model_default;

	for (config.width = 1; config.width <= 8; config.width++) {
		for (config.queue = config.width; config.queue <= 64; config.queue++) {
			cr_assert_eq(model_core_wrong_count(&config, 100, 101), 0);
			for (uint64_t done = 102; done < 200; done++) {
				const uint32_t count = model_core_wrong_count(&config, 100, done);
				const uint64_t last =
					model_core_wrong_cycle(&config, 100, count - 1);

				cr_assert_gt(count, 0);
				cr_assert_leq(count, config.queue);
				cr_assert_lt(last, done);
				if (count < config.queue) /* one more would be too late */
					cr_assert_eq(model_core_wrong_cycle(&config, 100, count),
						     done);
			}
			cr_assert_eq(model_core_wrong_count(&config, 0, UINT64_MAX), config.queue);
		}
	}
}

/* RULE("RQWTQB") Up to the cycle in which it is done, and no more of them than there are. */
Test(model_core, in_flight)
{
	struct model *model = model_new(&model_default, 1);
	struct model_core *core = &model->cores[0];

	cr_expect_eq(model_core_in_flight(core, 0), 0);
	for (unsigned int n = 0; n < MODEL_FLIGHTS; n++)
		model_core_fly(core, 10, 20 + n);
	for (unsigned int cycle = 10; cycle < 40; cycle++)
		cr_expect_eq(model_core_in_flight(core, cycle),
			     cycle < 20			  ? MODEL_FLIGHTS
			     : cycle < 20 + MODEL_FLIGHTS ? 19 + MODEL_FLIGHTS - cycle
							  : 0,
			     "cycle %u", cycle);
	model_core_fly(core, 20, 100); /* in the place of the first */
	cr_expect_eq(model_core_in_flight(core, 20), MODEL_FLIGHTS);
	cr_expect_eq(model_core_in_flight(core, 99), 1);
	free(model);
}

/* No cache has it, and it is as far away each time; a cache that had it before keeps it. */
Test(model_core, uncached)
{
	const struct model_config *config = &model_default;

	for (unsigned int tables = 0; tables < 2; tables++) {
		struct model *model = model_new(config, 1);
		struct model_facts facts = plain_facts();
		const uint64_t pa = DATA_PA + 3 * 4096; /* is_uncached() */

		facts.data_tables = tables;
		facts.data_uncached = !tables;
		facts.walk = walk_some;
		for (unsigned int n = 0; n < 3; n++) {
			const struct spe_op op = run_op(model, 0, SPE_OP_LOAD, facts, pa);

			cr_expect_eq(op.data_source, MODEL_FROM_DRAM);
			cr_expect_not(op.events & (EVENT(2) | EVENT(3) | EVENT(8)));
			cr_expect_eq(op.total_latency - op.issue_latency - op.translation_latency,
				     config->dram);
		}
		cr_expect_eq(model->cores[0].counts[MODEL_L1D_CACHE], 0);
		run_load(model, 0, pa);
		cr_expect_eq(run_load(model, 0, pa).data_source, MODEL_FROM_L1D);
		cr_expect_eq(run_op(model, 0, SPE_OP_LOAD, facts, pa).data_source, MODEL_FROM_DRAM);
		facts.uncached = true;
		facts.fetch_pa += MODEL_LINE;
		run_op(model, 0, 0, facts, 0);
		cr_expect_eq(model->cores[0].counts[MODEL_L1I_CACHE_REFILL], 1);
		free(model);
	}
}

/* The same of code, by the tables: two lines of a page that L1I does not get. */
Test(model_core, uncached_code)
{
	struct model *model = model_new(&model_default, 1);
	const uint64_t *counts = model->cores[0].counts;
	struct model_facts facts = plain_facts();

	facts.walk = walk_some;
	facts.tables = true;
	for (unsigned int n = 0; n < 4; n++) {
		facts.fetch_pa = CODE_PA + 3 * 4096 + n * MODEL_LINE; /* is_uncached() */
		cr_expect_geq(model_core_fetch(model, 0, facts.fetch_pa, &facts),
			      model_default.dram);
	}
	cr_expect_eq(counts[MODEL_L1I_CACHE_REFILL], 0);
	cr_expect_eq(counts[MODEL_ITLB_WALK], 1);
	for (unsigned int n = 0; n < 4; n++) {
		facts.fetch_pa = CODE_PA + 4 * 4096 + n * MODEL_LINE;
		(void)model_core_fetch(model, 0, facts.fetch_pa, &facts);
	}
	cr_expect_eq(counts[MODEL_L1I_CACHE_REFILL], 4);
	cr_expect_eq(counts[MODEL_ITLB_WALK], 2);
	free(model);
}

/* DC ZVA: a store of a line, whose record says what it did, but not where. */
Test(model_core, zeroed)
{
	struct model *model = model_new(&model_default, 1);
	struct model_facts facts = plain_facts();
	struct spe_op op;

	facts.place = MODEL_ZEROED;
	facts.size = MODEL_LINE;
	op = run_op(model, 0, SPE_OP_STORE, facts, DATA_PA);
	cr_expect(op.events & EVENT(2) && op.events & EVENT(3) && op.events & EVENT(4));
	cr_expect_eq(op.total_latency,
		     op.issue_latency + op.translation_latency + model_default.simple);
	cr_expect_eq(run_load(model, 0, DATA_PA).data_source, MODEL_FROM_L1D);
	model_memory_maintain(model, DATA_PA, MODEL_CLEAN);
	cr_expect_eq(model->cores[0].counts[MODEL_L1D_CACHE_WB], 1, "it was written");
	free(model);
}

/* PRFM: what no TLB has, and what is in no cache, is not fetched. */
Test(model_core, prefetch)
{
	struct model *model = model_new(&model_default, 1);
	struct model_facts facts = plain_facts();
	struct model_prefetch prefetch = {.va = DATA_PA, .pa = DATA_PA, .level = 1};

	facts.walk = walk_some;
	facts.data_tables = true;
	model_core_prefetch(model, 0, &facts, &prefetch);
	cr_expect_null(model_cache_find(&model->cores[0].l1d, DATA_PA));
	run_op(model, 0, SPE_OP_LOAD, facts, DATA_PA + MODEL_LINE);
	model_core_prefetch(model, 0, &facts, &prefetch);
	cr_expect_not_null(model_cache_find(&model->cores[0].l1d, DATA_PA));
	prefetch.va = prefetch.pa = DATA_PA + 3 * 4096; /* is_uncached() */
	run_op(model, 0, SPE_OP_LOAD, facts, prefetch.va);
	model_core_prefetch(model, 0, &facts, &prefetch);
	cr_expect_null(model_cache_find(&model->cores[0].l1d, prefetch.pa));
	free(model);
}

static uint64_t random_state;

static uint64_t random_below(uint64_t most)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state % most;
}

/* What comes between operations: maintenance, and prefetches. */
static void disturb(struct model *model, uint32_t core, const struct model_facts *facts,
		    uint64_t pa)
{
	const struct model_prefetch prefetch = {.va = pa,
						.pa = pa,
						.code = random_below(2),
						.level = 1 + (uint32_t)random_below(4)};

	switch (random_below(8)) {
	case 0: model_memory_maintain(model, pa, (unsigned int)random_below(8)); break;
	case 1: model_memory_forget_code(&model->cores[core], random_below(50) ? &pa : NULL); break;
	case 2: model_core_prefetch(model, core, facts, &prefetch); break;
	default: break;
	}
}

/* An operation of any kind, by any core. */
static struct spe_op run_random(struct model *model, uint32_t *core, struct model_facts *facts)
{
	static const uint32_t flags[] = {0,
					 SPE_OP_LOAD,
					 SPE_OP_STORE,
					 SPE_OP_LOAD | SPE_OP_STORE,
					 SPE_OP_BRANCH | SPE_OP_TAKEN,
					 SPE_OP_BRANCH};
	static const uint64_t spans[] = {1 << 12, 1 << 16, 1 << 20, 1 << 26};
	const uint64_t span = spans[random_below(4)];
	const uint32_t kind = flags[random_below(6)];

	*core = (uint32_t)random_below(model->count);
	*facts = plain_facts();
	facts->fetch_pa += random_below(span) & ~UINT64_C(3);
	facts->walk = walk_some;
	facts->tables = random_below(2);
	facts->data_tables = random_below(4);
	facts->uncached = random_below(20) == 0;
	facts->data_uncached = random_below(20) == 0;
	facts->data_regime = (uint8_t)random_below(4);
	facts->size = 1u << random_below(6);
	if (kind & (SPE_OP_LOAD | SPE_OP_STORE))
		facts->place = random_below(20) ? MODEL_RAM : MODEL_DEVICE;
	if (kind & SPE_OP_BRANCH)
		facts->flow = (enum a64_flow)random_below(A64_FLOW_EXCEPTION_RETURN + 1);
	if (kind == SPE_OP_STORE && random_below(4) == 0)
		facts->place = MODEL_ZEROED;
	facts->flush = random_below(50) == 0;
	facts->needs.registers.reads = UINT64_C(1) << random_below(64);
	facts->needs.registers.writes = UINT64_C(1) << random_below(64);
	facts->needs.registers.reads_flags = random_below(4) == 0;
	facts->needs.registers.writes_flags = random_below(4) == 0;
	facts->needs.alone = random_below(50) == 0;
	disturb(model, *core, facts, DATA_PA + random_below(span));
	return run_op(model, *core, kind, *facts, DATA_PA + random_below(span));
}

/* What is in L1 is in L2, and nobody has a line that another may write. */
static void check_caches(const struct model *model, unsigned int n)
{
	for (uint32_t core = 0; core < model->count; core++) {
		const struct model_cache *const caches[] = {&model->cores[core].l1d,
							    &model->cores[core].l1i};

		for (unsigned int which = 0; which < 2; which++) {
			const struct model_cache *cache = caches[which];

			for (size_t at = 0; at < (size_t)cache->sets * cache->ways; at++) {
				const uint64_t line = cache->lines[at];
				const uint64_t *l2 = model_cache_find(&model->cores[core].l2, line);

				if (!line)
					continue;
				cr_assert_not_null(l2, "%u: 0x%lx is not in L2", n, line);
				cr_assert(model_line_state(*l2) >= model_line_state(line),
					  "%u: 0x%lx", n, line);
			}
		}
	}
	for (size_t at = 0; at < (size_t)model->cores[0].l2.sets * model->cores[0].l2.ways; at++) {
		const uint64_t line = model->cores[0].l2.lines[at];

		for (uint32_t other = 1;
		     model_line_state(line) >= MODEL_EXCLUSIVE && other < model->count; other++)
			cr_assert_null(model_cache_find(&model->cores[other].l2, line),
				       "%u: 0x%lx is in two", n, line);
	}
}

static void check_op(const struct model_config *config, const struct model_facts *facts,
		     const struct spe_op *op, unsigned int n)
{
	const bool ram = facts->place == MODEL_RAM || facts->place == MODEL_ZEROED;
	const bool load = op->flags & SPE_OP_LOAD;
	const bool cached =
		ram && !facts->data_uncached && !(facts->data_tables && is_uncached(op->data_va));
	const enum model_source source = (enum model_source)op->data_source;
	const uint64_t events = op->events;
	const bool snooped = source == MODEL_FROM_PEER_CORE || source == MODEL_FROM_PEER_CLUSTER ||
			     source == MODEL_FROM_REMOTE;

	cr_expect_eq(!!(events & EVENT(2)), cached, "%u: L1D access", n);
	cr_expect(!(events & EVENT(3)) || events & EVENT(2), "%u: a refill without access", n);
	cr_expect(!(events & EVENT(8)) || events & EVENT(3), "%u: LLC without a refill", n);
	cr_expect(!(events & EVENT(9)) || events & EVENT(8), "%u: LLC missed without access", n);
	cr_expect(!(events & EVENT(10)) || events & EVENT(9), "%u: remote without a miss", n);
	cr_expect_eq(!!(events & EVENT(4)), facts->place != MODEL_NOWHERE, "%u: TLB access", n);
	cr_expect(!(events & EVENT(5)) || facts->data_tables, "%u: a walk without tables", n);
	cr_expect(!(events & EVENT(7)) || op->flags & SPE_OP_BRANCH, "%u: mispredicted", n);
	cr_expect_geq(op->total_latency, op->issue_latency + op->translation_latency, "%u", n);
	if (op->total_latency == UINT16_MAX)
		return;
	cr_expect_leq(config->issue, op->issue_latency, "%u", n);
	if (events & EVENT(5))
		cr_expect_geq(op->translation_latency,
			      config->tlb_latency + 4 * config->l2_latency);
	if (!ram || !load)
		return;
	if (!cached)
		cr_expect_eq(source, MODEL_FROM_DRAM, "%u: 0x%x without caches", n, source);
	cr_expect_eq(op->total_latency,
		     op->issue_latency + op->translation_latency +
			     model_memory_latency(config, source),
		     "%u: the latency of another source than 0x%x", n, source);
	if (!cached) {
		cr_expect_not(events & (EVENT(3) | EVENT(8) | EVENT(19) | EVENT(23)), "%u", n);
		return;
	}
	cr_expect_eq(!!(events & EVENT(3)), source != MODEL_FROM_L1D, "%u: refill", n);
	cr_expect_eq(!!(events & EVENT(8)), source >= MODEL_FROM_PEER_CORE, "%u: LLC access", n);
	cr_expect_eq(!!(events & EVENT(9)), model_source_missed_llc(config, source), "%u: miss", n);
	cr_expect_eq(!!(events & EVENT(10)), source == MODEL_FROM_REMOTE, "%u: remote", n);
	cr_expect_eq(!!(events & EVENT(19)), source != MODEL_FROM_L1D, "%u: L2 access", n);
	cr_expect_eq(!!(events & EVENT(20)), source >= MODEL_FROM_PEER_CORE, "%u: L2 miss", n);
	cr_expect_eq(!!(events & EVENT(23)), snooped, "%u: snooped", n);
}

/* A sampled operation at a time of each core, and what is behind a branch. */
struct flights {
	uint64_t until[8];
	unsigned int landed, collided;
};

static void check_flight(struct model *model, uint32_t index, const struct spe_op *op,
			 struct flights *flights, unsigned int n)
{
	struct model_core *core = &model->cores[index];
	const uint64_t from = core->pipe.issue - op->issue_latency;
	const uint64_t done = from + op->total_latency;
	uint32_t wrong;

	if (op->issue_latency == UINT16_MAX)
		return;
	if (op->events & EVENT(7)) {
		wrong = model_core_wrong_count(&model->config, from, done);
		cr_expect(wrong <= model->config.queue && done > from, "%u", n);
		if (wrong)
			cr_expect_lt(model_core_wrong_cycle(&model->config, from, wrong - 1), done,
				     "%u: behind it when it is done", n);
	}
	cr_expect_eq(model_core_in_flight(core, from), from < flights->until[index], "%u", n);
	if (from < flights->until[index]) {
		flights->collided++;
	} else if (n % 16 == 0) {
		model_core_fly(core, from, done);
		flights->until[index] = done;
		flights->landed++;
	}
}

/*
 * RULE("D18.2.6/E3") RULE("D18.2.6/E7") RULE("D18.2.6/E8") RULE("D18.2.6/E9") RULE("D18.2.6/E10")
 * RULE("D18.2.6/E19") RULE("D18.2.6/E20") RULE("D18.2.6/E23") RULE("D18.2.4/source")
 */
Test(model_core, no_contradiction)
{
	for (unsigned int scope = 0; scope < 2; scope++) {
		struct model_config config = model_default;
		struct model *model;
		struct flights flights = {0};
		bool seen[16] = {false};

		config.scope = scope;
		config.cores = config.clusters = 2;
		config.l2_size = 256 << 10;
		config.llc_size = 1 << 20;
		random_state = 88172645463325252u + scope;
		model = model_new(&config, 6);
		for (unsigned int n = 0; n < 300000; n++) {
			struct model_facts facts;
			uint32_t core;
			const struct spe_op op = run_random(model, &core, &facts);

			check_op(&config, &facts, &op, n);
			check_flight(model, core, &op, &flights, n);
			if (n % 10000 == 0)
				check_caches(model, n);
			seen[op.data_source] = true;
		}
		cr_expect_gt(flights.landed, 1000);
		cr_expect_gt(flights.collided, 1000);
		/* It was all there. */
		for (unsigned int source = MODEL_FROM_L2; source <= MODEL_FROM_DRAM; source++)
			cr_expect_eq(seen[source],
				     source != (scope == MODEL_CHIP ? MODEL_FROM_LOCAL_CLUSTER
								    : MODEL_FROM_SYSTEM_CACHE),
				     "source 0x%x", source);
		free(model);
	}
}

/* What records say of a whole run adds up to what is counted, where no access has two lines. */
Test(model_core, records_and_counts)
{
	struct model *model = model_new(&model_default, 1);
	uint64_t events[24] = {0}, cycles;
	const uint64_t *counts = model->cores[0].counts;
	struct model_facts facts = plain_facts();

	random_state = 1;
	for (unsigned int n = 0; n < 100000; n++) {
		struct spe_op op;

		facts.data_tables = true;
		facts.flow = n % 3 == 1 ? A64_FLOW_CONDITIONAL : A64_FLOW_NONE;
		op = run_op(model, 0,
			    n % 3 == 0	      ? SPE_OP_LOAD
			    : n % 3 == 2      ? SPE_OP_STORE
			    : random_below(2) ? SPE_OP_BRANCH | SPE_OP_TAKEN
					      : SPE_OP_BRANCH,
			    facts, DATA_PA + (random_below(1 << 22) & ~UINT64_C(7)));
		for (unsigned int bit = 0; bit < 24; bit++)
			events[bit] += op.events >> bit & 1;
	}
	cr_expect_eq(events[2], counts[MODEL_L1D_CACHE]);
	cr_expect_eq(events[3], counts[MODEL_L1D_CACHE_REFILL]);
	cr_expect_eq(events[4], counts[MODEL_L1D_TLB]);
	cr_expect_eq(events[5], counts[MODEL_DTLB_WALK]);
	cr_expect_eq(events[7], counts[MODEL_BR_MIS_PRED]);
	cycles = counts[MODEL_CPU_CYCLES];
	cr_expect_eq(cycles, model->cores[0].pipe.issue);
	cr_expect_lt(counts[MODEL_STALL_BACKEND] + counts[MODEL_STALL_FRONTEND], cycles);
	/* The cycles without a stall issue from one operation to all that there is room for. */
	cycles -= counts[MODEL_STALL_BACKEND] + counts[MODEL_STALL_FRONTEND];
	cr_expect_leq(cycles, 100000);
	cr_expect_geq(cycles, 100000 / model_default.width);
	free(model);
}

/* Saved and loaded in the middle of a run, it goes on as it would have. */
Test(model_core, saved)
{
	struct model_config config = model_default;
	struct model *model, *other;
	struct state state, loading;

	config.llc_size = 1 << 20;
	config.l2_size = 128 << 10;
	model = model_new(&config, 2);
	other = model_new(&config, 2);
	random_state = 42;
	for (unsigned int n = 0; n < 50000; n++) {
		struct model_facts facts;
		uint32_t core;

		run_random(model, &core, &facts);
	}
	state_save(&state, "model");
	model_shared_state(model, &state);
	for (unsigned int n = 0; n < 2; n++)
		model_core_state(&model->cores[n], &state);
	state_load(&loading, "model", state.bytes, state.at);
	model_shared_state(other, &loading);
	for (unsigned int n = 0; n < 2; n++)
		model_core_state(&other->cores[n], &loading);
	cr_assert(state_end(&loading), "%s", loading.why);
	for (unsigned int n = 0; n < 50000; n++) {
		const uint64_t before = random_state;
		struct model_facts facts;
		uint32_t core;
		const struct spe_op one = run_random(model, &core, &facts);
		struct spe_op two;

		random_state = before;
		two = run_random(other, &core, &facts);
		cr_assert_arr_eq(&one, &two, sizeof(one), "operation %u", n);
	}
	cr_expect_arr_eq(model->cores[1].counts, other->cores[1].counts,
			 sizeof(model->cores[1].counts));
	state_free(&state);
	free(model);
	free(other);
}

/* A line of L1D that L2 has not cannot be: what is loaded is looked at. */
Test(model_core, impossible)
{
	struct model *model = model_new(&model_default, 1), *other = model_new(&model_default, 1);
	struct state state, loading;

	run_load(model, 0, DATA_PA);
	model_cache_remove(&model->cores[0].l2, DATA_PA);
	state_save(&state, "model");
	model_core_state(&model->cores[0], &state);
	state_load(&loading, "model", state.bytes, state.at);
	model_core_state(&other->cores[0], &loading);
	cr_expect(loading.failed);
	cr_expect_str_eq(loading.why, "model: line 0x80000002 of L1D that L2 has not");
	state_free(&state);
	free(model);
	free(other);
}
