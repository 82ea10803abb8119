/* SPDX-License-Identifier: BSD-2-Clause */
/* A bounded table: see report_map.h. */
#include "trace/report_map.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/*
 * A file may choose keys that collide: after this many steps the table counts as full. At half of
 * its slots in use, chance does not come near this.
 */
#define STEPS 512u

/* The finalizer of SplitMix64, over both numbers. */
static uint64_t mix(uint64_t a, uint64_t b)
{
	uint64_t x = a ^ ((b << 32 | b >> 32) * UINT64_C(0x9e3779b97f4a7c15));

	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

void report_map_init(struct report_map *map, size_t value, uint32_t most)
{
	const size_t unit = sizeof(uint64_t);

	*map = (struct report_map){.entry = sizeof(struct report_key) +
					    (value + unit - 1) / unit * unit,
				   .most = most};
	map->slots = 2;
	while (map->slots < 2 * most)
		map->slots *= 2;
	map->index = memory_need(memory_sparse(map->slots * sizeof(*map->index)));
}

void report_map_free(struct report_map *map)
{
	memory_sparse_free(map->index, map->slots * sizeof(*map->index));
	free(map->entries);
	*map = (struct report_map){0};
}

const struct report_key *report_map_key(const struct report_map *map, uint32_t number)
{
	return (const void *)(map->entries + number * map->entry);
}

void *report_map_value(const struct report_map *map, uint32_t number)
{
	return map->entries + number * map->entry + sizeof(struct report_key);
}

static void *add(struct report_map *map, uint32_t slot, uint64_t a, uint64_t b)
{
	const struct report_key key = {a, b};
	uint8_t *entry;

	if (map->count == map->room) {
		map->room = map->room ? 2 * map->room : 64;
		if (map->room > map->most)
			map->room = map->most;
		map->entries = memory_need(realloc(map->entries, map->room * map->entry));
	}
	entry = map->entries + map->count * map->entry;
	memset(entry, 0, map->entry);
	memcpy(entry, &key, sizeof(key));
	map->index[slot] = ++map->count;
	return entry + sizeof(key);
}

void *report_map_at(struct report_map *map, uint64_t a, uint64_t b)
{
	uint32_t slot = (uint32_t)mix(a, b) & (map->slots - 1);

	for (unsigned int step = 0; step < STEPS; step++) {
		const uint32_t number = map->index[slot];
		const struct report_key *key;

		if (!number && map->count < map->most)
			return add(map, slot, a, b);
		if (!number)
			break;
		key = report_map_key(map, number - 1);
		if (key->a == a && key->b == b)
			return report_map_value(map, number - 1);
		slot = (slot + 1) & (map->slots - 1);
	}
	map->dropped++;
	return NULL;
}
