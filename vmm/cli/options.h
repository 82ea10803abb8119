/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The options of a subcommand: one row each, and one parser for all. tools/options.py makes the
 * rows from vmm/cli/<subcommand>.toml, which also gives the text of --help, the list of options in
 * the manual page and the completions.
 */
#ifndef VSPE_CLI_OPTIONS_H
#define VSPE_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "cli/cli.h"
#include "cli/files.h"

/* What a taker of an option returns if it is not an exit code. */
#define CLI_GO_ON (-1)

enum cli_argument { CLI_NO_VALUE, CLI_VALUE, CLI_MAY_HAVE_VALUE };

struct cli_parser;

struct cli_option {
	const char *name;  /* without the two hyphens */
	char letter;	   /* or 0 */
	const char *value; /* what --help calls its value, or NULL */
	/* The possible values, NULL after the last, or NULL. Messages name the nearest. */
	const char *const *words;
	enum cli_argument argument;
	/* Take the value, which is NULL if there is none, into parser->request. */
	int (*take)(struct cli_parser *parser, const struct cli_option *option, const char *value);
	/* For the takers below: the offset in the request, and the range of a number. */
	size_t offset;
	uint64_t min, max;
	size_t given;	  /* offset of the bool that records the option; 0: none */
	const char *unit; /* of the number: "MiB", or "MiB; 1024 is 1 GiB"; or NULL */
	/*
	 * Names with NULL after the last, or no list: options that it excludes, and options of
	 * which one must be there.
	 */
	const char *const *excludes, *const *needs;
	enum cli_file_kind file; /* if the value is a file */
	const char *replaces;	 /* the option whose file this one's may also be */
	const void *of;		 /* whatever else the taker needs */
};

/* Store the value unchanged: a bool that becomes true, a text, an unsigned int. */
int cli_take_flag(struct cli_parser *parser, const struct cli_option *option, const char *value);
int cli_take_text(struct cli_parser *parser, const struct cli_option *option, const char *value);
int cli_take_number(struct cli_parser *parser, const struct cli_option *option, const char *value);
/* --sandbox and --no-sandbox: an enum cli_sandbox_mode. */
int cli_take_sandbox(struct cli_parser *parser, const struct cli_option *option, const char *value);
int cli_take_no_sandbox(struct cli_parser *parser, const struct cli_option *option,
			const char *value);
/* The text of --help, or of --help all. */
int cli_take_help(struct cli_parser *parser, const struct cli_option *option, const char *value);

/* A list of rows. */
struct cli_rows {
	const struct cli_option *rows;
	size_t count;
};

#define CLI_ROW_LISTS 2

struct cli_parser {
	const char *command; /* "run" */
	const char *help;
	const char *help_all;		      /* NULL: help has all options */
	struct cli_rows lists[CLI_ROW_LISTS]; /* unused ones are empty */
	void *request;
	FILE *messages;		     /* for errors */
	const char *only;	     /* take only this option; or NULL */
	enum cli_file_kind operands; /* what the other words are */
	const char *following; /* for takers: the word after the option and its value, or NULL */
};

/*
 * Take the options of argv, whose first word is the subcommand, and check that they go together.
 * The other words move after the options, and *operands is the index of the first of them.
 * CLI_GO_ON, or the exit code when nothing is left to do and all messages are printed.
 */
int cli_parse(struct cli_parser *parser, int argc, char **argv, int *operands);

/*
 * Print "vspe COMMAND: --OPTION VALUE: WHAT" to the messages; value may be NULL. Returns CLI_USAGE.
 */
int cli_refuse(const struct cli_parser *parser, const struct cli_option *option, const char *value,
	       const char *what);
/* Print "vspe COMMAND: " and the text. Returns CLI_USAGE. */
__attribute__((format(printf, 2, 3))) int cli_refuse_line(const struct cli_parser *parser,
							  const char *format, ...);

#endif
