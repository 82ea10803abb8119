/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of code in the lists of System.map and kallsyms: see symbols.h. */
#include "trace/symbols_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SPACES " \t\r\v\f"

/* A line "ffff800008010000 T _stext", perhaps followed by a module's name. False: it is none. */
static bool read_line(char *line, struct symbols_entry *entry, const char **name, size_t *length)
{
	char *at = line, *end;
	char type;

	if (!strchr("0123456789abcdefABCDEF", *line) || !*line)
		return false;
	errno = 0;
	entry->start = strtoull(line, &at, 16);
	if (errno || at == line || at - line > 16 || !*at || !strchr(SPACES, *at))
		return false;
	at += strspn(at, SPACES);
	type = *at;
	if (!type || !at[1] || !strchr(SPACES, at[1]))
		return false;
	at++;
	at += strspn(at, SPACES);
	end = at + strcspn(at, SPACES "\n");
	*name = at;
	*length = (size_t)(end - at);
	entry->module = end[strspn(end, SPACES)] == '[';
	if (*at == '$')
		entry->kind = SYMBOLS_NEITHER;
	else if (strchr("tTwW", type))
		entry->kind = SYMBOLS_CODE;
	else
		entry->kind = strchr("bBdDgGrRsSvV", type) ? SYMBOLS_DATA : SYMBOLS_NEITHER;
	entry->rank = symbols_underscores(at) * 4 + (type == 'T' ? 0 : (type == 't' ? 2 : 1));
	return *length > 0;
}

/* The list has been read: move its addresses to the requested place. */
static int place_list(struct symbols *symbols, size_t first, bool moved, uint64_t address)
{
	uint64_t lowest = UINT64_MAX, highest = 0, by;
	bool code = false;

	for (size_t i = first; i < symbols->count; i++) {
		const struct symbols_entry *entry = &symbols->entries[i];

		highest = entry->start > highest ? entry->start : highest;
		if (entry->kind == SYMBOLS_CODE && entry->start < lowest)
			lowest = entry->start;
		code = code || entry->kind == SYMBOLS_CODE;
	}
	if (!code)
		return -ENOMSG;
	if (!highest)
		return -EACCES;
	by = moved ? address - lowest : 0;
	for (size_t i = first; i < symbols->count; i++) {
		struct symbols_entry *entry = &symbols->entries[i];

		entry->moved = by;
		entry->start = (entry->start + by) & SYMBOLS_BITS;
		entry->limit = entry->start + SYMBOLS_LAST;
		if (i + 1 < symbols->count) /* until the next one, wherever that is */
			entry->limit = UINT64_MAX;
	}
	return 0;
}

/* Linux's first symbol of code, by which perf finds where it is. */
static bool is_linux(const char *name, size_t length)
{
	return (length == 5 && memcmp(name, "_text", 5) == 0) ||
	       (length == 6 && memcmp(name, "_stext", 6) == 0);
}

/* At equal addresses perf shows the last one: those before it have no bytes. */
static void rank_linux(struct symbols *symbols, size_t first)
{
	for (size_t i = first; i < symbols->count; i++)
		symbols->entries[i].rank = UINT32_MAX - (uint32_t)i;
}

int symbols_read_list(struct symbols *symbols, FILE *file, bool moved, uint64_t address)
{
	const size_t first = symbols->count;
	char line[2 * SYMBOL_NAME_MAX];
	bool of_linux = false;
	int error = 0;

	while (!error && fgets(line, sizeof(line), file)) {
		struct symbols_entry entry = {0};
		const char *name = NULL;
		size_t length = 0;

		if (strlen(line) == sizeof(line) - 1 || !read_line(line, &entry, &name, &length))
			error = -ENOMSG;
		else
			error = symbols_keep(symbols, entry, name, length);
		of_linux = of_linux || (!error && is_linux(name, length));
	}
	if (ferror(file))
		return -EIO;
	if (of_linux)
		rank_linux(symbols, first);
	return error ? error : place_list(symbols, first, moved, address);
}
