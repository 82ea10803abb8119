/* SPDX-License-Identifier: BSD-2-Clause */
/* The subcommands of vspe and what they share. */
#ifndef VSPE_CLI_H
#define VSPE_CLI_H

#include <stddef.h>
#include <stdio.h>

/* Exit codes of every subcommand. */
enum cli_exit {
	CLI_OK = 0,
	CLI_FAILED = 1, /* a test failed, or a guest's plan is unfinished */
	CLI_USAGE = 2,	/* wrong options or input */
	CLI_ENGINE = 3, /* the guest or the engine cannot go on */
	CLI_SAVED = 4,	/* the machine was saved, and its guest has not ended */
	CLI_TIMEOUT = 124,
};

/*
 * One line about what is wrong, whatever the words in it are: control characters are escaped, and
 * the newline at the end is added.
 */
__attribute__((format(printf, 2, 3))) void cli_message(FILE *out, const char *format, ...);

/*
 * The folder of the guests that came with this program: `guests` beside it in a build tree, or
 * where cmake --install puts them. 0, or -1 and the first of the two if neither has a guests.list;
 * size is PATH_MAX at least.
 */
int cli_find_guests(char *path, size_t size);

/* libvspe.so, in the same way: 0, or -1 if it is in neither place. */
int cli_find_library(char *path, size_t size);

/* argv[0] is the name of the subcommand. Each returns the exit code. */
#define COMMAND(name, what) int cmd_##name(int argc, char **argv);
#include "commands.h"
#undef COMMAND

#endif
