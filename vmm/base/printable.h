/* SPDX-License-Identifier: BSD-2-Clause */
/* Words of a user or of a file in a message of one line. */
#ifndef VSPE_BASE_PRINTABLE_H
#define VSPE_BASE_PRINTABLE_H

#include <stddef.h>
#include <stdio.h>

/*
 * Copy text to out, size bytes with the closing NUL, at least 1: control characters, which could
 * end the line or move a terminal's cursor, become \n, \t or \x1b, and so do bytes that are not
 * UTF-8. What has no room is cut off; an escape or a character is whole or not there. Returns out.
 */
char *printable(char *out, size_t size, const char *text);

/* The first count bytes of text, or up to its NUL, put to a stream in the same way, but for a tab,
 * which stays. */
void printable_put(FILE *out, const char *text, size_t count);

#endif
