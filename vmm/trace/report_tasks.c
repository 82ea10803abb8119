/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables of a report about processes, threads, and the files that they run. */
#include "trace/report_rows.h"

#include "base/memory.h"

#include <stdlib.h>

/* The threads, merged by the bits of their key in mask. */
static void sum_lives(const struct report *report, uint64_t mask, struct report_map *sums)
{
	const struct report_map *map = &report->lives;

	report_map_init(sums, sizeof(struct report_origin), map->count ? map->count : 1);
	for (uint32_t i = 0; i < map->count; i++) {
		const struct report_key *key = report_map_key(map, i);
		const struct report_origin *from = report_map_value(map, i);
		struct report_origin *to = report_map_at(sums, key->a & mask, key->b);

		for (unsigned int level = 0; to && level < REPORT_LEVELS; level++)
			to->levels[level] += from->levels[level];
	}
}

/* Records of unknown threads, if there are any others. */
static void fill_unknown(const struct report *report, struct report_rows *rows, unsigned int first)
{
	struct report_origin unknown = {{0}};
	struct report_cell *cells;

	for (unsigned int level = 0; level < REPORT_LEVELS; level++) {
		for (unsigned int space = 0; space < REPORT_SPACES; space++)
			unknown.levels[level] += report->levels[level][space];
		for (uint32_t i = 0; i < report->lives.count; i++) {
			const struct report_origin *origin = report_map_value(&report->lives, i);

			unknown.levels[level] -= origin->levels[level];
		}
	}
	if (!report_samples_of(&unknown))
		return;
	cells = report_row(rows);
	report_text(&cells[0], "%s", "[unknown]");
	for (unsigned int n = 1; n < first; n++)
		cells[n].none = true;
	report_levels(&cells[first], &unknown, report->records);
}

/* Name, pid and, for threads, tid. */
static void fill_lives(struct report *report, const struct report_view *view,
		       struct report_rows *rows, bool threads)
{
	const unsigned int first = threads ? 3 : 2;
	struct report_rank *ranks;
	struct report_map sums;
	size_t shown;

	sum_lives(report, threads ? UINT64_MAX : ~(uint64_t)UINT32_MAX, &sums);
	ranks = report_ranks(sums.count);
	for (uint32_t i = 0; i < sums.count; i++) {
		const struct report_key *key = report_map_key(&sums, i);

		ranks[i] = (struct report_rank){report_samples_of(report_map_value(&sums, i)), 0,
						key->a, key->b, i};
	}
	shown = report_sort(ranks, sums.count, view->limit, rows);
	for (size_t i = 0; i < shown; i++) {
		struct report_cell *cells = report_row(rows);

		report_name(&cells[0], threads_name(view->threads, (uint32_t)ranks[i].b));
		report_number(&cells[1], ranks[i].a >> 32);
		if (threads)
			report_number(&cells[2], ranks[i].a & UINT32_MAX);
		report_levels(&cells[first], report_map_value(&sums, ranks[i].number),
			      report->records);
	}
	fill_unknown(report, rows, first);
	rows->dropped = report->lives.dropped + sums.dropped;
	free(ranks);
	report_map_free(&sums);
}

void report_fill_processes(struct report *report, const struct report_view *view,
			   struct report_rows *rows)
{
	if (report->lives.count)
		fill_lives(report, view, rows, false);
}

/* For a file that names no process: the threads with a trace. */
static void fill_traces(struct report *report, struct report_rows *rows)
{
	const struct report_map *map = &report->origins;
	struct report_rank *ranks = report_rank_origins(map);

	for (uint32_t i = 0; i < map->count; i++) {
		struct report_cell *cells;

		if (ranks[i].a != UINT32_MAX)
			continue;
		cells = report_row(rows);
		cells[0].none = cells[1].none = true;
		report_number(&cells[2], ranks[i].b);
		cells[2].none = ranks[i].b == UINT32_MAX;
		report_levels(&cells[3], report_map_value(map, ranks[i].number), report->records);
	}
	rows->dropped = map->dropped;
	free(ranks);
}

void report_fill_threads(struct report *report, const struct report_view *view,
			 struct report_rows *rows)
{
	if (report->lives.count)
		fill_lives(report, view, rows, true);
	else
		fill_traces(report, rows);
}

static void object_row(struct report_cell *cells, const struct report_view *view, uint32_t dso,
		       bool named)
{
	const struct threads_dso of = threads_dso(view->threads, dso);
	const char *lines = dsos_lines_state(view->dsos, dso, symbols_lines(view->symbols));
	char hex[THREADS_BUILD_ID_TEXT];

	report_name(&cells[0], of.path);
	report_text(&cells[1], "%s", of.kernel && named ? "yes" : dsos_state(view->dsos, dso));
	cells[2].none = !lines;
	if (lines)
		report_text(&cells[2], "%s", lines);
	report_text(&cells[3], "%s", threads_build_id(&of, hex));
	cells[3].none = !*hex;
}

void report_fill_objects(struct report *report, const struct report_view *view,
			 struct report_rows *rows)
{
	const uint32_t count = view->threads ? threads_dsos(view->threads) : 0;
	uint64_t *samples = memory_need(calloc(count + 1, sizeof(*samples)));
	bool *named = memory_need(calloc(count + 1, sizeof(*named)));
	struct report_rank *ranks = report_ranks(count);
	uint64_t known = 0;
	size_t used = 0, shown;
	uint32_t dso;

	for (uint32_t i = 0; i < report->addresses.count && count; i++) {
		const struct report_address *address = report_map_value(&report->addresses, i);

		const uint64_t pc = report_map_key(&report->addresses, i)->a;

		if (!report_dso(view, pc, &dso))
			continue;
		samples[dso] += address->samples;
		named[dso] = named[dso] || symbols_find(view->symbols, pc) >= 0;
	}
	for (uint32_t i = 0; i < count; i++) {
		known += samples[i];
		if (samples[i])
			ranks[used++] =
				(struct report_rank){.rank = samples[i], .a = i, .number = i};
	}
	shown = report_sort(ranks, used, view->limit, rows);
	for (size_t i = 0; i < shown; i++) {
		struct report_cell *cells = report_row(rows);

		object_row(cells, view, ranks[i].number, named[ranks[i].number]);
		report_number(&cells[4], ranks[i].rank);
		report_shares(&cells[5], ranks[i].rank, report->records);
	}
	if (count && known < report->records) {
		struct report_cell *cells = report_row(rows);

		report_text(&cells[0], "%s", "[unknown]");
		cells[1].none = cells[2].none = cells[3].none = true;
		report_number(&cells[4], report->records - known);
		report_shares(&cells[5], report->records - known, report->records);
	}
	free(ranks);
	free(samples);
	free(named);
}
