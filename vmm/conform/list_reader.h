/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lists that people write: a row a line, of words as a shell makes them of blanks, quotes and
 * backslashes. A line that begins with # is a comment.
 */
#ifndef VSPE_CONFORM_LIST_READER_H
#define VSPE_CONFORM_LIST_READER_H

#include <stdbool.h>
#include <stddef.h>

/* Where the reader is, and where it says what is wrong there. */
struct list_reader {
	const char *path;
	unsigned int line;
	char *why;
	size_t size;
};

/*
 * Give each row of path to take(), with its words and NULL after the last; they are gone when it
 * returns. It returns false if a row is wrong, by list_refuse(). False if it did, or if the list
 * cannot be read: one line in why, with path and, of a row, line.
 */
bool list_read(const char *path, bool (*take)(void *ctx, const struct list_reader *r, char **words),
	       void *ctx, char *why, size_t size);

/* What is wrong with the row, as printf() takes it; what it has of the row is made printable.
 * Always false. */
bool list_refuse(const struct list_reader *r, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The words of a text, with NULL after the last; NULL if a quote is not closed. The caller calls
 * list_words_free(). */
char **list_words(const char *text);
void list_words_free(char **words);

#endif
