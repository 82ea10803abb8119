// SPDX-License-Identifier: BSD-2-Clause
/* Control characters in messages. */
#include "base/printable.h"

#include <stdio.h>
#include <string.h>

char *printable(char *out, size_t size, const char *text)
{
	size_t used = 0;

	for (; *text; text++) {
		const unsigned char c = (unsigned char)*text;
		char piece[8] = {*text};
		size_t length;

		if (c == '\n' || c == '\t')
			snprintf(piece, sizeof(piece), "\\%c", c == '\n' ? 'n' : 't');
		else if (c < 0x20 || c == 0x7f)
			snprintf(piece, sizeof(piece), "\\x%02x", c);
		length = strlen(piece);
		if (length >= size - used)
			break;
		memcpy(out + used, piece, length);
		used += length;
	}
	out[used] = '\0';
	return out;
}
