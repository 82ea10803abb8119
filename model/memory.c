/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Caches and coherence of the machine model. The directory has no entries: all that it would say is
 * in the cores' L2s, and is looked up there.
 */
#include "memory.h"

/* The node of pa; nodes->count: none has it. */
static uint32_t node_at(const struct model *model, uint64_t pa)
{
	return model_node_at(&model->nodes, pa - model->base);
}

static uint32_t node_latency(const struct model *model, uint32_t core, uint64_t pa)
{
	const struct model_nodes *nodes = &model->nodes;
	const uint32_t node = node_at(model, pa);

	return node < nodes->count
		       ? model_node_latency(nodes, &model->config, model->cores[core].node, node)
		       : model->config.dram;
}

bool model_memory_node_is_remote(const struct model *model, uint32_t core, uint64_t pa)
{
	const uint32_t node = node_at(model, pa);

	return node < model->nodes.count &&
	       model_node_is_remote(&model->nodes, model->cores[core].node, node);
}

uint32_t model_memory_latency(const struct model *model, uint32_t core, enum model_source source,
			      uint64_t pa)
{
	const struct model_config *config = &model->config;

	switch (source) {
	case MODEL_FROM_L1D: return config->l1d_latency;
	case MODEL_FROM_L2: return config->l2_latency;
	case MODEL_FROM_PEER_CORE: return config->peer_core;
	case MODEL_FROM_LOCAL_CLUSTER:
	case MODEL_FROM_SYSTEM_CACHE: return config->llc_latency;
	case MODEL_FROM_PEER_CLUSTER: return config->peer_cluster;
	case MODEL_FROM_REMOTE: return config->remote;
	default: return model->nodes.count ? node_latency(model, core, pa) : config->dram;
	}
}

static struct model_cache *llc_of(const struct model *model, uint32_t core)
{
	return &model->llcs[model->cores[core].llc];
}

/* How far away another core, or its cache, is. */
static enum model_source distance(const struct model *model, uint32_t from, uint32_t to)
{
	const struct model_core *one = &model->cores[from], *other = &model->cores[to];

	if (one->chip != other->chip)
		return MODEL_FROM_REMOTE;
	return one->cluster == other->cluster ? MODEL_FROM_PEER_CORE : MODEL_FROM_PEER_CLUSTER;
}

/* A core that has this last-level cache. */
static uint32_t user_of(const struct model *model, uint32_t llc)
{
	uint32_t core = 0;

	while (model->cores[core].llc != llc)
		core++;
	return core;
}

/* Write back a line whose data memory does not have. */
static void write_back(struct model *model, uint32_t core, uint64_t pa)
{
	struct model_cache *llc = llc_of(model, core);
	uint64_t *line = model_cache_use(llc, pa);

	model->cores[core].counts[MODEL_L2D_CACHE_WB]++;
	if (line)
		model_line_set(line, MODEL_MODIFIED);
	else /* its victim goes to memory */
		(void)model_cache_insert(llc, pa, MODEL_MODIFIED);
}

/* Write back a modified line of L1D to L2. */
static void write_back_l1d(struct model_core *core)
{
	core->counts[MODEL_L1D_CACHE_WB]++;
	core->counts[MODEL_L2D_CACHE]++;
}

static void set_l1d(const struct model_core *core, uint64_t *line, enum model_line_state state)
{
	model_line_set(line, state);
	model_cache_tell(&core->l1d, *line);
}

/* A core loses a line: another line replaces it, or another core writes it. */
static void lose_line(struct model_core *core, uint64_t pa)
{
	const uint64_t line = model_cache_remove(&core->l1d, pa);

	if (model_line_state(line) == MODEL_MODIFIED)
		write_back_l1d(core);
}

