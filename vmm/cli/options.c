/* SPDX-License-Identifier: BSD-2-Clause */
/* The option parser of all subcommands: see options.h. */
#include "cli/options.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/assertion.h"
#include "base/nearest.h"
#include "base/number.h"

#define ROWS_MAX   128
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
	struct nearest nearest = {.text = value ? value : "", .distance = SIZE_MAX};
	char hint[2 * NEAREST_MOST];

	for (const char *const *word = option->words; word && *word; word++)
		nearest_try(&nearest, *word);
	if (nearest.distance == 0) /* the word is right, so something else is wrong */
		nearest.name[0] = '\0';
	return cli_refuse_line(parser, "--%s%s%s: %s%s", option->name, value ? " " : "",
			       value && !*value ? "''"
			       : value		? value
						: "",
			       what, nearest_hint(&nearest, "", "", hint, sizeof(hint)));
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

/* Why a number is refused: it is not a number, or out of range. */
static void blame_number(const struct cli_option *option, const char *value, char *what,
			 size_t size)
{
	const char *unit = option->unit ? option->unit : "";
	const int name = (int)strcspn(unit, ";");
	const char *example = unit[name] ? unit + name + 2 : NULL;
	uint64_t number = 0;
	const bool is_number = number_read(value, UINT64_MAX, &number);
	char counts[32], reading[40] = "";

	/* Show the number that a suffix or another base makes. */
	(void)snprintf(counts, sizeof(counts), "%" PRIu64, number);
	if (is_number && strcmp(counts, value) != 0)
		(void)snprintf(reading, sizeof(reading), "%s is ", counts);
	(void)snprintf(what, size, "%snot %sfrom %" PRIu64 " to %" PRIu64 "%s%.*s%s%s%s", reading,
		       is_number ? "" : "a number ", option->min, option->max, name ? " " : "",
		       name, unit, example ? " (" : "", example ? example : "", example ? ")" : "");
}

int cli_take_number(struct cli_parser *parser, const struct cli_option *option, const char *value)
{
	uint64_t number;
	char what[160];

	if (number_read(value, option->max, &number) && number >= option->min) {
		*(unsigned int *)field_of(parser, option->offset) = (unsigned int)number;
		return CLI_GO_ON;
	}
	blame_number(option, value, what, sizeof(what));
	return cli_refuse(parser, option, value, what);
}

int cli_take_help(struct cli_parser *parser, const struct cli_option *option, const char *value)
{
	const char *following = parser->following;

	(void)option, (void)value;
	fputs(parser->help_all && following && strcmp(following, "all") == 0 ? parser->help_all
									     : parser->help,
	      stdout);
	return CLI_OK;
}

/* The tables for getopt_long(), which returns FIRST_LONG plus the index of a row. */
struct getopt_tables {
	const struct cli_option *rows[ROWS_MAX];
	bool given[ROWS_MAX];
	const char *values[ROWS_MAX];
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

	vspe_assert_of(index < ROWS_MAX, index, ROWS_MAX);
	tables->rows[index] = row;
	tables->longs[index] =
		(struct option){row->name, kinds[row->argument], NULL, FIRST_LONG + (int)index};
	tables->count++;
	if (!row->letter)
		return;
	memset(letter + 1, ':', row->argument);
	memcpy(tables->shorts + strlen(tables->shorts), letter, sizeof(letter));
}

/* The index of the row that getopt_long() found, or -1. */
static int find_row(const struct getopt_tables *tables, int found)
{
	if (found >= FIRST_LONG)
		return found - FIRST_LONG;
	for (size_t i = 0; i < tables->count; i++)
		if (tables->rows[i]->letter == found)
			return (int)i;
	return -1;
}

/* The first option whose name begins like this, after `behind` or from the start; or NULL. */
static const struct cli_option *find_prefix(const struct getopt_tables *tables, const char *word,
					    const struct cli_option *behind)
{
	bool look = !behind;

	for (size_t i = 0; i < tables->count; i++) {
		if (look && strncmp(tables->rows[i]->name, word, strlen(word)) == 0)
			return tables->rows[i];
		look = look || tables->rows[i] == behind;
	}
	return NULL;
}

static bool is_given(const struct getopt_tables *tables, const char *name)
{
	for (size_t i = 0; i < tables->count; i++)
		if (tables->given[i] && strcmp(tables->rows[i]->name, name) == 0)
			return true;
	return false;
}

/* True if row needs no other option, or one of them is there. */
static bool has_needed(const struct getopt_tables *tables, const struct cli_option *row)
{
	const char *const *name = row->needs;

	while (name && *name && !is_given(tables, *name))
		name++;
	return !name || *name;
}

static void list_needed(const struct cli_option *row, char *what, size_t size)
{
	size_t used = (size_t)snprintf(what, size, "only with");

	for (const char *const *name = row->needs; *name && used < size; name++)
		used += (size_t)snprintf(what + used, size - used, "%s --%s",
					 name == row->needs ? "" : " or", *name);
}

