/* SPDX-License-Identifier: BSD-2-Clause */
/* The words that the formats of vspe report --export share: see report_export.h. */
#include "cli/report_export.h"

#include "trace/report_rows.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

/* --- Remarks */

struct remarks {
	void (*take)(void *ctx, const char *line);
	void *ctx;
};

__attribute__((format(printf, 2, 3))) static void remark(const struct remarks *to,
							 const char *format, ...)
{
	char line[EXPORT_WHO_TEXT];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	to->take(to->ctx, line);
}

/* One row of a section as a line: "missing: buffer full, records lost; times 3; ...". */
static void remark_row(const struct remarks *to, const struct report_section *section,
		       const struct report_rows *rows, size_t row)
{
	char line[1024], text[REPORT_CELL_TEXT];
	int used = snprintf(line, sizeof(line), "%s:", section->key);

	for (unsigned int n = 0; n < report_columns(section); n++) {
		const struct report_cell *cell = &rows->rows[row][n];

		if (cell->none || used >= (int)sizeof(line))
			continue;
		used += snprintf(line + used, sizeof(line) - (size_t)used, "%s%s %s", n ? "; " : "",
				 n ? section->columns[n].title : "",
				 report_cell_words(&section->columns[n], cell, text));
	}
	to->take(to->ctx, line);
}

static void remark_missing(const struct remarks *to, const struct report_print *print)
{
	for (size_t i = 0; i < report_section_count; i++) {
		const struct report_section *section = &report_sections[i];
		struct report_rows rows;

		if (strcmp(section->key, "missing") != 0)
			continue;
		report_fill(print->report, section, print->view, &rows);
		for (size_t row = 0; row < rows.count; row++)
			remark_row(to, section, &rows, row);
		report_rows_free(&rows);
	}
}

static void remark_times(const struct remarks *to, const struct export_print *print)
{
	const struct export *export = print->export;

	if (!print->clocked)
		remark(to, "times are those of the timer, as if each were a nanosecond: the input "
			   "does not say how they are perf's");
	if (export->shift)
		remark(to,
		       "times are exact to %" PRIu64
		       " ns: there were more different samples than are kept",
		       UINT64_C(1) << export->shift);
	if (export->without_time)
		remark(to,
		       "%" PRIu64 " records without a time have that of the one before of their "
		       "thread",
		       export->without_time);
}

void report_export_remarks(const struct export_print *print,
			   void (*take)(void *ctx, const char *line), void *ctx)
{
	const struct remarks to = {take, ctx};
	const struct export *export = print->export;

	remark(&to, "%s: %" PRIu64 " records of Arm SPE, which has no callers", print->name,
	       export->records);
	if (print->skipped)
		remark(&to, "left aside by filters: %" PRIu64 " records", print->skipped);
	remark_missing(&to, print->print);
	if (export->timed)
		remark_times(&to, print);
	if (export->unnamed)
		remark(&to,
		       "%" PRIu64 " records lack their thread, place or data source: the table was "
		       "full",
		       export->unnamed);
	if (export->dropped)
		remark(&to, "%" PRIu64 " records are in no sample: the table was full",
		       export->dropped);
}

/* --- Words */

static const char *who_words(const struct export_who *who, int32_t number,
			     char text[EXPORT_WHO_TEXT])
{
	if (who->comm)
		(void)snprintf(text, EXPORT_WHO_TEXT, "%s (%" PRId32 ")", who->comm, number);
	else if (who->cpu >= 0)
		(void)snprintf(text, EXPORT_WHO_TEXT, "vCPU %" PRId32, who->cpu);
	else if (who->tid >= 0)
		(void)snprintf(text, EXPORT_WHO_TEXT, "thread %" PRId32, who->tid);
	else
		(void)snprintf(text, EXPORT_WHO_TEXT, "[unknown]");
	return text;
}

const char *report_export_thread(const struct export_who *who, char text[EXPORT_WHO_TEXT])
{
	return who_words(who, who->tid, text);
}

const char *report_export_process(const struct export_print *print, const struct export_who *who,
				  char text[EXPORT_WHO_TEXT])
{
	if (who->comm)
		return who_words(who, who->pid, text);
	(void)snprintf(text, EXPORT_WHO_TEXT, "%s", print->name);
	return text;
}

const char *report_export_source(const struct export_source *source, char text[EXPORT_SOURCE_TEXT])
{
	const struct source *known = source_find(source->set, source->number);

	if (known)
		return known->name;
	(void)snprintf(text, EXPORT_SOURCE_TEXT, "0x%x", source->number);
	return text;
}

const char *report_export_object(const struct export_print *print,
				 const struct export_function *function)
{
	return function->dso == EXPORT_NO_DSO
		       ? ""
		       : threads_dso(print->print->view->threads, function->dso).path;
}
