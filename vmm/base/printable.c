/* SPDX-License-Identifier: BSD-2-Clause */
/* Control characters in messages. */
#include "base/printable.h"

#include "base/utf8.h"

#include <stdio.h>
#include <string.h>

#define PIECE 8

/*
 * The printable form of text's beginning, which is not empty. Returns how many bytes of text it
 * covers.
 */
static size_t take_piece(const char *text, char piece[PIECE])
{
	const size_t bytes = utf8_printable(text);

	if (bytes)
		memcpy(piece, text, bytes);
	else if (*text == '\n' || *text == '\t')
		(void)snprintf(piece, PIECE, "\\%c", *text == '\n' ? 'n' : 't');
	else
		(void)snprintf(piece, PIECE, "\\x%02x", (unsigned char)*text);
	return bytes ? bytes : 1;
}

char *printable(char *out, size_t size, const char *text)
{
	size_t used = 0;

	while (*text) {
		char piece[PIECE] = "";
		const size_t bytes = take_piece(text, piece);

		if (strlen(piece) >= size - used)
			break;
		memcpy(out + used, piece, strlen(piece));
		used += strlen(piece);
		text += bytes;
	}
	out[used] = '\0';
	return out;
}

void printable_put(FILE *out, const char *text, size_t count)
{
	for (size_t at = 0, bytes; at < count && text[at]; at += bytes) {
		char piece[PIECE] = "";

		bytes = take_piece(text + at, piece);
		fputs(text[at] == '\t' ? "\t" : piece, out);
	}
}
