/* SPDX-License-Identifier: BSD-2-Clause */
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
	enum asl_scope scope;
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

static bool is_pair(const struct scanner *s, const char *pair)
{
	return s->end - s->at >= 2 && !memcmp(s->at, pair, 2);
}

/* Blanks, and comments. One that begins with / and * ends with the text if nothing closes it. */
static void skip_blanks(struct scanner *s)
{
	while (s->at < s->end) {
		if (is_pair(s, "//")) {
			while (s->at < s->end && *s->at != '\n')
				step_over(s);
		} else if (s->scope == ASL_SCOPE_CODE && is_pair(s, "/*")) {
			while (s->at < s->end && !is_pair(s, "*/"))
				step_over(s);
			for (int i = 0; i < 2 && s->at < s->end; i++)
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
	static const char *const two[] = {"==", "!=", "&&", "||", ">=",
					  /* only in code */
					  "<=", "<<", ">>", "=>", "::", "+:", "*:", "..", "->"};
	const bool code = s->scope == ASL_SCOPE_CODE;
	const size_t pairs = code ? sizeof(two) / sizeof(two[0]) : 5;

	t->kind = TOKEN_SYMBOL;
	t->length = 1;
	for (size_t i = 0; i < pairs; i++)
		if (is_pair(s, two[i]))
			t->length = 2;
	if (code && s->end - s->at >= 3 &&
	    (!memcmp(s->at, "-->", 3) || !memcmp(s->at, "<->", 3) || !memcmp(s->at, "<=>", 3)))
		t->length = 3;
	if (t->length == 1 && (!*s->at || !strchr("()[]{}<>.,;:=!+-*", *s->at)) &&
	    (!code || !*s->at || !strchr("/^", *s->at)))
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

struct token *asl_scan(const char *text, size_t size, unsigned int first_line, enum asl_scope scope,
		       size_t *count, struct asl_error *error)
{
	const size_t most = scope == ASL_SCOPE_CODE ? ASL_CODE_TOKENS_MAX : ASL_TOKENS_MAX;
	struct scanner s = {
		.at = text, .end = text + size, .line = first_line, .first = true, .scope = scope};
	struct token *tokens = NULL;
	const char *start;
	size_t room = 0;

	*count = 0;
	do {
		skip_blanks(&s);
		if (*count == room) {
			room = room ? 2 * room : 256;
			if (room > 2 * most) {
				error->line = s.line;
				snprintf(error->text, sizeof(error->text),
					 "too long: more than %zu words", most);
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
