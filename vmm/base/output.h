/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Everything that a tool writes: files, which appear under their names when they are whole and are
 * not there at all before, and the three standard streams.
 */
#ifndef VSPE_BASE_OUTPUT_H
#define VSPE_BASE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * A file that is written beside the place where it is to be, under a temporary name. Everything
 * that it will ever need is open when output_open() has returned: nothing is opened later, and no
 * path is looked up but in the folder that is open.
 */
struct output {
	FILE *file; /* a stream of output_write(); NULL: there is none */
	int fd;
	int folder;	     /* the one it is in; -1: it is written in place */
	char *path;	     /* where it is to be, through links */
	char *temporary;     /* where it is until then */
	int error;	     /* of the first write that failed, a negative errno, or 0 */
	struct output *next; /* of all that are open: exit(3) abandons them */
};

enum output_kind {
	OUTPUT_FILE,	/* a regular file, and nothing else */
	OUTPUT_ANYTHING /* or a device or a pipe, which is written in place */
};

/*
 * Begin a file at path. 0, or a negative errno: -EINVAL for a path that names no regular file,
 * -EISDIR for a folder, -EACCES for a file that is write-protected, -ENOMEM, and those of open(2).
 */
int output_open(struct output *output, const char *path, enum output_kind kind);

/*
 * Write all of size bytes, also if signals interrupt it. 0, or the error of the first write that
 * failed, a negative errno, and then nothing more is written until output_cut().
 */
int output_write(struct output *output, const void *bytes, size_t size);
/* The same over bytes that were written before. No error is kept. */
int output_write_at(struct output *output, uint64_t at, const void *bytes, size_t size);

/* The bytes that are in the file, with those of a write that failed. */
uint64_t output_size(const struct output *output);

/* Cut what was written to its first size bytes, and forget errors. 0, or a negative errno. */
int output_cut(struct output *output, uint64_t size);

/*
 * It is whole: give it its name, with durable not before it is on the disk. 0, and it is over; or a
 * negative errno, that of any write before included, and then what was at path is untouched and
 * output_keep() or output_abandon() is owed.
 */
int output_commit(struct output *output, bool durable);

/* It is over, with what there is of it under its temporary name, which is the caller's to free. */
char *output_keep(struct output *output);

/* There will be no file. Nothing to do if none was opened, or it is over. */
void output_abandon(struct output *output);

/*
 * Open what is there already and no regular file, to write to it: a device, or a FIFO, whose reader
 * is waited for, but not without an end. The descriptor, or a negative errno: of open(2), and
 * -ETIMEDOUT for a FIFO that nobody reads from.
 */
int output_open_other(const char *path);

/* In words: strerror(3), and more where that is not clear. error is a negative errno. */
const char *output_error(int error);

/*
 * To be called before any file is opened: descriptors 0 to 2 are open, so that no file gets their
 * numbers and the text that is meant for them; those that were closed read as empty, and writing to
 * them fails. A file that becomes too large is an error of write(2) and not a signal. 0, or a
 * negative errno.
 */
int output_standard_open(void);

/*
 * Everything is written that was put to standard output and standard error, as far as that is
 * known. NULL, or why not, in words, with the first of them that failed in *name.
 */
const char *output_standard_finish(const char **name);

#endif
