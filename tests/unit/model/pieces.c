/* SPDX-License-Identifier: BSD-2-Clause */
/* Operations that make several accesses: gathers, scatters, and copies of memory. */
#include "../compare.h"
#include "support.h"

#define MOST	 32
#define DISTANCE UINT64_C(4096)

static struct model_config config_of(uint32_t ports, uint32_t gather)
{
	struct model_config config = model_default;

	config.dtlb_latency = 0;
	config.streams = 0;
	config.ports = ports;
	config.gather = gather;
	config.width = 8;
	return config;
}

/* An operation of count accesses of 8 bytes, each to a line. */
static struct model_facts pieces_at(struct model_piece *pieces, unsigned int count, uint64_t pa,
				    bool store)
{
	struct model_facts facts = plain_facts();

	for (unsigned int n = 0; n < count; n++)
		pieces[n] = (struct model_piece){
			.va = pa + n * DISTANCE,
			.pa = pa + n * DISTANCE,
			.size = 8,
			.place = MODEL_RAM,
			.store = store,
		};
	facts.pieces = pieces;
	facts.piece_count = count;
	return facts;
}

static struct spe_op run_pieces(struct model *model, uint32_t flags, struct model_facts facts)
{
	struct spe_op op = {
		.pc = facts.fetch_pa,
		.flags = flags | SPE_OP_VA_VALID | SPE_OP_PA_VALID,
		.events = SPE_EVENT_RETIRED,
		.data_va = DATA_PA,
		.data_pa = DATA_PA,
	};
	const uint32_t held = model_core_fetch(model, 0, op.pc, &facts);

	facts.place = MODEL_RAM;
	facts.size = 8;
	model_core_execute(model, 0, &facts, held, &op);
	return op;
}

static unsigned int taken(const struct spe_op *op)
{
	return (unsigned int)op->total_latency - op->issue_latency;
}

/* As many accesses a cycle as there are ports; the last one that is done is the latency. */
Test(model_pieces, issued_by_ports)
{
	struct model_piece pieces[MOST];

	for (uint32_t ports = 0; ports <= 3; ports++) {
		const struct model_config config = config_of(ports, 0);
		struct model *model = model_new(&config, 1);
		const struct model_pipe *pipe = &model->cores[0].pipe;

		(void)run_pieces(model, SPE_OP_LOAD, pieces_at(pieces, 8, DATA_PA, false));
		for (unsigned int count = 1; count <= 8; count++) {
			const unsigned int cycles = ports ? (count - 1) / ports : 0;
			const struct spe_op op = run_pieces(
				model, SPE_OP_LOAD, pieces_at(pieces, count, DATA_PA, false));
			const uint64_t issued = pipe->issue;
			struct spe_op next;

			cr_expect_eq(taken(&op), config.l1d_latency + cycles, "%u of %u", ports,
				     count);
			cr_expect_eq(op.data_source, MODEL_FROM_L1D);
			/* The next operation is issued after all of them. */
			next = run_op(model, 0, 0, plain_facts(), 0);
			cr_expect_geq(pipe->issue, issued);
			cr_expect_geq(next.total_latency, next.issue_latency);
			model_core_drain(&model->cores[0]);
		}
		cr_expect_eq(model->cores[0].counts[MODEL_CPU_CYCLES], pipe->issue);
		free(model);
	}
}

/* A gather takes longer than a load, whatever lines it has. */
Test(model_pieces, gathers)
{
	const struct model_config config = config_of(2, 9);
	struct model *model = model_new(&config, 1);
	struct model_piece pieces[MOST];
	struct model_facts facts = pieces_at(pieces, 4, DATA_PA, false);
	struct spe_op op;

	facts.gathers = true;
	op = run_pieces(model, SPE_OP_LOAD, facts);
	cr_expect_eq(taken(&op), config.dram + 1 + 9 - config.l1d_latency);
	model_core_drain(&model->cores[0]);
	op = run_pieces(model, SPE_OP_LOAD, facts);
	cr_expect_eq(taken(&op), 9 + 1);
	facts.piece_count = 1;
	model_core_drain(&model->cores[0]);
	op = run_pieces(model, SPE_OP_LOAD, facts);
	cr_expect_eq(taken(&op), 9);
	free(model);
}

/* Of lines from several places the record shows the farthest; every one is counted. */
Test(model_pieces, the_farthest_is_shown)
{
	const struct model_config config = config_of(2, 0);
	struct model *model = model_new(&config, 1);
	const uint64_t *counts = model->cores[0].counts;
	struct model_piece pieces[MOST];
	struct spe_op op;
	uint64_t accesses;

	(void)run_pieces(model, SPE_OP_LOAD, pieces_at(pieces, 3, DATA_PA, false));
	accesses = counts[MODEL_L1D_CACHE];
	op = run_pieces(model, SPE_OP_LOAD, pieces_at(pieces, 4, DATA_PA, false));
	cr_expect_eq(op.data_source, MODEL_FROM_DRAM);
	cr_expect_eq(op.events & SPE_EVENT_L1D_REFILL, SPE_EVENT_L1D_REFILL);
	cr_expect_eq(counts[MODEL_L1D_CACHE] - accesses, 4);
	op = run_pieces(model, SPE_OP_LOAD, pieces_at(pieces, 4, DATA_PA, false));
	cr_expect_eq(op.data_source, MODEL_FROM_L1D);
	cr_expect_eq(op.events & SPE_EVENT_L1D_REFILL, 0);
	free(model);
}

