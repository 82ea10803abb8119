/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables of a report about pages of memory: the hottest, and the map of accesses over time. */
#include "base/memory.h"
#include "trace/report_rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

void report_fill_pages(struct report *report, const struct report_view *view,
		       struct report_rows *rows)
{
	const struct report_map *map = &report->pages;
	struct report_rank *ranks = report_ranks(map->count);
	size_t shown;

	for (uint32_t i = 0; i < map->count; i++) {
		const struct report_key *key = report_map_key(map, i);
		const struct report_page *page = report_map_value(map, i);

		ranks[i] =
			(struct report_rank){report_accesses(&page->access), 0, key->a, key->b, i};
	}
	shown = report_sort(ranks, map->count, view->limit, rows);
	for (size_t i = 0; i < shown; i++) {
		const struct report_page *page = report_map_value(map, ranks[i].number);
		const struct report_key *key = report_map_key(map, ranks[i].number);
		struct report_cell *cells = report_row(rows);

		report_address(&cells[0], key->a * REPORT_PAGE);
		report_space(&cells[1], key->b);
		report_data(&cells[3], view, &page->access);
		report_access(&cells[5], &page->access, report->accesses);
		report_uses(&cells[20], report, view, page->uses, page->others);
	}
	rows->dropped = map->dropped;
	free(ranks);
}

/* --- The map over time: a row for each region, which is a run of pages with only small gaps */

#define ROWS_MOST 64u /* what a page and a plot have room for */
#define GAP	  16u /* at least as many unused pages end a region */

struct region {
	size_t begin, end; /* of its pages, in the list of all of them */
	uint64_t samples;
};

/* All pages, sorted by space and address. */
struct pages {
	const struct report_map *map;
	struct report_rank *ranks; /* a: the key's b, b: the key's a */
};

static const struct report_page *page_of(const struct pages *pages, size_t number)
{
	return report_map_value(pages->map, pages->ranks[number].number);
}

static void sum_region(const struct pages *pages, struct region *region)
{
	region->samples = 0;
	for (size_t i = region->begin; i < region->end; i++)
		region->samples += report_accesses(&page_of(pages, i)->access);
}

/* The number of the file whose address it is, plus 1; or 0. */
static uint64_t dso_of(uint64_t page)
{
	uint64_t own;
	uint32_t dso;

	return dsos_has(page * REPORT_PAGE, &dso, &own) ? dso + UINT64_C(1) : 0;
}

/* How many pages are between it and the previous one; UINT64_MAX if their spaces differ. */
static uint64_t gap_before(const struct pages *pages, size_t number)
{
	const struct report_rank *this = &pages->ranks[number], *before = this - 1;

	if (this->a != before->a || dso_of(this->b) != dso_of(before->b))
		return UINT64_MAX;
	return this->b - before->b - 1;
}

/*
 * Divide pages into regions: between spaces, and at the widest gaps until there are most regions.
 * Returns *count regions, at least one for each space.
 */
static struct region *cut(const struct pages *pages, size_t most, size_t *count)
{
	const size_t all = pages->map->count;
	struct report_rank *gaps = report_ranks(all);
	bool *ends = memory_need(calloc(all + 1, sizeof(*ends)));
	struct region *regions;
	struct report_rows none;
	size_t found = 0, kept = 1;

	for (size_t i = 1; i < all; i++)
		if (gap_before(pages, i) >= GAP)
			gaps[found++] = (struct report_rank){.rank = gap_before(pages, i), .a = i};
	(void)report_sort(gaps, found, found, &none);
	for (size_t i = 0; i < found && (kept < most || gaps[i].rank == UINT64_MAX); i++, kept++)
		ends[gaps[i].a] = true;
	regions = memory_need(calloc(kept > most ? kept : most, sizeof(*regions)));
	*count = 0;
	for (size_t i = 0; i < all; i++) {
		if (i == 0 || ends[i])
			regions[(*count)++].begin = i;
		regions[*count - 1].end = i + 1;
	}
	for (size_t i = 0; i < *count; i++)
		sum_region(pages, &regions[i]);
	free(ends);
	free(gaps);
	return regions;
}

