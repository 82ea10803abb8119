/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables of a report about code: functions, addresses, branches, operations, events. */
#include "base/memory.h"
#include "trace/report_rows.h"

#include <inttypes.h>
#include <stdlib.h>

#define PAGE 4096u /* code without symbols is shown by pages */

/* Counts of a function at a level. */
struct function {
	struct report_address sum;
};

struct report_key report_function_key(struct symbols *symbols, const struct report_key *address)
{
	const long symbol = symbols_find(symbols, address->a);

	if (symbol < 0)
		return (struct report_key){address->a - address->a % PAGE,
					   address->b | REPORT_NO_SYMBOL};
	return (struct report_key){(uint64_t)symbol, address->b};
}

static void make_functions(struct report *report, struct symbols *symbols, struct report_map *map)
{
	report_map_init(map, sizeof(struct function),
			report->addresses.count ? report->addresses.count : 1);
	for (uint32_t i = 0; i < report->addresses.count; i++) {
		const struct report_key key =
			report_function_key(symbols, report_map_key(&report->addresses, i));
		const struct report_address *address = report_map_value(&report->addresses, i);
		struct function *function = report_map_at(map, key.a, key.b);

		if (!function) /* keys chosen to collide; map->dropped counts it */
			continue;
		report_add_sum(&function->sum, address);
	}
}

uint64_t report_function_start(const struct report_key *key, const struct symbols *symbols)
{
	return key->b & REPORT_NO_SYMBOL ? key->a
					 : sample_address(symbols_get(symbols, (long)key->a).start);
}

void report_function_name(struct report_cell *cell, const struct report_key *key,
			  const struct symbols *symbols)
{
	struct report_cell address;

	report_address(&address, key->a);
	if (key->b & REPORT_NO_SYMBOL)
		report_text(cell, "[0x%" PRIx64 "]", address.number);
	else
		report_text(cell, "%s", symbols_get(symbols, (long)key->a).name);
}

static struct report_rank *rank_functions(const struct report_map *map,
					  const struct report_view *view)
{
	struct report_rank *ranks = report_ranks(map->count);

	for (uint32_t i = 0; i < map->count; i++) {
		const struct report_key *key = report_map_key(map, i);
		const struct function *function = report_map_value(map, i);

		ranks[i] = report_ranked(&function->sum, view->order);
		ranks[i].a = report_function_start(key, view->symbols);
		ranks[i].b = key->b;
		ranks[i].number = i;
	}
	return ranks;
}

void report_fill_functions(struct report *report, const struct report_view *view,
			   struct report_rows *rows)
{
	struct report_map map;
	struct report_rank *ranks;
	size_t shown;

	make_functions(report, view->symbols, &map);
	ranks = rank_functions(&map, view);
	shown = report_sort(ranks, map.count, view->limit, rows);
	for (size_t i = 0; i < shown; i++) {
		const struct report_key *key = report_map_key(&map, ranks[i].number);
		const struct function *function = report_map_value(&map, ranks[i].number);
		struct report_cell *cells = report_row(rows);

		report_function_name(&cells[0], key, view->symbols);
		report_object(&cells[1], view, ranks[i].a);
		report_address(&cells[2], ranks[i].a);
		report_number(&cells[3], key->b & ~(uint64_t)REPORT_NO_SYMBOL);
		report_hot(&cells[4], &function->sum, report->records);
	}
	rows->dropped = report->addresses.dropped + map.dropped;
	free(ranks);
	report_map_free(&map);
}

void report_each_function(struct report *report, const struct report_view *view,
			  void (*take)(void *ctx, const struct report_folded *line), void *ctx)
{
	struct report_rows none = {0};
	struct report_map map;
	struct report_rank *ranks;
	uint64_t samples = 0;

	make_functions(report, view->symbols, &map);
	ranks = rank_functions(&map, view);
	(void)report_sort(ranks, map.count, map.count, &none);
	for (uint32_t i = 0; i < map.count; i++) {
		const struct report_key *key = report_map_key(&map, ranks[i].number);
		const struct function *function = report_map_value(&map, ranks[i].number);
		struct report_cell name = {0};
		struct report_folded line = {.el = (int)(key->b & ~(uint64_t)REPORT_NO_SYMBOL),
					     .samples = function->sum.samples};

		report_function_name(&name, key, view->symbols);
		line.function = name.text;
		samples += line.samples;
		take(ctx, &line);
		free(name.text);
	}
	if (samples < report->records)
		take(ctx, &(struct report_folded){.function = "[unknown]",
						  .el = -1,
						  .samples = report->records - samples});
	free(ranks);
	report_map_free(&map);
}

void report_fill_addresses(struct report *report, const struct report_view *view,
			   struct report_rows *rows)
{
	const struct report_map *map = &report->addresses;
	struct report_rank *ranks = report_ranks(map->count);
	size_t shown;

