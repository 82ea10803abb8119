/* SPDX-License-Identifier: BSD-2-Clause */
/* Known defects of machines: see known.h. */
#include "conform/known.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "conform/list_reader.h"

/* Is this side of a range of versions a number, or empty? */
static bool is_version(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (!isdigit((unsigned char)text[i]) &&
		    (text[i] != '.' || i == 0 || i + 1 == length || text[i - 1] == '.'))
			return false;
	return true;
}

static bool versions_are_right(const char *versions)
{
	const size_t first = strcspn(versions, "-");

	if (versions[first] == '\0')
		return first > 0 && is_version(versions, first);
	return is_version(versions, first) &&
	       is_version(versions + first + 1, strlen(versions + first + 1));
}

/*
 * Compare only as many numbers as limit has: 7.2.5 is equal to 7.2, as both are 7.2. Numbers that
 * version lacks are 0.
 */
static int compare_to(const char *version, const char *limit, size_t length)
{
	const char *end = limit + length;

	while (limit < end) {
		char *next_version, *next_limit;
		const unsigned long a = strtoul(version, &next_version, 10);
		const unsigned long b = strtoul(limit, &next_limit, 10);

		if (a != b)
			return a < b ? -1 : 1;
		version = next_version + (*next_version == '.');
		limit = next_limit + 1;
	}
	return 0;
}

bool known_version_in(const char *version, const char *versions)
{
	const size_t first = strcspn(versions, "-");
	const char *last = versions + first + 1;

	if (versions[first] == '\0')
		return compare_to(version, versions, first) == 0;
	return compare_to(version, versions, first) >= 0 &&
	       compare_to(version, last, strlen(last)) <= 0;
}

static bool take_row(void *ctx, const struct list_reader *r, char **words)
{
	static const char *const names[] = {"machine", "versions", "test", "what it does instead",
					    "source"};
	struct known_list *list = ctx;
	struct known_row row = {.line = r->line};
	char **const columns[] = {&row.machine, &row.versions, &row.test, &row.instead,
				  &row.source};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!words[i] || !words[i][0])
			return list_refuse(r, "no %s", names[i]);
	if (words[5])
		return list_refuse(r, "'%s' is a word too many", words[5]);
	if (!versions_are_right(words[1]))
		return list_refuse(r, "versions '%s' are not as 7.2, 7.2-10.0, -10 or 8-",
				   words[1]);
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->rows[i].machine, words[0]) == 0 &&
		    strcmp(list->rows[i].versions, words[1]) == 0 &&
		    strcmp(list->rows[i].test, words[2]) == 0)
			return list_refuse(r, "'%s' of these is already in line %u", words[2],
					   list->rows[i].line);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		*columns[i] = memory_need(strdup(words[i]));
	list->rows = memory_need(realloc(list->rows, (list->count + 1) * sizeof(*list->rows)));
	list->rows[list->count++] = row;
	return true;
}

bool known_list_read(struct known_list *list, const char *path, char *why, size_t size)
{
	*list = (struct known_list){0};
	if (list_read(path, take_row, list, why, size))
		return true;
	known_list_free(list);
	return false;
}

void known_list_free(struct known_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		struct known_row *row = &list->rows[i];

		free(row->machine);
		free(row->versions);
		free(row->test);
		free(row->instead);
		free(row->source);
	}
	free(list->rows);
	*list = (struct known_list){0};
}

bool known_machine_parse(struct known_machine *machine, const char *text)
{
	const size_t length = strcspn(text, ",");

	if (length == 0 || text[length] == '\0' || !isdigit((unsigned char)text[length + 1]))
		return false;
	*machine = (struct known_machine){
		.name = text, .name_length = length, .version = text + length + 1};
	return true;
}

static bool is_about(const struct known_row *row, const struct known_machine *machine,
		     const char *test)
{
	return strlen(row->machine) == machine->name_length &&
	       strncmp(row->machine, machine->name, machine->name_length) == 0 &&
	       known_version_in(machine->version, row->versions) && strcmp(row->test, test) == 0;
}

const struct known_row *known_find(const struct known_list *list,
				   const struct known_machine *machines, size_t count,
				   const char *test)
{
	for (size_t i = 0; i < list->count; i++)
		for (size_t j = 0; j < count; j++)
			if (is_about(&list->rows[i], &machines[j], test))
				return &list->rows[i];
	return NULL;
}
