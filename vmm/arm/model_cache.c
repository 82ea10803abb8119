/* SPDX-License-Identifier: BSD-2-Clause */
/* The sets of a cache of the machine model. */
#include "arm/model_cache.h"

uint64_t *model_cache_init(struct model_cache *cache, uint32_t size, uint32_t ways, uint64_t *lines)
{
	const uint32_t count = size >> MODEL_LINE_SHIFT;

	*cache = (struct model_cache){.lines = lines, .sets = count / ways, .ways = ways};
	return lines + count;
}

static uint64_t *set_of(const struct model_cache *cache, uint64_t pa)
{
	return cache->lines + ((pa >> MODEL_LINE_SHIFT) & (cache->sets - 1)) * cache->ways;
}

/* The way of a line, or that of the first that is free, or ways. *found says which. */
static uint32_t way_of(const struct model_cache *cache, const uint64_t *set, uint64_t pa,
		       bool *found)
{
	const uint64_t line = model_line_pa(pa);
	uint32_t way = 0;

	while (way < cache->ways && set[way] && model_line_pa(set[way]) != line)
		way++;
	*found = way < cache->ways && set[way];
	return way;
}

/* line becomes the first of its set; those before way move up by one. */
static void put_first(uint64_t *set, uint32_t way, uint64_t line)
{
	for (; way > 0; way--)
		set[way] = set[way - 1];
	set[0] = line;
}

uint64_t *model_cache_use_any(struct model_cache *cache, uint64_t pa)
{
	uint64_t *set = set_of(cache, pa);
	bool found;
	const uint32_t way = way_of(cache, set, pa, &found);

	if (!found)
		return NULL;
	put_first(set, way, set[way]);
	return set;
}

uint64_t *model_cache_find(const struct model_cache *cache, uint64_t pa)
{
	uint64_t *set = set_of(cache, pa);
	bool found;
	const uint32_t way = way_of(cache, set, pa, &found);

	return found ? &set[way] : NULL;
}

uint64_t model_cache_insert(struct model_cache *cache, uint64_t pa, enum model_line_state state)
{
	uint64_t *set = set_of(cache, pa), victim = 0;
	bool found;
	uint32_t way = way_of(cache, set, pa, &found);

	if (way == cache->ways)
		victim = set[--way];
	put_first(set, way, model_line_pa(pa) | state);
	return victim;
}

uint64_t model_cache_remove(struct model_cache *cache, uint64_t pa)
{
	uint64_t *set = set_of(cache, pa), line;
	bool found;
	uint32_t way = way_of(cache, set, pa, &found);

	if (!found)
		return 0;
	line = set[way];
	for (; way + 1 < cache->ways; way++)
		set[way] = set[way + 1];
	set[way] = 0;
	return line;
}