	for (uint32_t i = 0; i < map->count; i++) {
		const struct report_key *key = report_map_key(map, i);

		ranks[i] = report_ranked(report_map_value(map, i), view->order);
		ranks[i].a = key->a;
		ranks[i].b = key->b;
		ranks[i].number = i;
	}
	shown = report_sort(ranks, map->count, view->limit, rows);
	for (size_t i = 0; i < shown; i++) {
		struct report_cell *cells = report_row(rows);

		report_address(&cells[0], ranks[i].a);
		report_symbol(&cells[1], view->symbols, ranks[i].a);
		report_object(&cells[2], view, ranks[i].a);
		report_number(&cells[3], ranks[i].b);
		report_hot(&cells[4], report_map_value(map, ranks[i].number), report->records);
		report_source(&cells[10], view, ranks[i].a);
	}
	rows->dropped = map->dropped;
	free(ranks);
}

void report_fill_branches(struct report *report, const struct report_view *view,
			  struct report_rows *rows)
{
	const struct report_map *map = &report->branches;
	struct report_rank *ranks = report_ranks(map->count);
	size_t count = 0, shown;

	for (uint32_t i = 0; i < map->count; i++) {
		const struct report_branch *branch = report_map_value(map, i);
		const struct report_key *key = report_map_key(map, i);

		if (branch->mispredicted)
			ranks[count++] = (struct report_rank){branch->mispredicted, branch->samples,
							      key->a, key->b, i};
	}
	shown = report_sort(ranks, count, view->limit, rows);
	for (size_t i = 0; i < shown; i++) {
		const struct report_branch *branch = report_map_value(map, ranks[i].number);
		struct report_cell *cells = report_row(rows);

		report_address(&cells[0], sample_address(ranks[i].a));
		report_symbol(&cells[1], view->symbols, ranks[i].a);
		report_address(&cells[2], ranks[i].b);
		cells[2].none = ranks[i].b == REPORT_NO_TARGET;
		if (!cells[2].none)
			report_symbol(&cells[3], view->symbols, ranks[i].b);
		else
			report_text(&cells[3], "%s", "");
		report_number(&cells[4], ranks[i].a >> 56);
		report_number(&cells[5], branch->mispredicted);
		report_number(&cells[6], report_share(branch->mispredicted, report->mispredicted));
		report_number(&cells[7], branch->samples);
		report_number(&cells[8], report_share(branch->mispredicted, branch->samples));
		report_number(&cells[9], branch->not_taken);
	}
	rows->dropped = map->dropped;
	free(ranks);
}

uint64_t report_each_branch(struct report *report,
			    void (*take)(void *ctx, const struct report_taken *branch), void *ctx)
{
	const struct report_map *map = &report->branches;
	struct report_rank *ranks = report_ranks(map->count);
	struct report_rows none = {0};
	uint64_t given = 0;

	for (uint32_t i = 0; i < map->count; i++) {
		const struct report_key *key = report_map_key(map, i);

		ranks[i] = (struct report_rank){.a = key->a, .b = key->b, .number = i};
	}
	(void)report_sort(ranks, map->count, map->count, &none);
	for (uint32_t i = 0; i < map->count; i++) {
		const struct report_branch *branch = report_map_value(map, ranks[i].number);
		const uint64_t taken = branch->samples - branch->not_taken;
		struct report_taken line = {.from = sample_address(ranks[i].a),
					    .to = ranks[i].b,
					    .count = taken,
					    .mispredicted = branch->taken_wrongly_predicted};

		if (!taken || ranks[i].b == REPORT_NO_TARGET)
			continue;
		given += taken;
		take(ctx, &line);
	}
	free(ranks);
	return report->classes[RECORD_BRANCH] - given;
}

void report_fill_operations(struct report *report, const struct report_view *view,
			    struct report_rows *rows)
{
	struct report_rank ranks[RECORD_CLASSES * 256];
	char words[RECORD_TEXT_MAX];
	size_t count = 0, shown;

	for (uint32_t i = 0; i < RECORD_CLASSES * 256; i++)
		if (report->operations[i / 256][i % 256])
			ranks[count++] = (struct report_rank){
				.rank = report->operations[i / 256][i % 256], .a = i, .number = i};
	shown = report_sort(ranks, count, view->limit, rows);
	for (size_t i = 0; i < shown; i++) {
		const enum record_class class = (enum record_class)(ranks[i].number / 256);
		struct report_cell *cells = report_row(rows);

		report_text(&cells[0], "%s",
			    record_operation_describe(class, (uint8_t)(ranks[i].number % 256),
						      words, sizeof(words)));
		report_text(&cells[1], "%s", record_class_name(class));
		report_number(&cells[2], ranks[i].rank);
		report_shares(&cells[3], ranks[i].rank, report->records);
	}
}

void report_fill_events(struct report *report, const struct report_view *view,
			struct report_rows *rows)
{
	(void)view;
	for (unsigned int bit = 0; bit < 64; bit++) {
		const char *name = record_event_name(bit);
		struct report_cell *cells;

		if (!report->events[bit])
			continue;
		cells = report_row(rows);
		if (name)
			report_text(&cells[0], "%s", name);
		else
			report_text(&cells[0], "E[%u]", bit);
		report_number(&cells[1], report->events[bit]);
		report_shares(&cells[2], report->events[bit], report->records);
	}
}
