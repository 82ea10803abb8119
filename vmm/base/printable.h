/* SPDX-License-Identifier: BSD-2-Clause */
/* Words of a user or a file in a message of one line. */
#ifndef VSPE_BASE_PRINTABLE_H
#define VSPE_BASE_PRINTABLE_H

#include <stddef.h>
#include <stdio.h>

/*
 * Copy text to out, which has size bytes, at least 1, with the final NUL. Control characters, which
 * could end the line or move a terminal's cursor, become \n, \t or \x1b, and so do bytes that are
 * not UTF-8. Text without room is cut off, but never inside an escape or a character. Returns out.
 */
char *printable(char *out, size_t size, const char *text);

/* Print the first count bytes of text, or up to its NUL, in the same way, except that tabs stay. */
void printable_put(FILE *out, const char *text, size_t count);

#endif
