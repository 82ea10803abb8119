/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * vspe report --html: one page that loads nothing. Each plot has a title, a description and a table
 * next to it, for those who listen or print. The page's script sorts and searches the tables, which
 * are complete without it. Names come from guests and their files: all of them pass through
 * report_escape(), and the page's policy allows no other script.
 */
#include "cli/report_output.h"
#include "report_page.h"

#include <inttypes.h>
#include <string.h>

static void print_head(FILE *out, const struct report_section *section,
		       const struct report_rows *rows)
{
	const unsigned int columns = report_columns(section);

	fputs("<thead><tr>", out);
	for (unsigned int n = 0; n < columns; n++) {
		if (!report_shows(rows, n))
			continue;
		fprintf(out, "<th scope=\"col\"%s>",
			report_is_text(&section->columns[n]) ? "" : " class=\"n\"");
		report_escape(out, section->columns[n].title);
		fputs("</th>", out);
	}
	fputs("</tr></thead>\n<tbody>\n", out);
}

static void print_cell(FILE *out, const struct report_column *column,
		       const struct report_cell *cell, bool first)
{
	const char *const element = first ? "th scope=\"row\"" : "td";
	char text[REPORT_CELL_TEXT];

	if (report_has_cells(column)) {
		fputs("<td class=\"cells\">", out);
		for (unsigned int i = 0; i < REPORT_CELLS_MAX; i++)
			fprintf(out, "%s%" PRIu64, i ? " " : "", cell->cells[i]);
	} else {
		fprintf(out, "<%s%s>", element, report_is_text(column) ? "" : " class=\"n\"");
		report_escape(out, report_cell_words(column, cell, text));
	}
	fputs(first ? "</th>" : "</td>", out);
}

/* Keyboard users must reach what scrolls, so it needs a name. */
static void begin_wide(FILE *out, const struct report_section *section, const char *what)
{
	fprintf(out, "<div class=\"wide\" role=\"group\" tabindex=\"0\" aria-label=\"");
	report_escape(out, section->title);
	fprintf(out, ", %s\">", what);
}

static void print_table(FILE *out, const struct report_section *section,
			const struct report_rows *rows)
{
	const unsigned int columns = report_columns(section);

	begin_wide(out, section, "table");
	fprintf(out, "<table id=\"table-%s\"><caption><span class=\"heard\">", section->key);
	report_escape(out, section->title);
	fprintf(out, ": </span>%zu row%s</caption>\n", rows->count, rows->count == 1 ? "" : "s");
	print_head(out, section, rows);
	for (size_t row = 0; row < rows->count; row++) {
		fputs("<tr>", out);
		for (unsigned int n = 0, shown = 0; n < columns; n++)
			if (report_shows(rows, n))
				print_cell(out, &section->columns[n], &rows->rows[row][n],
					   shown++ == 0);
		fputs("</tr>\n", out);
	}
	fputs("</tbody></table></div>\n", out);
}

static void print_section(FILE *out, const struct report_print *print,
			  const struct report_section *section)
{
	struct report_rows rows;
	char rest[REPORT_REST];

	report_fill(print->report, section, print->view, &rows);
	report_rest(&rows, rest, sizeof(rest));
	fprintf(out, "<section id=\"%s\" aria-labelledby=\"head-%s\"><h2 id=\"head-%s\">",
		section->key, section->key, section->key);
	report_escape(out, section->title);
	fputs("</h2>\n", out);
	if (section->note && rows.count) {
		fputs("<p class=\"note\">", out);
		report_escape(out, section->note);
		fputs("</p>\n", out);
	}
	if (rows.count) {
		if (section->plot.kind != REPORT_PLOT_NONE) {
			begin_wide(out, section, "plot");
			report_plot(out, section, &rows);
			fputs("</div>\n", out);
		}
		print_table(out, section, &rows);
	} else {
		fprintf(out, "<p>%s</p>\n", section->empty ? section->empty : "No such records.");
	}
	if (*rest) {
		fputs("<p class=\"note\">", out);
		report_escape(out, rest);
		fputs("</p>\n", out);
	}
	fputs("</section>\n", out);
	report_rows_free(&rows);
}

void report_print_html(FILE *out, const struct report_print *print)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width\">\n"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"",
	      out);
	fprintf(out, "%s\">\n<title>vspe report: ", page_policy);
	report_escape(out, print->name);
	fprintf(out, "</title>\n<style>%s</style></head>\n<body>\n", page_style);
	fputs("<a class=\"skip\" href=\"#main\">To the tables</a>\n<header><h1>vspe report: ", out);
	report_escape(out, print->name);
	fputs("</h1>\n<nav aria-label=\"Tables\"><ul>\n", out);
	for (size_t i = 0; i < report_section_count; i++) {
		if (!report_prints(print, &report_sections[i]))
			continue;
		fprintf(out, "<li><a href=\"#%s\">", report_sections[i].key);
		report_escape(out, report_sections[i].title);
		fputs("</a></li>\n", out);
	}
	fputs("</ul></nav></header>\n"
	      "<div id=\"search\" role=\"search\" hidden><label for=\"find\">Search</label>"
	      "<input id=\"find\" type=\"search\" autocomplete=\"off\" spellcheck=\"false\" "
	      "placeholder=\"a function, a thread, an address: /\">"
	      "<output id=\"found\" for=\"find\"></output></div>\n<main id=\"main\">\n",
	      out);
	for (size_t i = 0; i < report_section_count; i++)
		if (report_prints(print, &report_sections[i]))
			print_section(out, print, &report_sections[i]);
	fprintf(out, "</main>\n<script>%s</script>\n</body></html>\n", page_script);
}
