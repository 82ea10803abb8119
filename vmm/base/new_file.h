/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file that appears under its name when it is whole, and is not there at all before: it is
 * written beside it, under a temporary name.
 */
#ifndef VSPE_BASE_NEW_FILE_H
#define VSPE_BASE_NEW_FILE_H

#include <stdbool.h>
#include <stdio.h>

struct new_file {
	FILE *file; /* to be written; NULL: there is none */
	char *path, *temporary;
};

/*
 * Begin a file at path, through links, and never in place of a device or a pipe. 0, or a negative
 * errno: -EINVAL for a path that names something other than a regular file, -ENOMEM, and those of
 * open(2).
 */
int new_file_open(struct new_file *new, const char *path);

/*
 * It is whole, unless error, a negative errno, is not 0: give it its name, with durable not before
 * it is on the disk. 0, or a negative errno, and then there is no new file and what was at path
 * before is untouched. Ends new_file_open().
 */
int new_file_commit(struct new_file *new, bool durable, int error);

/* There will be no file. Nothing to do if none was opened, or it has ended. */
void new_file_abandon(struct new_file *new);

#endif
