/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading records and symbols for subcommands: see records.h. */
#include "cli/records.h"

#include "base/input_file.h"
#include "base/memory.h"
#include "base/number.h"
#include "trace/source.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Print a line for each kind of loss that the file reports. */
static void tell_losses(const char *command, const char *name, const struct input_result *result,
			FILE *messages)
{
	char text[INPUT_LINE_WORDS];

	for (unsigned int i = 0; i < INPUT_LOSSES; i++)
		if (*input_loss_words(result, (enum input_loss)i, text))
			cli_message(messages, "vspe %s: %s: %s", command, name, text);
}

int cli_read_records(const char *command, FILE *file, const char *name,
		     const struct input_sink *sink, FILE *messages, struct cli_found *found)
{
	struct input_result result;
	const struct input_damage *damage = &result.damage;
	const int error = input_read(file, sink, &result);
	char text[INPUT_LINE_WORDS];

	if (found)
		found->result = result;
	tell_losses(command, name, &result, messages);
	if (error) {
		cli_message(messages, "vspe %s: %s: %s", command, name, result.problem);
		return error == -ENODATA ? CLI_FAILED : CLI_USAGE;
	}
	if (!result.records)
		cli_message(messages, "vspe %s: %s: no records in it", command, name);
	if (!damage->bytes && !damage->records)
		return CLI_OK;
	if (found && found->refuse_others && damage->bytes > result.bytes / 2) {
		cli_message(messages,
			    "vspe %s: %s: no sample records: %" PRIu64 " of %" PRIu64
			    " bytes are in no packet",
			    command, name, damage->bytes, result.bytes);
		return CLI_USAGE;
	}
	cli_message(messages, "vspe %s: %s: %s", command, name, input_damage_words(damage, text));
	return CLI_FAILED;
}

int cli_take_core(struct cli_parser *parser, const struct cli_option *option, const char *value,
		  uint32_t *midr)
{
	if (source_midr(value, midr) && *midr)
		return CLI_GO_ON;
	return cli_refuse(parser, option, value,
			  "neither a core of vspe run --cpu help nor a value of MIDR_EL1");
}

int cli_add_symbols(struct cli_parser *parser, const struct cli_option *option, const char *value,
		    struct cli_symbols *symbols)
{
	char what[64];

	if (symbols->count == SYMBOLS_FILES) {
		snprintf(what, sizeof(what), "more than %u files", SYMBOLS_FILES);
		return cli_refuse(parser, option, value, what);
	}
	symbols->values[symbols->count++] = value;
	return CLI_GO_ON;
}

/* Split FILE or FILE@ADDRESS. An @ without a number after it is part of the name. */
static char *split(const char *value, bool *moved, uint64_t *address)
{
	const char *at = strrchr(value, '@');

	*moved = at && number_read_bytes(at + 1, UINT64_MAX, address);
	return *moved ? strndup(value, (size_t)(at - value)) : strdup(value);
}

static int load(const char *command, const char *value, const char *output, struct symbols *symbols,
		FILE *messages)
{
	uint64_t address = 0;
	bool moved;
	char *path = memory_need(split(value, &moved, &address));
	const bool same = output && cli_same_file(path, output);
	const int error = same ? 0 : symbols_add(symbols, path, moved, address);

	if (same)
		cli_message(messages, "vspe %s: --html %s: the same file as --symbols %s", command,
			    output, value);
	else if (error)
		cli_message(messages, "vspe %s: --symbols %s: %s", command, value,
			    symbols_strerror(error));
	free(path);
	return same || error ? CLI_USAGE : CLI_GO_ON;
}

int cli_load_symbols(const char *command, const struct cli_symbols *symbols, const char *output,
		     struct symbols **loaded, FILE *messages)
{
	int code = CLI_GO_ON;

	*loaded = symbols_new();
	for (unsigned int i = 0; i < symbols->count && code == CLI_GO_ON; i++)
		code = load(command, symbols->values[i], output, *loaded, messages);
	return code;
}

/* CLI_GO_ON, or the exit code. */
static int open_records(const struct cli_parser *parser, int argc, char **argv, int operand,
			FILE **file, const char **name)
{
	struct stat status;
	int error = 0;

	if (operand == argc)
		return cli_refuse_line(parser, "no file given; - is the standard input");
	if (operand + 1 < argc)
		return cli_refuse_line(parser, "%s: a second file; the first is %s",
				       argv[operand + 1], argv[operand]);
	*name = argv[operand];
	*file = strcmp(*name, "-") ? input_file_stream(*name, &error) : stdin;
	if (!*file && error != -EISDIR)
		return cli_refuse_line(parser, "%s: %s", *name, input_file_error(error));
	if (!*file || (fstat(fileno(*file), &status) == 0 && S_ISDIR(status.st_mode)))
		return cli_refuse_line(parser,
				       "%s: a folder; if perf record --threads made it, record "
				       "without --threads",
				       *name);
	if (*file == stdin)
		*name = "standard input";
	return CLI_GO_ON;
}

int cli_run_on_records(struct cli_parser *parser, int argc, char **argv,
		       int (*run)(FILE *file, const char *name, void *request))
{
	const char *name = NULL;
	FILE *file = NULL;
	int operand, code = cli_parse(parser, argc, argv, &operand);

	if (code == CLI_GO_ON)
		code = open_records(parser, argc, argv, operand, &file, &name);
	if (code != CLI_GO_ON)
		return code;
	code = run(file, name, parser->request);
	if (file != stdin)
		fclose(file);
	return code;
}
