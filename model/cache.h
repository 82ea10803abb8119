/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A set-associative cache of the machine model: which lines are in it and in which state, without
 * their bytes.
 *
 * L2 and the last level keep a set in the order of use: its last way is the least recently used
 * one, which a new line replaces (model_cache_use(), model_cache_insert()).
 *
 * L1I and L1D keep a set in the order of arrival, with a bit for each line that says whether it was
 * referenced (model_cache_refer(), model_cache_admit()). A new line replaces the oldest one that
 * was not; if all were, the oldest one. A line that is the last to be referenced makes the others
 * be not. So a second reference to a line changes nothing, and whoever knows that its bit is set
 * may leave it out: model_cache.filter says so. Example, of two ways: A and B arrive, in that
 * order. B made A unreferenced, and C replaces it. If A is referenced before C arrives, both were,
 * and C replaces A, which is the older one.
 */
#ifndef VSPE_MODEL_CACHE_H
#define VSPE_MODEL_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "config.h"

/* The state of a line, by the names of MESI; I is a line that is not there. */
enum model_line_state {
	MODEL_INVALID,
	MODEL_SHARED,
	MODEL_EXCLUSIVE, /* no other core has it */
	MODEL_MODIFIED,	 /* ... and memory has to be written yet */
};

/* The physical address of a line, with its state in the bits below. 0: none. */
#define MODEL_STATE_BITS UINT64_C(3)
#define MODEL_REFERENCED UINT64_C(4) /* of L1I and L1D */

struct model_cache {
	uint64_t *lines; /* ways of set 0, of set 1 ...; the caller's */
	uint32_t sets, ways;
	/*
	 * A byte for each of filter_lines lines from filter_base on, the caller's: enum
	 * model_line_state if the line is here and was referenced, else 0. Without: no line.
	 */
	uint8_t *filter;
	uint64_t filter_base, filter_lines;
};

static inline enum model_line_state model_line_state(uint64_t line)
{
	return (enum model_line_state)(line & MODEL_STATE_BITS);
}

static inline uint64_t model_line_pa(uint64_t line)
{
	return line & ~(MODEL_LINE - 1);
}

static inline void model_line_set(uint64_t *line, enum model_line_state state)
{
	*line = (*line & ~MODEL_STATE_BITS) | state;
}

/*
 * Set up a cache of size bytes in sets of ways. lines must be zeros, which mean that there is no
 * line: clearing them would take longer than many a run. Returns the end of the part of lines that
 * it uses.
 */
uint64_t *model_cache_init(struct model_cache *cache, uint32_t size, uint32_t ways,
			   uint64_t *lines);

static inline uint64_t *model_cache_set(const struct model_cache *cache, uint64_t pa)
{
	return cache->lines + ((pa >> MODEL_LINE_SHIFT) & (cache->sets - 1)) * cache->ways;
}

/* pa's set is looked at soon: the host, to which a set of many ways is far away, may fetch it. */
static inline void model_cache_expect(const struct model_cache *cache, uint64_t pa)
{
	const uint64_t *set = model_cache_set(cache, pa);

	__builtin_prefetch(set);
	__builtin_prefetch(set + cache->ways - 1);
}

/* Is it the line of pa? A line that is there has a state. */
static inline bool model_line_is(uint64_t line, uint64_t pa)
{
	return line - (model_line_pa(pa) | 1) < MODEL_LINE - 1;
}

/* The line of pa, or NULL. A set has its lines before its free ways. */
static inline uint64_t *model_cache_find(const struct model_cache *cache, uint64_t pa)
{
	uint64_t *line = model_cache_set(cache, pa);

	for (const uint64_t *end = line + cache->ways; line < end && *line; line++)
		if (model_line_is(*line, pa))
			return line;
	return NULL;
}

/* The first lines of a set move up by one, over the one at end. */
static inline void model_cache_move_up(uint64_t *set, uint64_t *end)
{
	for (; end > set; end--)
		*end = end[-1];
}

/* The same as model_cache_find(). Makes it the most recently used one of its set. */
static inline uint64_t *model_cache_use(struct model_cache *cache, uint64_t pa)
{
	uint64_t *set = model_cache_set(cache, pa), *at = model_cache_find(cache, pa), line;

	if (!at)
		return NULL;
	line = *at;
	model_cache_move_up(set, at);
	*set = line;
	return set;
}

/* The last line of pa's set: the least recently used one, or 0. */
static inline uint64_t model_cache_oldest(const struct model_cache *cache, uint64_t pa)
{
	return model_cache_set(cache, pa)[cache->ways - 1];
}

/* Insert a line that is not there. Returns the one that it replaces, or 0. */
uint64_t model_cache_insert(struct model_cache *cache, uint64_t pa, enum model_line_state state);

/* Remove a line. Returns what it was, or 0. */
uint64_t model_cache_remove(struct model_cache *cache, uint64_t pa);

/* Of L1I and L1D. A line that was changed, and is referenced or was: tell the filter. */
static inline void model_cache_tell(const struct model_cache *cache, uint64_t line)
{
	const uint64_t n = (model_line_pa(line) - cache->filter_base) >> MODEL_LINE_SHIFT;

	if (n < cache->filter_lines)
		cache->filter[n] = line & MODEL_REFERENCED ? (uint8_t)model_line_state(line) : 0;
}

/* ... that goes. */
static inline void model_cache_tell_gone(const struct model_cache *cache, uint64_t line)
{
	if (line & MODEL_REFERENCED)
		model_cache_tell(cache, model_line_pa(line));
}

/* A line, or NULL, is referenced from now on. */
static inline void model_cache_mark(const struct model_cache *cache, uint64_t *line)
{
	if (line && !(*line & MODEL_REFERENCED)) {
		*line |= MODEL_REFERENCED;
		model_cache_tell(cache, *line);
	}
}

/* The line of pa, which is referenced from now on, or NULL. */
static inline uint64_t *model_cache_refer(const struct model_cache *cache, uint64_t pa)
{
	uint64_t *line = model_cache_find(cache, pa);

	model_cache_mark(cache, line);
	return line;
}

/*
 * Insert a line that is not there, referenced or not yet. Returns the one that it replaces, with
 * MODEL_REFERENCED if that was, or 0.
 */
uint64_t model_cache_admit(struct model_cache *cache, uint64_t pa, enum model_line_state state,
			   bool referenced);

#endif
