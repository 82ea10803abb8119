// SPDX-License-Identifier: BSD-2-Clause
/* Rows of a report's tables: see report_rows.h. */
#include "trace/report_rows.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX 2048u

struct report_cell *report_row(struct report_rows *rows)
{
	if (rows->count == rows->room) {
		rows->room = rows->room ? 2 * rows->room : 16;
		rows->rows = memory_need(realloc(rows->rows, rows->room * sizeof(*rows->rows)));
	}
	memset(rows->rows[rows->count], 0, sizeof(*rows->rows));
	return rows->rows[rows->count++];
}

void report_text(struct report_cell *cell, const char *format, ...)
{
	char text[TEXT_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	cell->text = memory_need(strdup(text));
}

void report_name(struct report_cell *cell, const char *bytes)
{
	char text[TEXT_MAX];
	size_t used = 0;

	for (; *bytes && used + 5 < sizeof(text); bytes++) {
		const unsigned char c = (unsigned char)*bytes;

		if (c >= ' ' && c < 0x7f)
			text[used++] = (char)c;
		else
			used += (size_t)snprintf(text + used, 5, "\\x%02x", c);
	}
	text[used] = '\0';
	cell->text = memory_need(strdup(text));
}

void report_number(struct report_cell *cell, uint64_t number)
{
	cell->number = number;
}

void report_mean_of(struct report_cell *cell, uint64_t sum, uint64_t count)
{
	cell->none = !count;
	if (count)
		cell->number = report_mean(sum, count);
}

uint64_t *report_cells(struct report_cell *cell)
{
	cell->cells = memory_need(calloc(REPORT_CELLS_MAX, sizeof(*cell->cells)));
	return cell->cells;
}

void report_shares(struct report_cell *cells, uint64_t count, uint64_t total)
{
	cells[0].number = report_share(count, total);
	report_interval(count, total, &cells[1].number, &cells[2].number);
}

uint64_t report_samples_of(const struct report_origin *origin)
{
	uint64_t samples = 0;

	for (unsigned int level = 0; level < REPORT_LEVELS; level++)
		samples += origin->levels[level];
	return samples;
}

void report_levels(struct report_cell *cells, const struct report_origin *origin, uint64_t total)
{
	const uint64_t samples = report_samples_of(origin);

	report_number(&cells[0], samples);
	report_shares(&cells[1], samples, total);
	for (unsigned int level = 0; level < REPORT_NO_LEVEL; level++)
		report_number(&cells[4 + level], origin->levels[level]);
}

struct report_rank *report_ranks(size_t count)
{
	return count ? memory_need(calloc(count, sizeof(struct report_rank))) : NULL;
}

struct report_rank *report_rank_origins(const struct report_map *origins)
{
	struct report_rank *ranks = report_ranks(origins->count);
	struct report_rows none;

	for (uint32_t i = 0; i < origins->count; i++) {
		const struct report_key *key = report_map_key(origins, i);

		ranks[i] = (struct report_rank){.a = key->a, .b = key->b, .number = i};
	}
	(void)report_sort(ranks, origins->count, origins->count, &none);
	return ranks;
}

static int compare(const void *one, const void *other)
{
	const struct report_rank *x = one, *y = other;

	if (x->rank != y->rank)
		return x->rank > y->rank ? -1 : 1;
	if (x->tie != y->tie)
		return x->tie > y->tie ? -1 : 1;
	if (x->a != y->a)
		return x->a < y->a ? -1 : 1;
	return x->b < y->b ? -1 : x->b > y->b;
}

size_t report_sort(struct report_rank *ranks, size_t count, size_t limit, struct report_rows *rows)
{
	if (count)
		qsort(ranks, count, sizeof(*ranks), compare);
	if (count <= limit)
		return count;
	rows->left_off = count - limit;
	return limit;
}

void report_symbol(struct report_cell *cell, struct symbols *symbols, uint64_t address)
{
	const long number = symbols_find(symbols, address);
	struct symbol symbol;

	if (number < 0) {
		report_text(cell, "%s", "");
		return;
	}
	symbol = symbols_get(symbols, number);
	report_text(cell, "%s+0x%" PRIx64, symbol.name,
		    (address - symbol.start) & UINT64_C(0x00ffffffffffffff));
}

void report_address(struct report_cell *cell, uint64_t address)
{
	uint32_t dso;

	if (!dsos_has(address, &dso, &cell->number))
		cell->number = address;
}

uint64_t report_file_address(struct symbols *symbols, uint64_t address)
{
	const long number = symbols_find(symbols, address);
	uint64_t own;
	uint32_t dso;

	if (dsos_has(address, &dso, &own))
		return own;
	return number < 0 ? address : address - symbols_get(symbols, number).moved;
}

bool report_dso(const struct report_view *view, uint64_t address, uint32_t *dso)
{
	const struct threads_who nobody = {THREADS_UNKNOWN, UINT64_MAX};

	return dsos_find(view->threads, nobody, address, dso);
}

void report_object(struct report_cell *cell, const struct report_view *view, uint64_t address)
{
	uint32_t dso;

	cell->none = !view->threads || !report_dso(view, address, &dso);
	if (!cell->none)
		report_name(cell, dsos_short_name(view->dsos, dso));
}

unsigned int report_columns(const struct report_section *section)
{
	unsigned int count = 0;

	while (count < REPORT_COLUMNS && section->columns[count].key)
		count++;
	return count;
}

void report_fill(struct report *report, const struct report_section *section,
		 const struct report_view *view, struct report_rows *rows)
{
	*rows = (struct report_rows){0};
	section->fill(report, view, rows);
	for (unsigned int n = 0, columns = report_columns(section); n < columns; n++) {
		bool empty = section->optional >> n & 1;

		for (size_t row = 0; row < rows->count && empty; row++)
			empty = rows->rows[row][n].none;
		if (empty)
			rows->empty |= UINT32_C(1) << n;
	}
}

bool report_shows(const struct report_rows *rows, unsigned int column)
{
	return !(rows->empty >> column & 1);
}

void report_rows_free(struct report_rows *rows)
{
	for (size_t row = 0; row < rows->count; row++) {
		for (unsigned int column = 0; column < REPORT_COLUMNS; column++) {
			free(rows->rows[row][column].text);
			free(rows->rows[row][column].cells);
		}
	}
	free(rows->rows);
	*rows = (struct report_rows){0};
}
