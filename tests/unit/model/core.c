/* SPDX-License-Identifier: BSD-2-Clause */
/* The pipeline of the machine model. */
#include <stdio.h>

#include "../compare.h"
#include "arm/model.h"
#include "arm/model_state.h"
#include "support.h"

#define EVENT(n) (UINT64_C(1) << (n))

/* A load alone: its latency is the sum of its parts. */
Test(model_core, load)
{
	const struct model_config *config = &model_default;
	struct model *model = model_new(config, 1);
	struct spe_op op = run_load(model, 0, DATA_PA);

	cr_expect_eq(op.data_source, MODEL_FROM_DRAM);
	cr_expect_eq(op.issue_latency, config->issue);
	cr_expect_eq(op.translation_latency, config->dtlb_latency);
	cr_expect_eq(op.total_latency, config->issue + config->dtlb_latency + config->dram);
	/* The next operation is dispatched, and waits. */
	op = run_op(model, 0, 0, plain_facts(), 0);
	cr_expect_eq(op.issue_latency, config->dtlb_latency + config->dram + config->issue);
	cr_expect_eq(op.total_latency, op.issue_latency + config->simple);
	free(model);
}

/* An operation that needs all results is issued. */
static void settle(struct model *model)
{
	struct model_facts facts = plain_facts();

	facts.needs.registers.reads = UINT64_MAX;
	facts.needs.registers.reads_flags = true;
	run_op(model, 0, 0, facts, 0);
}

/* Operations wait for the results that they need, and for no others: n loads from L1D. */
static uint64_t cycles_of_loads(struct model *model, unsigned int n, struct model_needs needs)
{
	const uint64_t *counts = model->cores[0].counts;
	struct model_facts facts = plain_facts();
	uint64_t before;

	run_load(model, 0, DATA_PA);
	settle(model);
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

	cr_expect_leq(cycles_of_loads(model, n, needs), n / config->width + 1, "apart");
	needs.registers.writes = 2;
	cr_expect_leq(cycles_of_loads(model, n, needs), n * load + 1);
	cr_expect_geq(cycles_of_loads(model, n, needs), (n - 1) * load, "a chase");
	needs.registers.base = 2;
	cr_expect_leq(cycles_of_loads(model, n, needs), n * config->simple + 1,
		      "a base that goes up is no result of a load");
	/* Flags, and an operation that has its cycles to itself. */
	needs = (struct model_needs){{.writes_flags = true}, .alone = false};
	(void)cycles_of_loads(model, 1, needs);
	facts.needs.registers.reads_flags = true;
	issued = model->cores[0].pipe.issue;
	run_op(model, 0, 0, facts, 0);
	cr_expect_eq(model->cores[0].pipe.issue, issued + load);
	needs = (struct model_needs){.alone = true};
	cr_expect_geq(cycles_of_loads(model, n, needs), n - 1, "alone");
	/* After one that is not alone: never in a cycle of another. */
	settle(model);
	for (unsigned int i = 0; i < 8; i++) {
		facts.needs = (struct model_needs){.alone = i & 1};
		issued = model->cores[0].pipe.issue;
		run_op(model, 0, 0, facts, 0);
		if (i & 1)
			cr_expect_gt(model->cores[0].pipe.issue, issued, "%u", i);
	}
	free(model);
}

/* A counter that an operation reads before the model sees it includes that operation's issue. */
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

