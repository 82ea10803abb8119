/* SPDX-License-Identifier: BSD-2-Clause */
/* The subcommands of vspe and what they share. */
#ifndef VSPE_CLI_H
#define VSPE_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Exit codes of every subcommand: CLI_OK, CLI_FAILED ... of vmm/cli/exit.toml. */
#include "exits.h"

/* The exit code of a command that did code, when something could not be written. */
int cli_exit_unwritten(int code);

/*
 * End a command: see whether all of its output is written, and say so if not. Returns the exit
 * code, which is code if it is.
 */
int cli_finish(int code);

/* "COMMAND: WHAT: the error", about output that failed; CLI_OUTPUT. error is a negative errno. */
int cli_unwritten(FILE *messages, const char *command, const char *what, int error);

struct perf_data;

/* The same of the file at path, --perf-data's, that was closed with this error: what is lost. */
int cli_unwritten_records(FILE *messages, const char *command, const char *path, int error,
			  const struct perf_data *data);

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

/* libvspe-qemu.so, in the same way. */
int cli_find_plugin(char *path, size_t size);

/* The program of vspe linux, in the same way. */
int cli_find_linux(char *path, size_t size);

/* The program of a name, as a shell finds it. */
bool cli_find_program(char *path, size_t size, const char *name);

/* --sandbox. ON goes without what the kernel does not give, STRICT does not. */
enum cli_sandbox_mode { CLI_SANDBOX_ON, CLI_SANDBOX_OFF, CLI_SANDBOX_STRICT };

/*
 * Enter the sandbox (base/sandbox.h) with these needs, unless off; outputs are those of count paths
 * that are not NULL. command is "vspe run" or the like. -1: go on; otherwise the exit code.
 */
int cli_sandbox(const char *command, enum cli_sandbox_mode mode, unsigned int needs,
		const char *const *outputs, size_t count);
/* The same of one that is described already, but for its exit code and where it tells of
 * protections. */
struct sandbox;
int cli_sandbox_enter(const struct sandbox *sandbox, enum cli_sandbox_mode mode);
/* What the process is protected by: of base/protections.h. */
struct protections *cli_protections(void);

/* argv[0] is the name of the subcommand. Each returns the exit code. */
#define COMMAND(name, what) int cmd_##name(int argc, char **argv);
#include "commands.h"
#undef COMMAND

#endif
