/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the list of guests: see guest_list.h. */
#define _GNU_SOURCE /* asprintf */
#include "conform/guest_list.h"
#include "base/memory.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conform/list_reader.h"

#define MOST_TESTS   100000
#define MOST_SECONDS 100000

static bool parse_column(const struct list_reader *r, const char *column, const char *text,
			 unsigned long most, unsigned int *value)
{
	char *end;
	unsigned long n;

	errno = 0;
	n = strtoul(text, &end, 10);
	if (!isdigit((unsigned char)text[0]) || *end || errno || n > most)
		return list_refuse(r, "%s '%s' is not a number from 0 to %lu", column, text, most);
	*value = (unsigned int)n;
	return true;
}

static bool has_suffix(const char *text, const char *suffix)
{
	const size_t length = strlen(text), tail = strlen(suffix);

	return length > tail && strcmp(text + length - tail, suffix) == 0;
}

static char *image_file(const char *image)
{
	char *file;

	if (has_suffix(image, ".elf"))
		return memory_need(strdup(image));
	if (asprintf(&file, "%s.Image", image) < 0)
		memory_out();
	return file;
}

static bool row_name(const struct list_reader *r, const struct guest_list *list, const char *name)
{
	if (!islower((unsigned char)name[0]) ||
	    strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_.-") != strlen(name))
		return list_refuse(r, "name '%s' is not of small letters, digits and _.-", name);
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->rows[i].name, name) == 0)
			return list_refuse(r, "name '%s' is already that of line %u", name,
					   list->rows[i].line);
	return true;
}

enum column { NAME, ON, IMAGE, PLAN, SKIPS, SECONDS, COLUMNS };

static bool row_fill(const struct list_reader *r, struct guest_row *row,
		     char *const column[COLUMNS])
{
	if (!parse_column(r, "plan", column[PLAN], MOST_TESTS, &row->plan) ||
	    !parse_column(r, "skips", column[SKIPS], MOST_TESTS, &row->skips) ||
	    !parse_column(r, "seconds", column[SECONDS], MOST_SECONDS, &row->seconds))
		return false;
	if (row->skips > row->plan)
		return list_refuse(r, "%u skips of a plan of %u", row->skips, row->plan);
	if (row->seconds == 0)
		return list_refuse(r, "seconds '0' is no time");
	row->name = memory_need(strdup(column[NAME]));
	row->on = memory_need(strdup(column[ON]));
	row->image = image_file(column[IMAGE]);
	row->line = r->line;
	return true;
}

static void row_free(struct guest_row *row)
{
	for (size_t i = 0; i < row->argument_count; i++)
		free(row->arguments[i]);
	free(row->arguments);
	free(row->name);
	free(row->on);
	free(row->image);
}

static bool take_row(void *ctx, const struct list_reader *r, char **words)
{
	static const char *const names[COLUMNS] = {"name", "on",    "image",
						   "plan", "skips", "seconds"};
	struct guest_list *list = ctx;
	struct guest_row row = {0};

	for (unsigned int i = 0; i < COLUMNS; i++)
		if (!words[i] || !words[i][0])
			return list_refuse(r, "no %s", names[i]);
	if (!row_name(r, list, words[NAME]) || !row_fill(r, &row, words))
		return false;
	for (char **word = words + COLUMNS; *word; word++) {
		row.arguments = memory_need(
			realloc(row.arguments, (row.argument_count + 1) * sizeof(*row.arguments)));
		row.arguments[row.argument_count++] = memory_need(strdup(*word));
	}
	list->rows = memory_need(realloc(list->rows, (list->count + 1) * sizeof(*list->rows)));
	list->rows[list->count++] = row;
	return true;
}

bool guest_list_read(struct guest_list *list, const char *path, char *why, size_t size)
{
	*list = (struct guest_list){.path = path};
	if (list_read(path, take_row, list, why, size))
		return true;
	guest_list_free(list);
	return false;
}

void guest_list_free(struct guest_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		row_free(&list->rows[i]);
	free(list->rows);
	*list = (struct guest_list){0};
}
