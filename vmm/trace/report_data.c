// SPDX-License-Identifier: BSD-2-Clause
/* Tables of a report about time: latencies, and where data came from. */
#include "trace/report_rows.h"

#include <stdlib.h>

/* Of the values of a counter: the smallest that per cent of all are not above. */
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
	static const char *const names[SAMPLE_LATENCIES] = {"total", "issue", "translation"};
	static const unsigned int percents[] = {50, 90, 99, 100};

	(void)view;
	for (unsigned int i = 0; i < SAMPLE_LATENCIES; i++) {
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
	uint64_t buckets[SAMPLE_LATENCIES][BUCKETS] = {{0}};
	unsigned int first = BUCKETS, last = 0;

	(void)view;
	for (unsigned int i = 0; i < SAMPLE_LATENCIES; i++) {
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
		for (unsigned int i = 0; i < SAMPLE_LATENCIES; i++)
			report_number(&cells[1 + i], buckets[i][n]);
	}
}

/* Neoverse's codes, which other cores of Arm's share and perf names alike; "" for others. */
static const char *source_name(unsigned int code)
{
	static const char *const names[] = {
		[0x0] = "L1D",		 [0x8] = "L2",		 [0x9] = "peer core",
		[0xa] = "local cluster", [0xb] = "system cache", [0xc] = "peer cluster",
		[0xd] = "remote",	 [0xe] = "DRAM",
	};

	return code < sizeof(names) / sizeof(*names) && names[code] ? names[code] : "";
}

void report_fill_sources(struct report *report, const struct report_view *view,
			 struct report_rows *rows)
{
	struct report_rank *ranks = report_ranks(report->source_end);
	uint64_t total = 0;
	size_t count = 0, shown;

	for (uint32_t code = 0; code < report->source_end; code++) {
		if (!report->sources[code].samples)
			continue;
		total += report->sources[code].samples;
		ranks[count++] = (struct report_rank){
			.rank = report->sources[code].samples, .a = code, .number = code};
	}
	shown = report_sort(ranks, count, view->limit, rows);
	for (size_t i = 0; i < shown; i++) {
		const struct report_source *source = &report->sources[ranks[i].number];
		struct report_cell *cells = report_row(rows);
		const char *name = source_name(ranks[i].number);

		report_number(&cells[0], ranks[i].number);
		if (*name)
			report_text(&cells[1], "%s", name);
		else
			report_text(&cells[1], "code 0x%x", (unsigned int)ranks[i].number);
		report_number(&cells[2], source->samples);
		report_shares(&cells[3], source->samples, total);
		report_mean_of(&cells[6], source->cycles, source->timed);
	}
	free(ranks);
}
