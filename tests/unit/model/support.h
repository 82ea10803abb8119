/* SPDX-License-Identifier: BSD-2-Clause */
/* Operations for the machine model, without a CPU around them. */
#ifndef TESTS_MODEL_SUPPORT_H
#define TESTS_MODEL_SUPPORT_H

#include <stdlib.h>

#include "model/core.h"

#define CODE_PA UINT64_C(0x40000000)
#define DATA_PA UINT64_C(0x80000000)
#define TABLES	UINT64_C(0x7f000000)

/* Four levels of a page of 4 KiB, each in a separate table. */
static inline void walk_pages(void *ctx, uint64_t va, bool data, struct model_walk *walk)
{
	(void)ctx, (void)data;
	walk->count = 4;
	for (unsigned int n = 0; n < 4; n++)
		walk->descriptors[n] = TABLES + 0x100000 * n + (va >> (39 - 9 * n)) % 512 * 8;
	walk->shift = 12;
}

/* nodes: of the memory from CODE_PA on, or NULL. */
static inline struct model *model_new_nodes(const struct model_config *config, uint32_t cores,
					    const struct model_nodes *nodes)
{
	const struct model_ram ram = {.base = CODE_PA, .nodes = nodes};

	return model_init(calloc(1, model_size(config, cores, &ram)), config, cores, &ram);
}

static inline struct model *model_new(const struct model_config *config, uint32_t cores)
{
	return model_new_nodes(config, cores, NULL);
}

static inline struct model_facts plain_facts(void)
{
	return (struct model_facts){.fetch_pa = CODE_PA, .walk = walk_pages};
}

/* An operation at CODE_PA, whose fetch takes no time if it was there before. */
static inline struct spe_op run_op(struct model *model, uint32_t core, uint32_t flags,
				   struct model_facts facts, uint64_t pa)
{
	struct spe_op op = {
		.pc = facts.fetch_pa,
		.flags = flags,
		.events = SPE_EVENT_RETIRED,
		.data_va = pa,
		.data_pa = pa,
	};
	uint64_t dispatched;
	uint32_t held;

	if (flags & (SPE_OP_LOAD | SPE_OP_STORE) && facts.place != MODEL_ZEROED) {
		op.flags |= SPE_OP_VA_VALID | SPE_OP_PA_VALID;
		facts.place = facts.place ? facts.place : MODEL_RAM;
		facts.size = facts.size ? facts.size : 8;
	}
	held = model_core_fetch(model, core, op.pc, &facts);
	dispatched = model_core_dispatch(model, core, held);
	model_core_execute(model, core, &facts, held, &op);
	if (op.issue_latency != UINT16_MAX)
		cr_expect_eq(dispatched + op.issue_latency, model->cores[core].pipe.issue);
	return op;
}

static inline struct spe_op run_load(struct model *model, uint32_t core, uint64_t pa)
{
	return run_op(model, core, SPE_OP_LOAD, plain_facts(), pa);
}

static inline struct spe_op run_store(struct model *model, uint32_t core, uint64_t pa)
{
	return run_op(model, core, SPE_OP_STORE, plain_facts(), pa);
}

/* One page in sixteen is in no cache. */
static inline bool is_uncached(uint64_t va)
{
	return (va >> 12) % 16 == 3;
}

static inline void walk_some(void *ctx, uint64_t va, bool data, struct model_walk *walk)
{
	walk_pages(ctx, va, data, walk);
	walk->uncached = is_uncached(va);
}

#endif