/* Another core reads a line that only this one had. */
static void share_line(struct model *model, uint32_t owner, uint64_t pa)
{
	struct model_core *core = &model->cores[owner];
	uint64_t *l1d = model_cache_find(&core->l1d, pa), *l2 = model_cache_find(&core->l2, pa);

	if (l1d && model_line_state(*l1d) == MODEL_MODIFIED)
		write_back_l1d(core);
	if (l1d)
		set_l1d(core, l1d, MODEL_SHARED);
	if (model_line_state(*l2) == MODEL_MODIFIED) {
		model->moves++;
		write_back(model, owner, pa);
	}
	model_line_set(l2, MODEL_SHARED);
}

/* The directory's entry of a line. */
struct holders {
	bool any, owned;
	uint32_t owner;
	enum model_source nearest; /* of those who have it */
};

static struct holders find_holders(const struct model *model, uint32_t core, uint64_t pa)
{
	struct holders holders = {.nearest = MODEL_FROM_DRAM};

	for (uint32_t n = 0; n < model->count; n++) {
		const uint64_t *line = n == core ? NULL : model_cache_find(&model->cores[n].l2, pa);
		enum model_source far;

		if (!line)
			continue;
		far = distance(model, core, n);
		holders.any = true;
		if (model_line_state(*line) >= MODEL_EXCLUSIVE) {
			holders.owned = true;
			holders.owner = n;
		}
		holders.nearest = far < holders.nearest ? far : holders.nearest;
	}
	return holders;
}

/* The nearest last-level cache of other cores that has the line. */
static enum model_source find_elsewhere(const struct model *model, uint32_t core, uint64_t pa)
{
	enum model_source nearest = MODEL_FROM_DRAM;

	for (uint32_t n = 0; n < model->llc_count; n++) {
		enum model_source far;

		if (!model_cache_find(&model->llcs[n], pa))
			continue;
		far = distance(model, core, user_of(model, n));
		nearest = far < nearest ? far : nearest;
	}
	return nearest;
}

static enum model_source find_source(struct model *model, uint32_t core, uint64_t pa,
				     const struct holders *holders)
{
	if (holders->owned)
		return holders->nearest;
	if (model_cache_use(llc_of(model, core), pa))
		return model->config.scope == MODEL_CLUSTER ? MODEL_FROM_LOCAL_CLUSTER
							    : MODEL_FROM_SYSTEM_CACHE;
	return holders->any ? holders->nearest : find_elsewhere(model, core, pa);
}

/* From now on only this core has the line. */
static void take_line(struct model *model, uint32_t core, uint64_t pa)
{
	for (uint32_t n = 0; n < model->count; n++) {
		if (n != core && model_cache_remove(&model->cores[n].l2, pa)) {
			model->moves++;
			lose_line(&model->cores[n], pa);
		}
	}
	for (uint32_t n = 0; n < model->llc_count; n++)
		(void)model_cache_remove(&model->llcs[n], pa);
}

/* Fetch a line to L2, from wherever it is. */
static enum model_source fetch_line(struct model *model, uint32_t index, uint64_t pa,
				    enum model_access access)
{
	struct model_core *core = &model->cores[index];
	const struct holders holders = find_holders(model, index, pa);
	const enum model_source source = find_source(model, index, pa, &holders);
	enum model_line_state state = holders.any ? MODEL_SHARED : MODEL_EXCLUSIVE;
	const bool missed = model_source_missed_llc(&model->config, source);
	uint64_t victim;

	core->counts[MODEL_LL_CACHE]++;
	core->counts[MODEL_LL_CACHE_MISS] += missed;
	if (access == MODEL_STORE) {
		take_line(model, index, pa);
		state = MODEL_MODIFIED;
	} else {
		core->counts[MODEL_LL_CACHE_RD]++;
		core->counts[MODEL_LL_CACHE_MISS_RD] += missed;
		if (holders.owned)
			share_line(model, holders.owner, pa);
		if (!model_cache_find(llc_of(model, index), pa))
			(void)model_cache_insert(llc_of(model, index), pa, MODEL_SHARED);
	}
	victim = model_cache_insert(&core->l2, pa, state);
	if (victim) {
		lose_line(core, victim);
		if (model_line_state(victim) == MODEL_MODIFIED)
			write_back(model, index, model_line_pa(victim));
	}
	return source;
}

