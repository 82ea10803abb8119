/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages to the user, and how failed output is handled. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "cli/cli.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/printable.h"
#include "trace/perf_data.h"

#define MESSAGE_MAX 2048

_Static_assert(CLI_ENGINE == MEMORY_EXIT, "the end without memory is not that of the table");

void cli_message(FILE *out, const char *format, ...)
{
	char message[MESSAGE_MAX], line[2 * MESSAGE_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	fprintf(out, "%s\n", printable(line, sizeof(line), message));
}

int cli_exit_unwritten(int code)
{
	return code == CLI_USAGE || code > 128 ? code : CLI_OUTPUT;
}

int cli_unwritten(FILE *messages, const char *command, const char *what, int error)
{
	cli_message(messages, "vspe %s: %s: %s", command, what, output_error(error));
	return CLI_OUTPUT;
}

int cli_unwritten_records(FILE *messages, const char *command, const char *path, int error,
			  const struct perf_data *data)
{
	const char *partial = perf_data_partial(data);
	struct perf_data_stats stats;

	perf_data_stats(data, &stats);
	cli_message(messages,
		    "vspe %s: --perf-data %s: %s: %" PRIu64 " of %" PRIu64 " records are lost%s%s",
		    command, path, output_error(error), partial ? stats.lost : stats.records,
		    stats.records, partial ? ", the others are in " : "", partial ? partial : "");
	return CLI_OUTPUT;
}

int cli_finish(int code)
{
	const char *name;
	const char *const why = output_standard_finish(&name);

	if (!why)
		return code;
	cli_message(stderr, "vspe: %s: %s", name, why);
	return cli_exit_unwritten(code);
}
