/* SPDX-License-Identifier: BSD-2-Clause */
/* The formats of vspe report --export: see report_export.h. */
#include "cli/report_export.h"

#include "trace/report_rows.h"

#include <stdlib.h>
#include <string.h>

static const struct export_format formats[] = {
	{"speedscope", false, false, report_print_speedscope},
	{"firefox", true, false, report_print_firefox},
	{"pprof", false, true, report_print_pprof},
};

const struct export_format *report_export_format(const char *word)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
		if (strcmp(word, formats[i].word) == 0)
			return &formats[i];
	return NULL;
}

void report_export(FILE *out, const struct export_format *format, struct export *export,
		   struct export_print *print)
{
	struct report_cell name = {0};

	export_ready(export, print->print->view);
	report_name(&name, print->print->name);
	print->export = export;
	print->tables = &export->tables;
	print->name = name.text;
	format->print(out, print);
	free(name.text);
}