/* May a line in this state be accessed so? */
static bool allowed(uint64_t line, enum model_access access)
{
	return access != MODEL_STORE || model_line_state(line) != MODEL_SHARED;
}

static enum model_source access_l2(struct model *model, uint32_t index, uint64_t pa,
				   enum model_access access)
{
	struct model_core *core = &model->cores[index];
	uint64_t *line = model_cache_use(&core->l2, pa);

	core->counts[MODEL_L2D_CACHE]++;
	if (line && allowed(*line, access)) {
		if (access == MODEL_STORE)
			model_line_set(line, MODEL_MODIFIED);
		return MODEL_FROM_L2;
	}
	core->counts[MODEL_L2D_CACHE_REFILL]++;
	model_cache_expect(llc_of(model, index), pa);
	model_cache_expect(llc_of(model, index), model_cache_oldest(&core->l2, pa));
	if (line) {
		(void)model_cache_remove(&core->l2, pa);
		lose_line(core, pa);
	}
	return fetch_line(model, index, pa, access);
}

/*
 * Bring a line into L1D that is the last one that L2 was accessed for. referenced: by more than the
 * prefetcher. Returns the line that it replaces, or 0.
 */
static uint64_t fill_l1d(struct model_core *core, uint64_t pa, bool write, bool referenced)
{
	const uint64_t *line = model_cache_set(&core->l2, pa); /* its first is the last used */
	enum model_line_state state = MODEL_MODIFIED;
	uint64_t victim;

	if (!write) /* the modified data is L2's, and this a copy of it */
		state = model_line_state(*line) == MODEL_SHARED ? MODEL_SHARED : MODEL_EXCLUSIVE;
	victim = model_cache_admit(&core->l1d, pa, state, referenced);
	if (model_line_state(victim) == MODEL_MODIFIED)
		write_back_l1d(core);
	return victim;
}

/* line: the one of pa in L1D, or NULL. */
static enum model_source access_l1d(struct model *model, uint32_t index, uint64_t pa,
				    enum model_access access, uint64_t *line)
{
	struct model_core *core = &model->cores[index];
	enum model_source source;
	uint64_t *l2;

	model_cache_mark(&core->l1d, line);
	core->counts[MODEL_L1D_CACHE]++;
	if (line && allowed(*line, access)) {
		if (access == MODEL_STORE && model_line_state(*line) == MODEL_EXCLUSIVE) {
			set_l1d(core, line, MODEL_MODIFIED);
			l2 = model_cache_find(&core->l2, pa);
			model_line_set(l2, MODEL_MODIFIED);
		}
		return MODEL_FROM_L1D;
	}
	core->counts[MODEL_L1D_CACHE_REFILL]++;
	if (line)
		(void)model_cache_remove(&core->l1d, pa);
	source = access_l2(model, index, pa, access);
	(void)fill_l1d(core, pa, access == MODEL_STORE, true);
	return source;
}

static enum model_source access_l1i(struct model *model, uint32_t index, uint64_t pa)
{
	struct model_core *core = &model->cores[index];
	enum model_source source;

	core->counts[MODEL_L1I_CACHE]++;
	if (model_cache_refer(&core->l1i, pa))
		return MODEL_FROM_L1D;
	core->counts[MODEL_L1I_CACHE_REFILL]++;
	source = access_l2(model, index, pa, MODEL_FETCH);
	(void)model_cache_admit(&core->l1i, pa, MODEL_SHARED, true);
	return source;
}

enum model_source model_memory_access(struct model *model, uint32_t core, uint64_t pa,
				      enum model_access access)
{
	switch (access) {
	case MODEL_FETCH: return access_l1i(model, core, pa);
	case MODEL_WALK: return access_l2(model, core, pa, access);
	default:
		return access_l1d(model, core, pa, access,
				  model_cache_find(&model->cores[core].l1d, pa));
	}
}

