/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * vspe linux: starts the Python program that came with vspe, tools/linux-guest in the source tree.
 * It gets the path of this vspe, and runs its guests with it.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

#define INTERPRETER "python3"

int cmd_linux(int argc, char **argv)
{
	char program[PATH_MAX], vspe[PATH_MAX];
	const ssize_t length = readlink("/proc/self/exe", vspe, sizeof(vspe) - 1);
	char **words;

	if (cli_find_linux(program, sizeof(program))) {
		cli_message(stderr, "vspe linux: %s: not there; reinstall the package vspe",
			    program);
		return CLI_USAGE;
	}
	vspe[length > 0 ? length : 0] = '\0';
	words = calloc((size_t)argc + 3, sizeof(*words));
	if (!words || setenv("VSPE_PROGRAM", vspe, 1)) {
		cli_message(stderr, "vspe linux: %s", strerror(errno));
		free(words);
		return CLI_ENGINE;
	}
	words[0] = INTERPRETER;
	words[1] = "-B";
	words[2] = program;
	for (int i = 1; i < argc; i++)
		words[2 + i] = argv[i];
	execvp(words[0], words);
	cli_message(stderr, "vspe linux: " INTERPRETER ": %s (apt install python3)",
		    strerror(errno));
	free(words);
	return CLI_USAGE;
}
