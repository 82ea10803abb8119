/* SPDX-License-Identifier: BSD-2-Clause */
/* The files of a command line, beside each other: none is to be written over another. */
#ifndef VSPE_CLI_FILES_H
#define VSPE_CLI_FILES_H

#include <stdbool.h>
#include <stddef.h>

enum cli_file_kind { CLI_FILE_NONE, CLI_FILE_INPUT, CLI_FILE_OUTPUT };

struct cli_option;

struct cli_files {
	struct cli_file {
		const struct cli_option *option; /* NULL: a word that is none */
		const char *path;
		enum cli_file_kind kind;
	} * files;
	size_t count;
};

/* A file more. An option that is written to counts once, the last time. */
void cli_files_add(struct cli_files *files, const struct cli_option *option, const char *path,
		   enum cli_file_kind kind);

/*
 * Is there no name that is empty, and nothing that would be written over an input, an output or a
 * standard stream that is a file? If there is, what[size] gets it in words.
 */
bool cli_files_check(const struct cli_files *files, char *what, size_t size);

/* Are they the same regular file, by whatever names, or would they be? */
bool cli_same_file(const char *one, const char *other);

#endif
