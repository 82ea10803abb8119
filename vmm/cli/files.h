/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks the files of a command line against each other: none may overwrite another. */
#ifndef VSPE_CLI_FILES_H
#define VSPE_CLI_FILES_H

#include <stdbool.h>
#include <stddef.h>

enum cli_file_kind { CLI_FILE_NONE, CLI_FILE_INPUT, CLI_FILE_OUTPUT };

struct cli_option;

struct cli_files {
	struct cli_file {
		const struct cli_option *option; /* NULL: the word of no option */
		const char *path;
		enum cli_file_kind kind;
	} * files;
	size_t count;
};

/* Add a file. An output option counts once, with its last value. */
void cli_files_add(struct cli_files *files, const struct cli_option *option, const char *path,
		   enum cli_file_kind kind);

/*
 * Is every name nonempty, and would no output overwrite an input, another output, or a standard
 * stream that is a file? If not, what[size] gets the reason.
 */
bool cli_files_check(const struct cli_files *files, char *what, size_t size);

/* Are both names the same regular file, or would they be once created? */
bool cli_same_file(const char *one, const char *other);

#endif
