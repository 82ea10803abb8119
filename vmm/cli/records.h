/* SPDX-License-Identifier: BSD-2-Clause */
/* What the subcommands that read sample records share: the input, and the names of addresses. */
#ifndef VSPE_CLI_RECORDS_H
#define VSPE_CLI_RECORDS_H

#include "cli/options.h"
#include "trace/input.h"
#include "trace/symbols.h"

/* What a file had. */
struct cli_found {
	struct input_result result;
	/*
	 * Set by the caller: refuse a file that is mostly not packets, as it has no records.
	 * Otherwise skip what cannot be read.
	 */
	bool refuse_others;
};

/*
 * Give all records of file, called name in messages, to the sink. Returns the exit code: 0; 1 when
 * parts of the records could not be read, or the file ends too early, which one line in messages
 * says; 2 for input of another kind, or that cannot be read. Each loss that the file itself reports
 * is a line and no error, because it was recorded that way.
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

/* Add one. CLI_GO_ON, or the exit code when there are too many. */
int cli_add_symbols(struct cli_parser *parser, const struct cli_option *option, const char *value,
		    struct cli_symbols *symbols);
/*
 * Read them all. CLI_GO_ON, or the exit code after a message; the caller frees the result with
 * symbols_free() in either case. output, or NULL, is the path of a file that none of them may be.
 */
int cli_load_symbols(const char *command, const struct cli_symbols *symbols, const char *output,
		     struct symbols **loaded, FILE *messages);

/*
 * For a subcommand whose one operand is the file of records, "-" for stdin: parse its command line,
 * open the file, and call run() with it and its name for messages. Returns the exit code.
 */
int cli_run_on_records(struct cli_parser *parser, int argc, char **argv,
		       int (*run)(FILE *file, const char *name, void *request));

#endif
