/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of a report about source lines. */
#include "trace/report_rows.h"

#include "base/memory.h"
#include "trace/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHAIN_MAX 1024u /* bytes of the functions that a line was inlined in */
#define ARROW	  " < "
#define NOWHERE	  UINT32_MAX

/* The keys are (file, line), and (dso, number of the functions it is in). */
struct source_line {
	struct report_address sum;
};

static uint32_t dso_of(const struct report_view *view, uint64_t address)
{
	uint32_t dso;

	return view->threads && report_dso(view, address, &dso) ? dso : NOWHERE;
}

/* The functions, the innermost first, each chain once in names. */
static uint32_t chain_of(struct names *names, const struct lines *lines,
			 const struct lines_frame *frames, unsigned int count)
{
	char text[CHAIN_MAX];
	size_t used = 0;

	for (unsigned int i = 0; i < count && used < sizeof(text); i++) {
		const char *name = lines_name(lines, frames[i].function);

		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", i ? ARROW : "",
					 name ? name : "[unknown]");
	}
	return names_number(names, text, sizeof(text) - 1);
}

void report_source(struct report_cell *cell, const struct report_view *view, uint64_t address)
{
	struct lines *lines = symbols_lines(view->symbols);
	struct lines_frame frames[LINES_FRAMES];
	char text[CHAIN_MAX];

	cell->none = !lines_find(lines, address, frames) || frames[0].file == LINES_NONE;
	if (cell->none)
		return;
	(void)snprintf(text, sizeof(text), "%s:%u", lines_base(lines_name(lines, frames[0].file)),
		       frames[0].line);
	report_name(cell, text);
}

static struct source_line *line_at(struct report_map *map, struct names *chains,
				   const struct report_view *view, uint64_t address)
{
	struct lines *lines = symbols_lines(view->symbols);
	struct lines_frame frames[LINES_FRAMES];
	const unsigned int count = lines_find(lines, address, frames);

	if (!count || frames[0].file == LINES_NONE)
		return NULL;
	return report_map_at(map, (uint64_t)frames[0].file << 32 | frames[0].line,
			     (uint64_t)dso_of(view, address) << 32 |
				     chain_of(chains, lines, frames, count));
}

static void fill_where(struct report_cell *cells, const struct report_key *key,
		       const struct report_view *view, const struct names *chains)
{
	const char *path = lines_name(symbols_lines(view->symbols), (uint32_t)(key->a >> 32));
	const char *chain = names_get(chains, (uint32_t)key->b);
	const char *outer = strstr(chain, ARROW);
	const size_t length = outer ? (size_t)(outer - chain) : strlen(chain);
	const uint32_t dso = (uint32_t)(key->b >> 32);
	char text[CHAIN_MAX];

	(void)snprintf(text, sizeof(text), "%s:%u", lines_base(path), (uint32_t)key->a);
	report_name(&cells[0], text);
	(void)snprintf(text, sizeof(text), "%.*s", (int)length, chain);
	report_name(&cells[1], text);
	cells[2].none = !outer;
	if (outer)
		report_name(&cells[2], outer + strlen(ARROW));
	cells[3].none = dso == NOWHERE;
	if (dso != NOWHERE)
		report_name(&cells[3], dsos_short_name(view->dsos, dso));
	report_name(&cells[10], path);
}

void report_fill_source_lines(struct report *report, const struct report_view *view,
			      struct report_rows *rows)
{
	const struct report_map *addresses = &report->addresses;
	struct names chains = {0};
	struct report_map map;
	struct report_rank *ranks;
	struct report_address unknown = {0};
	size_t shown;

	if (!lines_any(symbols_lines(view->symbols)))
		return;
	report_map_init(&map, sizeof(struct source_line), addresses->count ? addresses->count : 1);
	for (uint32_t i = 0; i < addresses->count; i++) {
		struct source_line *line =
			line_at(&map, &chains, view, report_map_key(addresses, i)->a);

		report_add_sum(line ? &line->sum : &unknown, report_map_value(addresses, i));
	}
	ranks = report_ranks(map.count);
	for (uint32_t i = 0; i < map.count; i++) {
		const struct report_key *key = report_map_key(&map, i);
		const struct source_line *line = report_map_value(&map, i);

		ranks[i] = report_ranked(&line->sum, view->order);
		ranks[i].a = key->a;
		ranks[i].b = key->b;
		ranks[i].number = i;
	}
	shown = report_sort(ranks, map.count, view->limit, rows);
	for (size_t i = 0; i < shown; i++) {
		const struct source_line *line = report_map_value(&map, ranks[i].number);
		struct report_cell *cells = report_row(rows);

		fill_where(cells, report_map_key(&map, ranks[i].number), view, &chains);
		report_hot(&cells[4], &line->sum, report->records);
	}
	if (unknown.samples && map.count) {
		struct report_cell *cells = report_row(rows);

		report_text(&cells[0], "%s", "[unknown]");
		report_text(&cells[1], "%s", "");
		cells[2].none = cells[3].none = cells[10].none = true;
		report_hot(&cells[4], &unknown, report->records);
	}
	rows->dropped = addresses->dropped + map.dropped;
	free(ranks);
	report_map_free(&map);
	names_free(&chains);
}
