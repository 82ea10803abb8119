/* SPDX-License-Identifier: BSD-2-Clause */
/* What the subcommands share that read sample records: the input, and the names of addresses. */
#ifndef VSPE_CLI_RECORDS_H
#define VSPE_CLI_RECORDS_H

#include "cli/options.h"
#include "trace/input.h"
#include "trace/symbols.h"

/* What there was in a file. */
struct cli_found {
	struct input_result result;
	/*
	 * From the caller: a file of which more than half is no packet is none of records, and
	 * refused as such. Otherwise what cannot be read is left aside.
	 */
	bool refuse_others;
};

/*
 * Give all records of file, called name in messages, to the sink. Returns the exit code: 0; 1 when
 * parts of the records could not be read, or the file ends too early, which one line in messages
 * says; 2 for input that is not what it should be, or cannot be read. What the file itself says is
 * missing from it is a line each, and no error: it was so recorded.
 */
int cli_read_records(const char *command, FILE *file, const char *name,
		     const struct input_sink *sink, FILE *messages, struct cli_found *found);

/* --core: the core that wrote the records, by its name or its MIDR_EL1. CLI_GO_ON, or the exit
 * code. */
int cli_take_core(struct cli_parser *parser, const struct cli_option *option, const char *value,
		  uint32_t *midr);

/* The values of --symbols, FILE or FILE@ADDRESS, in their order. Zero-initialise. */
struct cli_symbols {
	const char *values[SYMBOLS_FILES];
	unsigned int count;
};

/* One more. CLI_GO_ON, or the exit code when there are too many. */
int cli_add_symbols(struct cli_parser *parser, const struct cli_option *option, const char *value,
		    struct cli_symbols *symbols);
/*
 * Read them all; the result is to be freed by symbols_free(), also then when it fails. CLI_GO_ON,
 * or the exit code, with a message. output, or NULL, is the path of a file that is none of them.
 */
int cli_load_symbols(const char *command, const struct cli_symbols *symbols, const char *output,
		     struct symbols **loaded, FILE *messages);

/*
 * A subcommand whose one operand is the file of records, "-" for stdin: parse its command line, and
 * with the file open and a name of it for messages, run(). Returns the exit code.
 */
int cli_run_on_records(struct cli_parser *parser, int argc, char **argv,
		       int (*run)(FILE *file, const char *name, void *request));

#endif