void model_memory_prefetch(struct model *model, uint32_t index, uint64_t pa, unsigned int level,
			   bool code)
{
	struct model_core *core = &model->cores[index];
	struct model_cache *first = code ? &core->l1i : &core->l1d, *llc = llc_of(model, index);

	if (level >= 3) {
		if (!model_cache_find(&core->l2, pa) && !model_cache_use(llc, pa) &&
		    !find_holders(model, index, pa).any)
			(void)model_cache_insert(llc, pa, MODEL_SHARED);
		return;
	}
	if (level == 1 && model_cache_refer(first, pa))
		return;
	(void)access_l2(model, index, pa, code ? MODEL_FETCH : MODEL_LOAD);
	if (level == 1 && code)
		(void)model_cache_admit(first, pa, MODEL_SHARED, true);
	else if (level == 1)
		(void)fill_l1d(core, pa, false, true);
}

static struct model_coming *coming_of(const struct model_core *core, uint64_t pa)
{
	const uint64_t line = pa >> MODEL_LINE_SHIFT;

	return &core->way->coming[(line ^ line >> 6) % MODEL_COMING];
}

/*
 * A line is requested from source in a cycle, or as soon as the path takes another request: when
 * it comes.
 */
static uint64_t arrival(struct model *model, uint32_t index, uint64_t pa, enum model_source source,
			int64_t asked)
{
	const struct model_config *config = &model->config;
	const uint32_t cycles[MODEL_PATHS] = {config->l2_line, config->llc_line, config->dram_line};
	struct model_way *way = model->cores[index].way;
	enum model_path path = MODEL_PATH_LLC;

	if (source == MODEL_FROM_L2)
		path = MODEL_PATH_L2;
	else if (source >= MODEL_FROM_REMOTE)
		path = MODEL_PATH_DRAM;
	if (asked < way->free[path])
		asked = way->free[path];
	way->free[path] = asked + cycles[path];
	return (uint64_t)(asked + model_memory_latency(model, index, source, pa));
}

uint32_t model_memory_cycles(struct model *model, uint32_t index, uint64_t pa,
			     enum model_source source, bool *late)
{
	const struct model_core *core = &model->cores[index];
	const struct model_coming *coming = coming_of(core, pa);
	const uint64_t now = core->way->now;
	const uint32_t cycles = model_memory_latency(model, index, source, pa);

	*late = now && source <= MODEL_FROM_L2 && coming->line == model_line_pa(pa) &&
		coming->at > now + cycles;
	if (*late)
		return (uint32_t)(coming->at - now);
	/* It does not wait for prefetched lines, but they do for it. */
	if (now && source != MODEL_FROM_L1D)
		(void)arrival(model, index, pa, source, (int64_t)now);
	return cycles;
}

/* The prefetcher brings a line to L1D or L2, unless it is there. Returns whether it was not. */
static bool prefetch_line(struct model *model, uint32_t index, uint64_t pa, bool l1d,
			  enum model_source *source)
{
	struct model_core *core = &model->cores[index];
	struct model_way *way = core->way;

	if (model_cache_find(l1d ? &core->l1d : &core->l2, pa))
		return false;
	*source = access_l2(model, index, pa, MODEL_LOAD);
	if (l1d && fill_l1d(core, pa, false, false) & MODEL_REFERENCED)
		way->farthest = MODEL_FROM_DRAM;
	else if (*source > way->farthest)
		way->farthest = *source;
	return true;
}

/*
 * When a line comes that was requested n strides ahead, of distance. A stream that came from
 * another page has requested all its lines in time, one after the other.
 */
static void expect_line(struct model *model, uint32_t index, uint64_t pa, enum model_source source,
			uint32_t n, uint32_t distance)
{
	const uint32_t latency = model_memory_latency(model, index, source, pa);
	struct model_coming *coming = coming_of(&model->cores[index], pa);
	const int64_t now = (int64_t)model->cores[index].way->now;
	const uint64_t at =
		arrival(model, index, pa, source, now - latency + (int64_t)latency * n / distance);

	if (coming->line != model_line_pa(pa) || coming->at < at)
		*coming = (struct model_coming){model_line_pa(pa), at};
}

