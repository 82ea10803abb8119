/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the readers of the two forms of register pages share: the set that they fill, and the
 * parsing of instructions and conditions.
 */
#define _GNU_SOURCE /* memmem */
#include "conform/page.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* op0 3, CRn 9, and CRm 9 or 10: these encodings are SPE's, with any op1 and op2. */
#define SPE_MASK     (3u << 14 | 15u << 7 | 15u << 3)
#define SPE_ENCODING (3u << 14 | 9u << 7)

static bool among_spes(uint32_t encoding)
{
	const uint32_t rest = encoding & SPE_MASK;

	return rest == (SPE_ENCODING | 9u << 3) || rest == (SPE_ENCODING | 10u << 3);
}

static void *grow_array(void *array, size_t count, size_t *room, size_t size)
{
	void *more;

	if (count < *room)
		return array;
	*room = *room ? 2 * *room : 16;
	more = realloc(array, *room * size);
	if (!more)
		memory_out();
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
	a->file = memory_need(strdup(file));
	return a;
}

void page_new_problem(struct page_set *set, const char *file, unsigned int line, const char *text)
{
	struct page_problem *p;

	set->problems = grow_array(set->problems, set->problem_count, &set->problem_room,
				   sizeof(*set->problems));
	p = &set->problems[set->problem_count++];
	p->file = memory_need(strdup(file));
	p->line = line;
	snprintf(p->text, sizeof(p->text), "%s", text);
}

void page_free(struct page_set *set)
{
	for (size_t i = 0; i < set->count; i++) {
		free(set->accessors[i].file);
		free(set->accessors[i].name);
		/* Those of one page share it: the first has it. */
		if (!set->accessors[i].shared)
			asl_free(set->accessors[i].program);
	}
	for (size_t i = 0; i < set->lacking_count; i++)
		free(set->lacking[i]);
	free(set->lacking);
	for (size_t i = 0; i < set->problem_count; i++)
		free(set->problems[i].file);
	free(set->accessors);
	free(set->problems);
	*set = (struct page_set){0};
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

bool page_title(struct page_set *set, const char *text, size_t size)
{
	const size_t length = size ? next_word(&text, text + size) : 0;
	const unsigned int reg = subject_find(text, length);

	if (reg != SUBJECT_NONE)
		set->about[reg] = true;
	return length > 4 && memmem(text, length, "_EL", 3);
}

void page_other_accessor(struct page_set *set, const char *file, const struct page_accessor *other)
{
	const unsigned int reg =
		other->encoded ? subject_of_encoding(other->encoding) : SUBJECT_NONE;
	char text[96];

	set->others++;
	if (reg != SUBJECT_NONE)
		snprintf(text, sizeof(text), "an accessor with the encoding of %s has another name",
			 subject_name(reg));
	else if (other->encoded && among_spes(other->encoding))
		snprintf(text, sizeof(text),
			 "an accessor among the encodings of SPE is of no register that is known");
	else
		return;
	page_new_problem(set, file, other->line, text);
}

struct outcome page_decide(const void *ctx, struct world *w, unsigned int reg, bool write)
{
	const struct page_accessor *a = ctx;

	(void)reg;
	(void)write;
	for (unsigned int i = 0; i < WORLD_HALTED; i++)
		if (a->needs[i] && !world_is(w, i))
			return (struct outcome){.kind = SYSREG_UNDEFINED};
	return asl_run(a->program, w);
}

static bool is_xt(const char *word, size_t length)
{
	return word_is(word, length, "Xt");
}

/* The length of "<m>" within a name, together with the rest of the name. */
static size_t index_length(const char *at, const char *end)
{
	size_t n = 3;

	if (end - at < 4 || at[0] != '<' || (at[1] != 'm' && at[1] != 'n') || at[2] != '>' ||
	    at[3] != '_')
		return 0;
	while (at + n < end &&
	       (at[n] == '_' || (at[n] >= 'A' && at[n] <= 'Z') || (at[n] >= '0' && at[n] <= '9')))
		n++;
	return n;
}

int page_instruction(const char *text, size_t size, unsigned int *reg, bool *write)
{
	const char *words[3], *at = text, *end, *name;
	size_t lengths[3], length;
	unsigned int found;

	if (size == 0) /* text may be NULL */
		return -1;
	end = memchr(text, ';', size); /* "; Where m = 0-30" */
	if (!end)
		end = text + size;
	for (int i = 0; i < 3; i++) {
		lengths[i] = next_word(&at, end);
		words[i] = at;
		at += lengths[i];
		if (lengths[i]) {
			const size_t more = index_length(at, end);

			lengths[i] += more;
			at += more;
		}
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
	found = subject_find(name, length);
	if (found != SUBJECT_NONE)
		*reg = found;
	return found != SUBJECT_NONE;
}

bool page_condition(const char *text, size_t size, bool needs[WORLD_HALTED])
{
	static const char *const filler[] = {"when", "When", "is", "are", "implemented", "and"};
	const char *end;

	if (size == 0) /* no text, which may be NULL */
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
