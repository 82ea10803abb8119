/* SPDX-License-Identifier: BSD-2-Clause */
/* Words of a user or of a file in a message of one line. */
#ifndef VSPE_BASE_PRINTABLE_H
#define VSPE_BASE_PRINTABLE_H

#include <stddef.h>

/*
 * Copy text to out, size bytes with the closing NUL, at least 1: control characters, which could
 * end the line or move a terminal's cursor, become \n, \t or \x1b, and so do bytes that are not
 * UTF-8. What has no room is cut off; an escape or a character is whole or not there. Returns out.
 */
char *printable(char *out, size_t size, const char *text);

#endif
