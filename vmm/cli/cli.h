/* SPDX-License-Identifier: BSD-2-Clause */
/* The subcommands of vspe and what they share. */
#ifndef VSPE_CLI_H
#define VSPE_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Exit codes of every subcommand: CLI_OK, CLI_FAILED ... of vmm/cli/exit.toml. */
#include "exits.h"

/* The exit code of a command that would have returned code, after output could not be written. */
int cli_exit_unwritten(int code);

/*
 * End a command: check that all of its output was written, and report it if not. Returns the exit
 * code, which is code if all was written.
 */
int cli_finish(int code);

/* "COMMAND: WHAT: the error", about output that failed; CLI_OUTPUT. error is a negative errno. */
int cli_unwritten(FILE *messages, const char *command, const char *what, int error);

struct perf_data;

/*
 * The same for the file at path of --perf-data, which was closed with this error. Says what is
 * lost.
 */
int cli_unwritten_records(FILE *messages, const char *command, const char *path, int error,
			  const struct perf_data *data);

/*
 * Print one line about an error. Whatever words are in it, control characters are escaped, and the
 * newline is added.
 */
__attribute__((format(printf, 2, 3))) void cli_message(FILE *out, const char *format, ...);

/*
 * The folder of the guests that came with this program: `guests` next to it in a build tree, or
 * where cmake --install puts them. 0, or -1 and the first of the two if neither has a guests.list;
 * size is PATH_MAX at least.
 */
int cli_find_guests(char *path, size_t size);

/* libvspe.so, in the same way: 0, or -1 if neither place has it. */
int cli_find_library(char *path, size_t size);

/* libvspe-qemu.so, in the same way. */
int cli_find_plugin(char *path, size_t size);

/* The program of vspe linux, in the same way. */
int cli_find_linux(char *path, size_t size);

/* Find a program by name, as a shell does. */
bool cli_find_program(char *path, size_t size, const char *name);

/* --sandbox. ON does without what the kernel lacks; STRICT refuses to. */
enum cli_sandbox_mode { CLI_SANDBOX_ON, CLI_SANDBOX_OFF, CLI_SANDBOX_STRICT };

/*
 * Enter the sandbox (base/sandbox.h) with these needs, unless mode is off. outputs has count paths,
 * any of which may be NULL. command is "vspe run" or the like. Returns -1 to go on, or the exit
 * code.
 */
int cli_sandbox(const char *command, enum cli_sandbox_mode mode, unsigned int needs,
		const char *const *outputs, size_t count);
/*
 * The same for a sandbox whose description is complete except for its exit code and where it
 * reports protections.
 */
struct sandbox;
int cli_sandbox_enter(const struct sandbox *sandbox, enum cli_sandbox_mode mode);
/* What protects the process: see base/protections.h. */
struct protections *cli_protections(void);

/* argv[0] is the name of the subcommand. Each returns the exit code. */
#define COMMAND(name, what) int cmd_##name(int argc, char **argv);
#include "commands.h"
#undef COMMAND

#endif
