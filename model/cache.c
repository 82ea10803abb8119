/* SPDX-License-Identifier: BSD-2-Clause */
/* The sets of a cache of the machine model. */
#include "cache.h"

#include <stddef.h>

#include "../sysreg/assertion.h"

uint64_t *model_cache_init(struct model_cache *cache, uint32_t size, uint32_t ways, uint64_t *lines)
{
	const uint32_t count = size >> MODEL_LINE_SHIFT;

	*cache = (struct model_cache){.lines = lines, .sets = count / ways, .ways = ways};
	vspe_assert_of(cache->sets && !(cache->sets & (cache->sets - 1)), size, ways);
	return lines + count;
}

/* Free ways come last in a set: if any is free, the last one is. */
uint64_t model_cache_insert(struct model_cache *cache, uint64_t pa, enum model_line_state state)
{
	uint64_t *set = model_cache_set(cache, pa);
	const uint64_t victim = set[cache->ways - 1];

	vspe_assert_of(!model_cache_find(cache, pa), pa, state);
	model_cache_move_up(set, set + cache->ways - 1);
	*set = model_line_pa(pa) | state;
	return victim;
}

uint64_t model_cache_remove(struct model_cache *cache, uint64_t pa)
{
	const uint64_t *end = model_cache_set(cache, pa) + cache->ways;
	uint64_t *at = model_cache_find(cache, pa), line;

	if (!at)
		return 0;
	line = *at;
	for (; at + 1 < end; at++)
		at[0] = at[1];
	*at = 0;
	model_cache_tell_gone(cache, line);
	return line;
}

/* No line of a set but its first way was referenced. */
static void forget_references(const struct model_cache *cache, uint64_t *set)
{
	for (uint32_t way = 1; way < cache->ways; way++) {
		model_cache_tell_gone(cache, set[way]);
		set[way] &= ~MODEL_REFERENCED;
	}
}

/* The last way of a set that was not referenced, as no free one was. Without one: the last. */
static uint64_t *oldest_of(uint64_t *set, uint32_t ways)
{
	uint64_t *last = set + ways - 1;

	for (uint64_t *line = last; line >= set; line--)
		if (!(*line & MODEL_REFERENCED))
			return line;
	return last;
}

static bool all_referenced(const uint64_t *set, uint32_t ways)
{
	for (uint32_t way = 0; way < ways; way++)
		if (!(set[way] & MODEL_REFERENCED))
			return false;
	return true;
}

uint64_t model_cache_admit(struct model_cache *cache, uint64_t pa, enum model_line_state state,
			   bool referenced)
{
	uint64_t *set = model_cache_set(cache, pa);
	uint64_t *oldest = oldest_of(set, cache->ways);
	const uint64_t victim = *oldest;

	vspe_assert_of(!model_cache_find(cache, pa), pa, state);
	model_cache_move_up(set, oldest);
	*set = model_line_pa(pa) | state;
	model_cache_tell_gone(cache, victim);
	if (!referenced)
		return victim;
	model_cache_mark(cache, set);
	if (all_referenced(set, cache->ways))
		forget_references(cache, set);
	return victim;
}
