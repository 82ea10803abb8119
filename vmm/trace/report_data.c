/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables of a report about time: latencies, and where data came from. */
#include "trace/report_rows.h"

#include <stdlib.h>

/* The smallest value of a counter that at least this per cent of all values do not exceed. */
static uint64_t percentile(const uint64_t *counts, uint64_t total, unsigned int percent)
{
	const uint64_t wanted = total / 100 * percent + (total % 100 * percent + 99) / 100;
	uint64_t seen = 0;

	for (unsigned int value = 0; value < REPORT_VALUES; value++) {
		seen += counts[value];
		if (seen >= wanted)
			return value;
	}
	return REPORT_VALUES - 1;
}

void report_fill_latency(struct report *report, const struct report_view *view,
			 struct report_rows *rows)
{
	static const char *const names[REPORT_LATENCIES] = {"total", "issue", "translation",
							    "execution"};
	static const unsigned int percents[] = {50, 90, 99, 100};

	(void)view;
	for (unsigned int i = 0; i < REPORT_LATENCIES; i++) {
		const uint64_t *counts = report->latency[i];
		uint64_t total = 0, sum = 0;
		struct report_cell *cells;

		for (unsigned int value = 0; value < report->latency_end; value++) {
			total += counts[value];
			sum += counts[value] * value;
		}
		if (!total)
			continue;
		cells = report_row(rows);
		report_text(&cells[0], "%s", names[i]);
		report_number(&cells[1], total);
		report_mean_of(&cells[2], sum, total);
		for (unsigned int n = 0; n < sizeof(percents) / sizeof(*percents); n++)
			report_number(&cells[3 + n], percentile(counts, total, percents[n]));
	}
}

/* Bucket 0 has 0, bucket n has the values from 2^(n-1) to 2^n - 1. */
#define BUCKETS 17u

static void sum_buckets(const uint64_t *counts, uint32_t end, uint64_t buckets[BUCKETS])
{
	unsigned int bucket = 0;

	for (unsigned int value = 0; value < end; value++) {
		bucket += value >> bucket != 0;
		buckets[bucket] += counts[value];
	}
}

void report_fill_histogram(struct report *report, const struct report_view *view,
			   struct report_rows *rows)
{
	uint64_t buckets[REPORT_LATENCIES][BUCKETS] = {{0}};
	unsigned int first = BUCKETS, last = 0;

	(void)view;
	for (unsigned int i = 0; i < REPORT_LATENCIES; i++) {
		sum_buckets(report->latency[i], report->latency_end, buckets[i]);
		for (unsigned int n = 0; n < BUCKETS; n++) {
			if (!buckets[i][n])
				continue;
			first = n < first ? n : first;
			last = n > last ? n : last;
		}
	}
	for (unsigned int n = first; n <= last && n < BUCKETS; n++) {
		struct report_cell *cells = report_row(rows);
		const unsigned int low = n ? 1u << (n - 1) : 0, high = n ? (1u << n) - 1 : 0;

		if (low == high)
			report_text(&cells[0], "%u", low);
		else
			report_text(&cells[0], "%u-%u", low, high);
		for (unsigned int i = 0; i < REPORT_LATENCIES; i++)
			report_number(&cells[1 + i], buckets[i][n]);
	}
}

static void source_name(struct report_cell *cells, enum source_set set, unsigned int number)
{
	const struct source *source = source_find(set, (uint16_t)number);

	if (source)
		report_text(&cells[0], "%s", source->name);
	else
		report_text(&cells[0], "code 0x%x", number);
	cells[1].none = !source || !source->perf;
	if (!cells[1].none)
		report_text(&cells[1], "%s", source->perf);
}

void report_fill_sources(struct report *report, const struct report_view *view,
			 struct report_rows *rows)
{
	const struct report_map *map = &report->sources;
	struct report_rank *ranks = report_ranks(map->count);
	uint64_t total = 0;
	size_t shown;

	for (uint32_t i = 0; i < map->count; i++) {
		const struct report_key *key = report_map_key(map, i);
		const struct report_source *source = report_map_value(map, i);

		total += source->samples;
		ranks[i] = (struct report_rank){
			.rank = source->samples, .a = key->a, .b = key->b, .number = i};
	}
	shown = report_sort(ranks, map->count, view->limit, rows);
	for (size_t i = 0; i < shown; i++) {
		const struct report_source *source = report_map_value(map, ranks[i].number);
		struct report_cell *cells = report_row(rows);
		enum source_set set = (enum source_set)ranks[i].b;

		if (set == SOURCE_UNSAID)
			set = view->unsaid;
		if (set == SOURCE_UNSAID)
			rows->remark =
				"nothing says of which core the records are: names are those "
				"of Arm's Neoverse cores; see --core";
		report_number(&cells[0], ranks[i].a);
		source_name(&cells[1], set, (unsigned int)ranks[i].a);
		report_number(&cells[3], source->samples);
		report_shares(&cells[4], source->samples, total);
		report_mean_of(&cells[7], source->cycles, source->timed);
		report_mean_of(&cells[8], source->execution, source->executed);
	}
	rows->dropped = map->dropped;
	free(ranks);
}