/* A copy of memory: its record shows one half, and the other half is made, too. */
Test(model_pieces, copies)
{
	const struct model_config config = config_of(2, 0);
	struct model *model = model_new(&config, 1);
	struct model_piece pieces[MOST], to[MOST];
	struct model_facts facts;
	struct spe_op op;

	(void)run_load(model, 0, DATA_PA);
	model_core_drain(&model->cores[0]);
	facts = pieces_at(pieces, 1, DATA_PA, false);
	(void)pieces_at(to, 1, DATA_PA + (1 << 20), true);
	pieces[1] = to[0];
	facts.piece_count = 2;
	op = run_pieces(model, SPE_OP_LOAD, facts);
	cr_expect_eq(op.data_source, MODEL_FROM_L1D);
	cr_expect_eq(op.events & SPE_EVENT_L1D_REFILL, 0, "the load's");
	cr_expect_eq(taken(&op), config.l1d_latency);
	/* The line was written, and is in the store buffer. */
	cr_expect_not_null(model_cache_find(&model->cores[0].l1d, DATA_PA + (1 << 20)));
	op = run_load(model, 0, DATA_PA + (1 << 20));
	cr_expect_eq(taken(&op), config.forward);
	/* As the half that stores. */
	(void)pieces_at(to, 1, DATA_PA + (2 << 20), true);
	pieces[1] = to[0];
	op = run_pieces(model, SPE_OP_STORE, facts);
	cr_expect_eq(op.events & SPE_EVENT_L1D_REFILL, SPE_EVENT_L1D_REFILL, "the store's");
	cr_expect_eq(op.data_source, 0);
	free(model);
}

/* Each store of a scatter takes a place in the store buffer. */
Test(model_pieces, scatters)
{
	struct model_config config = config_of(0, 0);
	struct model_piece pieces[MOST];
	struct model *model;
	struct spe_op op;

	config.stores = 4;
	model = model_new(&config, 1);
	op = run_pieces(model, SPE_OP_STORE, pieces_at(pieces, 4, DATA_PA, true));
	cr_expect_eq(taken(&op), config.simple);
	op = run_pieces(model, SPE_OP_STORE, pieces_at(pieces, 8, DATA_PA + (1 << 20), true));
	cr_expect_geq(taken(&op), 4 * config.dram);
	cr_expect_eq(model->cores[0].counts[MODEL_CPU_CYCLES], model->cores[0].pipe.issue);
	cr_expect_geq(model->cores[0].counts[MODEL_STALL_BACKEND_ST], 4 * config.dram);
	free(model);
}

/* A store with holes forwards nothing: the bytes of the hole are not its. */
Test(model_pieces, holes)
{
	const struct model_config config = config_of(2, 0);
	struct model *model = model_new(&config, 1);
	struct model_piece pieces[MOST];
	const struct model_facts facts = pieces_at(pieces, 1, DATA_PA, true);
	struct spe_op op;

	pieces[0].size = 32;
	pieces[0].holes = true;
	(void)run_pieces(model, SPE_OP_STORE, facts);
	op = run_load(model, 0, DATA_PA);
	cr_expect_gt(taken(&op), config.dram);
	free(model);
}

/* Without time the accesses are the same, whether the operation ended or was excepted. */
Test(model_pieces, warm)
{
	for (unsigned int excepted = 0; excepted < 2; excepted++) {
		const struct model_config config = model_default;
		struct model *one = model_new(&config, 1), *two = model_new(&config, 1);
		struct model_piece pieces[MOST];

		for (unsigned int n = 0; n < 1000; n++) {
			struct model_facts facts =
				pieces_at(pieces, 1 + n % 8, DATA_PA + n * 192, n % 3 == 0);
			struct spe_op op = {.flags = n % 2 ? SPE_OP_LOAD : SPE_OP_STORE};

			facts.data_tables = true;
			facts.excepted = excepted;
			(void)run_pieces(one, op.flags, facts);
			op.flags |= SPE_OP_VA_VALID;
			op.data_va = op.data_pa = DATA_PA;
			facts.place = MODEL_RAM;
			facts.size = 8;
			(void)model_core_fetch(two, 0, 0, &facts);
			(void)model_core_warm(two, 0, &facts, &op);
		}
		for (size_t at = 0; at < (size_t)one->cores[0].l1d.sets * one->cores[0].l1d.ways;
		     at++)
			cr_assert_eq(one->cores[0].l1d.lines[at], two->cores[0].l1d.lines[at]);
		cr_expect_eq(one->cores[0].counts[MODEL_L1D_CACHE_REFILL],
			     two->cores[0].counts[MODEL_L1D_CACHE_REFILL]);
		cr_expect_eq(one->cores[0].counts[MODEL_L1D_TLB],
			     two->cores[0].counts[MODEL_L1D_TLB]);
		free(one);
		free(two);
	}
}
