/* SPDX-License-Identifier: BSD-2-Clause */
/* Where data come from: the levels by their sizes, and other cores by their places. */

#include "../compare.h"
#include "support.h"

/* Chase size bytes, and chase them again: how many loads of the second time come from source? */
static uint64_t chase(struct model *model, uint64_t size, enum model_source source)
{
	uint64_t found = 0;

	for (uint64_t at = 0; at < size; at += MODEL_LINE)
		run_load(model, 0, DATA_PA + at);
	for (uint64_t at = 0; at < size; at += MODEL_LINE)
		found += run_load(model, 0, DATA_PA + at).data_source == source;
	return found;
}

/*
 * What fits comes from there, except for lines in sets that the code uses, too. Twice the size, in
 * order, never does.
 */
static void check_levels(const struct model_config *config, enum model_source last)
{
	const struct {
		uint64_t size;
		enum model_source here, beyond;
	} levels[] = {
		{config->l1d_size, MODEL_FROM_L1D, MODEL_FROM_L2},
		{config->l2_size, MODEL_FROM_L2, last},
		{config->llc_size, last, MODEL_FROM_DRAM},
	};

	for (unsigned int n = 0; n < 3; n++) {
		const uint64_t lines = levels[n].size / MODEL_LINE;
		struct model *model = model_new(config, 1);

		cr_expect_geq(chase(model, levels[n].size / 2, levels[n].here), lines / 2 * 9 / 10,
			      "level %u", n);
		free(model);
		model = model_new(config, 1);
		cr_expect_geq(chase(model, 2 * levels[n].size, levels[n].beyond),
			      2 * lines * 9 / 10, "beyond level %u", n);
		free(model);
	}
}

Test(model_memory, levels)
{
	struct model_config config = model_default;

	config.streams = 0;
	/* Half of L2 is more than L1D, and half of the last level more than L2. */
	check_levels(&config, MODEL_FROM_SYSTEM_CACHE);
	config.scope = MODEL_CLUSTER;
	config.l1d_size = 8192;
	config.l1d_ways = 2;
	config.l2_size = 65536;
	config.llc_size = 524288;
	check_levels(&config, MODEL_FROM_LOCAL_CLUSTER);
}

/* Two cores in a cluster, two clusters on a chip, and a second chip. */
static const struct {
	uint32_t other;
	enum model_source source;
} places[] = {
	{1, MODEL_FROM_PEER_CORE},
	{2, MODEL_FROM_PEER_CLUSTER},
	{3, MODEL_FROM_PEER_CLUSTER},
	{4, MODEL_FROM_REMOTE},
};

static struct model *make_chips(enum model_scope scope)
{
	struct model_config config = model_default;

	config.cores = config.clusters = 2;
	config.scope = scope;
	return model_new(&config, 5);
}

/* What another core has written comes from there; what this core has written comes from L1D. */
Test(model_memory, other_cores)
{
	for (unsigned int n = 0; n < ARRAY_SIZE(places); n++) {
		struct model *model = make_chips(MODEL_CHIP);
		struct spe_op op;

		run_store(model, places[n].other, DATA_PA);
		op = run_load(model, 0, DATA_PA);
		cr_expect_eq(op.data_source, places[n].source, "row %u: 0x%x", n, op.data_source);
		cr_expect_eq(run_load(model, 0, DATA_PA).data_source, MODEL_FROM_L1D);
		cr_expect_eq(run_load(model, places[n].other, DATA_PA).data_source, MODEL_FROM_L1D);
		/* The read wrote it back, and both have it: one must fetch it. */
		cr_expect_eq(model->cores[places[n].other].counts[MODEL_L1D_CACHE_WB], 1);
		cr_expect(run_store(model, 0, DATA_PA).events & SPE_EVENT_L1D_REFILL);
		cr_expect_not(run_store(model, 0, DATA_PA).events & SPE_EVENT_L1D_REFILL);
		cr_expect_eq(run_load(model, places[n].other, DATA_PA).data_source,
			     places[n].source);
		free(model);
	}
}

