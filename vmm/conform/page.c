// SPDX-License-Identifier: BSD-2-Clause
/* Register pages: files, folders, and what their two forms share. */
#include "conform/page.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define FOLDER_DEPTH_MAX 8
#define PATH_SIZE	 4096

static void *grown(void *array, size_t count, size_t *room, size_t size)
{
	void *more;

	if (count < *room)
		return array;
	*room = *room ? 2 * *room : 16;
	more = realloc(array, *room * size);
	if (!more)
		abort(); /* a few hundred bytes: there is no going on */
	return more;
}

struct page_accessor *page_new_accessor(struct page_set *set, const char *file,
					const struct page_accessor *accessor)
{
	struct page_accessor *a;

	set->accessors = grown(set->accessors, set->count, &set->room, sizeof(*set->accessors));
	a = &set->accessors[set->count++];
	*a = *accessor;
	a->file = strdup(file);
	return a;
}

void page_new_problem(struct page_set *set, const char *file, unsigned int line, const char *text)
{
	struct page_problem *p;

	set->problems = grown(set->problems, set->problem_count, &set->problem_room,
			      sizeof(*set->problems));
	p = &set->problems[set->problem_count++];
	p->file = strdup(file);
	p->line = line;
	snprintf(p->text, sizeof(p->text), "%s", text);
}

void page_free(struct page_set *set)
{
	for (size_t i = 0; i < set->count; i++) {
		free(set->accessors[i].file);
		asl_free(set->accessors[i].program);
	}
	for (size_t i = 0; i < set->problem_count; i++)
		free(set->problems[i].file);
	free(set->accessors);
	free(set->problems);
	*set = (struct page_set){0};
}

struct outcome page_decide(const void *ctx, struct world *w, enum sysreg_id reg, bool write)
{
	const struct page_accessor *a = ctx;

	(void)reg;
	(void)write;
	for (unsigned int i = 0; i < WORLD_HALTED; i++)
		if (a->needs[i] && !world_is(w, i))
			return (struct outcome){.kind = SYSREG_UNDEFINED};
	return asl_run(a->program, w);
}

/* The next word of letters, digits and _; others are skipped. Length 0 at the end. */
static size_t next_word(const char **text, const char *end)
{
	size_t n = 0;

	while (*text < end &&
	       !((**text >= 'A' && **text <= 'Z') || (**text >= 'a' && **text <= 'z') ||
		 (**text >= '0' && **text <= '9')))
		(*text)++;
	while (*text + n < end && (((*text)[n] >= 'A' && (*text)[n] <= 'Z') ||
				   ((*text)[n] >= 'a' && (*text)[n] <= 'z') ||
				   ((*text)[n] >= '0' && (*text)[n] <= '9') || (*text)[n] == '_'))
		n++;
	return n;
}

static bool word_is(const char *word, size_t length, const char *text)
{
	return strlen(text) == length && !memcmp(word, text, length);
}

static bool is_xt(const char *word, size_t length)
{
	return word_is(word, length, "Xt");
}

int page_instruction(const char *text, size_t size, enum sysreg_id *reg, bool *write)
{
	const char *words[3], *at = text, *end, *name;
	size_t lengths[3], length;

	if (size == 0) /* text may be NULL */
		return -1;
	end = text + size;
	for (int i = 0; i < 3; i++) {
		lengths[i] = next_word(&at, end);
		words[i] = at;
		at += lengths[i];
	}
	*write = word_is(words[0], lengths[0], "MSR");
	if ((!*write && !word_is(words[0], lengths[0], "MRS")) || next_word(&at, end) != 0)
		return -1;
	if (!is_xt(words[*write ? 2 : 1], lengths[*write ? 2 : 1]))
		return -1;
	name = words[*write ? 1 : 2];
	length = lengths[*write ? 1 : 2];
	if (length == 0)
		return -1;
	for (int i = 0; i < SYSREG_COUNT; i++)
		if (word_is(name, length, sysreg_name((enum sysreg_id)i))) {
			*reg = (enum sysreg_id)i;
			return 1;
		}
	return 0;
}

