/* SPDX-License-Identifier: BSD-2-Clause */
/* Input files that a user names. A FIFO may be one, but waiting for it has a limit. */
#ifndef VSPE_BASE_INPUT_FILE_H
#define VSPE_BASE_INPUT_FILE_H

#include <stdio.h>

#define INPUT_FILE_WAIT 10 /* seconds for the first byte of a FIFO */

/*
 * Open a file for reading. Returns the descriptor, or a negative errno: of open(2), -EISDIR for a
 * folder, -ETIMEDOUT for a FIFO that nobody writes to, -ENOTSUP for a socket or a terminal.
 */
int input_file_open(const char *path);
/* The same as a stream, or NULL, and *error. */
FILE *input_file_stream(const char *path, int *error);
/* A message for users; static storage, or strerror()'s. */
const char *input_file_error(int error);

#endif
