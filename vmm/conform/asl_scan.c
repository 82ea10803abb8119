// SPDX-License-Identifier: BSD-2-Clause
/* The tokens of the pseudocode, and how a parser moves through them. */
#include "conform/asl_internal.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#define TAB_WIDTH 8

struct scanner {
	const char *at, *end;
	unsigned int line;
	int column;
	bool first;
};

static bool is_name(char c, bool begin)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       (!begin && c >= '0' && c <= '9');
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static void step_over(struct scanner *s)
{
	if (*s->at == '\n') {
		s->line++;
		s->column = 0;
		s->first = true;
	} else if (*s->at == '\t') {
		s->column = (s->column / TAB_WIDTH + 1) * TAB_WIDTH;
	} else {
		s->column++;
	}
	s->at++;
}

/* Blanks, and // comments. */
static void skip_blanks(struct scanner *s)
{
	while (s->at < s->end) {
		if (s->end - s->at >= 2 && s->at[0] == '/' && s->at[1] == '/') {
			while (s->at < s->end && *s->at != '\n')
				step_over(s);
		} else if (strchr(" \t\r\n", *s->at) && *s->at) {
			step_over(s);
		} else {
			return;
		}
	}
}

/* '...' or "...": the text between the quotes, which must be on one line. */
static bool scan_quoted(struct scanner *s, struct token *t)
{
	const char quote = *s->at;

	t->kind = quote == '\'' ? TOKEN_BITS : TOKEN_STRING;
	step_over(s);
	t->text = s->at;
	while (s->at < s->end && *s->at != quote && *s->at != '\n')
		step_over(s);
	t->length = (size_t)(s->at - t->text);
	if (s->at == s->end || *s->at != quote)
		return false;
	step_over(s);
	return true;
}

static void scan_word(struct scanner *s, struct token *t)
{
	t->kind = is_digit(*s->at) ? TOKEN_NUMBER : TOKEN_NAME;
	while (s->at < s->end && is_name(*s->at, false))
		step_over(s);
	t->length = (size_t)(s->at - t->text);
}

static bool scan_symbol(struct scanner *s, struct token *t)
{
	static const char *const two[] = {"==", "!=", "&&", "||", ">="};

	t->kind = TOKEN_SYMBOL;
	t->length = 1;
	for (size_t i = 0; i < sizeof(two) / sizeof(two[0]); i++)
		if (s->end - s->at >= 2 && !memcmp(s->at, two[i], 2))
			t->length = 2;
	if (t->length == 1 && (!*s->at || !strchr("()[]{}<>.,;:=!+-*", *s->at)))
		return false;
	for (size_t i = 0; i < t->length; i++)
		step_over(s);
	return true;
}

static bool scan_one(struct scanner *s, struct token *t)
{
	*t = (struct token){.text = s->at, .line = s->line, .column = s->column, .first = s->first};
	s->first = false;
	if (s->at == s->end)
		return true;
	if (*s->at == '\'' || *s->at == '"')
		return scan_quoted(s, t);
	if (is_name(*s->at, false)) {
		scan_word(s, t);
		return true;
	}
	return scan_symbol(s, t);
}

struct token *asl_scan(const char *text, size_t size, unsigned int first_line, size_t *count,
		       struct asl_error *error)
{
	struct scanner s = {.at = text, .end = text + size, .line = first_line, .first = true};
	struct token *tokens = NULL;
	const char *start;
	size_t room = 0;

	*count = 0;
	do {
		skip_blanks(&s);
		if (*count == room) {
			room = room ? 2 * room : 256;
			if (room > 2 * ASL_TOKENS_MAX) {
				error->line = s.line;
				snprintf(error->text, sizeof(error->text),
					 "too long: more than %u words", ASL_TOKENS_MAX);
				free(tokens);
				return NULL;
			}
			tokens = memory_need(realloc(tokens, room * sizeof(*tokens)));
		}
		start = s.at;
		if (!scan_one(&s, &tokens[*count])) {
			error->line = tokens[*count].line;
			snprintf(error->text, sizeof(error->text),
				 tokens[*count].kind == TOKEN_SYMBOL
					 ? "a character that the pseudocode does not have: 0x%02x"
					 : "a quote (0x%02x) that is not closed on its line",
				 (unsigned int)(unsigned char)*start);
			free(tokens);
			return NULL;
		}
	} while (tokens[(*count)++].kind != TOKEN_END);
	return tokens;
}

unsigned int asl_fail(struct asl_parser *p, const char *what)
{
	const struct token *t = asl_token(p);
	const int length = t->length > 40 ? 40 : (int)t->length;

	if (p->failed)
		return 0;
	p->failed = true;
	p->error->line = t->line;
	if (t->kind == TOKEN_END)
		snprintf(p->error->text, sizeof(p->error->text), "at the end: %s", what);
	else
		snprintf(p->error->text, sizeof(p->error->text), "at \"%.*s\": %s", length, t->text,
			 what);
	return 0;
}

bool asl_is(const struct asl_parser *p, const char *text)
{
	const struct token *t = asl_token(p);

	return (t->kind == TOKEN_NAME || t->kind == TOKEN_SYMBOL) && strlen(text) == t->length &&
	       !memcmp(t->text, text, t->length);
}

bool asl_take(struct asl_parser *p, const char *text)
{
	if (p->failed || !asl_is(p, text))
		return false;
	p->at++;
	return true;
}

bool asl_expect(struct asl_parser *p, const char *text)
{
	char what[48];

	if (asl_take(p, text))
		return true;
	snprintf(what, sizeof(what), "\"%s\" expected", text);
	asl_fail(p, what);
	return false;
}
