// SPDX-License-Identifier: BSD-2-Clause
/* Reading the list of guests: see guest_list.h. */
#define _GNU_SOURCE /* asprintf */
#include "conform/guest_list.h"
#include "base/memory.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"

#define BLANKS	     " \t\r\n" /* between words, and what is left of a line's end */
#define MOST_TESTS   100000
#define MOST_SECONDS 100000

/* Where the reader is, and what is wrong there. */
struct reader {
	const char *path;
	unsigned int line;
	char *why;
	size_t size;
};

static bool refuse_line(const struct reader *r, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static bool refuse_line(const struct reader *r, const char *format, ...)
{
	char text[256];
	va_list args;
	int used = snprintf(r->why, r->size, "%s:%u: ", r->path, r->line);

	if (used < 0 || (size_t)used >= r->size)
		return false;
	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	(void)printable(r->why + used, r->size - (size_t)used, text);
	return false;
}

/*
 * The next word of *text as a shell would make it of blanks, quotes and backslashes, written over
 * the text itself. NULL at the end of the line; *open if a quote is.
 */
static char *next_word(char **text, bool *open)
{
	char *in = *text + strspn(*text, BLANKS), *out = in, *word = in;
	char quote = '\0';

	if (*in == '\0')
		return NULL;
	for (; *in && (quote || !strchr(BLANKS, *in)); in++) {
		if (*in == quote)
			quote = '\0';
		else if (!quote && (*in == '\'' || *in == '"'))
			quote = *in;
		else if (*in == '\\' && quote != '\'' && in[1])
			*out++ = *++in;
		else
			*out++ = *in;
	}
	*open = quote != '\0';
	*text = in + (*in != '\0');
	*out = '\0';
	return word;
}

char **guest_list_words(const char *text)
{
	char *copy = memory_need(strdup(text)), *rest = copy, *word;
	char **words = memory_need(calloc(strlen(text) / 2 + 2, sizeof(*words)));
	bool open = false;
	size_t count = 0;

	while (!open && (word = next_word(&rest, &open)) != NULL)
		words[count++] = memory_need(strdup(word));
	free(copy);
	if (!open)
		return words;
	while (count)
		free(words[--count]);
	free(words);
	return NULL;
}

static bool parse_column(const struct reader *r, const char *column, const char *text,
			 unsigned long most, unsigned int *value)
{
	char *end;
	unsigned long n;

	errno = 0;
	n = strtoul(text, &end, 10);
	if (!isdigit((unsigned char)text[0]) || *end || errno || n > most)
		return refuse_line(r, "%s '%s' is not a number from 0 to %lu", column, text, most);
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

static bool row_name(const struct reader *r, const struct guest_list *list, const char *name)
{
	if (!islower((unsigned char)name[0]) ||
	    strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_.-") != strlen(name))
		return refuse_line(r, "name '%s' is not of small letters, digits and _.-", name);
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->rows[i].name, name) == 0)
			return refuse_line(r, "name '%s' is already that of line %u", name,
					   list->rows[i].line);
	return true;
}

enum column { NAME, ON, IMAGE, PLAN, SKIPS, SECONDS, COLUMNS };

static bool row_fill(const struct reader *r, struct guest_row *row, char *const column[COLUMNS])
{
	if (!parse_column(r, "plan", column[PLAN], MOST_TESTS, &row->plan) ||
	    !parse_column(r, "skips", column[SKIPS], MOST_TESTS, &row->skips) ||
	    !parse_column(r, "seconds", column[SECONDS], MOST_SECONDS, &row->seconds))
		return false;
	if (row->skips > row->plan)
		return refuse_line(r, "%u skips of a plan of %u", row->skips, row->plan);
	if (row->seconds == 0)
		return refuse_line(r, "seconds '0' is no time");
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

static bool read_row(const struct reader *r, struct guest_list *list, char *text)
{
	static const char *const names[COLUMNS] = {"name", "on",    "image",
						   "plan", "skips", "seconds"};
	struct guest_row row = {0};
	char *column[COLUMNS], *word;
	bool open = false;

	for (unsigned int i = 0; i < COLUMNS; i++) {
		column[i] = next_word(&text, &open);
		if (!column[i] || !column[i][0])
			return refuse_line(r, "no %s", names[i]);
		if (open)
			return refuse_line(r, "a quote is not closed");
	}
	if (!row_name(r, list, column[NAME]) || !row_fill(r, &row, column))
		return false;
	while (!open && (word = next_word(&text, &open)) != NULL) {
		row.arguments = memory_need(
			realloc(row.arguments, (row.argument_count + 1) * sizeof(*row.arguments)));
		row.arguments[row.argument_count++] = memory_need(strdup(word));
	}
	if (open) {
		row_free(&row);
		return refuse_line(r, "a quote is not closed");
	}
	list->rows = memory_need(realloc(list->rows, (list->count + 1) * sizeof(*list->rows)));
	list->rows[list->count++] = row;
	return true;
}

bool guest_list_read(struct guest_list *list, const char *path, char *why, size_t size)
{
	struct reader r = {.path = path, .why = why, .size = size};
	FILE *file = fopen(path, "r");
	char *text = NULL;
	size_t room = 0;
	bool good = true;

	*list = (struct guest_list){.path = path};
	if (!file) {
		(void)snprintf(why, size, "%s: %s", path, strerror(errno));
		return false;
	}
	errno = 0;
	while (good && getline(&text, &room, file) >= 0) {
		const char *start = text + strspn(text, BLANKS);

		r.line++;
		if (*start != '#' && *start != '\0')
			good = read_row(&r, list, text);
	}
	if (good && ferror(file)) {
		(void)snprintf(why, size, "%s: %s", path, strerror(errno));
		good = false;
	}
	free(text);
	(void)fclose(file);
	if (!good)
		guest_list_free(list);
	return good;
}

void guest_list_free(struct guest_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		row_free(&list->rows[i]);
	free(list->rows);
	*list = (struct guest_list){0};
}
