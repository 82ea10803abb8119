/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A machine model to bytes and back. Of caches and TLBs only the lines and entries in use are
 * described, set by set, the most recently used one first. Their set follows from them.
 */
#include "arm/model_state.h"
#include "arm/model_words.h"

#include <inttypes.h>

/* Cycles that no run reaches: their sums do not overflow. */
#define CYCLES_MAX (UINT64_MAX >> 2)

/* In the image, in a page of a TLB: its context follows. */
#define ENTRY_CONTEXT UINT64_C(0x800)
#define ENTRY_REGIME  6 /* the lowest bit of MODEL_TLB_REGIME */
#define ENTRY_BITS                                                                    \
	(MODEL_TLB_SHIFT | MODEL_TLB_REGIME | MODEL_TLB_UNCACHED | MODEL_TLB_GLOBAL | \
	 MODEL_TLB_REFERENCED)

void model_config_state(struct model_config *config, size_t keys, struct state *state)
{
	uint32_t *values = (uint32_t *)config;
	char why[STATE_WHY];
	size_t key;

	for (size_t i = 0; i < MODEL_CONFIG_KEYS; i++) {
		values[i] = i < keys ? values[i] : 0;
		if (i < keys)
			STATE_FIELD(state, values[i]);
	}
	if (keys > MODEL_CONFIG_KEYS)
		state_refuse(state, "a model with %zu unknown keys", keys - MODEL_CONFIG_KEYS);
	if (!state->failed && model_words_check(config, &key, why, sizeof(why)) < 0)
		state_refuse(state, "%s", why);
}

/* The first free place of a set, after all others; NULL: there is no room. */
static uint64_t *free_place(uint64_t *set, uint32_t ways)
{
	for (uint32_t way = 0; way < ways; way++)
		if (!set[way])
			return &set[way];
	return NULL;
}

static void load_line(struct model_cache *cache, uint64_t line, bool refers, struct state *state)
{
	const uint64_t bits = MODEL_STATE_BITS | (refers ? MODEL_REFERENCED : 0);
	const uint64_t set = (line >> MODEL_LINE_SHIFT) & (cache->sets - 1);
	uint64_t *place = free_place(cache->lines + set * cache->ways, cache->ways);

	if (!place || model_line_state(line) == MODEL_INVALID || line & (MODEL_LINE - 1) & ~bits ||
	    model_cache_find(cache, line))
		state_refuse(state, "impossible line 0x%" PRIx64 " of a cache", line);
	else
		*place = line;
	if (!state->failed)
		model_cache_tell(cache, line);
}

/* How many of most numbers at at are not 0. */
static uint32_t count_used(const uint64_t *at, size_t most)
{
	uint32_t count = 0;

	for (size_t n = 0; n < most; n++)
		count += at[n] != 0;
	return count;
}

/* refers: it is of level 1, whose lines are referenced or not. */
static void cache_state(struct model_cache *cache, bool refers, struct state *state)
{
	const size_t most = (size_t)cache->sets * cache->ways;
	uint32_t count = state->loading ? 0 : count_used(cache->lines, most);

	STATE_UP_TO(state, count, most);
	for (size_t n = 0; !state->loading && n < most; n++)
		if (cache->lines[n])
			STATE_FIELD(state, cache->lines[n]);
	for (uint32_t n = 0; state->loading && !state->failed && n < count; n++) {
		uint64_t line = 0;

		STATE_FIELD(state, line);
		if (!state->failed)
			load_line(cache, line, refers, state);
	}
}

static void load_entry(struct model_tlb *tlb, const struct model_tlb_entry *entry,
		       struct state *state)
{
	const unsigned int shift = model_tlb_shift(entry->page);
	const uint64_t low = (UINT64_C(1) << shift) - 1;

	if (shift < 12 || shift > 47 || entry->page & low & ~ENTRY_BITS) {
		state_refuse(state, "impossible entry 0x%" PRIx64 " of a TLB", entry->page);
		return;
	}
	if (!model_tlb_load(tlb, entry))
		state_refuse(state, "entry 0x%" PRIx64 " of a full TLB", entry->page);
}

/*
 * Entries that were saved before they had contexts belong to the present context of their regime.
 */
static void entry_state(const struct model_core *core, struct model_tlb_entry *entry,
			struct state *state)
{
	uint64_t page = entry->page | ENTRY_CONTEXT, context = entry->context;

	STATE_FIELD(state, page);
	if (page & ENTRY_CONTEXT)
		STATE_UP_TO(state, context, MODEL_CONTEXT_MAX);
	else
		context = core->contexts[(page & MODEL_TLB_REGIME) >> ENTRY_REGIME];
	entry->page = page & ~ENTRY_CONTEXT;
	entry->context = context;
}

static void save_tlb(const struct model_core *core, const struct model_tlb *tlb,
		     struct state *state)
{
	struct model_tlb_entry list[MODEL_TLB_WAYS_MAX];
	uint32_t count = 0;

	for (uint32_t set = 0; set < tlb->sets; set++)
		count += model_tlb_list(tlb, set, list);
	STATE_FIELD(state, count);
	for (uint32_t set = 0; set < tlb->sets; set++) {
		count = model_tlb_list(tlb, set, list);
		for (uint32_t n = 0; n < count; n++)
			entry_state(core, &list[n], state);
	}
}

