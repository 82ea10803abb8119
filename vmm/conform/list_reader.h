/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lists that people write: a row a line, split into words like a shell does, with blanks, quotes
 * and backslashes. A line that begins with # is a comment.
 */
#ifndef VSPE_CONFORM_LIST_READER_H
#define VSPE_CONFORM_LIST_READER_H

#include <stdbool.h>
#include <stddef.h>

/* The reader's position, and where to report errors. */
struct list_reader {
	const char *path;
	unsigned int line;
	char *why;
	size_t size;
};

/*
 * Give each row of path to take(), with its words and NULL after the last, which are only valid
 * during the call. take() returns false if a row is wrong, by list_refuse(). Returns false then, or
 * if the list cannot be read: why has one line, with the path and, for a row, the line.
 */
bool list_read(const char *path, bool (*take)(void *ctx, const struct list_reader *r, char **words),
	       void *ctx, char *why, size_t size);

/*
 * Describe what is wrong with the row, like printf(), with words of the row made printable. Always
 * returns false.
 */
bool list_refuse(const struct list_reader *r, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * The words of a text, with NULL after the last; NULL if a quote is not closed. The caller calls
 * list_words_free().
 */
char **list_words(const char *text);
void list_words_free(char **words);

#endif
