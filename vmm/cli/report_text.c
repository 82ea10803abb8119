/* SPDX-License-Identifier: BSD-2-Clause */
/* vspe report as text, and as lines for flame graphs and BOLT. */
#include "cli/report_output.h"

#include <inttypes.h>
#include <string.h>

bool report_prints(const struct report_print *print, const struct report_section *section)
{
	if (!print->only)
		return !section->on_demand;
	return strcmp(print->only, section->key) == 0 || strcmp(section->key, "missing") == 0;
}

const char *report_cell_words(const struct report_column *column, const struct report_cell *cell,
			      char text[REPORT_CELL_TEXT])
{
	if (cell->none)
		return "-";
	switch (column->kind) {
	case REPORT_TEXT: return cell->text ? cell->text : "";
	case REPORT_ADDRESS:
		(void)snprintf(text, REPORT_CELL_TEXT, "0x%" PRIx64, cell->number);
		return text;
	case REPORT_SHARE:
	case REPORT_MEAN:
		(void)snprintf(text, REPORT_CELL_TEXT, "%" PRIu64 ".%02" PRIu64, cell->number / 100,
			       cell->number % 100);
		return text;
	case REPORT_CELLS:
	case REPORT_USERS: return "";
	default: (void)snprintf(text, REPORT_CELL_TEXT, "%" PRIu64, cell->number); return text;
	}
}

void report_rest(const struct report_rows *rows, char *text, size_t size)
{
	int used = 0;

	text[0] = '\0';
	if (rows->left_off)
		used = snprintf(text, size, "%" PRIu64 " more rows (--limit)", rows->left_off);
	if (rows->dropped)
		used += snprintf(text + used, size - (size_t)used,
				 "%s%" PRIu64 " samples are in no row: the table was full",
				 used ? "; " : "", rows->dropped);
	if (rows->remark)
		(void)snprintf(text + used, size - (size_t)used, "%s%s", used ? "; " : "",
			       rows->remark);
}

/* Ten steps: the first is for nothing, and the last for the maximum. */
static void print_cells(FILE *out, const uint64_t *cells, uint64_t most)
{
	static const char steps[] = " .:-=+*#%@";

	fputc('|', out);
	for (unsigned int i = 0; i < REPORT_CELLS_MAX; i++) {
		const uint64_t step = cells[i] && most ? 1 + (cells[i] - 1) * 9 / most : 0;

		fputc(steps[step], out);
	}
	fputc('|', out);
}

/* A digit for a sole user, + for several. */
static void print_users(FILE *out, const uint64_t *cells)
{
	static const char users[] = ".12+3+++4+++++++";

	fputc('|', out);
	for (unsigned int i = 0; i < REPORT_CELLS_MAX; i++)
		fputc(users[cells[i] % (sizeof(users) - 1)], out);
	fputc('|', out);
}

static uint64_t most_of_cells(const struct report_rows *rows, unsigned int column)
{
	uint64_t most = 0;

	for (size_t row = 0; row < rows->count; row++)
		for (unsigned int i = 0; i < REPORT_CELLS_MAX; i++)
			if (rows->rows[row][column].cells[i] > most)
				most = rows->rows[row][column].cells[i];
	return most;
}

static size_t width_of(const struct report_column *column, const struct report_rows *rows,
		       unsigned int number)
{
	size_t width = strlen(column->title);
	char text[REPORT_CELL_TEXT];

	for (size_t row = 0; row < rows->count; row++) {
		const size_t length =
			strlen(report_cell_words(column, &rows->rows[row][number], text));

		width = length > width ? length : width;
	}
	return width;
}

/* Align text left and numbers right, without spaces after the last column. */
static void print_field(FILE *out, const struct report_column *column, const char *words,
			size_t width, bool last)
{
	const bool left = report_is_text(column);

	if (last && left)
		fputs(words, out);
	else
		fprintf(out, "%*s", left ? -(int)width : (int)width, words);
	if (!last)
		fputs("  ", out);
}

