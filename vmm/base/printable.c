// SPDX-License-Identifier: BSD-2-Clause
/* Control characters in messages. */
#include "base/printable.h"

#include "base/utf8.h"

#include <stdio.h>
#include <string.h>

char *printable(char *out, size_t size, const char *text)
{
	size_t used = 0;

	while (*text) {
		const size_t bytes = utf8_printable(text);
		char piece[8] = "";

		if (bytes)
			memcpy(piece, text, bytes);
		else if (*text == '\n' || *text == '\t')
			(void)snprintf(piece, sizeof(piece), "\\%c", *text == '\n' ? 'n' : 't');
		else
			(void)snprintf(piece, sizeof(piece), "\\x%02x", (unsigned char)*text);
		if (strlen(piece) >= size - used)
			break;
		memcpy(out + used, piece, strlen(piece));
		used += strlen(piece);
		text += bytes ? bytes : 1;
	}
	out[used] = '\0';
	return out;
}
