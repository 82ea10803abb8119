/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How vspe report prints: every section of trace/report.h as text, as JSON and as a page, and lines
 * for other tools. ferror() of the file shows write errors.
 */
#ifndef VSPE_CLI_REPORT_OUTPUT_H
#define VSPE_CLI_REPORT_OUTPUT_H

#include "trace/report.h"

#include <stdio.h>

#define REPORT_CELL_TEXT 64u  /* bytes of a cell that is no text */
#define REPORT_REST	 256u /* bytes of report_rest() */

/*
 * A cell in words, the same in every output: "60.01", "0xffff800000000f80". Returns the cell's own
 * text, or the buffer text.
 */
const char *report_cell_words(const struct report_column *column, const struct report_cell *cell,
			      char text[REPORT_CELL_TEXT]);

/* Is a column aligned left instead of right? */
static inline bool report_is_text(const struct report_column *column)
{
	return column->kind == REPORT_TEXT || report_has_cells(column);
}

/*
 * "12 more rows (--limit); 3 samples are in no row", and the remark; "" when there is nothing to
 * add.
 */
void report_rest(const struct report_rows *rows, char *text, size_t size);

struct report_print {
	struct report *report;
	const struct report_view *view;
	const char *name; /* of the input */
	const char *only; /* --by: the key of the only table to print; or NULL */
};

/* Is the section printed? The one of missing records always is. */
bool report_prints(const struct report_print *print, const struct report_section *section);

void report_print_text(FILE *out, const struct report_print *print);
void report_print_json(FILE *out, const struct report_print *print);
void report_print_html(FILE *out, const struct report_print *print);
void report_print_folded(FILE *out, const struct report_print *print);
/* Returns how many records of branches it leaves out. */
uint64_t report_print_bolt(FILE *out, const struct report_print *print);

/*
 * Print a branch as perf script -F ip,brstack does, with addresses in the files of symbols. False
 * if the record cannot be printed: it has not retired, or has no target.
 */
bool report_print_brstack(FILE *out, struct symbols *symbols, const struct sample *sample);

/* Text for HTML, also between quotation marks; bytes that are not printable ASCII as \xNN. */
void report_escape(FILE *out, const char *text);

/* A section's plot, an SVG element. Nothing if the section has no plot or no rows. */
void report_plot(FILE *out, const struct report_section *section, const struct report_rows *rows);

#endif