/* Halve the hottest region with more than one page, until there are most regions. */
static void split(const struct pages *pages, struct region *regions, size_t most, size_t *count)
{
	while (*count < most) {
		struct region *hottest = NULL;

		for (size_t i = 0; i < *count; i++)
			if (regions[i].end - regions[i].begin > 1 &&
			    (!hottest || regions[i].samples > hottest->samples))
				hottest = &regions[i];
		if (!hottest)
			return;
		for (struct region *at = &regions[(*count)++]; at > hottest; at--)
			*at = at[-1];
		hottest->end -= (hottest->end - hottest->begin) / 2;
		hottest[1].begin = hottest->end;
		sum_region(pages, hottest);
		sum_region(pages, hottest + 1);
	}
}

static int hotter(const void *one, const void *other)
{
	const struct region *x = one, *y = other;

	if (x->samples != y->samples)
		return x->samples > y->samples ? -1 : 1;
	return x->begin < y->begin ? -1 : 1;
}

static int earlier(const void *one, const void *other)
{
	const struct region *x = one, *y = other;

	return x->begin < y->begin ? -1 : 1;
}

static void fill_region(const struct report *report, const struct report_view *view,
			const struct pages *pages, const struct region *region,
			struct report_cell *cells)
{
	const struct report_span *span = &report->access_time;
	const struct report_page *first = page_of(pages, region->begin);
	const struct report_key *key =
		report_map_key(pages->map, pages->ranks[region->begin].number);
	uint64_t *squares = report_cells(&cells[9]);

	report_address(&cells[0], key->a * REPORT_PAGE);
	report_address(&cells[1], pages->ranks[region->end - 1].b * REPORT_PAGE);
	cells[1].number += REPORT_PAGE;
	report_space(&cells[2], key->b);
	report_data(&cells[4], view, &first->access);
	report_number(&cells[6], region->end - region->begin);
	report_number(&cells[7], region->samples);
	report_number(&cells[8], report_share(region->samples, report->accesses));
	for (size_t i = region->begin; i < region->end; i++)
		for (uint64_t n = 0; span->any && n <= span->last - span->first; n++)
			squares[n] +=
				page_of(pages, i)->times[(span->first + n) % REPORT_TIME_BUCKETS];
}

static void fill_remark(const struct report *report, struct report_rows *rows)
{
	const struct report_span *span = &report->access_time;
	int used = 0;

	if (span->any)
		used = snprintf(rows->said, sizeof(rows->said),
				"a square is %" PRIu64 " units of the timestamps; the first begins "
				"at %" PRIu64,
				UINT64_C(1) << span->shift, span->first << span->shift);
	if (report->access_unstamped)
		(void)snprintf(rows->said + used, sizeof(rows->said) - (size_t)used,
			       "%s%" PRIu64 " samples are in no square: they have no timestamp",
			       used ? "; " : "", report->access_unstamped);
	rows->remark = rows->said;
}

void report_fill_heatmap(struct report *report, const struct report_view *view,
			 struct report_rows *rows)
{
	const struct report_map *map = &report->pages;
	const size_t most = view->limit < ROWS_MOST ? view->limit : ROWS_MOST;
	struct pages pages = {map, report_ranks(map->count)};
	struct region *regions;
	size_t count;

	for (uint32_t i = 0; i < map->count; i++) {
		const struct report_key *key = report_map_key(map, i);

		pages.ranks[i] = (struct report_rank){.a = key->b, .b = key->a, .number = i};
	}
	(void)report_sort(pages.ranks, map->count, map->count, rows);
	rows->dropped = map->dropped;
	if (map->count) {
		regions = cut(&pages, most, &count);
		if (count > most) {
			qsort(regions, count, sizeof(*regions), hotter);
			rows->left_off = count - most;
			count = most;
			qsort(regions, count, sizeof(*regions), earlier);
		}
		split(&pages, regions, most, &count);
		for (size_t i = 0; i < count; i++)
			fill_region(report, view, &pages, &regions[i], report_row(rows));
		fill_remark(report, rows);
		free(regions);
	}
	free(pages.ranks);
}
