// SPDX-License-Identifier: BSD-2-Clause
/* Messages to the user. */
#include <stdarg.h>
#include <stdio.h>

#include "cli/cli.h"
#include "base/printable.h"

#define MESSAGE_MAX 2048

void cli_message(FILE *out, const char *format, ...)
{
	char message[MESSAGE_MAX], line[2 * MESSAGE_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	fprintf(out, "%s\n", printable(line, sizeof(line), message));
}
