/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A bounded table from two numbers to a value of fixed size. Keys that come when it is full are
 * counted, not kept. Which entries there are depends only on the order of the keys, and they stay
 * in the order in which they came.
 */
#ifndef VSPE_TRACE_REPORT_MAP_H
#define VSPE_TRACE_REPORT_MAP_H

#include <stddef.h>
#include <stdint.h>

struct report_key {
	uint64_t a, b;
};

struct report_map {
	size_t entry;	/* bytes of one: the key, then the value */
	uint32_t most;	/* entries */
	uint32_t slots; /* of index, a power of two */
	uint32_t count, room;
	uint32_t *index; /* number of an entry + 1, or 0 */
	uint8_t *entries;
	uint64_t dropped; /* calls of report_map_at() that found no room */
};

/* An empty map with room for most entries, 1 to 2^24, whose values have value bytes. */
void report_map_init(struct report_map *map, size_t value, uint32_t most);
void report_map_free(struct report_map *map);

/* The value of a key, zeros at first; NULL if it is new and there is no room. */
void *report_map_at(struct report_map *map, uint64_t a, uint64_t b);

/* An entry by its number, from 0 to count - 1. */
const struct report_key *report_map_key(const struct report_map *map, uint32_t number);
void *report_map_value(const struct report_map *map, uint32_t number);

#endif
