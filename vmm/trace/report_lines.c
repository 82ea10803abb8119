/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables of a report about data addresses: hot cache lines, shared ones, and the heat map. */
#include "base/memory.h"
#include "trace/report_rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t line_samples(const struct report_line *line)
{
	return report_accesses(&line->access);
}

static void fill_address(struct report_cell *cells, const struct report_key *key)
{
	report_number(&cells[0], key->a * REPORT_LINE);
	report_space(&cells[1], key->b);
}

void report_fill_lines(struct report *report, const struct report_view *view,
		       struct report_rows *rows)
{
	const struct report_map *map = &report->lines;
	struct report_rank *ranks = report_ranks(map->count);
	size_t shown;

	for (uint32_t i = 0; i < map->count; i++) {
		const struct report_key *key = report_map_key(map, i);

		ranks[i] = (struct report_rank){line_samples(report_map_value(map, i)), 0, key->a,
						key->b, i};
	}
	shown = report_sort(ranks, map->count, view->limit, rows);
	for (size_t i = 0; i < shown; i++) {
		const struct report_line *line = report_map_value(map, ranks[i].number);
		struct report_cell *cells = report_row(rows);

		fill_address(&cells[0], report_map_key(map, ranks[i].number));
		report_data(&cells[3], view, &line->access);
		report_access(&cells[5], &line->access, report->accesses);
		report_uses(&cells[20], report, view, line->uses, line->others);
	}
	rows->dropped = map->dropped;
	free(ranks);
}

/* --- Sharing */

#define SHARED_FALSE 1u /* a thread wrote bytes that another one did not access */
#define SHARED_TRUE  2u /* ... and bytes that another one did */
#define SHARED_PEER  4u /* no store was sampled, but data came from another core's cache */

static bool one_bit(uint64_t bits)
{
	return bits && !(bits & (bits - 1));
}

/* How two threads share a line that the first one writes: the same bytes, or only the line. */
static unsigned int sharing_of(const struct report_use *writer, const struct report_use *other)
{
	const uint64_t written = writer->written, used = other->read | other->written;
	unsigned int sharing = 0;

	if (!written || !used)
		return 0;
	if (written & used)
		sharing |= SHARED_TRUE;
	if (written != used || !one_bit(written))
		sharing |= SHARED_FALSE;
	return sharing;
}

static unsigned int line_sharing(const struct report_line *line)
{
	unsigned int sharing = 0;

	for (unsigned int i = 0; i < REPORT_LINE_USERS && line->uses[i].accesses; i++)
		for (unsigned int j = 0; j < REPORT_LINE_USERS && line->uses[j].accesses; j++)
			if (i != j)
				sharing |= sharing_of(&line->uses[i], &line->uses[j]);
	if (!sharing && line->uses[1].accesses && line->access.places[SOURCE_PEER])
		return SHARED_PEER;
	return sharing;
}

/* Up to four offsets of a set. */
static int list_offsets(char *text, size_t size, const char *what, uint64_t bits)
{
	unsigned int listed = 0;
	int used = 0;

	for (unsigned int offset = 0; offset < REPORT_LINE && bits; offset++) {
		if (!(bits >> offset & 1))
			continue;
		bits &= ~(UINT64_C(1) << offset);
		used += snprintf(text + used, size - (size_t)used, "%s+0x%02x", listed ? "," : what,
				 offset);
		if (++listed == 4 && bits)
			return used + snprintf(text + used, size - (size_t)used, ",...");
	}
	return used;
}

static void list_who(struct report_cell *cell, const struct report *report,
		     const struct report_view *view, const struct report_line *line)
{
	char text[1024], words[REPORT_USER_WORDS];
	int used = 0;

	for (unsigned int i = 0; i < REPORT_LINE_USERS && line->uses[i].accesses; i++) {
		const struct report_use *use = &line->uses[i];

		used += snprintf(text + used, sizeof(text) - (size_t)used, "%s%s", i ? "; " : "",
				 report_user(report, view, use->user, words));
		used += list_offsets(text + used, sizeof(text) - (size_t)used, " reads ",
				     use->read);
		used += list_offsets(text + used, sizeof(text) - (size_t)used, " writes ",
				     use->written);
	}
	report_text(cell, "%.*s%s", used, text, line->others ? "; others" : "");
}

/* For each byte of the line: the users whose accesses begin there. */
static void fill_users(uint64_t *bytes, const struct report_line *line)
{
	for (unsigned int i = 0; i < REPORT_LINE_USERS && line->uses[i].accesses; i++)
		for (unsigned int at = 0; at < REPORT_LINE; at++)
			if ((line->uses[i].read | line->uses[i].written) >> at & 1)
				bytes[at] |= UINT64_C(1) << i;
}

void report_fill_sharing(struct report *report, const struct report_view *view,
			 struct report_rows *rows)
{
	static const char *const words[] = {"", "false", "true", "both", "peer"};
	const struct report_map *map = &report->lines;
	struct report_rank *ranks = report_ranks(map->count);
	size_t count = 0, shown;