/* Do the given options go together? */
static int check_company(const struct cli_parser *parser, const struct getopt_tables *tables)
{
	char what[160];

	for (size_t i = 0; i < tables->count; i++) {
		const struct cli_option *row = tables->rows[i];
		const char *const *name = row->excludes;

		if (!tables->given[i])
			continue;
		while (name && *name && !is_given(tables, *name))
			name++;
		if (name && *name)
			(void)snprintf(what, sizeof(what),
				       "not together with --%s; give one of them", *name);
		else if (!has_needed(tables, row))
			list_needed(row, what, sizeof(what));
		else
			continue;
		return cli_refuse(parser, row, tables->values[i], what);
	}
	return CLI_GO_ON;
}

/* An option that lacks its value. */
static int refuse_short(const struct cli_parser *parser, const struct getopt_tables *tables,
			const char *word)
{
	const int at = find_row(tables, optopt);
	const char *value = at < 0 ? NULL : tables->rows[at]->value;

	return cli_refuse_line(parser, "%s: needs a value: %s %s", word, word,
			       value ? value : "VALUE");
}

static int refuse_unknown(const struct cli_parser *parser, const struct getopt_tables *tables,
			  const char *word)
{
	char name[NEAREST_MOST], hint[2 * NEAREST_MOST];
	struct nearest nearest = {.text = name, .distance = SIZE_MAX};

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(word, "="), word);
	nearest.text += strspn(name, "-");
	for (size_t i = 0; i < tables->count; i++)
		nearest_try(&nearest, tables->rows[i]->name);
	return cli_refuse_line(parser, "%s: no such option%s", word,
			       nearest_hint(&nearest, "--",
					    parser->help_all ? "; see --help all" : "; see --help",
					    hint, sizeof(hint)));
}

/* Explain what getopt_long() refused: the word of its option, and what is wrong with it. */
static int refuse_word(const struct cli_parser *parser, const struct getopt_tables *tables,
		       char *const *argv, int found)
{
	const char *word = argv[optind - 1];
	char letter[] = {'-', (char)optopt, '\0'};
	const struct cli_option *first = NULL;

	/* A letter may be one of several after a hyphen, with more of them still unread. */
	if (optopt > 0 && optopt < FIRST_LONG)
		word = letter;
	if (found != ':' && optopt >= FIRST_LONG)
		return cli_refuse_line(parser, "%s: takes no value: %.*s", word,
				       (int)strcspn(word, "="), word);
	if (found == ':')
		return refuse_short(parser, tables, word);
	if (found != ':' && strncmp(word, "--", 2) == 0)
		first = find_prefix(tables, word + 2, NULL);
	if (first && find_prefix(tables, word + 2, first))
		return cli_refuse_line(parser, "%s: --%s or --%s?", word, first->name,
				       find_prefix(tables, word + 2, first)->name);
	return refuse_unknown(parser, tables, word);
}

/* Take the options, up to the other words, and collect their files. */
static int parse_options(struct cli_parser *parser, int argc, char **argv, struct cli_files *files)
{
	struct getopt_tables tables = {.shorts = ":"};
	int found, code;

	for (size_t list = 0; list < CLI_ROW_LISTS; list++)
		for (size_t i = 0; i < parser->lists[list].count; i++)
			add_row(&tables, &parser->lists[list].rows[i]);
	optind = 0; /* start anew: the caller may have used getopt before */
	opterr = 0;
	while ((found = getopt_long(argc, argv, tables.shorts, tables.longs, NULL)) != -1) {
		const int at = find_row(&tables, found);
		const struct cli_option *row = at < 0 ? NULL : tables.rows[at];

		if (!row)
			return refuse_word(parser, &tables, argv, found);
		tables.given[at] = true;
		tables.values[at] = optarg;
		if (parser->only && strcmp(row->name, parser->only) != 0)
			continue;
		if (row->given)
			*(bool *)field_of(parser, row->given) = true;
		if (row->file && optarg)
			cli_files_add(files, row, optarg, row->file);
		parser->following = optind < argc ? argv[optind] : NULL;
		code = row->take(parser, row, optarg);
		if (code != CLI_GO_ON)
			return code;
	}
	return check_company(parser, &tables);
}

int cli_parse(struct cli_parser *parser, int argc, char **argv, int *operands)
{
	struct cli_files files = {0};
	int code = parse_options(parser, argc, argv, &files);
	char what[TEXT_MAX];

	*operands = optind;
	for (int i = optind; parser->operands && i < argc; i++)
		if (strcmp(argv[i], "-") != 0)
			cli_files_add(&files, NULL, argv[i], parser->operands);
	if (code == CLI_GO_ON && !cli_files_check(&files, what, sizeof(what)))
		code = cli_refuse_line(parser, "%s", what);
	free(files.files);
	return code;
}
