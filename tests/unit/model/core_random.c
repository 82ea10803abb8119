/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Operations of any kind, by any core, through the machine model: its records do not contradict
 * themselves, they add up to the counts, and a saved model continues.
 */
#include <stdio.h>

#include "../compare.h"
#include "arm/model.h"
#include "arm/model_state.h"
#include "support.h"

#define EVENT(n) (UINT64_C(1) << (n))

static uint64_t random_state;

static uint64_t random_below(uint64_t most)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state % most;
}

/* Between operations: maintenance, and prefetches. */
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

/* L2 has all that L1 has, and no core has a line that another may write. */
static void check_caches(const struct model *model, unsigned int n)
{
	for (uint32_t core = 0; core < model->count; core++) {
		const struct model_cache *cache = &model->cores[core].l1d;

		for (size_t at = 0; at < (size_t)cache->sets * cache->ways; at++) {
			const uint64_t line = cache->lines[at];
			const uint64_t *l2 = model_cache_find(&model->cores[core].l2, line);

			if (!line)
				continue;
			cr_assert_not_null(l2, "%u: 0x%lx is not in L2", n, line);
			cr_assert_geq(model_line_state(*l2), model_line_state(line), "%u: 0x%lx", n,
				      line);
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

static void check_op(const struct model *model, uint32_t core, const struct model_facts *facts,
		     const struct spe_op *op, unsigned int n)
{
	const struct model_config *config = &model->config;
	const bool ram = facts->place == MODEL_RAM || facts->place == MODEL_ZEROED;
	const bool load = op->flags & SPE_OP_LOAD;
	const bool cached =
		ram && !facts->data_uncached && !(facts->data_tables && is_uncached(op->data_va));
	const enum model_source source = (enum model_source)op->data_source;
	const uint64_t events = op->events;
	uint32_t latency;
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
	latency = op->issue_latency + op->translation_latency +
		  model_memory_latency(model, core, source, op->data_pa);
	if (events & EVENT(12)) {
		cr_expect_gt(op->total_latency, latency, "%u: a prefetch in time", n);
		cr_expect_leq(source, MODEL_FROM_L2, "%u: a prefetch elsewhere", n);
	} else {
		cr_expect_eq(op->total_latency, latency,
			     "%u: the latency of another source than 0x%x", n, source);
	}
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

/* A sampled operation at a time for each core, and what follows a branch. */
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
		cr_expect_leq(wrong, model->config.queue, "%u", n);
		cr_expect_gt(done, from, "%u", n);
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
		config.forward = 0; /* else loads wait for stores, too */
		config.cores = config.clusters = 2;
		config.l2_size = 256 << 10;
		config.llc_size = 1 << 20;
		random_state = 88172645463325252u + scope;
		model = model_new(&config, 6);
		for (unsigned int n = 0; n < 300000; n++) {
			struct model_facts facts;
			uint32_t core;
			const struct spe_op op = run_random(model, &core, &facts);

			check_op(model, core, &facts, &op, n);
			check_flight(model, core, &op, &flights, n);
			if (n % 10000 == 0)
				check_caches(model, n);
			seen[op.data_source] = true;
		}
		cr_expect_gt(flights.landed, 1000);
		cr_expect_gt(flights.collided, 1000);
		/* Every source occurred. */
		for (unsigned int source = MODEL_FROM_L2; source <= MODEL_FROM_DRAM; source++)
			cr_expect_eq(seen[source],
				     source != (scope == MODEL_CHIP ? MODEL_FROM_LOCAL_CLUSTER
								    : MODEL_FROM_SYSTEM_CACHE),
				     "source 0x%x", source);
		free(model);
	}
}

/* The records of a core add up to its counts, if no access has two lines. */
static void check_sums(const struct model_core *core, const uint64_t events[24],
		       uint64_t operations)
{
	const uint64_t *counts = core->counts;
	uint64_t cycles = counts[MODEL_CPU_CYCLES];

	cr_expect_eq(events[2], counts[MODEL_L1D_CACHE]);
	cr_expect_eq(events[3], counts[MODEL_L1D_CACHE_REFILL]);
	cr_expect_eq(events[4], counts[MODEL_L1D_TLB]);
	cr_expect_eq(events[5], counts[MODEL_DTLB_WALK]);
	cr_expect_eq(events[7], counts[MODEL_BR_MIS_PRED]);
	/* These count fetches, walks and the prefetcher too. */
	cr_expect_leq(events[8], counts[MODEL_LL_CACHE]);
	cr_expect_leq(events[9], counts[MODEL_LL_CACHE_MISS]);
	cr_expect_leq(events[19], counts[MODEL_L2D_CACHE]);
	cr_expect_leq(events[20], counts[MODEL_LL_CACHE_RD]);
	cr_expect_leq(events[23], events[20]);
	cr_expect_gt(events[23], 0, "no line of another core");
	cr_expect_eq(cycles, core->pipe.issue);
	cr_expect_lt(counts[MODEL_STALL_BACKEND] + counts[MODEL_STALL_FRONTEND], cycles);
	/* A cycle without a stall issues from one operation up to the core's width. */
	cycles -= counts[MODEL_STALL_BACKEND] + counts[MODEL_STALL_FRONTEND];
	cr_expect_leq(cycles, operations);
	cr_expect_geq(cycles, operations / model_default.width);
}

/* A million operations on four cores that share what they read and write. */
Test(model_core, records_and_counts)
{
	struct model *model = model_new(&model_default, 4);
	uint64_t events[4][24] = {{0}}, operations[4] = {0};
	struct model_facts facts = plain_facts();

	random_state = 1;
	for (unsigned int n = 0; n < 1000000; n++) {
		const uint32_t core = (uint32_t)random_below(4);
		struct spe_op op;

		facts.data_tables = true;
		facts.flow = n % 3 == 1 ? A64_FLOW_CONDITIONAL : A64_FLOW_NONE;
		op = run_op(model, core,
			    n % 3 == 0	      ? SPE_OP_LOAD
			    : n % 3 == 2      ? SPE_OP_STORE
			    : random_below(2) ? SPE_OP_BRANCH | SPE_OP_TAKEN
					      : SPE_OP_BRANCH,
			    facts, DATA_PA + (random_below(1 << 22) & ~UINT64_C(7)));
		operations[core]++;
		for (unsigned int bit = 0; bit < 24; bit++)
			events[core][bit] += op.events >> bit & 1;
	}
	for (unsigned int core = 0; core < 4; core++)
		check_sums(&model->cores[core], events[core], operations[core]);
	free(model);
}

/* Saved and loaded in the middle of a run, it continues in the same way. */
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
		model_core_state(model, n, &state);
	state_load(&loading, "model", state.bytes, state.at);
	model_shared_state(other, &loading);
	for (unsigned int n = 0; n < 2; n++)
		model_core_state(other, n, &loading);
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

/* L1D cannot have a line that L2 does not have: loaded state is checked. */
Test(model_core, impossible)
{
	struct model *model = model_new(&model_default, 1), *other = model_new(&model_default, 1);
	struct state state, loading;

	run_load(model, 0, DATA_PA);
	model_cache_remove(&model->cores[0].l2, DATA_PA);
	state_save(&state, "model");
	model_core_state(model, 0, &state);
	state_load(&loading, "model", state.bytes, state.at);
	model_core_state(other, 0, &loading);
	cr_expect(loading.failed);
	cr_expect_str_eq(loading.why, "model: line 0x80000002 of L1D that L2 has not");
	state_free(&state);
	free(model);
	free(other);
}
