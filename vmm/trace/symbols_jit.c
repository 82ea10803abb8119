/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of code that a process made as it ran, from its list: see symbols_add_jit(). */
#include "trace/symbols_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define USER (UINT64_C(1) << 48) /* the end of a process's addresses without FEAT_LVA */

/* Hexadecimal digits, followed by a blank. NULL: it is something else. */
static char *read_number(char *at, uint64_t *number)
{
	const size_t digits = strspn(at, "0123456789abcdefABCDEF");

	if (!digits || digits > 16 || at[digits] != ' ')
		return NULL;
	*number = strtoull(at, NULL, 16);
	return at + digits + 1;
}

/* Read a line "3ef414c0 398 RegExp:[{(]" and return the name. NULL: it is no such line. */
static char *read_line(char *line, struct symbols_entry *entry, uint64_t moved)
{
	uint64_t start, size;
	char *name = read_number(line, &start);

	if (name)
		name = read_number(name, &size);
	if (!name || !*name || start >= USER || size > USER - start)
		return NULL;
	*entry = (struct symbols_entry){
		.start = start + moved, .end = start + moved + (size ? size : 1), .moved = moved};
	return name;
}

/* Skip the rest of a line that was read in part. */
static void skip_line(FILE *file)
{
	int c;

	do
		c = getc(file);
	while (c != '\n' && c != EOF);
}

/* Sort by address, and at equal addresses the last one kept first. */
static int compare(const void *one, const void *other)
{
	const struct symbols_entry *a = one, *b = other;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->linkage > b->linkage ? -1 : a->linkage < b->linkage;
}

static void drop_older(struct symbols *symbols, size_t first)
{
	struct symbols_entry *entries = symbols->entries;
	size_t kept = first;

	if (symbols->count == first)
		return;
	qsort(entries + first, symbols->count - first, sizeof(*entries), compare);
	for (size_t i = first; i < symbols->count; i++)
		if (kept == first || entries[i].start != entries[kept - 1].start)
			entries[kept++] = entries[i];
	symbols->functions -= symbols->count - kept;
	symbols->count = kept;
}

int symbols_add_jit(struct symbols *symbols, FILE *file, uint64_t moved)
{
	const size_t first = symbols->count;
	char line[2 * SYMBOL_NAME_MAX];
	int error = 0;

	symbols->sorted = false;
	while (!error && fgets(line, sizeof(line), file)) {
		const size_t length = strcspn(line, "\n");
		struct symbols_entry entry;
		const char *name;

		if (!line[length] && length == sizeof(line) - 1)
			skip_line(file);
		line[length] = '\0';
		name = read_line(line, &entry, moved);
		if (name)
			error = symbols_keep(symbols, entry, name, strlen(name));
	}
	drop_older(symbols, first);
	if (ferror(file))
		return -EIO;
	return !error && symbols->count == first ? -ENOMSG : error;
}
