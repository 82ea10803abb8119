/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts sample records for an export: see export.h. When the table of samples is full, times lose
 * half of their precision, and samples that then differ in nothing are merged. This repeats as
 * often as it helps. So a long input has coarser times, but loses no record.
 */
#include "trace/export_maps.h"

#include "base/memory.h"

#include <stdlib.h>

const struct export_bounds export_usual_bounds = {
	.whos = 1u << 16,
	.sources = 1u << 12,
	.places = 1u << 19,
	.samples = 1u << 19,
};

/*
 * The number of a key. If the key finds no place, *full is set and the number is that of the first
 * one.
 */
static struct export_number *number_of(struct report_map *map, uint64_t a, uint64_t b, bool *full)
{
	struct export_number *of = report_map_at(map, a, b);

	if (!of) {
		*full = true;
		return report_map_value(map, 0);
	}
	if (!of->number)
		of->number = map->count;
	return of;
}

struct export *export_new(const struct export_bounds *bounds, bool timed)
{
	struct export *export = memory_need(calloc(1, sizeof(*export)));
	struct export_maps *maps = memory_need(calloc(1, sizeof(*maps)));
	bool full = false;

	report_map_init(&maps->whos, sizeof(struct export_number), bounds->whos);
	report_map_init(&maps->places, sizeof(struct export_number), bounds->places);
	report_map_init(&maps->sources, sizeof(struct export_number), bounds->sources);
	report_map_init(&maps->samples, sizeof(struct export_count), bounds->samples);
	(void)number_of(&maps->whos, UINT64_MAX, REPORT_NO_NAME, &full);
	(void)number_of(&maps->places, 0, REPORT_NO_LEVEL, &full);
	(void)number_of(&maps->sources, 0, 0, &full);
	export->timed = timed;
	export->first = UINT64_MAX;
	export->maps = maps;
	return export;
}

static void maps_free(struct export_maps *maps)
{
	if (!maps)
		return;
	report_map_free(&maps->whos);
	report_map_free(&maps->places);
	report_map_free(&maps->sources);
	report_map_free(&maps->samples);
	free(maps);
}

void export_free(struct export *export)
{
	if (!export)
		return;
	maps_free(export->maps);
	for (uint32_t i = 0; i < export->tables.function_count; i++) {
		free(export->tables.functions[i].name);
		free(export->tables.functions[i].file);
	}
	for (uint32_t i = 0; i < export->tables.who_count; i++)
		free(export->tables.whos[i].comm);
	free(export->tables.whos);
	free(export->tables.functions);
	free(export->tables.places);
	free(export->tables.sources);
	free(export->tables.samples);
	free(export);
}

/* Halve the precision of times, and merge samples that become equal. */
static void coarsen(struct export *export)
{
	struct report_map *map = &export->maps->samples, fewer;

	report_map_init(&fewer, sizeof(struct export_count), map->most);
	for (uint32_t i = 0; i < map->count; i++) {
		const struct report_key *key = report_map_key(map, i);
		const struct export_count *from = report_map_value(map, i);
		struct export_count *to = report_map_at(&fewer, key->a >> 1, key->b);

		if (!to) { /* for keys chosen to collide */
			export->dropped += from->records;
			continue;
		}
		to->records += from->records;
		to->cycles += from->cycles;
	}
	report_map_free(map);
	*map = fewer;
	export->shift++;
}

static struct export_count *count_of(struct export *export, uint64_t time, uint64_t key)
{
	struct export_count *count =
		report_map_at(&export->maps->samples, time >> export->shift, key);

	while (!count && export->timed && export->shift < 63) {
		coarsen(export);
		count = report_map_at(&export->maps->samples, time >> export->shift, key);
	}
	return count;
}

/* A record without a time takes that of the previous one of its thread. */
static uint64_t time_of(struct export *export, struct export_number *who, const uint64_t *time)
{
	if (time && *time < export->first)
		export->first = *time;
	if (time && *time > export->last)
		export->last = *time;
	if (!export->timed)
		return 0;
	if (time)
		who->last = *time;
	else
		export->without_time++;
	return who->last;
}

void export_add(struct export *export, struct input_origin origin, const struct threads_life *life,
		enum source_set set, const struct sample *sample, const uint64_t *time)
{
	const bool pc = sample->has & SAMPLE_HAS_PC, sourced = sample->has & SAMPLE_HAS_SOURCE;
	struct export_maps *maps = export->maps;
	bool full = false;
	const struct report_key key = report_who(origin, life);
	struct export_number *who = number_of(&maps->whos, key.a, key.b, &full);
	const struct export_number *place = number_of(&maps->places, pc ? sample->pc : 0,
						      pc ? sample->el : REPORT_NO_LEVEL, &full);
	const struct export_number *source =
		number_of(&maps->sources, sourced ? sample->source + UINT64_C(1) : 0,
			  sourced ? set : 0, &full);
	struct export_count *count =
		count_of(export, time_of(export, who, time),
			 export_key(who->number - 1, source->number - 1, place->number - 1));

	export->records++;
	export->unnamed += full;
	if (!count) {
		export->dropped++;
		return;
	}
	count->records++;
	if (sample->has & SAMPLE_HAS_LATENCY << SAMPLE_TOTAL)
		count->cycles += sample->latency[SAMPLE_TOTAL];
}
