/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Register pages as text, copied from the web: a line with the instruction, the table of its
 * encoding, and the pseudocode, on one or more lines, up to an empty line.
 */
#include "conform/page.h"

#include <string.h>

struct line {
	const char *text;
	size_t size;
	unsigned int number;
};

struct cursor {
	const char *at, *end;
	unsigned int number;
};

/* The next line, without its newline. False after the last. */
static bool next_line(struct cursor *c, struct line *line)
{
	const char *newline;

	if (c->at == c->end)
		return false;
	newline = memchr(c->at, '\n', (size_t)(c->end - c->at));
	line->text = c->at;
	line->size = (size_t)((newline ? newline : c->end) - c->at);
	line->number = ++c->number;
	c->at = newline ? newline + 1 : c->end;
	if (line->size && line->text[line->size - 1] == '\r')
		line->size--;
	return true;
}

static bool is_blank(const struct line *line)
{
	for (size_t i = 0; i < line->size; i++)
		if (line->text[i] != ' ' && line->text[i] != '\t')
			return false;
	return true;
}

static bool line_begins(const struct line *line, const char *with)
{
	size_t i = 0;

	while (i < line->size && (line->text[i] == ' ' || line->text[i] == '\t'))
		i++;
	return line->size - i >= strlen(with) && !memcmp(line->text + i, with, strlen(with));
}

/* "0b110b0000b10010b10010b011", with or without blanks and bars between: widths 2, 3, 4, 4, 3. */
static bool parse_encoding(const struct line *line, uint32_t *encoding)
{
	static const unsigned int widths[] = {2, 3, 4, 4, 3};
	size_t at = 0;

	*encoding = 0;
	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
		while (at < line->size &&
		       (line->text[at] == ' ' || line->text[at] == '\t' || line->text[at] == '|'))
			at++;
		if (line->size - at < 2 + widths[i] || memcmp(line->text + at, "0b", 2) != 0)
			return false;
		at += 2;
		for (unsigned int k = 0; k < widths[i]; k++, at++) {
			if (line->text[at] != '0' && line->text[at] != '1')
				return false;
			*encoding = *encoding << 1 | (line->text[at] == '1');
		}
	}
	return true;
}

/* Parse what follows the instruction: encoding, then pseudocode. */
static void read_accessor(struct page_set *set, const char *name, struct cursor *c,
			  struct page_accessor *a, const char *problem)
{
	struct line line;
	const char *begin = NULL, *end = NULL;
	unsigned int other;
	bool write;

	while (next_line(c, &line)) {
		if (page_instruction(line.text, line.size, &other, &write) >= 0) {
			/* The next accessor begins here: leave it for the next call. */
			c->at = line.text;
			c->number--;
			break;
		}
		if (begin && is_blank(&line))
			break;
		if (!begin && !a->encoded)
			a->encoded = parse_encoding(&line, &a->encoding);
		if (!begin && (line_begins(&line, "if ") || line_begins(&line, "integer "))) {
			begin = line.text;
			a->line = line.number;
		}
		if (begin)
			end = line.text + line.size;
	}
	a->problem.line = a->line;
	if (problem)
		snprintf(a->problem.text, sizeof(a->problem.text), "%s", problem);
	else if (!begin)
		snprintf(a->problem.text, sizeof(a->problem.text), "no pseudocode");
	else
		a->program =
			asl_parse(begin, (size_t)(end - begin), a->line, a->write, &a->problem);
	page_new_accessor(set, name, a);
}

/* "0b11 0b000 0b1100 0b110:m[3] m[2:0]": five words, which bars may part. */
static bool parse_parts(const struct line *line, struct page_encoding *encoding)
{
	size_t at = 0;

	if (!memchr(line->text, '0', line->size))
		return false;
	for (unsigned int i = 0; i < 5; i++) {
		size_t length = 0;

		while (at < line->size && strchr(" \t|", line->text[at]))
			at++;
		while (at + length < line->size && !strchr(" \t|", line->text[at + length]))
			length++;
		if (length == 0 || length >= sizeof(encoding->part[i]) ||
		    !(strchr("0mn", line->text[at]) && (length > 1)))
			return false;
		memcpy(encoding->part[i], line->text + at, length);
		encoding->part[i][length] = 0;
		at += length;
	}
	while (at < line->size && strchr(" \t|", line->text[at]))
		at++;
	return at == line->size;
}

/* Does another accessor begin here? */
static bool begins_accessor(const struct line *line)
{
	unsigned int other;
	bool write;

	return page_instruction(line->text, line->size, &other, &write) >= 0 ||
	       page_cpu_instruction(line->text, line->size, &write);
}

/* An accessor without a name of SPE's: find its encoding and, for a CPU, the pseudocode. */
static void read_other(struct page_set *set, const char *name, struct cursor c,
		       struct page_accessor *a, const struct line *instruction,
		       const struct line *before)
{
	char condition[160] = "";

	struct page_encoding parts = {{{0}}};
	struct line line;
	const char *begin = NULL, *end = NULL;

	while (next_line(&c, &line) && !begins_accessor(&line)) {
		if (begin && is_blank(&line))
			break;
		if (!begin && !a->encoded)
			a->encoded = parse_encoding(&line, &a->encoding);
		if (!begin && !parts.part[4][0] && !parse_parts(&line, &parts))
			parts.part[4][0] = 0;
		if (!begin && (line_begins(&line, "if ") || line_begins(&line, "integer "))) {
			begin = line.text;
			a->line = line.number;
		}
		if (begin)
			end = line.text + line.size;
	}
	if (before->size && line_begins(before, "When "))
		(void)snprintf(condition, sizeof(condition), "%.*s", (int)before->size,
			       before->text);
	page_other_accessor(set, name, a);
	page_cpu_accessor(set, name, a, instruction->text, instruction->size, &parts, begin,
			  begin ? (size_t)(end - begin) : 0, condition,
			  begin ? NULL : "no pseudocode");
}

void page_read_text(struct page_set *set, const char *name, const char *bytes, size_t size)
{
	struct cursor c = {.at = bytes, .end = bytes + size};
	struct line line, before = {0};
	bool titled = false;

	while (next_line(&c, &line)) {
		struct page_accessor a = {.line = line.number};
		char problem[160];
		bool known = true;
		int of = page_instruction(line.text, line.size, &a.reg, &a.write);

		if (of == 1) {
			if (before.size && line_begins(&before, "When "))
				known = page_condition(before.text, before.size, a.needs);
			snprintf(problem, sizeof(problem),
				 "the accessor's condition \"%.*s\" is not known",
				 (int)(before.size < 80 ? before.size : 80), before.text);
			read_accessor(set, name, &c, &a, known ? NULL : problem);
		} else if (of == 0 || page_cpu_instruction(line.text, line.size, &a.write)) {
			read_other(set, name, c, &a, &line, &before);
		}
		titled = titled || page_title(set, line.text, line.size);
		if (!is_blank(&line))
			before = line;
	}
}
