/* SPDX-License-Identifier: BSD-2-Clause */
/* The counts of an export: what export.c fills and export_tables.c reads. */
#ifndef VSPE_TRACE_EXPORT_MAPS_H
#define VSPE_TRACE_EXPORT_MAPS_H

#include "trace/export.h"
#include "trace/report_counts.h"

/* The value of an entry of whos, places and sources. */
struct export_number {
	uint64_t last;	 /* of a who: its last time */
	uint32_t number; /* + 1 */
};

/*
 * The keys. whos: report_who(). places: (PC, level), with REPORT_NO_LEVEL and 0 for no PC, which
 * comes first. sources: (number + 1, set), with (0, 0) for none, which comes first. samples: (time
 * >> shift, who << 40 | source << 24 | place), with the entry numbers of the other maps.
 */
struct export_maps {
	struct report_map whos, places, sources, samples;
};

struct export_count {
	uint64_t records, cycles;
};

static inline uint64_t export_key(uint32_t who, uint32_t source, uint32_t place)
{
	return (uint64_t)who << 40 | (uint64_t)source << 24 | place;
}

#endif
