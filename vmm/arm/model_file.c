/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The file of a machine model: a key and its value per line, '#' begins a comment. The text is
 * untrusted: any bytes give a model or an error.
 */
#include "arm/model_file.h"
#include "arm/model_words.h"
#include "base/input_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORD 64 /* bytes of a word, with its end */
#define WHY  192

struct parse {
	struct model_file *file;
	uint32_t line;
	char why[WHY];
};

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/*
 * The next word of a line into word, empty at its end. false: it has a byte that no word may have,
 * or is too long.
 */
static bool next_word(const char **at, const char *end, char word[WORD])
{
	size_t length = 0;

	while (*at < end && is_space(**at))
		++*at;
	while (*at < end && !is_space(**at) && **at != '#') {
		if (**at <= ' ' || **at > '~' || length == WORD - 1)
			return false;
		word[length++] = *(*at)++;
	}
	word[length] = '\0';
	if (*at < end && **at == '#')
		*at = end;
	return true;
}

static int parse_line(struct parse *parse, const char *at, const char *end)
{
	char name[WORD], value[WORD], more[WORD];
	size_t key;

	if (!next_word(&at, end, name) || !next_word(&at, end, value) ||
	    !next_word(&at, end, more)) {
		(void)snprintf(parse->why, WHY, "a word of more than %d characters, or not ASCII",
			       WORD - 1);
		return -1;
	}
	if (!*name)
		return 0;
	if (!*value || *more) {
		(void)snprintf(parse->why, WHY, "%.40s: %s%.40s", name,
			       *more ? "more than one value: " : "no value", more);
		return -1;
	}
	if (model_words_set(&parse->file->values, name, value, &key, parse->why, WHY) < 0)
		return -1;
	if (parse->file->lines[key]) {
		(void)snprintf(parse->why, WHY, "%.40s: a second time; the first is line %" PRIu32,
			       name, parse->file->lines[key]);
		return -1;
	}
	parse->file->lines[key] = parse->line;
	return 0;
}

/*
 * The line to blame for two keys that contradict each other: the line of key, or else the last one
 * with a key. Defaults are never to blame.
 */
static uint32_t line_of(const struct model_file *file, size_t key)
{
	uint32_t last = 0;

	for (size_t i = 0; i < MODEL_CONFIG_KEYS; i++)
		last = file->lines[i] > last ? file->lines[i] : last;
	return file->lines[key] ? file->lines[key] : last;
}

static int parse_lines(struct parse *parse, const char *text, size_t size)
{
	const char *const end = text + size;

	while (text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		const char *stop = newline ? newline : end;

		parse->line++;
		if (parse_line(parse, text, stop) < 0)
			return -1;
		text = stop + (newline != NULL);
	}
	return 0;
}

int model_file_parse(const char *text, size_t size, struct model_file *file, char *why,
		     size_t why_size)
{
	struct parse parse = {.file = file};

	*file = (struct model_file){0};
	if (parse_lines(&parse, text, size) == 0)
		return 0;
	(void)snprintf(why, why_size, "line %" PRIu32 ": %s", parse.line, parse.why);
	return -1;
}

int model_file_apply(const struct model_file *file, struct model_config *config, char *why,
		     size_t why_size)
{
	struct model_config made = *config;
	char what[WHY];
	size_t key;

	for (key = 0; key < MODEL_CONFIG_KEYS; key++)
		if (file->lines[key])
			((uint32_t *)&made)[key] = ((const uint32_t *)&file->values)[key];
	if (model_words_check(&made, &key, what, WHY) < 0) {
		(void)snprintf(why, why_size, "line %" PRIu32 ": %s", line_of(file, key), what);
		return -1;
	}
	*config = made;
	return 0;
}

int model_file_read(const char *path, struct model_file *file, char *why, size_t why_size)
{
	int error;
	FILE *from = input_file_stream(path, &error);
	char *text = from ? malloc(MODEL_FILE_MAX + 1) : NULL;
	int result = -1;
	size_t size;

	if (!text) {
		(void)snprintf(why, why_size, "%s", from ? "no memory" : input_file_error(error));
	} else {
		errno = 0;
		size = fread(text, 1, MODEL_FILE_MAX + 1, from);
		if (ferror(from))
			(void)snprintf(why, why_size, "%s", strerror(errno));
		else if (size > MODEL_FILE_MAX)
			(void)snprintf(why, why_size, "more than %d bytes", MODEL_FILE_MAX);
		else
			result = model_file_parse(text, size, file, why, why_size);
	}
	free(text);
	if (from)
		(void)fclose(from);
	return result;
}