/* Fetch the lines that the prefetcher requests after an access to pa: to L1D, or to L2. */
static void prefetch_lines(struct model *model, uint32_t index, uint64_t pa, bool l1d,
			   const struct model_ask *ask)
{
	const unsigned int level = l1d ? 0 : 1;
	const uint32_t count = ask->count[level];
	const uint64_t step = (uint64_t)ask->stride * MODEL_LINE;
	uint64_t line = pa + ask->skip[level] * step;
	enum model_source source;

	for (uint32_t n = 1; n <= count; n++) {
		line += step;
		if (prefetch_line(model, index, line, l1d, &source) && model->cores[index].way->now)
			expect_line(model, index, line, source, ask->crossed ? n : 1,
				    ask->crossed ? count : 1);
	}
}

enum model_source model_memory_data(struct model *model, uint32_t index, uint64_t va, uint64_t pa,
				    enum model_access access)
{
	struct model_core *core = &model->cores[index];
	const bool load = access == MODEL_LOAD;
	uint64_t *line = model_cache_find(&core->l1d, pa);
	enum model_source source;
	struct model_ask ask;

	if (!model->config.streams || (line && *line & MODEL_REFERENCED) ||
	    !model_streams_access(&core->way->streams, &model->config, va, !line, &ask))
		return access_l1d(model, index, pa, access, line);
	model_cache_expect(&core->l2, pa + (uint64_t)ask.stride * MODEL_LINE * (ask.skip[1] + 1));
	if (ask.crossed && prefetch_line(model, index, pa, load, &source))
		line = model_cache_find(&core->l1d, pa);
	source = access_l1d(model, index, pa, access, line);
	prefetch_lines(model, index, pa, false, &ask);
	/* What stores ask for is in L2 only. */
	if (load)
		prefetch_lines(model, index, pa, true, &ask);
	return source;
}

/* A line's data is in memory, or in L2, after this. */
static void clean_line(struct model_core *core, uint64_t pa, bool to_memory)
{
	uint64_t *l1d = model_cache_find(&core->l1d, pa), *l2 = model_cache_find(&core->l2, pa);

	if (l1d && model_line_state(*l1d) == MODEL_MODIFIED) {
		write_back_l1d(core);
		set_l1d(core, l1d, MODEL_EXCLUSIVE);
	}
	if (to_memory && l2 && model_line_state(*l2) == MODEL_MODIFIED)
		model_line_set(l2, MODEL_EXCLUSIVE);
}

void model_memory_maintain(struct model *model, uint64_t pa, unsigned int what)
{
	const bool to_memory = what & MODEL_TO_MEMORY;

	for (uint32_t n = 0; n < model->count; n++) {
		struct model_core *core = &model->cores[n];

		if (what & MODEL_CLEAN)
			clean_line(core, pa, to_memory);
		if (!(what & MODEL_INVALIDATE))
			continue;
		(void)model_cache_remove(&core->l1d, pa);
		(void)model_cache_remove(&core->l1i, pa);
		(void)model_cache_remove(&core->l2, pa);
		core->fetch_line = 0;
	}
	for (uint32_t n = 0; to_memory && n < model->llc_count; n++) {
		uint64_t *line = model_cache_find(&model->llcs[n], pa);

		if (line && what & MODEL_INVALIDATE)
			(void)model_cache_remove(&model->llcs[n], pa);
		else if (line)
			model_line_set(line, MODEL_SHARED);
	}
}

void model_memory_forget_code(struct model_core *core, const uint64_t *pa)
{
	struct model_cache *l1i = &core->l1i;

	core->fetch_line = 0;
	if (pa)
		(void)model_cache_remove(l1i, *pa);
	for (size_t n = 0; !pa && n < (size_t)l1i->sets * l1i->ways; n++) {
		model_cache_tell(l1i, model_line_pa(l1i->lines[n]));
		l1i->lines[n] = 0;
	}
}
