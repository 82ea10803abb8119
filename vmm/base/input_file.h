/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that a user names to be read. A FIFO may be one, and is not waited for without an end. */
#ifndef VSPE_BASE_INPUT_FILE_H
#define VSPE_BASE_INPUT_FILE_H

#include <stdio.h>

#define INPUT_FILE_WAIT 10 /* seconds for the first byte of a FIFO */

/*
 * Open a file for reading. The descriptor, or a negative errno: of open(2), -EISDIR for a folder,
 * -ETIMEDOUT for a FIFO that nobody writes to, -ENOTSUP for a socket or a terminal.
 */
int input_file_open(const char *path);
/* The same as a stream, or NULL, and *error. */
FILE *input_file_stream(const char *path, int *error);
/* What is wrong, for users; static storage, or strerror()'s. */
const char *input_file_error(int error);

#endif
