// SPDX-License-Identifier: BSD-2-Clause
/*
 * vspe report --html: one page that loads nothing and runs nothing. Each plot has a title, a
 * description and its table beside it, for those who listen or print. Names come from guests and
 * their files: report_escape() is all that they go through.
 */
#include "cli/report_output.h"

#include <inttypes.h>
#include <string.h>

static const char style[] =
	":root{color-scheme:light dark;--ink:#1b1b1f;--paper:#fff;--soft:#5b5b66;--line:#c9c9d2;"
	"--c0:#2458b3;--c1:#c2570c;--c2:#1f7a4d;--c3:#8a3fa0;--c4:#a61b3c;--c5:#6b6b00;"
	"--c6:#007c89;--c7:#5c5c66}\n"
	"@media (prefers-color-scheme:dark){:root{--ink:#ececf1;--paper:#17171b;--soft:#a9a9b6;"
	"--line:#44444f;--c0:#7ba7f5;--c1:#f2a065;--c2:#6fcf9b;--c3:#cf95e3;--c4:#f28aa0;"
	"--c5:#d0d060;--c6:#5fd0dc;--c7:#b5b5c0}}\n"
	"@media print{:root{color-scheme:light;--ink:#000;--paper:#fff;--soft:#333;--line:#888;"
	"--c0:#2458b3;--c1:#c2570c;--c2:#1f7a4d;--c3:#8a3fa0;--c4:#a61b3c;--c5:#6b6b00;"
	"--c6:#007c89;--c7:#5c5c66}nav,.skip{display:none}section{break-inside:avoid}"
	".wide{overflow:visible!important}*{print-color-adjust:exact}}\n"
	"body{font:16px/1.45 system-ui,sans-serif;color:var(--ink);background:var(--paper);"
	"max-width:64rem;margin:0 auto;padding:1rem}\n"
	"h1{font-size:1.5rem}h2{font-size:1.2rem;margin:2rem 0 .3rem}p{margin:.3rem 0}\n"
	"nav ul{padding:0;display:flex;flex-wrap:wrap;gap:.2rem 1rem;list-style:none}\n"
	"a{color:var(--c0)}:focus-visible{outline:3px solid var(--c1);outline-offset:2px}\n"
	".heard{position:absolute;clip-path:inset(50%);width:1px;height:1px;overflow:hidden}\n"
	".skip{position:absolute;left:-99rem}.skip:focus{left:1rem;background:var(--paper)}\n"
	".note{color:var(--soft);font-size:.9rem}.wide{overflow-x:auto}\n"
	"table{border-collapse:collapse;font-size:.9rem;font-variant-numeric:tabular-nums}\n"
	"caption{text-align:left;color:var(--soft)}\n"
	"th,td{padding:.15rem .6rem;border-bottom:1px solid var(--line);text-align:left;"
	"font-weight:400}thead th{font-weight:600}.n{text-align:right;white-space:nowrap}\n"
	"th[scope=row]:not(.n),.cells{overflow-wrap:anywhere}.cells{font-size:.7rem;color:var(--"
	"soft)}\n"
	"svg{width:100%;height:auto;display:block;margin:.5rem 0}\n"
	"svg text{fill:var(--ink);font:13px system-ui,sans-serif}.axis{stroke:var(--line)}\n"
	".whisker{stroke:var(--ink);stroke-width:1.5}\n"
	".c0{fill:var(--c0)}.c1{fill:var(--c1)}.c2{fill:var(--c2)}.c3{fill:var(--c3)}\n"
	".c4{fill:var(--c4)}.c5{fill:var(--c5)}.c6{fill:var(--c6)}.c7{fill:var(--c7)}\n"
	".part{stroke:var(--paper);stroke-width:1}.none{fill:none;stroke:var(--line);"
	"stroke-width:.3}\n";

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

static void print_table(FILE *out, const struct report_section *section,
			const struct report_rows *rows)
{
	const unsigned int columns = report_columns(section);

	/* What scrolls has to be reached by the keyboard, and so has a name. */
	fprintf(out, "<div class=\"wide\" role=\"group\" tabindex=\"0\" aria-label=\"");
	report_escape(out, section->title);
	fprintf(out, ", table\"><table id=\"table-%s\"><caption><span class=\"heard\">",
		section->key);
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
		report_plot(out, section, &rows);
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
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	      "style-src 'unsafe-inline'\">\n<title>vspe report: ",
	      out);
	report_escape(out, print->name);
	fprintf(out, "</title>\n<style>\n%s</style></head>\n<body>\n", style);
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
	fputs("</ul></nav></header>\n<main id=\"main\">\n", out);
	for (size_t i = 0; i < report_section_count; i++)
		if (report_prints(print, &report_sections[i]))
			print_section(out, print, &report_sections[i]);
	fputs("</main>\n</body></html>\n", out);
}
