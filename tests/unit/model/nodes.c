/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory that is not all the same: where data comes from, by the nodes of core and page. */

#include "../compare.h"
#include "support.h"

#define EVENT(bit) (UINT64_C(1) << (bit))
#define MIB	   (UINT64_C(1) << 20)
#define SIZE	   (64 * MIB)

/* Cores 0 and 2; cores 1 and 3; slow memory. */
static const struct model_nodes nodes = {
	.count = 3,
	.node = {{.size = SIZE, .cores = 5},
		 {.size = SIZE, .cores = 10, .latency = 150, .remote = 333},
		 {.size = SIZE, .latency = 500}},
};

static const struct {
	uint32_t core, node;
	enum model_source source;
	uint32_t cycles;
} rows[] = {
	{0, 0, MODEL_FROM_DRAM, 200},	{2, 0, MODEL_FROM_DRAM, 200},
	{1, 0, MODEL_FROM_REMOTE, 310}, /* 200, and 180 less 70 between chips */
	{1, 1, MODEL_FROM_DRAM, 150},	{0, 1, MODEL_FROM_REMOTE, 333},
	{0, 2, MODEL_FROM_DRAM, 500},	{3, 2, MODEL_FROM_DRAM, 500},
};

/* Line n of a node, which the code's lines do not meet. */
static uint64_t line_of(uint32_t node, uint64_t n)
{
	return CODE_PA + node * SIZE + MIB + n * MODEL_LINE;
}

Test(model_nodes, sources_and_latencies)
{
	struct model *model = model_new_nodes(&model_default, 4, &nodes);

	for (unsigned int n = 0; n < ARRAY_SIZE(rows); n++) {
		const uint32_t core = rows[n].core;
		const struct spe_op op = run_load(model, core, line_of(rows[n].node, n));
		const bool remote = rows[n].source == MODEL_FROM_REMOTE;

		cr_expect_eq(op.data_source, rows[n].source, "row %u: 0x%x", n, op.data_source);
		cr_expect_eq(op.total_latency - op.issue_latency - op.translation_latency,
			     rows[n].cycles, "row %u", n);
		cr_expect(op.events & EVENT(9), "row %u: missed the last level", n);
		cr_expect_eq(!!(op.events & EVENT(10)), remote, "row %u: remote", n);
		cr_expect_not(op.events & EVENT(23), "row %u: no core had it", n);
		cr_expect_eq(run_load(model, core, line_of(rows[n].node, n)).data_source,
			     MODEL_FROM_L1D, "row %u: caches hold all memory", n);
	}
	free(model);
}

/* A store to another chip's memory says so too; it has no data source. */
Test(model_nodes, stores)
{
	struct model *model = model_new_nodes(&model_default, 4, &nodes);

	cr_expect(run_store(model, 0, line_of(1, 0)).events & EVENT(10));
	cr_expect_not(run_store(model, 0, line_of(0, 0)).events & EVENT(10));
	cr_expect_not(run_store(model, 0, line_of(2, 0)).events & EVENT(10));
	free(model);
}

Test(model_nodes, memory_that_no_cache_has)
{
	struct model *model = model_new_nodes(&model_default, 4, &nodes);
	struct model_facts facts = plain_facts();

	facts.data_uncached = true;
	for (unsigned int n = 0; n < ARRAY_SIZE(rows); n++) {
		const struct spe_op op =
			run_op(model, rows[n].core, SPE_OP_LOAD, facts, line_of(rows[n].node, n));

		cr_expect_eq(op.data_source, rows[n].source, "row %u", n);
		cr_expect_eq(op.total_latency - op.issue_latency - op.translation_latency,
			     rows[n].cycles, "row %u", n);
	}
	free(model);
}

/* An access to two lines reports the slower one: here they are in two nodes. */
Test(model_nodes, over_the_border)
{
	struct model *model = model_new_nodes(&model_default, 4, &nodes);
	struct model_facts facts = plain_facts();
	struct spe_op op;

	facts.size = 8;
	op = run_op(model, 0, SPE_OP_LOAD, facts, CODE_PA + SIZE - 4);
	cr_expect_eq(op.data_source, MODEL_FROM_REMOTE);
	op = run_op(model, 1, SPE_OP_LOAD, facts, CODE_PA + 2 * SIZE - 4);
	cr_expect_eq(op.data_source, MODEL_FROM_DRAM, "slow memory is slower than its own");
	cr_expect_eq(op.total_latency - op.issue_latency - op.translation_latency, 500);
	free(model);
}

/* Cores of two nodes are on two chips, each with a last level; those of one are neighbours. */
Test(model_nodes, a_node_is_a_chip)
{
	struct model *model = model_new_nodes(&model_default, 4, &nodes);

	cr_expect_eq(model->llc_count, 2);
	run_store(model, 2, line_of(0, 0));
	run_store(model, 1, line_of(0, 1));
	cr_expect_eq(run_load(model, 0, line_of(0, 0)).data_source, MODEL_FROM_PEER_CORE);
	cr_expect_eq(run_load(model, 0, line_of(0, 1)).data_source, MODEL_FROM_REMOTE);
	cr_expect_eq(run_load(model, 3, line_of(2, 2)).data_source, MODEL_FROM_DRAM);
	for (uint64_t at = 0; at < 2 * model_default.l2_size; at += MODEL_LINE)
		run_load(model, 3, line_of(2, 3) + at);
	/* Only their last level has them now. */
	cr_expect_eq(run_load(model, 0, line_of(2, 3)).data_source, MODEL_FROM_REMOTE);
	cr_expect_eq(run_load(model, 1, line_of(2, 2)).data_source, MODEL_FROM_SYSTEM_CACHE);
	free(model);
}

/* Nodes may be larger than a chip: clusters and chips do not cross them. */
Test(model_nodes, chips_of_a_node)
{
	static const struct model_nodes two = {
		.count = 2, .node = {{.size = SIZE, .cores = 0x1f}, {.size = SIZE, .cores = 0xe0}}};
	static const uint32_t chips[] = {0, 0, 0, 0, 1, 2, 2, 2};
	static const uint32_t clusters[] = {0, 0, 1, 1, 2, 3, 3, 4};
	struct model_config config = model_default;
	struct model *model;

	config.cores = config.clusters = 2;
	model = model_new_nodes(&config, 8, &two);
	cr_expect_eq(model->llc_count, 3);
	for (uint32_t n = 0; n < 8; n++) {
		cr_expect_eq(model->cores[n].chip, chips[n], "core %u", n);
		cr_expect_eq(model->cores[n].cluster, clusters[n], "core %u", n);
		cr_expect_eq(model->cores[n].llc, chips[n], "core %u", n);
	}
	free(model);
}

/* What is beyond all nodes, as flash is, is as without nodes. */
Test(model_nodes, outside)
{
	struct model *model = model_new_nodes(&model_default, 4, &nodes);

	for (uint64_t pa = 0; pa <= CODE_PA + 3 * SIZE; pa += CODE_PA + 3 * SIZE) {
		const struct spe_op op = run_load(model, 0, pa);

		cr_expect_eq(op.data_source, MODEL_FROM_DRAM);
		cr_expect_eq(op.total_latency - op.issue_latency - op.translation_latency, 200);
	}
	free(model);
}
