/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of an export, sorted with the largest first: see export.h. */
#include "trace/export_maps.h"
#include "trace/report_rows.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* The place in the table of each entry of a map. */
struct order {
	uint32_t *places;
	struct report_rank *ranks; /* by place */
	uint32_t count;
};

static struct order order_of(const struct report_map *map, const uint64_t *weights)
{
	struct order order = {memory_need(calloc(map->count + 1, sizeof(*order.places))),
			      report_ranks(map->count), map->count};
	struct report_rows none = {0};

	for (uint32_t i = 0; i < map->count; i++) {
		const struct report_key *key = report_map_key(map, i);

		order.ranks[i] = (struct report_rank){weights[i], 0, key->a, key->b, i};
	}
	(void)report_sort(order.ranks, map->count, map->count, &none);
	for (uint32_t i = 0; i < map->count; i++)
		order.places[order.ranks[i].number] = i;
	return order;
}

static void order_free(struct order *order)
{
	free(order->places);
	free(order->ranks);
}

static void *table(uint32_t count, size_t size)
{
	return memory_need(calloc(count + 1, size));
}

/* Records by who, place or source, which the field of the key from bit lsb on selects. */
static uint64_t *weights_of(const struct report_map *samples, unsigned int lsb, uint64_t mask,
			    uint32_t count)
{
	uint64_t *weights = table(count, sizeof(*weights));

	for (uint32_t i = 0; i < samples->count; i++) {
		const struct export_count *of = report_map_value(samples, i);

		weights[report_map_key(samples, i)->b >> lsb & mask] += of->records;
	}
	return weights;
}

/* --- Who */

static void make_whos(struct export *export, const struct report_view *view, struct order *order)
{
	const struct report_map *map = &export->maps->whos;
	uint64_t *weights = weights_of(&export->maps->samples, 40, 0xffffff, map->count);
	struct export_tables *tables = &export->tables;

	*order = order_of(map, weights);
	tables->whos = table(map->count, sizeof(*tables->whos));
	for (uint32_t i = 0; i < map->count && order->ranks[i].rank; i++) {
		const struct report_rank *rank = &order->ranks[i];
		const int32_t upper = (int32_t)(rank->a >> 32), tid = (int32_t)rank->a;
		struct report_cell name = {0};

		if (rank->b != REPORT_NO_NAME)
			report_name(&name, threads_name(view->threads, (uint32_t)rank->b));
		tables->whos[tables->who_count++] =
			(struct export_who){.pid = name.text ? upper : -1,
					    .cpu = name.text ? -1 : upper,
					    .tid = tid,
					    .comm = name.text,
					    .weight = rank->rank};
	}
	free(weights);
}

/* --- Functions and places */

/* The functions of all places, the function of each place, and their records. */
struct functions {
	struct report_map
		map; /* the key is that of report_function_key(), or (0, 512) without a PC */
	uint32_t *of;
	uint64_t *weights;
};
#define NO_FUNCTION 512u

static void find_functions(const struct export_maps *maps, struct symbols *symbols,
			   const uint64_t *weights, struct functions *functions)
{
	const struct report_map *places = &maps->places;

	report_map_init(&functions->map, sizeof(struct export_number), places->count);
	functions->of = table(places->count, sizeof(*functions->of));
	functions->weights = table(places->count, sizeof(*functions->weights));
	for (uint32_t i = 0; i < places->count; i++) {
		const struct report_key *place = report_map_key(places, i);
		const struct report_key none = {0, NO_FUNCTION};
		const struct report_key key =
			place->b == REPORT_NO_LEVEL ? none : report_function_key(symbols, place);
		struct export_number *number = report_map_at(&functions->map, key.a, key.b);

		if (number && !number->number)
			number->number = functions->map.count;
		/*
		 * The first place has no PC. Nothing is known of keys that were chosen to collide.
		 */
		functions->of[i] = number ? number->number - 1 : 0;
		functions->weights[functions->of[i]] += weights[i];
	}
}

/* The line in the function itself at an instruction: code inlined there has separate frames. */
static const char *outer_line(const struct report_view *view, uint64_t address, unsigned int *line)
{
	struct lines *lines = symbols_lines(view->symbols);
	struct lines_frame frames[LINES_FRAMES];
	const unsigned int count = lines_find(lines, address, frames);

	*line = count ? frames[count - 1].line : 0;
	return count ? lines_name(lines, frames[count - 1].file) : NULL;
}

