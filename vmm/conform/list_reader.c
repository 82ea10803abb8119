/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads a list, one row a line: see list_reader.h. */
#include "conform/list_reader.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/input_file.h"
#include "base/memory.h"
#include "base/printable.h"

#define BLANKS " \t\r\n" /* between words, and at a line's end */

bool list_refuse(const struct list_reader *r, const char *format, ...)
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

/* The next word of *text, in place. NULL at the end of the line; *open if a quote is still open. */
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

void list_words_free(char **words)
{
	for (char **word = words; word && *word; word++)
		free(*word);
	free(words);
}

char **list_words(const char *text)
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
	list_words_free(words);
	return NULL;
}

bool list_read(const char *path, bool (*take)(void *ctx, const struct list_reader *r, char **words),
	       void *ctx, char *why, size_t size)
{
	struct list_reader r = {.path = path, .why = why, .size = size};
	int error;
	FILE *file = input_file_stream(path, &error);
	char *text = NULL;
	size_t room = 0;
	bool good = true;

	if (!file) {
		(void)snprintf(why, size, "%s: %s", path, input_file_error(error));
		return false;
	}
	errno = 0;
	while (good && getline(&text, &room, file) >= 0) {
		const char *start = text + strspn(text, BLANKS);
		char **words;

		r.line++;
		if (*start == '#' || *start == '\0')
			continue;
		words = list_words(text);
		good = words ? take(ctx, &r, words) : list_refuse(&r, "a quote is not closed");
		list_words_free(words);
		errno = 0;
	}
	if (good && ferror(file)) {
		(void)snprintf(why, size, "%s: %s", path, strerror(errno));
		good = false;
	}
	free(text);
	(void)fclose(file);
	return good;
}