bool page_condition(const char *text, size_t size, bool needs[WORLD_HALTED])
{
	static const char *const filler[] = {"when", "When", "is", "are", "implemented", "and"};
	const char *end;

	if (size == 0) /* nothing is said, and text may be NULL */
		return true;
	end = text + size;
	for (;;) {
		const size_t n = next_word(&text, end);
		bool known = false;
		int feature;

		if (n == 0)
			return true;
		for (size_t i = 0; i < sizeof(filler) / sizeof(filler[0]); i++)
			known = known || word_is(text, n, filler[i]);
		feature = world_find_feature(text, n);
		if (feature < 0)
			feature = world_find_level(text, n);
		if (feature >= 0)
			needs[feature] = true;
		else if (!known && !word_is(text, n, "FEAT_AA64"))
			return false;
		text += n;
	}
}

void page_add_bytes(struct page_set *set, const char *name, const char *bytes, size_t size)
{
	const size_t before = set->count + set->others;
	size_t start = 0;

	/* A byte order mark, and blanks. */
	while (start < size && (strchr(" \t\r\n\xef\xbb\xbf", bytes[start]) && bytes[start]))
		start++;
	set->files++;
	if (start < size && bytes[start] == '<')
		page_read_xml(set, name, bytes, size);
	else
		page_read_text(set, name, bytes, size);
	if (set->count + set->others == before)
		set->without++;
}

static int add_file(struct page_set *set, const char *path, FILE *messages)
{
	FILE *file = fopen(path, "rb");
	char *bytes = NULL;
	size_t size = 0;
	int result = -1;

	if (file)
		bytes = malloc(PAGE_SIZE_MAX);
	if (bytes)
		size = fread(bytes, 1, PAGE_SIZE_MAX, file);
	if (!bytes || ferror(file)) {
		fprintf(messages, "vspe conform: %s: %s\n", path, strerror(errno));
	} else if (size == PAGE_SIZE_MAX) {
		fprintf(messages, "vspe conform: %s: larger than %u MiB, no register page is\n",
			path, PAGE_SIZE_MAX >> 20);
	} else {
		page_add_bytes(set, path, bytes, size);
		result = 0;
	}
	free(bytes);
	if (file)
		fclose(file);
	return result;
}

static bool is_page_name(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot && (!strcmp(dot, ".xml") || !strcmp(dot, ".txt"));
}

static int add_path(struct page_set *set, const char *path, int depth, FILE *messages);

static int add_folder(struct page_set *set, const char *path, int depth, FILE *messages)
{
	struct dirent **entries;
	const int count = scandir(path, &entries, NULL, alphasort);
	int result = 0;

	if (count < 0) {
		fprintf(messages, "vspe conform: %s: %s\n", path, strerror(errno));
		return -1;
	}
	for (int i = 0; i < count; i++) {
		const char *name = entries[i]->d_name;
		char full[PATH_SIZE];
		struct stat st;

		if (result == 0 && name[0] != '.' &&
		    (size_t)snprintf(full, sizeof(full), "%s/%s", path, name) < sizeof(full) &&
		    stat(full, &st) == 0 &&
		    (S_ISDIR(st.st_mode) ? depth < FOLDER_DEPTH_MAX : is_page_name(name)))
			result = add_path(set, full, depth + 1, messages);
		free(entries[i]);
	}
	free(entries);
	return result;
}

static int add_path(struct page_set *set, const char *path, int depth, FILE *messages)
{
	struct stat st;

	if (stat(path, &st)) {
		fprintf(messages, "vspe conform: %s: %s\n", path, strerror(errno));
		return -1;
	}
	if (S_ISDIR(st.st_mode))
		return add_folder(set, path, depth, messages);
	return add_file(set, path, messages);
}

int page_add(struct page_set *set, const char *path, FILE *messages)
{
	return add_path(set, path, 0, messages);
}
