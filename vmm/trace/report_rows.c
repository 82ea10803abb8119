/* SPDX-License-Identifier: BSD-2-Clause */
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

/* Any bytes, with those that are not printable ASCII as \xNN, until text is full. */
static void make_printable(const char *bytes, char *text, size_t size)
{
	size_t used = 0;

	for (; *bytes && used + 5 < size; bytes++) {
		const unsigned char c = (unsigned char)*bytes;

		if (c >= ' ' && c < 0x7f)
			text[used++] = (char)c;
		else
			used += (size_t)snprintf(text + used, 5, "\\x%02x", c);
	}
	text[used] = '\0';
}

void report_name(struct report_cell *cell, const char *bytes)
{
	char text[TEXT_MAX];

	make_printable(bytes, text, sizeof(text));
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

static uint64_t rank_of(const struct report_address *sum, enum report_order order)
{
	switch (order) {
	case REPORT_BY_LATENCY: return sum->cycles;
	case REPORT_BY_MISPREDICTED: return sum->mispredicted;
	case REPORT_BY_ADDRESS: return 0;
	default: return sum->samples;
	}
}

struct report_rank report_ranked(const struct report_address *sum, enum report_order order)
{
	return (struct report_rank){.rank = rank_of(sum, order),
				    .tie = order == REPORT_BY_ADDRESS ? 0 : sum->samples};
}

void report_add_sum(struct report_address *to, const struct report_address *from)
{
	to->samples += from->samples;
	to->mispredicted += from->mispredicted;
	to->timed += from->timed;
	to->cycles += from->cycles;
}

void report_hot(struct report_cell *cells, const struct report_address *sum, uint64_t total)
{
	report_number(&cells[0], sum->samples);
	report_shares(&cells[1], sum->samples, total);
	report_mean_of(&cells[4], sum->cycles, sum->timed);
	report_number(&cells[5], sum->mispredicted);
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

bool report_data_name(const struct report_view *view, uint64_t address, char *text, size_t size)
{
	const long number = symbols_find_data(view->symbols, address);
	char field[SYMBOL_NAME_MAX];
	struct symbol symbol;
	uint64_t offset;

	if (number < 0)
		return false;
	symbol = symbols_get(view->symbols, number);
	offset = (address - symbol.start) & UINT64_C(0x00ffffffffffffff);
	if (lines_field(symbols_lines(view->symbols), symbol.start, offset, field, sizeof(field)))
		(void)snprintf(text, size, "%s%s", symbol.name, field);
	else
		(void)snprintf(text, size, "%s+0x%" PRIx64, symbol.name, offset);
	return true;
}

void report_data(struct report_cell *cells, const struct report_view *view,
		 const struct report_access *access)
{
	const bool first = access->named && symbols_find_data(view->symbols, access->low) >= 0;
	const uint64_t address = first ? access->low : access->high;
	char text[2 * SYMBOL_NAME_MAX + 32];

	cells[0].none = cells[1].none = !access->named;
	if (!access->named)
		return;
	report_object(&cells[0], view, access->low);
	cells[1].none = !report_data_name(view, address, text, sizeof(text) - sizeof(" ..."));
	if (cells[1].none)
		return;
	if (symbols_find_data(view->symbols, access->high) !=
	    symbols_find_data(view->symbols, access->low))
		(void)snprintf(text + strlen(text), sizeof(" ..."), " ...");
	report_name(&cells[1], text);
}

void report_space(struct report_cell *cells, uint64_t space)
{
	report_text(&cells[0], "%s", space >> 32 ? "VA" : "PA");
	report_number(&cells[1], (uint32_t)space);
	cells[1].none = (uint32_t)space == UINT32_MAX;
}

uint64_t report_accesses(const struct report_access *access)
{
	return access->reads + access->writes;
}

void report_access(struct report_cell *cells, const struct report_access *access, uint64_t total)
{
	const uint64_t samples = report_accesses(access);

	report_number(&cells[0], samples);
	report_number(&cells[1], report_share(samples, total));
	report_number(&cells[2], access->reads);
	report_number(&cells[3], access->writes);
	report_mean_of(&cells[4], access->cycles, access->timed);
	report_number(&cells[5], access->slowest);
	cells[5].none = !access->timed;
	report_number(&cells[6], access->walks);
	for (unsigned int place = 0; place < SOURCE_PLACES; place++) {
		report_number(&cells[7 + place], access->places[place]);
		cells[7 + place].none = !access->places[place];
	}
	cells[14].none = access->stamped < 2;
	if (!cells[14].none)
		report_number(&cells[14], (access->last - access->first) / (access->stamped - 1));
}

const char *report_user(const struct report *report, const struct report_view *view,
			uint32_t number, char text[REPORT_USER_WORDS])
{
	const struct report_key *key = report_map_key(&report->users, number);
	const int32_t cpu = (int32_t)(key->a >> 32), tid = (int32_t)key->a;
	char name[REPORT_USER_WORDS - 16];

	if (key->b == REPORT_NO_NAME) {
		(void)snprintf(text, REPORT_USER_WORDS, "%s %" PRId32, cpu >= 0 ? "vCPU" : "thread",
			       cpu >= 0 ? cpu : tid);
		return text;
	}
	make_printable(threads_name(view->threads, (uint32_t)key->b), name, sizeof(name));
	(void)snprintf(text, REPORT_USER_WORDS, "%s %" PRId32, name, tid);
	return text;
}

void report_uses(struct report_cell *cell, const struct report *report,
		 const struct report_view *view, const struct report_use *uses, uint64_t others)
{
	char text[REPORT_LINE_USERS * REPORT_USER_WORDS], words[REPORT_USER_WORDS];
	size_t used = 0;

	for (unsigned int i = 0; i < REPORT_LINE_USERS && uses[i].accesses; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", i ? ", " : "",
					 report_user(report, view, uses[i].user, words));
	report_text(cell, "%.*s%s", (int)used, text, !others ? "" : used ? ", ..." : "...");
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
