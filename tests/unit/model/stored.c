/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads of what the store buffer has yet to write: forwarded from it, or waiting for it. */
#include "../compare.h"
#include "support.h"

/* Issue is at once, and a store that misses takes long, so that it is in flight. */
static struct model_config config_of(uint32_t forward)
{
	struct model_config config = model_default;

	config.dtlb_latency = 0;
	config.forward = forward;
	return config;
}

static struct spe_op run_sized(struct model *model, uint32_t flags, uint64_t pa, uint32_t size)
{
	struct model_facts facts = plain_facts();

	facts.size = size;
	return run_op(model, 0, flags, facts, pa);
}

/* The cycles from issue to the data of a load. */
static unsigned int loaded(struct model *model, uint64_t pa, uint32_t size)
{
	const struct spe_op op = run_sized(model, SPE_OP_LOAD, pa, size);

	return (unsigned int)op.total_latency - op.issue_latency;
}

/* All of what is loaded was written by the last store of it. */
Test(model_stored, forwarded)
{
	const struct model_config config = config_of(7);
	struct model *model = model_new(&config, 1);

	run_sized(model, SPE_OP_STORE, DATA_PA + 8, 8);
	cr_expect_eq(loaded(model, DATA_PA + 8, 8), 7);
	cr_expect_eq(loaded(model, DATA_PA + 12, 4), 7, "a part of it");
	cr_expect_eq(loaded(model, DATA_PA + 15, 1), 7, "its last byte");
	cr_expect_eq(loaded(model, DATA_PA + 16, 8), config.l1d_latency, "what follows");
	cr_expect_eq(loaded(model, DATA_PA, 8), config.l1d_latency, "what is before it");
	/* An older store of the same bytes does not matter. */
	run_sized(model, SPE_OP_STORE, DATA_PA + 4096, 16);
	run_sized(model, SPE_OP_STORE, DATA_PA + 4096, 8);
	cr_expect_eq(loaded(model, DATA_PA + 4096, 8), 7);
	cr_expect_eq(loaded(model, DATA_PA + 4104, 8), 7);
	free(model);
}

/* It is a hit of L1D: its line is there, and nothing after it is held up. */
Test(model_stored, forwarded_is_a_hit)
{
	const struct model_config config = config_of(7);
	struct model *model = model_new(&config, 1);
	struct spe_op op;

	run_sized(model, SPE_OP_STORE, DATA_PA, 8);
	op = run_sized(model, SPE_OP_LOAD, DATA_PA, 8);
	cr_expect_eq(op.data_source, MODEL_FROM_L1D);
	cr_expect_eq(op.events, SPE_EVENT_RETIRED | SPE_EVENT_L1D_ACCESS | SPE_EVENT_TLB_ACCESS);
	op = run_op(model, 0, 0, plain_facts(), 0);
	cr_expect_eq(op.issue_latency, config.issue);
	free(model);
}

/* One of two stores, or both: the load reads L1D when they are written. */
Test(model_stored, waits)
{
	const struct model_config config = config_of(7);
	struct model *model = model_new(&config, 1);
	unsigned int first;

	/* The line comes from memory, and is written then. */
	run_sized(model, SPE_OP_STORE, DATA_PA, 8);
	first = loaded(model, DATA_PA + 4, 8);
	cr_expect_geq(first, config.dram + config.l1d_latency - 1);
	cr_expect_leq(first, config.dram + config.l1d_latency + 1);
	/* Now it has been. */
	cr_expect_eq(loaded(model, DATA_PA + 4, 8), config.l1d_latency);
	run_sized(model, SPE_OP_STORE, DATA_PA + 64, 8);
	run_sized(model, SPE_OP_STORE, DATA_PA + 72, 8);
	cr_expect_geq(loaded(model, DATA_PA + 64, 16), config.dram + config.l1d_latency);
	/* Operations after a load that waits do so, too. */
	run_sized(model, SPE_OP_STORE, DATA_PA + 128, 8);
	(void)loaded(model, DATA_PA + 132, 8);
	cr_expect_geq(run_op(model, 0, 0, plain_facts(), 0).issue_latency, config.dram);
	free(model);
}

/* What was written long ago, and what no store buffer has: as without stores. */
Test(model_stored, others)
{
	struct model_config config = config_of(7);
	struct model *model = model_new(&config, 1);
	struct model_facts facts = plain_facts();

	run_sized(model, SPE_OP_STORE, DATA_PA, 8);
	model_core_drain(&model->cores[0]);
	cr_expect_eq(loaded(model, DATA_PA, 8), config.l1d_latency);
	/* An atomic has its line before it is done. */
	run_sized(model, SPE_OP_LOAD | SPE_OP_STORE, DATA_PA + 64, 8);
	cr_expect_eq(loaded(model, DATA_PA + 64, 8), config.l1d_latency);
	/* DC ZVA writes a line. */
	facts.place = MODEL_ZEROED;
	facts.size = 64;
	run_op(model, 0, 0, facts, DATA_PA + 4096);
	cr_expect_eq(loaded(model, DATA_PA + 4096 + 56, 8), 7);
	free(model);
	config = config_of(0);
	model = model_new(&config, 1);
	run_sized(model, SPE_OP_STORE, DATA_PA, 8);
	cr_expect_eq(loaded(model, DATA_PA, 8), config.l1d_latency);
	cr_expect_eq(loaded(model, DATA_PA + 4, 8), config.l1d_latency, "stores are not looked at");
	free(model);
}

/* At the ends of memory nothing wraps. */
Test(model_stored, ends)
{
	const struct model_config config = config_of(7);
	struct model *model = model_new(&config, 1);

	run_sized(model, SPE_OP_STORE, UINT64_MAX - 7, 8);
	cr_expect_eq(loaded(model, UINT64_MAX - 3, 4), 7);
	run_sized(model, SPE_OP_STORE, 0, 8);
	cr_expect_eq(loaded(model, 0, 8), 7);
	cr_expect_neq(loaded(model, UINT64_MAX - 63, 8), 7);
	free(model);
}

/* Another core has taken the line: then the store was written, and the load fetches it. */
Test(model_stored, line_of_another_core)
{
	const struct model_config config = config_of(7);
	struct model *model = model_new(&config, 2);
	struct spe_op op;

	run_sized(model, SPE_OP_STORE, DATA_PA, 8);
	(void)run_store(model, 1, DATA_PA);
	op = run_sized(model, SPE_OP_LOAD, DATA_PA, 8);
	cr_expect_eq(op.data_source, MODEL_FROM_PEER_CORE);
	cr_expect_eq(op.total_latency - op.issue_latency, config.peer_core);
	free(model);
}
