// SPDX-License-Identifier: BSD-2-Clause
/*
 * What the readers of the two forms of register pages share: the set that they fill, and the words
 * of instructions and conditions.
 */
#include "conform/page.h"

#include <stdlib.h>
#include <string.h>

static void *grow_array(void *array, size_t count, size_t *room, size_t size)
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

	set->accessors =
		grow_array(set->accessors, set->count, &set->room, sizeof(*set->accessors));
	a = &set->accessors[set->count++];
	*a = *accessor;
	a->file = strdup(file);
	return a;
}

void page_new_problem(struct page_set *set, const char *file, unsigned int line, const char *text)
{
	struct page_problem *p;

	set->problems = grow_array(set->problems, set->problem_count, &set->problem_room,
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