/* Cycles without issue: for loads, for stores that find the buffer full, and together. */
Test(model_core, stalls)
{
	struct model *model = model_new(&model_default, 1);
	uint64_t *counts = model->cores[0].counts;

	run_op(model, 0, 0, plain_facts(), 0);
	/* No stream that the prefetcher would follow. */
	for (uint64_t n = 0; n < 4; n++)
		run_load(model, 0, DATA_PA + 64 * n * n);
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

/* An operation that only warms the model leaves its line and its page there, and takes no time. */
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
	/* A branch that is always taken is predicted. */
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

/* Alone an operation waits for nothing, and no cycle is counted. It finds the same in caches. */
Test(model_core, alone)
{
	const struct model_config *config = &model_default;
	const struct model_facts facts = {.fetch_pa = CODE_PA, .place = MODEL_RAM, .size = 8};
	struct model *model = model_new(config, 1);
	const uint64_t *counts = model->cores[0].counts;

	for (unsigned int n = 0; n < 3; n++) {
		struct spe_op op = {.flags = SPE_OP_LOAD | SPE_OP_VA_VALID | SPE_OP_PA_VALID,
				    .events = SPE_EVENT_RETIRED,
				    .data_va = DATA_PA,
				    .data_pa = DATA_PA};
		const uint32_t access = n ? config->l1d_latency : config->dram;

		model_core_alone(model, 0, &facts, &op);
		cr_expect_eq(op.issue_latency, config->issue);
		cr_expect_eq(op.translation_latency, config->dtlb_latency);
		cr_expect_eq(op.total_latency, config->issue + config->dtlb_latency + access);
		cr_expect_eq(op.data_source, n ? MODEL_FROM_L1D : MODEL_FROM_DRAM);
		cr_expect_eq(!(op.events & SPE_EVENT_L1D_REFILL), n > 0);
	}
	cr_expect_eq(model->cores[0].operations, 3);
	cr_expect_eq(counts[MODEL_L1D_CACHE], 3);
	cr_expect_eq(counts[MODEL_CPU_CYCLES] + counts[MODEL_STALL], 0);
	free(model);
}

/* A store is in the store buffer at once; a branch may be mispredicted. */
Test(model_core, alone_stores_and_branches)
{
	const struct model_config *config = &model_default;
	struct model *model = model_new(config, 1);
	struct model_facts facts = {.place = MODEL_RAM, .size = 8};
	struct spe_op store = {.flags = SPE_OP_STORE | SPE_OP_VA_VALID | SPE_OP_PA_VALID,
			       .data_pa = DATA_PA},
		      branch = {.pc = CODE_PA, .flags = SPE_OP_BRANCH | SPE_OP_TAKEN};

	model_core_alone(model, 0, &facts, &store);
	cr_expect_eq(store.total_latency, config->issue + config->dtlb_latency + config->simple);
	facts = (struct model_facts){.flow = A64_FLOW_CONDITIONAL};
	for (unsigned int n = 0; n < 2 + config->history; n++) {
		branch.events = SPE_EVENT_RETIRED;
		model_core_alone(model, 0, &facts, &branch);
		if (n == 0)
			cr_expect(branch.events & SPE_EVENT_MISPREDICTED);
		cr_expect_eq(branch.total_latency, config->issue + config->simple);
	}
	cr_expect_not(branch.events & SPE_EVENT_MISPREDICTED, "its history is known now");
	cr_expect_geq(model->cores[0].counts[MODEL_BR_MIS_PRED_RETIRED], 1);
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

/* After a wrong guess: no more than there is room for, and all of it before the branch is done. */
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

/*
 * RULE("RQWTQB") In flight up to the cycle in which it is done, at most MODEL_FLIGHTS at a time.
 */
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

/* The same for code, by the tables: two lines of a page that L1I does not get. */
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

/* DC ZVA: a store of a line. Its record says what it did, but not where. */
Test(model_core, zeroed)
{
	struct model *model = model_new(&model_default, 1);
	struct model_facts facts = plain_facts();
	struct spe_op op;

	facts.place = MODEL_ZEROED;
	facts.size = MODEL_LINE;
	op = run_op(model, 0, SPE_OP_STORE, facts, DATA_PA);
	cr_assert(op.events & EVENT(2));
	cr_assert(op.events & EVENT(3));
	cr_expect(op.events & EVENT(4));
	cr_expect_eq(op.total_latency,
		     op.issue_latency + op.translation_latency + model_default.simple);
	cr_expect_eq(run_load(model, 0, DATA_PA).data_source, MODEL_FROM_L1D);
	model_memory_maintain(model, DATA_PA, MODEL_CLEAN);
	cr_expect_eq(model->cores[0].counts[MODEL_L1D_CACHE_WB], 1, "it was written");
	free(model);
}

/* PRFM does not fetch what no TLB has, or what must be in no cache. */
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
