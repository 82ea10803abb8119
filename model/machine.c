/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of a machine model, in one piece of memory. */
#include "machine.h"

static const struct model_nodes same;

static const struct model_nodes *nodes_of(const struct model_ram *ram)
{
	return ram->nodes ? ram->nodes : &same;
}

static uint32_t pieces(uint32_t cores, uint32_t size)
{
	return (cores + size - 1) / size;
}

/* Of the cores before one, how many are in a node? */
static uint32_t cores_in(const struct model_nodes *nodes, uint32_t node, uint32_t before)
{
	uint32_t count = 0;

	for (uint32_t n = 0; n < before; n++)
		count += model_node_of(nodes, n) == node;
	return count;
}

/*
 * Cores of a node fill clusters, and these chips, in their order; the next node begins with another
 * chip. Into how many pieces of that size do the nodes before one divide their cores?
 */
static uint32_t pieces_before(const struct model_nodes *nodes, uint32_t node, uint32_t cores,
			      uint32_t size)
{
	uint32_t count = 0;

	for (uint32_t n = 0; n < node; n++)
		count += pieces(cores_in(nodes, n, cores), size);
	return count;
}

static uint32_t llc_cores(const struct model_config *config)
{
	return config->scope == MODEL_CLUSTER ? config->cores : config->cores * config->clusters;
}

static uint32_t llc_count(const struct model_config *config, uint32_t cores,
			  const struct model_nodes *nodes)
{
	return pieces_before(nodes, nodes->count ? nodes->count : 1, cores, llc_cores(config));
}

static void place_core(struct model *model, uint32_t index)
{
	const struct model_config *config = &model->config;
	const struct model_nodes *nodes = &model->nodes;
	struct model_core *core = &model->cores[index];
	const uint32_t chip = config->cores * config->clusters;
	const uint32_t node = model_node_of(nodes, index), n = cores_in(nodes, node, index);

	core->node = node;
	core->chip = pieces_before(nodes, node, model->count, chip) + n / chip;
	core->cluster = pieces_before(nodes, node, model->count, config->cores) + n / config->cores;
	core->llc = config->scope == MODEL_CLUSTER ? core->cluster : core->chip;
}

#define WAY_WORDS (sizeof(struct model_way) / sizeof(uint64_t))

/* Numbers of 64 bits that the lines and entries of a core take. */
static size_t core_words(const struct model_config *config)
{
	const size_t lines =
		((size_t)config->l1i_size + config->l1d_size + config->l2_size) >> MODEL_LINE_SHIFT;

	return WAY_WORDS + lines + model_tlb_words(config->itlb_entries, config->itlb_entries) +
	       model_tlb_words(config->dtlb_entries, config->dtlb_entries) +
	       model_tlb_words(config->tlb_entries, config->tlb_ways) + config->directions / 8 +
	       2 * (size_t)config->targets;
}

size_t model_size(const struct model_config *config, uint32_t cores, const struct model_ram *ram)
{
	const size_t llcs = llc_count(config, cores, nodes_of(ram));

	return sizeof(struct model) + cores * sizeof(struct model_core) +
	       llcs * sizeof(struct model_cache) +
	       8 * (cores * core_words(config) +
		    llcs * ((size_t)config->llc_size >> MODEL_LINE_SHIFT));
}

static uint64_t *init_core(struct model_core *core, const struct model_config *config,
			   uint64_t *words)
{
	uint8_t *counters;

	*core = (struct model_core){.way = (struct model_way *)words};
	words += WAY_WORDS;
	words = model_cache_init(&core->l1i, config->l1i_size, config->l1i_ways, words);
	words = model_cache_init(&core->l1d, config->l1d_size, config->l1d_ways, words);
	words = model_cache_init(&core->l2, config->l2_size, config->l2_ways, words);
	words = model_tlb_init(&core->itlb, config->itlb_entries, config->itlb_entries, true,
			       words);
	words = model_tlb_init(&core->dtlb, config->dtlb_entries, config->dtlb_entries, true,
			       words);
	words = model_tlb_init(&core->tlb, config->tlb_entries, config->tlb_ways, false, words);
	counters = (uint8_t *)words;
	words += config->directions / 8;
	model_branch_init(&core->branch, config, counters, (struct model_target *)words);
	return words + 2 * (size_t)config->targets;
}

struct model *model_init(void *memory, const struct model_config *config, uint32_t cores,
			 const struct model_ram *ram)
{
	struct model *model = memory;
	uint64_t *words;

	*model = (struct model){
		.config = *config,
		.count = cores,
		.llc_count = llc_count(config, cores, nodes_of(ram)),
		.nodes = *nodes_of(ram),
		.base = ram->base,
		.cores = (struct model_core *)(model + 1),
	};
	model->llcs = (struct model_cache *)(model->cores + cores);
	words = (uint64_t *)(model->llcs + model->llc_count);
	for (uint32_t n = 0; n < cores; n++)
		words = init_core(&model->cores[n], config, words);
	for (uint32_t n = 0; n < cores; n++)
		place_core(model, n);
	for (uint32_t n = 0; n < model->llc_count; n++)
		words = model_cache_init(&model->llcs[n], config->llc_size, config->llc_ways,
					 words);
	return model;
}
