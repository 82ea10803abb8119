/* SPDX-License-Identifier: BSD-2-Clause */
/* Which UTF-8 bytes are a character that a terminal shows (RFC 3629), and no control character. */
#ifndef VSPE_BASE_UTF8_H
#define VSPE_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How many bytes a character with this first byte has; 0 if it cannot be the first. */
static inline size_t utf8_size(uint8_t first)
{
	if (first < 0x80)
		return 1;
	if (first >= 0xc2 && first <= 0xdf)
		return 2;
	if (first >= 0xe0 && first <= 0xef)
		return 3;
	return first >= 0xf0 && first <= 0xf4 ? 4 : 0;
}

/*
 * May a byte be number `at`, from 1, after this first byte? The second byte decides whether the
 * character is in the shortest form, no surrogate, and no control from U+0080 to U+009F, which
 * terminals treat like ESC.
 */
static inline bool utf8_follows(uint8_t first, size_t at, uint8_t byte)
{
	if ((byte & 0xc0) != 0x80)
		return false;
	if (at > 1)
		return true;
	switch (first) {
	case 0xc2:
	case 0xe0: return byte >= 0xa0;
	case 0xed: return byte <= 0x9f;
	case 0xf0: return byte >= 0x90;
	case 0xf4: return byte <= 0x8f;
	default: return true;
	}
}

/* The size of the character at the start of a string; 0 for a control, or invalid UTF-8. */
static inline size_t utf8_printable(const char *text)
{
	const uint8_t first = (uint8_t)*text;
	const size_t size = utf8_size(first);

	if (first < 0x20 || first == 0x7f)
		return 0;
	for (size_t i = 1; i < size; i++)
		if (!utf8_follows(first, i, (uint8_t)text[i]))
			return 0;
	return size;
}

#endif
