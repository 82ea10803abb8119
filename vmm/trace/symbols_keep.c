/* SPDX-License-Identifier: BSD-2-Clause */
/* Storage of symbols for their readers: see symbols_parts.h. */
#include "trace/symbols_parts.h"

#include "base/memory.h"
#include "trace/demangle.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Keep a name, with bytes below lowest and above '~' as \xNN. Returns its offset, or -E2BIG. */
static int64_t keep_name(struct symbols *symbols, const char *name, size_t length, char lowest)
{
	const size_t most = 4 * (length < SYMBOL_NAME_MAX ? length : SYMBOL_NAME_MAX) + 1;
	const size_t at = symbols->used;
	char *out;

	if (at + most > SYMBOLS_TEXT)
		return -E2BIG;
	if (at + most > symbols->text_room) {
		symbols->text_room = 2 * (at + most);
		symbols->text = memory_need(realloc(symbols->text, symbols->text_room));
	}
	out = symbols->text + at;
	for (size_t i = 0; i < length && out - (symbols->text + at) < SYMBOL_NAME_MAX - 4; i++) {
		const unsigned char c = (unsigned char)name[i];

		if (c >= (unsigned char)lowest && c < 0x7f)
			*out++ = (char)c;
		else
			out += sprintf(out, "\\x%02x", c);
	}
	*out++ = '\0';
	symbols->used = (size_t)(out - symbols->text);
	return (int64_t)at;
}

unsigned int symbols_underscores(const char *name)
{
	const size_t count = strspn(name, "_");

	return count < 15 ? (unsigned int)count : 15;
}

int symbols_keep(struct symbols *symbols, struct symbols_entry entry, const char *name,
		 size_t length)
{
	char text[SYMBOL_NAME_MAX], shown[SYMBOL_NAME_MAX];
	int64_t at, other;

	if (length >= sizeof(text))
		length = sizeof(text) - 1;
	memcpy(text, name, length);
	text[length] = '\0';
	at = other = keep_name(symbols, text, length, '!');
	if (demangle(text, shown, sizeof(shown)))
		other = keep_name(symbols, shown, strlen(shown), ' ');
	else if (strchr(text, ' '))
		other = keep_name(symbols, text, length, ' ');
	if (at < 0 || other < 0 || symbols->count == SYMBOLS_MAX)
		return -E2BIG;
	if (symbols->count == symbols->room) {
		symbols->room = symbols->room ? 2 * symbols->room : 256;
		symbols->entries = memory_need(
			realloc(symbols->entries, symbols->room * sizeof(*symbols->entries)));
	}
	entry.linkage = (uint32_t)at;
	entry.name = (uint32_t)other;
	symbols->functions += entry.kind == SYMBOLS_CODE;
	symbols->entries[symbols->count++] = entry;
	return 0;
}