static void print_rows(FILE *out, const struct report_section *section,
		       const struct report_rows *rows)
{
	const unsigned int columns = report_columns(section);
	size_t widths[REPORT_COLUMNS] = {0};
	char text[REPORT_CELL_TEXT];
	unsigned int last = 0;

	for (unsigned int n = 0; n < columns; n++)
		last = report_shows(rows, n) ? n : last;
	for (unsigned int n = 0; n < columns; n++) {
		if (!report_shows(rows, n))
			continue;
		widths[n] = width_of(&section->columns[n], rows, n);
		print_field(out, &section->columns[n], section->columns[n].title, widths[n],
			    n == last);
	}
	fputc('\n', out);
	for (size_t row = 0; row < rows->count; row++) {
		for (unsigned int n = 0; n < columns; n++) {
			const struct report_column *column = &section->columns[n];
			const struct report_cell *cell = &rows->rows[row][n];

			if (!report_shows(rows, n))
				continue;
			if (column->kind == REPORT_CELLS)
				print_cells(out, cell->cells, most_of_cells(rows, n));
			else if (column->kind == REPORT_USERS)
				print_users(out, cell->cells);
			else
				print_field(out, column, report_cell_words(column, cell, text),
					    widths[n], n == last);
		}
		fputc('\n', out);
	}
}

void report_print_text(FILE *out, const struct report_print *print)
{
	bool first = true;
	char rest[REPORT_REST];

	for (size_t i = 0; i < report_section_count; i++) {
		const struct report_section *section = &report_sections[i];
		struct report_rows rows;

		if (!report_prints(print, section))
			continue;
		report_fill(print->report, section, print->view, &rows);
		report_rest(&rows, rest, sizeof(rest));
		if (rows.count || *rest) {
			fprintf(out, "%s%s\n", first ? "" : "\n", section->title);
			first = false;
		}
		if (rows.count)
			print_rows(out, section, &rows);
		if (*rest)
			fprintf(out, "(%s)\n", rest);
		report_rows_free(&rows);
	}
}

/* A semicolon ends a frame, and the last space comes before the number. */
static void put_frame(FILE *out, const char *text)
{
	for (; *text; text++)
		fputc(*text == ';' ? ':' : *text, out);
}

static void folded_line(void *ctx, const struct report_folded *line)
{
	FILE *out = ctx;

	if (line->el >= 0)
		fprintf(out, "EL%d;", line->el);
	put_frame(out, line->function);
	fprintf(out, " %" PRIu64 "\n", line->samples);
}

void report_print_folded(FILE *out, const struct report_print *print)
{
	report_each_function(print->report, print->view, folded_line, out);
}

struct bolt {
	FILE *out;
	struct symbols *symbols;
};

static void bolt_line(void *ctx, const struct report_taken *branch)
{
	const struct bolt *bolt = ctx;

	fprintf(bolt->out, "B %" PRIx64 " %" PRIx64 " %" PRIu64 " %" PRIu64 "\n",
		report_file_address(bolt->symbols, branch->from),
		report_file_address(bolt->symbols, branch->to), branch->count,
		branch->mispredicted);
}

/* perf's words for a branch, PERF_BR_ in its uapi, from the packet as perf reads it. */
static const char *branch_type(uint8_t operation)
{
	const bool conditional = operation & 1, indirect = operation & 2;
	const unsigned int kind = operation >> 3 & 3; /* CR: 0 not known, BL, RET, neither */

	if (kind == 1)
		return conditional ? "COND_CALL" : "CALL";
	if (kind == 2 || indirect)
		return conditional ? "COND_RET" : "RET";
	if (conditional)
		return "COND";
	return kind == 3 ? "UNCOND" : "";
}

bool report_print_brstack(FILE *out, struct symbols *symbols, const struct sample *sample)
{
	const unsigned int both = SAMPLE_HAS_PC | SAMPLE_HAS_TARGET;
	const uint64_t pc = report_file_address(symbols, sample->pc);

	if ((sample->has & both) != both || !sample_has_retired(sample))
		return false;
	fprintf(out, " %16" PRIx64 " 0x%" PRIx64 "/0x%" PRIx64 "/%s%s/%s/-/%u/%s/- ", pc, pc,
		report_file_address(symbols, sample->target),
		sample->events & SAMPLE_MISPREDICTED ? "M" : "P",
		sample->events & SAMPLE_NOT_TAKEN ? "N" : "",
		sample->events & SAMPLE_TRANSACTIONAL ? "X" : "-", sample->latency[SAMPLE_TOTAL],
		branch_type(sample->operation));
	if (sample->has & SAMPLE_HAS_PREVIOUS_TARGET)
		fprintf(out, " 0x0/0x%" PRIx64 "/-/-/-/0//- ",
			report_file_address(symbols, sample->previous_target));
	fputc('\n', out);
	return true;
}

uint64_t report_print_bolt(FILE *out, const struct report_print *print)
{
	struct bolt bolt = {.out = out, .symbols = print->view->symbols};

	return report_each_branch(print->report, bolt_line, &bolt);
}
