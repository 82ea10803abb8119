/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A set-associative cache of the machine model: which lines are in it and in which state, without
 * their bytes. A set is kept in the order of use: its last way is the least recently used one,
 * which a new line replaces.
 */
#ifndef VSPE_ARM_MODEL_CACHE_H
#define VSPE_ARM_MODEL_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "arm/model_config.h"

/* The state of a line, by the names of MESI; I is a line that is not there. */
enum model_line_state {
	MODEL_INVALID,
	MODEL_SHARED,
	MODEL_EXCLUSIVE, /* no other core has it */
	MODEL_MODIFIED,	 /* ... and memory has to be written yet */
};

/* The physical address of a line, with its state in the bits below. 0: none. */
#define MODEL_STATE_BITS UINT64_C(3)

struct model_cache {
	uint64_t *lines; /* ways of set 0, of set 1 ...; the caller's */
	uint32_t sets, ways;
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
	*line = model_line_pa(*line) | state;
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

/* Is it the line of pa? */
static inline bool model_line_is(uint64_t line, uint64_t pa)
{
	return line && model_line_pa(line ^ pa) == 0;
}

/*
 * The slow path of model_cache_use() and model_cache_find(): the line is not the first of its set.
 */
uint64_t *model_cache_use_any(uint64_t *set, uint32_t ways, uint64_t pa);
uint64_t *model_cache_find_any(uint64_t *set, uint32_t ways, uint64_t pa);

/* The line of pa, or NULL. Makes it the most recently used one of its set. */
static inline uint64_t *model_cache_use(struct model_cache *cache, uint64_t pa)
{
	uint64_t *set = model_cache_set(cache, pa);

	return model_line_is(*set, pa) ? set : model_cache_use_any(set, cache->ways, pa);
}

/* The same without being a use. */
static inline uint64_t *model_cache_find(const struct model_cache *cache, uint64_t pa)
{
	uint64_t *set = model_cache_set(cache, pa);

	return model_line_is(*set, pa) ? set : model_cache_find_any(set, cache->ways, pa);
}

/* Insert a line that is not there. Returns the one that it replaces, or 0. */
uint64_t model_cache_insert(struct model_cache *cache, uint64_t pa, enum model_line_state state);

/* Remove a line. Returns what it was, or 0. */
uint64_t model_cache_remove(struct model_cache *cache, uint64_t pa);

#endif
