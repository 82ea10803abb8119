/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tables of a report about all records: how many, and on which vCPU, at which level, in which
 * context, and when.
 */
#include "trace/report_rows.h"

#include <inttypes.h>
#include <stdlib.h>

static void count_row(struct report_rows *rows, const char *what, uint64_t count, uint64_t total)
{
	struct report_cell *cells = report_row(rows);

	report_text(&cells[0], "%s", what);
	report_number(&cells[1], count);
	report_number(&cells[2], report_share(count, total));
}

void report_fill_records(struct report *report, const struct report_view *view,
			 struct report_rows *rows)
{
	const struct count {
		const char *what;
		uint64_t count;
	} counts[] = {
		{"records", report->records},
		{"loads", report->reads},
		{"stores and atomics", report->writes},
		{"branches", report->classes[RECORD_BRANCH]},
		{"branches not retired", report->unretired},
		{"branches mispredicted", report->mispredicted},
		{"branches not taken", report->not_taken},
		{"other operations", report->classes[RECORD_OTHER]},
		{"without an operation type", report->unclassed},
		{"with a data address", report->accesses},
		{"without a PC", report->without_pc},
		{"without a timestamp", report->without_time},
	};

	(void)view;
	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++)
		count_row(rows, counts[i].what, counts[i].count, report->records);
	if (report->skipped) {
		struct report_cell *cells = report_row(rows);

		report_text(&cells[0], "%s", "left aside by filters");
		report_number(&cells[1], report->skipped);
		cells[2].none = true;
	}
}

/* A row for one kind of loss: how often, and how much. share is NULL if it is not known. */
static struct report_cell *missing_row(struct report_rows *rows, const char *what, uint64_t times,
				       uint64_t lost, const uint64_t *share)
{
	struct report_cell *cells = report_row(rows);

	report_text(&cells[0], "%s", what);
	report_number(&cells[1], times);
	report_number(&cells[2], lost);
	cells[2].none = !lost;
	report_number(&cells[3], share ? *share : 0);
	cells[3].none = !share;
	return cells;
}

static void damage_row(struct report_rows *rows, const char *what, uint64_t lost, uint64_t total,
		       const struct input_damage *damage)
{
	const uint64_t share = report_share(lost, total);
	char text[INPUT_ORIGIN_WORDS];

	if (lost)
		report_text(&missing_row(rows, what, lost, lost, &share)[4], "%s at 0x%" PRIx64,
			    input_origin_words(damage->origin, text), damage->first);
}

void report_fill_missing(struct report *report, const struct report_view *view,
			 struct report_rows *rows)
{
	const struct input_result *missing = &report->missing;
	const struct input_damage *damage = &missing->damage;
	const uint64_t untold = view->threads ? threads_dropped(view->threads) : 0;
	char first[INPUT_FIRST_WORDS];
	uint64_t share = 0;

	for (unsigned int i = 0; i < INPUT_LOSSES; i++) {
		const struct input_loss_count *count = &missing->losses[i];
		const bool known = input_loss_share(missing, (enum input_loss)i, &share);

		if (!count->times)
			continue;
		report_text(&missing_row(rows, input_loss_name((enum input_loss)i), count->times,
					 count->lost, known ? &share : NULL)[4],
			    "%s", input_loss_first(count, first));
	}
	damage_row(rows, "records without an end", damage->records, missing->records, damage);
	damage_row(rows, "bytes in unknown or cut packets", damage->bytes, missing->bytes, damage);
	if (untold)
		missing_row(rows, "events of processes beyond what is kept", untold, untold,
			    NULL)[4]
			.none = true;
}

void report_fill_cpus(struct report *report, const struct report_view *view,
		      struct report_rows *rows)
{
	const struct report_map *map = &report->origins;
	struct report_rank *ranks = report_rank_origins(map);

	(void)view;
	for (uint32_t i = 0; i < map->count; i++) {
		struct report_cell *cells;

		if (ranks[i].a == UINT32_MAX)
			continue;
		cells = report_row(rows);
		report_number(&cells[0], ranks[i].a);
		report_levels(&cells[1], report_map_value(map, ranks[i].number), report->records);
	}
	free(ranks);
}

void report_fill_levels(struct report *report, const struct report_view *view,
			struct report_rows *rows)
{
	static const char *const spaces[REPORT_SPACES] = {"Secure", "Non-secure", "Root", "Realm"};

	(void)view;
	for (unsigned int n = 0; n < REPORT_NO_LEVEL * REPORT_SPACES; n++) {
		const uint64_t samples = report->levels[n / REPORT_SPACES][n % REPORT_SPACES];
		struct report_cell *cells;

		if (!samples)
			continue;
		cells = report_row(rows);
		report_text(&cells[0], "EL%u", n / REPORT_SPACES);
		report_text(&cells[1], "%s", spaces[n % REPORT_SPACES]);
		report_number(&cells[2], samples);
		report_shares(&cells[3], samples, report->records);
	}
}

void report_fill_contexts(struct report *report, const struct report_view *view,
			  struct report_rows *rows)
{
	const struct report_map *map = &report->contexts;
	struct report_rank *ranks = report_ranks(map->count);
	size_t shown;

	for (uint32_t i = 0; i < map->count; i++) {
		const struct report_key *key = report_map_key(map, i);
		const struct report_context *context = report_map_value(map, i);

		ranks[i] = (struct report_rank){context->samples, 0, key->a, key->b, i};
	}
	shown = report_sort(ranks, map->count, view->limit, rows);
	for (size_t i = 0; i < shown; i++) {
		struct report_cell *cells = report_row(rows);

		report_number(&cells[0], ranks[i].b & UINT32_MAX);
		cells[0].none = !(ranks[i].a & 1);
		report_number(&cells[1], ranks[i].b >> 32);
		cells[1].none = !(ranks[i].a & 2);
		report_number(&cells[2], ranks[i].rank);
		report_shares(&cells[3], ranks[i].rank, report->records);
	}
	rows->dropped = map->dropped;
	free(ranks);
}

void report_fill_time(struct report *report, const struct report_view *view,
		      struct report_rows *rows)
{
	const struct report_span *span = &report->time.span;

	(void)view;
	for (uint64_t n = 0; span->any && n <= span->last - span->first; n++) {
		const uint64_t number = span->first + n;
		const uint64_t *counts = report->time.counts[number % REPORT_TIME_BUCKETS];
		struct report_cell *cells = report_row(rows);
		uint64_t samples = 0;

		for (unsigned int level = 0; level < REPORT_LEVELS; level++)
			samples += counts[level];
		report_number(&cells[0], number << span->shift);
		report_number(&cells[1], UINT64_C(1) << span->shift);
		report_number(&cells[2], samples);
		for (unsigned int level = 0; level < REPORT_NO_LEVEL; level++)
			report_number(&cells[3 + level], counts[level]);
	}
}
