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

uint64_t *model_cache_find_any(uint64_t *set, uint32_t ways, uint64_t pa)
{
	const uint64_t *end = set + ways;

	for (; set < end && *set; set++)
		if (model_line_pa(*set ^ pa) == 0)
			return set;
	return NULL;
}

/* Make the line the first of its set; those before it move up by one. */
uint64_t *model_cache_use_any(uint64_t *set, uint32_t ways, uint64_t pa)
{
	uint64_t *at = model_cache_find_any(set, ways, pa);
	uint64_t line;

	if (!at)
		return NULL;
	line = *at;
	for (; at > set; at--)
		at[0] = at[-1];
	*set = line;
	return set;
}

/* The first lines of a set move up by one, over the next way. */
static void move_up(uint64_t *set, uint32_t count)
{
	for (; count > 0; count--)
		set[count] = set[count - 1];
}

/* Free ways come last in a set: if any is free, the last one is. */
uint64_t model_cache_insert(struct model_cache *cache, uint64_t pa, enum model_line_state state)
{
	uint64_t *set = model_cache_set(cache, pa);
	const uint64_t victim = set[cache->ways - 1];

	vspe_assert_of(!model_cache_find(cache, pa), pa, state);
	move_up(set, cache->ways - 1);
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
	model_cache_tell(cache, model_line_pa(line));
	return line;
}

void model_cache_tell(const struct model_cache *cache, uint64_t line)
{
	const uint64_t n = (model_line_pa(line) - cache->filter_base) >> MODEL_LINE_SHIFT;

	if (cache->filter && n < cache->filter_lines)
		cache->filter[n] = line & MODEL_REFERENCED ? (uint8_t)model_line_state(line) : 0;
}

/* No line of a set but its first way was referenced. */
static void forget_references(const struct model_cache *cache, uint64_t *set)
{
	for (uint32_t way = 1; way < cache->ways; way++) {
		set[way] &= ~MODEL_REFERENCED;
		model_cache_tell(cache, set[way]);
	}
}

/* The oldest way of a full set that was not referenced. Without one: the oldest. */
static uint32_t oldest_of(const uint64_t *set, uint32_t ways)
{
	uint32_t way = ways - 1;

	while (way > 0 && set[way] & MODEL_REFERENCED)
		way--;
	return set[way] & MODEL_REFERENCED ? ways - 1 : way;
}

static bool all_referenced(const uint64_t *set, uint32_t ways)
{
	for (uint32_t way = 0; way < ways; way++)
		if (!(set[way] & MODEL_REFERENCED))
			return false;
	return true;
}

bool model_cache_yields(const struct model_cache *cache, uint64_t pa)
{
	return !all_referenced(model_cache_set(cache, pa), cache->ways);
}

uint64_t model_cache_admit(struct model_cache *cache, uint64_t pa, enum model_line_state state,
			   bool referenced)
{
	uint64_t *set = model_cache_set(cache, pa);
	const uint32_t last = cache->ways - 1, way = set[last] ? oldest_of(set, cache->ways) : last;
	const uint64_t victim = set[way];

	vspe_assert_of(!model_cache_find(cache, pa), pa, state);
	move_up(set, way);
	*set = model_line_pa(pa) | (referenced ? MODEL_REFERENCED : 0) | state;
	if (victim)
		model_cache_tell(cache, model_line_pa(victim));
	model_cache_tell(cache, *set);
	if (all_referenced(set, cache->ways))
		forget_references(cache, set);
	return victim & ~MODEL_REFERENCED;
}