/* A core writes its exclusive line without a request; a reader must fetch the line again. */
Test(model_memory, exclusive)
{
	struct model *model = model_new(&model_default, 2);

	run_load(model, 0, DATA_PA);
	cr_expect_not(run_store(model, 0, DATA_PA).events & SPE_EVENT_L1D_REFILL);
	run_load(model, 1, DATA_PA);
	cr_expect(run_store(model, 0, DATA_PA).events & SPE_EVENT_L1D_REFILL, "shared");
	cr_expect_eq(run_load(model, 1, DATA_PA).data_source, MODEL_FROM_PEER_CORE);
	free(model);
}

/* The last level of another cluster, and the name of a cluster's own. */
Test(model_memory, last_levels)
{
	struct model *model = make_chips(MODEL_CLUSTER);
	const uint64_t l2 = model_default.l2_size;

	for (uint64_t at = 0; at < 2 * l2; at += MODEL_LINE)
		run_load(model, 2, DATA_PA + at);
	/* Core 2 no longer has it in L2, but its cluster has it in the last level. */
	cr_expect_eq(run_load(model, 0, DATA_PA).data_source, MODEL_FROM_PEER_CLUSTER);
	cr_expect_eq(run_load(model, 3, DATA_PA + 64).data_source, MODEL_FROM_LOCAL_CLUSTER);
	cr_expect_eq(run_load(model, 4, DATA_PA + 128).data_source, MODEL_FROM_REMOTE);
	free(model);
}

/* Each line that was written and evicted is written back. */
Test(model_memory, written_back)
{
	struct model_config config = model_default;
	const uint64_t lines = 4 * config.l1d_size / MODEL_LINE;
	const uint64_t *counts;
	struct model *model;

	config.streams = 0;
	model = model_new(&config, 1);
	counts = model->cores[0].counts;
	for (uint64_t n = 0; n < lines; n++)
		run_store(model, 0, DATA_PA + n * MODEL_LINE);
	cr_expect_eq(counts[MODEL_L1D_CACHE], lines);
	cr_expect_eq(counts[MODEL_L1D_CACHE_REFILL], lines);
	cr_expect_eq(counts[MODEL_L1D_CACHE_WB], lines - model_default.l1d_size / MODEL_LINE);
	/* L2 also has one access for the line of code, the only read among them. */
	cr_expect_eq(counts[MODEL_L2D_CACHE], lines + counts[MODEL_L1D_CACHE_WB] + 1);
	cr_expect_eq(counts[MODEL_LL_CACHE_RD], 1);
	free(model);
}

/* A line that core 0 has written, and core 1 reads after maintenance. */
static struct model *write_line(unsigned int what)
{
	struct model *model = model_new(&model_default, 2);

	run_store(model, 0, DATA_PA);
	model_memory_maintain(model, DATA_PA + 8, what);
	return model;
}

/* What maintenance by address leaves in caches, and what it writes back (Arm ARM D7.5). */
Test(model_memory, maintenance)
{
	static const struct {
		const char *name;
		unsigned int what;
		uint64_t written_back;
		enum model_source own, other; /* of a load by either then */
	} rows[] = {
		{"DC CVAU", MODEL_CLEAN, 1, MODEL_FROM_L1D, MODEL_FROM_PEER_CORE},
		{"DC CVAC", MODEL_CLEAN | MODEL_TO_MEMORY, 1, MODEL_FROM_L1D, MODEL_FROM_PEER_CORE},
		{"DC IVAC", MODEL_INVALIDATE | MODEL_TO_MEMORY, 0, MODEL_FROM_DRAM,
		 MODEL_FROM_DRAM},
		{"DC CIVAC", MODEL_CLEAN | MODEL_INVALIDATE | MODEL_TO_MEMORY, 1, MODEL_FROM_DRAM,
		 MODEL_FROM_DRAM},
	};

	for (unsigned int n = 0; n < ARRAY_SIZE(rows); n++) {
		struct model *model = write_line(rows[n].what);
		const uint64_t *counts = model->cores[0].counts;

		cr_expect_eq(counts[MODEL_L1D_CACHE_WB], rows[n].written_back, "%s", rows[n].name);
		cr_expect_eq(run_load(model, 1, DATA_PA).data_source, rows[n].other, "%s",
			     rows[n].name);
		/* What was written back is not written back again. */
		cr_expect_eq(counts[MODEL_L1D_CACHE_WB], rows[n].written_back, "%s", rows[n].name);
		free(model);
		model = write_line(rows[n].what);
		cr_expect_eq(run_load(model, 0, DATA_PA).data_source, rows[n].own, "%s",
			     rows[n].name);
		/* A write to it is one again. */
		run_store(model, 0, DATA_PA);
		model_memory_maintain(model, DATA_PA, MODEL_CLEAN);
		cr_expect_eq(model->cores[0].counts[MODEL_L1D_CACHE_WB], rows[n].written_back + 1,
			     "%s", rows[n].name);
		free(model);
	}
}

