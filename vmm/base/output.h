/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * All output of a tool: files, which only appear under their names when they are complete, and the
 * three standard streams.
 */
#ifndef VSPE_BASE_OUTPUT_H
#define VSPE_BASE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * A file that is written under a temporary name in its final folder. Everything that it will need
 * is open when output_open() returns: nothing is opened later, and paths are only looked up in the
 * open folder.
 */
struct output {
	FILE *file; /* a stream of output_write(); NULL: none */
	int fd;
	int folder;	     /* the folder that it is in; -1: it is written in place */
	char *path;	     /* its final path, through links */
	char *temporary;     /* its path until then */
	int error;	     /* of the first failed write, a negative errno, or 0 */
	struct output *next; /* of all open ones: exit(3) abandons them */
};

enum output_kind {
	OUTPUT_FILE,	/* only a regular file */
	OUTPUT_ANYTHING /* or a device or a pipe, which is written in place */
};

/*
 * Begin a file at path. 0, or a negative errno: -EINVAL for a path that does not name a regular
 * file, -EISDIR for a folder, -EACCES for a write-protected file, -ENOMEM, and those of open(2).
 */
int output_open(struct output *output, const char *path, enum output_kind kind);

/*
 * Write all of size bytes, even if signals interrupt it. 0, or the error of the first failed write,
 * a negative errno, after which nothing more is written until output_cut().
 */
int output_write(struct output *output, const void *bytes, size_t size);
/* The same for bytes that were written before. Errors are not kept. */
int output_write_at(struct output *output, uint64_t at, const void *bytes, size_t size);

/* The number of bytes in the file, including those of a failed write. */
uint64_t output_size(const struct output *output);

/* Truncate the output to its first size bytes, and forget errors. 0, or a negative errno. */
int output_cut(struct output *output, uint64_t size);

/*
 * The file is complete: give it its name; if durable, only after it is on the disk. 0, and it is
 * closed; or a negative errno, also of any earlier write. In that case the old file at path stays,
 * and the caller owes output_keep() or output_abandon().
 */
int output_commit(struct output *output, bool durable);

/*
 * Close it, and keep its contents under its temporary name, which is returned and the caller frees.
 */
char *output_keep(struct output *output);

/* Remove the file. Does nothing if none was opened, or it is already closed. */
void output_abandon(struct output *output);

/*
 * Open for writing what exists and is not a regular file: a device, or a FIFO, for whose reader it
 * waits a limited time. Returns the descriptor, or a negative errno: of open(2), and -ETIMEDOUT for
 * a FIFO that nobody reads from.
 */
int output_open_other(const char *path);

/* The error in words: strerror(3)'s, or clearer ones. error is a negative errno. */
const char *output_error(int error);

/*
 * Call this before any file is opened. Makes sure that descriptors 0 to 2 are open, so that no file
 * gets their numbers and the text that is meant for them; those that were closed read as empty, and
 * writing to them fails. A file that becomes too large gives an error of write(2) instead of a
 * signal. 0, or a negative errno.
 */
int output_standard_open(void);

/*
 * Check that everything put to standard output and standard error was written, where that can be
 * known. NULL, or the reason in words, with the first stream that failed in *name.
 */
const char *output_standard_finish(const char **name);

#endif