static void tlb_state(const struct model_core *core, struct model_tlb *tlb, struct state *state)
{
	uint32_t count = 0;

	if (!state->loading) {
		save_tlb(core, tlb, state);
		return;
	}
	STATE_UP_TO(state, count, (size_t)tlb->sets * tlb->ways);
	for (uint32_t n = 0; !state->failed && n < count; n++) {
		struct model_tlb_entry entry = {0};

		entry_state(core, &entry, state);
		if (!state->failed)
			load_entry(tlb, &entry, state);
	}
}

static void branch_state(struct model_branch *branch, struct state *state)
{
	for (uint32_t n = 0; n < branch->counter_count; n++)
		STATE_UP_TO(state, branch->counters[n], 3);
	for (uint32_t n = 0; n < branch->target_count; n++) {
		STATE_FIELD(state, branch->targets[n].pc);
		STATE_FIELD(state, branch->targets[n].target);
	}
	STATE_UP_TO(state, branch->history, branch->history_mask);
	STATE_UP_TO(state, branch->depth, branch->stack_size);
	STATE_UP_TO(state, branch->top, branch->stack_size - 1);
	for (uint32_t n = 0; n < branch->stack_size; n++)
		STATE_FIELD(state, branch->returns[n]);
}

/* Machines whose loads do not look at stores have not saved them. */
static void stored_state(struct model_stored *stored, struct state *state)
{
	STATE_FIELD(state, stored->pa);
	STATE_FIELD(state, stored->size);
	STATE_FIELD(state, stored->holes);
}

static void pipe_state(struct model_pipe *pipe, const struct model_config *config,
		       struct state *state)
{
	STATE_UP_TO(state, pipe->front, CYCLES_MAX);
	STATE_UP_TO(state, pipe->issue, CYCLES_MAX);
	STATE_UP_TO(state, pipe->ready, CYCLES_MAX);
	STATE_UP_TO(state, pipe->drained, CYCLES_MAX);
	STATE_UP_TO(state, pipe->dispatched, 64);
	STATE_UP_TO(state, pipe->issued, 64);
	STATE_UP_TO(state, pipe->queue_at, config->queue - 1);
	STATE_UP_TO(state, pipe->store_at, config->stores - 1);
	for (unsigned int n = 0; n < 64; n++) {
		STATE_UP_TO(state, pipe->queue[n], CYCLES_MAX);
		STATE_UP_TO(state, pipe->stores[n], CYCLES_MAX);
	}
	for (unsigned int n = 0; n < MODEL_FLIGHTS; n++)
		STATE_UP_TO(state, pipe->flights[n], CYCLES_MAX);
	for (unsigned int n = 0; n < 64; n++)
		STATE_UP_TO(state, pipe->results[n], CYCLES_MAX);
	STATE_UP_TO(state, pipe->flags, CYCLES_MAX);
	for (uint32_t n = 0; config->forward && n < config->stores; n++)
		stored_state(&pipe->stored[n], state);
}

/* The prefetcher, and the lines on their way. Machines without one have not saved it. */
static void way_state(struct model_way *way, const struct model_config *config, struct state *state)
{
	if (!config->streams)
		return;
	STATE_FIELD(state, way->streams.clock);
	for (uint32_t n = 0; n < config->streams; n++) {
		struct model_stream *stream = &way->streams.streams[n];

		STATE_FIELD(state, stream->line);
		STATE_FIELD(state, stream->used);
		STATE_FIELD(state, stream->stride);
		STATE_UP_TO(state, stream->seen, MODEL_STREAM_TRUSTED);
		STATE_UP_TO(state, stream->ahead[0], config->prefetch_l1d);
		STATE_UP_TO(state, stream->ahead[1], config->prefetch_l2);
	}
	for (unsigned int n = 0; n < MODEL_PATHS; n++)
		STATE_UP_TO(state, way->free[n], CYCLES_MAX);
	for (uint32_t n = 0; n < MODEL_COMING; n++) {
		STATE_FIELD(state, way->coming[n].line);
		STATE_UP_TO(state, way->coming[n].at, CYCLES_MAX);
	}
}

/* Every line of L1D is in L2, in a state that allows no less. */
static void check_lines(const struct model_core *core, struct state *state)
{
	const struct model_cache *l1d = &core->l1d;

	for (size_t n = 0; !state->failed && n < (size_t)l1d->sets * l1d->ways; n++) {
		const uint64_t line = l1d->lines[n];
		const uint64_t *l2 = line ? model_cache_find(&core->l2, line) : NULL;

		if (line && (!l2 || model_line_state(*l2) < model_line_state(line)))
			state_refuse(state, "line 0x%" PRIx64 " of L1D that L2 has not",
				     line & ~MODEL_REFERENCED);
	}
}

void model_core_state(struct model *model, uint32_t index, struct state *state)
{
	struct model_core *core = &model->cores[index];

	cache_state(&core->l1i, true, state);
	cache_state(&core->l1d, true, state);
	cache_state(&core->l2, false, state);
	tlb_state(core, &core->itlb, state);
	tlb_state(core, &core->dtlb, state);
	tlb_state(core, &core->tlb, state);
	branch_state(&core->branch, state);
	pipe_state(&core->pipe, &model->config, state);
	STATE_FIELD(state, core->fetch_line);
	STATE_FIELD(state, core->fetch_page);
	STATE_FIELD(state, core->operations);
	STATE_ARRAY(state, core->counts);
	way_state(core->way, &model->config, state);
	if (state->loading)
		check_lines(core, state);
}

void model_shared_state(struct model *model, struct state *state)
{
	for (uint32_t n = 0; n < model->llc_count; n++)
		cache_state(&model->llcs[n], false, state);
}