/* A dirty line of the last level becomes clean. */
Test(model_memory, maintenance_of_the_last_level)
{
	struct model *model = model_new(&model_default, 2);
	uint64_t *line;

	run_store(model, 0, DATA_PA);
	run_load(model, 1, DATA_PA);
	line = model_cache_find(&model->llcs[0], DATA_PA);
	cr_assert_not_null(line);
	cr_expect_eq(model_line_state(*line), MODEL_MODIFIED);
	model_memory_maintain(model, DATA_PA, MODEL_CLEAN);
	cr_expect_eq(model_line_state(*line), MODEL_MODIFIED, "that is L2");
	model_memory_maintain(model, DATA_PA, MODEL_CLEAN | MODEL_TO_MEMORY);
	cr_expect_eq(model_line_state(*line), MODEL_SHARED);
	model_memory_maintain(model, DATA_PA, MODEL_INVALIDATE | MODEL_TO_MEMORY);
	cr_expect_null(model_cache_find(&model->llcs[0], DATA_PA));
	cr_expect_null(model_cache_find(&model->cores[1].l1d, DATA_PA));
	cr_expect_null(model_cache_find(&model->cores[1].l2, DATA_PA));
	free(model);
}

/* IC: the fetch comes from L2, of a line or of all. */
Test(model_memory, maintenance_of_code)
{
	const uint64_t pas[] = {CODE_PA, CODE_PA + MODEL_LINE};

	for (unsigned int all = 0; all < 2; all++) {
		struct model *model = model_new(&model_default, 1);
		const uint64_t *counts = model->cores[0].counts;
		struct model_facts facts = plain_facts();

		for (unsigned int turn = 0; turn < 2; turn++) {
			for (unsigned int n = 0; n < 2; n++) {
				facts.fetch_pa = pas[n];
				run_op(model, 0, 0, facts, 0);
			}
			cr_expect_eq(counts[MODEL_L1I_CACHE_REFILL], turn ? 3 + all : 2);
			model_memory_forget_code(&model->cores[0], all ? NULL : &pas[1]);
		}
		free(model);
	}
}

/* A line is at the requested level, and L1D was not accessed for it. */
Test(model_memory, prefetch)
{
	static const enum model_source sources[] = {
		MODEL_FROM_L1D, MODEL_FROM_L2, MODEL_FROM_SYSTEM_CACHE, MODEL_FROM_SYSTEM_CACHE};

	for (unsigned int level = 1; level <= 4; level++) {
		struct model *model = model_new(&model_default, 2);
		const uint64_t *counts = model->cores[0].counts;

		model_memory_prefetch(model, 0, DATA_PA, level, false);
		cr_expect_eq(counts[MODEL_L1D_CACHE] + counts[MODEL_L1D_CACHE_REFILL], 0);
		cr_expect_eq(run_load(model, 0, DATA_PA).data_source, sources[level - 1], "%u",
			     level);
		/*
		 * Data in a nearer level stay there; data that another core has written are not
		 * taken.
		 */
		model_memory_prefetch(model, 0, DATA_PA, level, false);
		cr_expect_eq(run_load(model, 0, DATA_PA).data_source, MODEL_FROM_L1D);
		run_store(model, 1, DATA_PA);
		model_memory_maintain(model, DATA_PA, MODEL_CLEAN);
		(void)model_cache_remove(&model->llcs[0], DATA_PA);
		model_memory_prefetch(model, 0, DATA_PA, 3, false);
		cr_expect_null(model_cache_find(&model->llcs[0], DATA_PA));
		cr_expect_eq(run_load(model, 0, DATA_PA).data_source, MODEL_FROM_PEER_CORE);
		free(model);
	}
}
