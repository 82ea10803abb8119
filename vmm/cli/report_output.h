/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How vspe report prints: every section of trace/report.h as text, as JSON and as a page, and lines
 * for other tools. Whether it could be written shows in ferror() of the file.
 */
#ifndef VSPE_CLI_REPORT_OUTPUT_H
#define VSPE_CLI_REPORT_OUTPUT_H

#include "trace/report.h"

#include <stdio.h>

#define REPORT_CELL_TEXT 64u  /* bytes of a cell that is no text */
#define REPORT_REST	 256u /* bytes of report_rest() */

/*
 * A cell in words, the same in every output: "60.01", "0xffff800000000f80". Returns the cell's text
 * or text.
 */
const char *report_cell_words(const struct report_column *column, const struct report_cell *cell,
			      char text[REPORT_CELL_TEXT]);

/* Is a column to the left, not to the right? */
static inline bool report_is_text(const struct report_column *column)
{
	return column->kind == REPORT_TEXT || report_has_cells(column);
}

/* "12 more rows (--limit); 3 samples are in no row", and the remark; "" when there is nothing to
 * say. */
void report_rest(const struct report_rows *rows, char *text, size_t size);

struct report_print {
	struct report *report;
	const struct report_view *view;
	const char *name; /* of the input */
	const char *only; /* --by: the key of the one table that is asked for; or NULL */
};

/* Is the section to be printed? What is missing always is. */
bool report_prints(const struct report_print *print, const struct report_section *section);

void report_print_text(FILE *out, const struct report_print *print);
void report_print_json(FILE *out, const struct report_print *print);
void report_print_html(FILE *out, const struct report_print *print);
void report_print_folded(FILE *out, const struct report_print *print);
/* Returns how many records of branches are not in it. */
uint64_t report_print_bolt(FILE *out, const struct report_print *print);

/*
 * A branch as perf script -F ip,brstack has it, with addresses of the files of symbols. false: the
 * record is none that can be printed: it has not retired, or has no target.
 */
bool report_print_brstack(FILE *out, struct symbols *symbols, const struct sample *sample);

/* Text for HTML, also between quotation marks; bytes that are not printable ASCII as \xNN. */
void report_escape(FILE *out, const char *text);

/* A plot of a section, an SVG element; nothing when the section has none, or no rows. */
void report_plot(FILE *out, const struct report_section *section, const struct report_rows *rows);

#endif