static struct export_function function_of(const struct report_rank *rank,
					  const struct report_view *view)
{
	const struct report_key key = {rank->a, rank->b};
	struct export_function function = {
		.dso = EXPORT_NO_DSO, .level = EXPORT_NO_LEVEL, .weight = rank->rank};
	struct report_cell name = {0};
	uint32_t dso;

	if (key.b == NO_FUNCTION) {
		report_text(&name, "%s", "[unknown]");
	} else {
		const char *file = outer_line(view, report_function_start(&key, view->symbols),
					      &function.line);

		function.file = file ? memory_need(strdup(file)) : NULL;
		report_function_name(&name, &key, view->symbols);
		function.level = (int)(key.b % REPORT_NO_SYMBOL);
		if (view->threads &&
		    report_dso(view, report_function_start(&key, view->symbols), &dso))
			function.dso = dso;
	}
	function.name = name.text;
	return function;
}

static void make_places(struct export *export, const struct report_view *view, struct order *order)
{
	const struct report_map *map = &export->maps->places;
	uint64_t *weights = weights_of(&export->maps->samples, 0, 0xffffff, map->count);
	struct export_tables *tables = &export->tables;
	struct functions functions;
	struct order named;

	find_functions(export->maps, view->symbols, weights, &functions);
	named = order_of(&functions.map, functions.weights);
	tables->functions = table(named.count, sizeof(*tables->functions));
	for (uint32_t i = 0; i < named.count && named.ranks[i].rank; i++)
		tables->functions[tables->function_count++] = function_of(&named.ranks[i], view);
	*order = order_of(map, weights);
	tables->places = table(map->count, sizeof(*tables->places));
	for (uint32_t i = 0; i < map->count && order->ranks[i].rank; i++) {
		const uint32_t function = named.places[functions.of[order->ranks[i].number]];
		const char *of = tables->functions[function].file;
		unsigned int line;
		const char *file = outer_line(view, order->ranks[i].a, &line);

		tables->places[tables->place_count++] = (struct export_place){
			.address = report_file_address(view->symbols, order->ranks[i].a),
			.function = function,
			.line = file && of && strcmp(file, of) == 0 ? line : 0};
	}
	order_free(&named);
	report_map_free(&functions.map);
	free(functions.of);
	free(functions.weights);
	free(weights);
}

/* --- Data sources and samples */

static void make_sources(struct export *export, const struct report_view *view, struct order *order)
{
	const struct report_map *map = &export->maps->sources;
	uint64_t *none = table(map->count, sizeof(*none));
	struct export_tables *tables = &export->tables;

	*order = order_of(map, none); /* by number: the first is that of no source */
	tables->sources = table(map->count, sizeof(*tables->sources));
	tables->source_count = map->count;
	for (uint32_t i = 0; i < map->count; i++) {
		const enum source_set set = (enum source_set)order->ranks[i].b;

		tables->sources[i] =
			(struct export_source){.number = (uint16_t)(order->ranks[i].a - 1),
					       .set = set == SOURCE_UNSAID ? view->unsaid : set};
	}
	free(none);
}

/* Time comes first, then what readers group by. */
static void make_samples(struct export *export, const struct order *whos,
			 const struct order *places, const struct order *sources)
{
	const struct report_map *map = &export->maps->samples;
	struct export_tables *tables = &export->tables;
	struct report_rank *ranks = report_ranks(map->count);
	struct report_rows none = {0};

	for (uint32_t i = 0; i < map->count; i++) {
		const struct report_key *key = report_map_key(map, i);
		const uint32_t place = places->places[key->b & 0xffffff];

		ranks[i] = (struct report_rank){
			.rank = UINT64_MAX - whos->places[key->b >> 40],
			.tie = UINT64_MAX - key->a,
			.a = (uint64_t)tables->places[place].function << 32 | place,
			.b = sources->places[key->b >> 24 & 0xffff],
			.number = i};
	}
	(void)report_sort(ranks, map->count, map->count, &none);
	tables->samples = table(map->count, sizeof(*tables->samples));
	tables->sample_count = map->count;
	for (uint32_t i = 0; i < map->count; i++) {
		const struct export_count *count = report_map_value(map, ranks[i].number);
		const uint64_t time = (UINT64_MAX - ranks[i].tie) << export->shift;
		struct export_sample *sample = &tables->samples[i];

		*sample = (struct export_sample){
			.who = (uint32_t)(UINT64_MAX - ranks[i].rank),
			.place = (uint32_t)ranks[i].a,
			.source = (uint32_t)ranks[i].b,
			.time = export->timed && time < export->first ? export->first : time,
			.records = count->records,
			.cycles = count->cycles};
		if (!tables->whos[sample->who].count++)
			tables->whos[sample->who].first = i;
	}
	free(ranks);
}

void export_ready(struct export *export, const struct report_view *view)
{
	struct order whos, places, sources;

	make_whos(export, view, &whos);
	make_places(export, view, &places);
	make_sources(export, view, &sources);
	make_samples(export, &whos, &places, &sources);
	order_free(&whos);
	order_free(&places);
	order_free(&sources);
}