	for (uint32_t i = 0; i < map->count; i++) {
		const struct report_line *line = report_map_value(map, i);
		const struct report_key *key = report_map_key(map, i);

		if (line_sharing(line))
			ranks[count++] = (struct report_rank){
				line_samples(line), line->access.writes, key->a, key->b, i};
	}
	shown = report_sort(ranks, count, view->limit, rows);
	for (size_t i = 0; i < shown; i++) {
		const struct report_line *line = report_map_value(map, ranks[i].number);
		struct report_cell *cells = report_row(rows);

		fill_address(&cells[0], report_map_key(map, ranks[i].number));
		report_data(&cells[3], view, &line->access);
		report_text(&cells[5], "%s", words[line_sharing(line)]);
		report_number(&cells[6], ranks[i].rank);
		report_number(&cells[7], report_share(ranks[i].rank, report->accesses));
		report_number(&cells[8], line->access.writes);
		report_number(&cells[9], line->access.places[SOURCE_PEER]);
		cells[9].none = !line->access.places[SOURCE_PEER];
		list_who(&cells[10], report, view, line);
		fill_users(report_cells(&cells[11]), line);
	}
	rows->dropped = map->dropped;
	free(ranks);
}

/* --- The heat map: the hottest regions, all of one size, each in 64 squares */

#define REGIONS	    24u
#define ENOUGH	    90u /* per cent of all accesses that the regions should have */
#define SHIFT_MOST  44u
#define LINES_SHIFT 6u /* a region of REPORT_CELLS_MAX squares has at least 2^6 lines */

struct region {
	uint64_t number, kind, samples;
};

struct regions {
	struct region list[REGIONS];
	unsigned int count;
	uint64_t samples; /* of those in the list */
};

/* Keep the hottest; of equals, the first. */
static void keep_region(struct regions *regions, const struct region *region)
{
	unsigned int at = regions->count;

	if (at == REGIONS) {
		if (regions->list[REGIONS - 1].samples >= region->samples)
			return;
		regions->samples -= regions->list[--at].samples;
	} else {
		regions->count++;
	}
	regions->samples += region->samples;
	for (; at && regions->list[at - 1].samples < region->samples; at--)
		regions->list[at] = regions->list[at - 1];
	regions->list[at] = *region;
}

/* ranks are sorted by kind and address, with the samples as their tie. */
static void find_regions(const struct report_rank *ranks, size_t count, unsigned int shift,
			 struct regions *regions)
{
	struct region region = {0};

	*regions = (struct regions){0};
	for (size_t i = 0; i < count; i++) {
		const uint64_t number = ranks[i].b >> (shift + LINES_SHIFT);

		if (i && (number != region.number || ranks[i].a != region.kind)) {
			keep_region(regions, &region);
			region.samples = 0;
		}
		region.number = number;
		region.kind = ranks[i].a;
		region.samples += ranks[i].number;
	}
	if (count)
		keep_region(regions, &region);
}

static int by_address(const void *one, const void *other)
{
	const struct region *x = one, *y = other;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/* All lines, by kind (a) and address (b), with their samples as number. */
static struct report_rank *sorted_lines(const struct report_map *map, uint64_t *total)
{
	struct report_rank *ranks = report_ranks(map->count);
	struct report_rows none = {0};

	*total = 0;
	for (uint32_t i = 0; i < map->count; i++) {
		const struct report_key *key = report_map_key(map, i);
		const uint64_t samples = line_samples(report_map_value(map, i));

		ranks[i].a = key->b;
		ranks[i].b = key->a;
		ranks[i].number = samples < UINT32_MAX ? (uint32_t)samples : UINT32_MAX;
		*total += ranks[i].number;
	}
	(void)report_sort(ranks, map->count, map->count, &none);
	return ranks;
}

void report_fill_heat(struct report *report, const struct report_view *view,
		      struct report_rows *rows)
{
	const struct report_map *map = &report->lines;
	struct regions regions = {0};
	unsigned int shift = 0;
	uint64_t total;
	struct report_rank *ranks = sorted_lines(map, &total);

	(void)view;
	for (;; shift++) {
		find_regions(ranks, map->count, shift, &regions);
		if (shift == SHIFT_MOST || regions.samples * 100 >= total * ENOUGH)
			break;
	}
	qsort(regions.list, regions.count, sizeof(*regions.list), by_address);
	for (unsigned int n = 0; n < regions.count; n++) {
		const struct region *region = &regions.list[n];
		struct report_cell *cells = report_row(rows);
		uint64_t *squares = report_cells(&cells[5]);

		report_number(&cells[0], (region->number << (shift + LINES_SHIFT)) * REPORT_LINE);
		report_text(&cells[1], "%s", region->kind >> 32 ? "VA" : "PA");
		report_number(&cells[2], (uint64_t)REPORT_LINE << shift);
		report_number(&cells[3], region->samples);
		report_number(&cells[4], report_share(region->samples, report->accesses));
		for (size_t i = 0; i < map->count; i++)
			if (ranks[i].a == region->kind &&
			    ranks[i].b >> (shift + LINES_SHIFT) == region->number)
				squares[ranks[i].b >> shift & (REPORT_CELLS_MAX - 1)] +=
					ranks[i].number;
	}
	rows->dropped = map->dropped;
	free(ranks);
}
