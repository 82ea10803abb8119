/* SPDX-License-Identifier: BSD-2-Clause */
/* The prefetcher: what it asks for, what comes of it in caches, and when it comes. */

#include "../compare.h"
#include "model/prefetch.h"
#include "support.h"

#define VA    UINT64_C(0xffff000000200000)
#define LINES 64 /* of a page */

static struct model_config config_with(uint32_t l1d, uint32_t l2)
{
	struct model_config config = model_default;

	config.prefetch_l1d = l1d;
	config.prefetch_l2 = l2;
	return config;
}

static struct model_ask asked(struct model_streams *streams, const struct model_config *config,
			      uint64_t va, bool missed)
{
	struct model_ask ask = {0};

	if (!model_streams_access(streams, config, va, missed, &ask))
		ask = (struct model_ask){0};
	return ask;
}

/* The example of prefetch.h. */
Test(model_prefetch, a_stream_is_followed_from_its_third_access_on)
{
	const struct model_config config = config_with(2, 4);
	struct model_streams streams = {0};
	struct model_ask ask;

	for (uint64_t line = 0; line < 2; line++) {
		ask = asked(&streams, &config, VA + 64 * line, true);
		cr_expect_eq(ask.count[0] + ask.count[1], 0, "line %lu", line);
	}
	ask = asked(&streams, &config, VA + 128, true);
	cr_expect_eq(ask.stride, 1);
	cr_expect_eq(ask.skip[0], 0);
	cr_expect_eq(ask.count[0], 2);
	cr_expect_eq(ask.skip[1], 0);
	cr_expect_eq(ask.count[1], 4);
	ask = asked(&streams, &config, VA + 192, false);
	cr_expect_eq(ask.skip[0], 1);
	cr_expect_eq(ask.count[0], 1);
	cr_expect_eq(ask.skip[1], 3);
	cr_expect_eq(ask.count[1], 1);
}

/* The lines that it asks for, of accesses to lines first, first + stride, ... of a page. */
static uint64_t asked_for(int first, int stride, unsigned int accesses)
{
	const struct model_config config = config_with(4, 40);
	struct model_streams streams = {0};
	uint64_t lines = 0;

	for (int n = 0; n < (int)accesses; n++) {
		const int line = first + n * stride;
		const struct model_ask ask =
			asked(&streams, &config, VA + (uint64_t)(64 * line), !(lines >> line & 1));

		for (int k = 1; k <= (int)ask.count[1]; k++) {
			const int next = line + ask.stride * ((int)ask.skip[1] + k);

			cr_assert_geq(next, 0, "a line of another page");
			cr_assert_lt(next, LINES, "a line of another page");
			cr_expect_not(lines >> next & 1, "line %d is asked for twice", next);
			lines |= UINT64_C(1) << next;
		}
	}
	return lines;
}

Test(model_prefetch, any_stride_up_and_down_within_the_page)
{
	for (int stride = -20; stride <= 20; stride++) {
		const int first = stride > 0 ? 3 : LINES - 3;
		uint64_t wanted = 0;

		if (!stride)
			continue;
		for (int n = 3, line; n < 43; n++) {
			line = first + n * stride;
			if (line >= 0 && line < LINES)
				wanted |= UINT64_C(1) << line;
		}
		cr_expect_eq(asked_for(first, stride, 3), wanted, "stride %d", stride);
	}
}

/* Steps of two lengths in turns lead nowhere. */
Test(model_prefetch, what_is_no_stream_is_not_followed)
{
	const struct model_config config = config_with(4, 40);
	struct model_streams streams = {0};

	for (uint64_t n = 0; n < 24; n++) {
		const struct model_ask ask =
			asked(&streams, &config, VA + 64 * (n / 2 * 5 + n % 2 * 2), true);

		cr_expect_eq(ask.count[0] + ask.count[1], 0, "access %lu", n);
	}
}

/* Pages one after the other, whose physical addresses are not. */
static struct spe_op load_next(struct model *model, uint64_t n)
{
	struct model_facts facts = plain_facts();
	const uint64_t page = n / LINES;
	struct spe_op op = {
		.pc = facts.fetch_pa,
		.flags = SPE_OP_LOAD | SPE_OP_VA_VALID | SPE_OP_PA_VALID,
		.data_va = VA + 64 * n,
		.data_pa = DATA_PA + (page * 37 % 512 << 12) + n % LINES * 64,
	};

	facts.place = MODEL_RAM;
	facts.size = 8;
	model_core_execute(model, 0, &facts, model_core_fetch(model, 0, op.pc, &facts), &op);
	return op;
}

/* A stream from memory hits L1D but for its first lines, and takes the time of the path. */
Test(model_prefetch, a_stream_runs_at_the_speed_of_the_path)
{
	static const uint32_t paths[] = {3, 8, 20};

	for (unsigned int i = 0; i < ARRAY_SIZE(paths); i++) {
		struct model_config config = config_with(4, 40);
		uint64_t begin = 0, cycles, sources[16] = {0};
		struct model *model;

		config.dram_line = paths[i];
		model = model_new(&config, 1);
		for (uint64_t n = 0; n < 256 * LINES; n++) {
			sources[load_next(model, n).data_source & 15]++;
			if (n == 8 * LINES)
				begin = model->cores[0].pipe.issue;
		}
		/* Of a hundred lines. */
		cycles = 100 * (model->cores[0].pipe.issue - begin) / (248 * LINES);
		cr_expect_leq(sources[MODEL_FROM_DRAM], 3, "%u: DRAM", i);
		cr_expect_geq(sources[MODEL_FROM_L1D], 256 * LINES * 9 / 10, "%u: L1D", i);
		/* Without more lines on their way than are kept ahead. */
		cr_expect_geq(cycles, 95 * paths[i], "path %u", paths[i]);
		cr_expect_leq(cycles, 105 * (paths[i] > 5 ? paths[i] : 5), "path %u", paths[i]);
		free(model);
	}
}

/* Stores fetch to L2 only, and without a prefetcher nothing is fetched. */
Test(model_prefetch, stores_and_none)
{
	struct model_config config = config_with(4, 40);
	struct model *model = model_new(&config, 1);

	for (uint64_t n = 0; n < 3; n++)
		(void)run_store(model, 0, DATA_PA + 64 * n);
	cr_expect_not_null(model_cache_find(&model->cores[0].l2, DATA_PA + 3 * 64));
	cr_expect_null(model_cache_find(&model->cores[0].l1d, DATA_PA + 3 * 64));
	free(model);
	config.streams = 0;
	model = model_new(&config, 1);
	for (uint64_t n = 0; n < 3; n++)
		(void)run_load(model, 0, DATA_PA + 64 * n);
	cr_expect_null(model_cache_find(&model->cores[0].l2, DATA_PA + 3 * 64));
	free(model);
}
