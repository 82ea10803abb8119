/* SPDX-License-Identifier: BSD-2-Clause */
/* The parser of all subcommands' options: see options.h. */
#include "cli/options.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "base/number.h"

#define ROWS_MAX   64
#define TEXT_MAX   1024
#define FIRST_LONG 256 /* of getopt_long(): above all letters */

int cli_refuse_line(const struct cli_parser *parser, const char *format, ...)
{
	char text[TEXT_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	cli_message(parser->messages, "vspe %s: %s", parser->command, text);
	return CLI_USAGE;
}

int cli_refuse(const struct cli_parser *parser, const struct cli_option *option, const char *value,
	       const char *what)
{
	return cli_refuse_line(parser, "--%s%s%s: %s", option->name, value ? " " : "",
			       value ? value : "", what);
}

static void *field_of(const struct cli_parser *parser, size_t offset)
{
	return (char *)parser->request + offset;
}

int cli_take_flag(struct cli_parser *parser, const struct cli_option *option, const char *value)
{
	(void)value;
	*(bool *)field_of(parser, option->offset) = true;
	return CLI_GO_ON;
}

int cli_take_text(struct cli_parser *parser, const struct cli_option *option, const char *value)
{
	*(const char **)field_of(parser, option->offset) = value;
	return CLI_GO_ON;
}

int cli_take_number(struct cli_parser *parser, const struct cli_option *option, const char *value)
{
	uint64_t number;
	char what[96];

	if (number_read(value, option->max, &number) && number >= option->min) {
		*(unsigned int *)field_of(parser, option->offset) = (unsigned int)number;
		return CLI_GO_ON;
	}
	(void)snprintf(what, sizeof(what), "not a number from %" PRIu64 " to %" PRIu64, option->min,
		       option->max);
	return cli_refuse(parser, option, value, what);
}

int cli_take_help(struct cli_parser *parser, const struct cli_option *option, const char *value)
{
	(void)option, (void)value;
	fputs(parser->help, stdout);
	return CLI_OK;
}

/* The tables that getopt_long() wants; what it returns for a row is FIRST_LONG and its index. */
struct getopt_tables {
	const struct cli_option *rows[ROWS_MAX];
	size_t count;
	struct option longs[ROWS_MAX + 1];
	char shorts[2 + 3 * ROWS_MAX];
};

static void add_row(struct getopt_tables *tables, const struct cli_option *row)
{
	static const int kinds[] = {
		[CLI_NO_VALUE] = no_argument,
		[CLI_VALUE] = required_argument,
		[CLI_MAY_HAVE_VALUE] = optional_argument,
	};
	const size_t index = tables->count;
	char letter[4] = {row->letter};

	if (index == ROWS_MAX)
		return;
	tables->rows[index] = row;
	tables->longs[index] =
		(struct option){row->name, kinds[row->argument], NULL, FIRST_LONG + (int)index};
	tables->count++;
	if (!row->letter)
		return;
	memset(letter + 1, ':', row->argument);
	memcpy(tables->shorts + strlen(tables->shorts), letter, sizeof(letter));
}

static const struct cli_option *find_row(const struct getopt_tables *tables, int found)
{
	if (found >= FIRST_LONG)
		return tables->rows[found - FIRST_LONG];
	for (size_t i = 0; i < tables->count; i++)
		if (tables->rows[i]->letter == found)
			return tables->rows[i];
	return NULL;
}

int cli_parse(struct cli_parser *parser, int argc, char **argv, int *operands)
{
	struct getopt_tables tables = {.shorts = ":"};
	int found, code;

	for (size_t list = 0; list < CLI_ROW_LISTS; list++)
		for (size_t i = 0; i < parser->lists[list].count; i++)
			add_row(&tables, &parser->lists[list].rows[i]);
	optind = 0; /* start anew: whoever calls may have used getopt before */
	opterr = 0;
	while ((found = getopt_long(argc, argv, tables.shorts, tables.longs, NULL)) != -1) {
		const struct cli_option *row = find_row(&tables, found);

		if (!row)
			return cli_refuse_line(parser, "%s: %s; see --help", argv[optind - 1],
					       found == ':' ? "needs a value" : "no such option");
		if (parser->only && strcmp(row->name, parser->only) != 0)
			continue;
		if (row->given)
			*(bool *)field_of(parser, row->given) = true;
		code = row->take(parser, row, optarg);
		if (code != CLI_GO_ON)
			return code;
	}
	*operands = optind;
	return CLI_GO_ON;
}
