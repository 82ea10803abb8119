/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses statements of the pseudocode: blocks by indentation (ASL0), and blocks with end (ASL1). */
#include "conform/asl_code_internal.h"

#include <string.h>

static uint32_t read_statement(struct code_parser *c);

static uint32_t two_part(struct code_parser *c, enum node_kind kind, const struct token *at,
			 uint32_t a, uint32_t b)
{
	const uint32_t n = code_node(c, kind, at);

	code_at(c->code, n)->a = a;
	code_at(c->code, n)->b = b;
	return n;
}

static bool ends_block(const struct code_parser *c)
{
	static const char *const words[] = {"end",   "elsif",  "else",	 "when",    "otherwise",
					    "until", "getter", "setter", "readonly"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (asl_is(&c->p, words[i]))
			return true;
	return asl_token(&c->p)->kind == TOKEN_END;
}

/* A list of statements, which the function ends tells the end of. */
static uint32_t statements(struct code_parser *c, bool (*ends)(const struct code_parser *, int),
			   int column)
{
	uint32_t first = 0, last = 0;

	while (!c->p.failed && !ends(c, column)) {
		const size_t before = c->p.at;
		const uint32_t s = read_statement(c);

		code_append(c, &first, &last, s);
		if (c->p.at == before)
			asl_fail(&c->p, "a statement expected");
	}
	return first;
}

static bool ends_with_word(const struct code_parser *c, int column)
{
	(void)column;
	return ends_block(c);
}

static bool ends_with_column(const struct code_parser *c, int column)
{
	const struct token *t = asl_token(&c->p);

	return t->kind == TOKEN_END || (t->first && t->column < column);
}

static bool ends_with_line(const struct code_parser *c, int column)
{
	const struct token *t = asl_token(&c->p);

	(void)column;
	return t->first || ends_block(c);
}

/*
 * The statements under something in a line that begins in a column: on the rest of that line, or
 * further to the right.
 */
uint32_t code_block(struct code_parser *c, int column, unsigned int line)
{
	const struct token *t = asl_token(&c->p);
	uint32_t block = 0;

	if (!code_enter(c)) {
		code_leave(c);
		return 0;
	}
	if (c->ends)
		block = statements(c, ends_with_word, 0);
	else if (t->line == line && !t->first)
		block = statements(c, ends_with_line, 0);
	else if (t->first && t->column > column)
		block = statements(c, ends_with_column, t->column);
	code_leave(c);
	return block;
}

/* The line and column that a statement's blocks are measured from. */
struct anchor {
	int column;
	const struct token *at;
};

/* The line of the token before this one: a condition can be longer than a line. */
static unsigned int last_line(const struct code_parser *c)
{
	return asl_token(&c->p)[-1].line;
}

static uint32_t block_of(struct code_parser *c, const struct anchor *anchor)
{
	return code_block(c, anchor->column, last_line(c));
}

/* The column of the first word of the line that a token is in. */
static int line_column(const struct code_parser *c, const struct token *t)
{
	while (!t->first && t > c->p.tokens)
		t--;
	return t->column;
}

/* "end", also "end if" and "end while" */
static void expect_end(struct code_parser *c)
{
	static const char *const words[] = {"if", "case", "for", "while"};

	if (!asl_expect(&c->p, "end"))
		return;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!asl_token(&c->p)->first && asl_take(&c->p, words[i]))
			break;
	asl_take(&c->p, ";");
}

/* Does a word continue the statement that begins at the anchor? */
static bool continues(const struct code_parser *c, const struct anchor *anchor, const char *word)
{
	const struct token *t = asl_token(&c->p);

	if (!asl_is(&c->p, word))
		return false;
	/* Not that of a statement around it. */
	return c->ends || !t->first || t->column == anchor->column;
}

static uint32_t if_statement(struct code_parser *c, const struct anchor *anchor)
{
	uint32_t first = 0, last = 0, n;

	for (;;) {
		const struct token *at = asl_token(&c->p);
		uint32_t condition = code_expression(c), block;

		if (!asl_expect(&c->p, "then"))
			return 0;
		block = block_of(c, anchor);
		code_append(c, &first, &last, two_part(c, NODE_ARM, at, condition, block));
		if (!continues(c, anchor, "elsif"))
			break;
		c->p.at++;
	}
	if (continues(c, anchor, "else")) {
		const struct token *at = asl_token(&c->p);
		uint32_t block;

		c->p.at++;
		block = block_of(c, anchor);
		code_append(c, &first, &last, two_part(c, NODE_ARM, at, 0, block));
	}
	if (c->ends)
		expect_end(c);
	n = code_node(c, NODE_IF, anchor->at);
	code_at(c->code, n)->a = first;
	return n;
}

static uint32_t arm(struct code_parser *c)
{
	const struct token *at = asl_token(&c->p);
	const struct anchor anchor = {at->column, at};
	uint32_t patterns = 0, where = 0, block, n;

	if (asl_take(&c->p, "when")) {
		patterns = code_patterns(c, NULL);
		if (asl_take(&c->p, "where"))
			where = code_expression(c);
	} else if (!asl_expect(&c->p, "otherwise")) {
		return 0;
	}
	asl_take(&c->p, "=>");
	block = block_of(c, &anchor);
	n = two_part(c, NODE_ARM, at, patterns, block);
	code_at(c->code, n)->c = where;
	return n;
}

static uint32_t case_statement(struct code_parser *c, const struct anchor *anchor)
{
	const uint32_t value = code_expression(c);
	const int column = anchor->column;
	uint32_t first = 0, last = 0;

	if (!asl_expect(&c->p, "of"))
		return 0;
	while (!c->p.failed && (asl_is(&c->p, "when") || asl_is(&c->p, "otherwise")) &&
	       (c->ends || !asl_token(&c->p)->first || asl_token(&c->p)->column > column))
		code_append(c, &first, &last, arm(c));
	if (c->ends)
		expect_end(c);
	return two_part(c, NODE_CASE, anchor->at, value, first);
}

/* The bound that ASL1 gives a loop for its provers; steps are bounded anyway. */
static void skip_loop_limit(struct code_parser *c)
{
	if (asl_take(&c->p, "looplimit"))
		code_expression(c);
}

static uint32_t for_statement(struct code_parser *c, const struct anchor *anchor)
{
	const uint32_t symbol = code_name(c);
	uint32_t from, to, body, n;
	bool down;

	asl_expect(&c->p, "=");
	from = code_expression(c);
	down = asl_take(&c->p, "downto");
	if (!down)
		asl_expect(&c->p, "to");
	to = code_expression(c);
	skip_loop_limit(c);
	asl_take(&c->p, "do");
	body = block_of(c, anchor);
	if (c->ends)
		expect_end(c);
	n = two_part(c, NODE_FOR, anchor->at, from, to);
	code_at(c->code, n)->symbol = symbol;
	code_at(c->code, n)->how = down;
	code_at(c->code, n)->c = body;
	return n;
}

static uint32_t while_statement(struct code_parser *c, const struct anchor *anchor)
{
	const uint32_t condition = code_expression(c);
	uint32_t body, n;

	skip_loop_limit(c);
	if (!asl_expect(&c->p, "do"))
		return 0;
	body = block_of(c, anchor);
	if (c->ends)
		expect_end(c);
	n = two_part(c, NODE_WHILE, anchor->at, condition, 0);
	code_at(c->code, n)->c = body;
	return n;
}

static uint32_t repeat_statement(struct code_parser *c, const struct anchor *anchor)
{
	const uint32_t body = block_of(c, anchor);
	uint32_t condition, n;

	if (!asl_expect(&c->p, "until"))
		return 0;
	condition = code_expression(c);
	skip_loop_limit(c);
	asl_expect(&c->p, ";");
	n = two_part(c, NODE_REPEAT, anchor->at, condition, 0);
	code_at(c->code, n)->c = body;
	return n;
}

/* T a, b = value; */
static uint32_t declaration(struct code_parser *c)
{
	const struct token *at = asl_token(&c->p);
	uint32_t type, first = 0, last = 0;

	asl_take(&c->p, "constant");
	type = code_type(c);
	do {
		const uint32_t symbol = code_name(c);
		const uint32_t value = asl_take(&c->p, "=") ? code_expression(c) : 0;
		const uint32_t n = two_part(c, NODE_DECLARE, at, type, value);

		code_at(c->code, n)->symbol = symbol;
		code_append(c, &first, &last, n);
	} while (asl_take(&c->p, ","));
	asl_expect(&c->p, ";");
	return first;
}

/* The names of var (a, -, b), as a target. */
static uint32_t names(struct code_parser *c)
{
	const struct token *at = asl_token(&c->p);
	uint32_t first = 0, last = 0, n;

	do {
		const struct token *word = asl_token(&c->p);

		if (asl_take(&c->p, "-")) {
			n = code_node(c, NODE_IGNORED, word);
		} else {
			const uint32_t symbol = code_name(c);

			n = code_node(c, NODE_NAME, word);
			code_at(c->code, n)->symbol = symbol;
		}
		code_append(c, &first, &last, n);
	} while (asl_take(&c->p, ","));
	asl_expect(&c->p, ")");
	n = code_node(c, NODE_TUPLE, at);
	code_at(c->code, n)->a = first;
	return n;
}

/* var a, b : T = value; let (a, b) = value; */
static uint32_t ended_declaration(struct code_parser *c)
{
	const struct token *at = asl_token(&c->p);
	uint32_t first = 0, last = 0, type = 0, value = 0;

	c->p.at++;
	if (asl_take(&c->p, "(")) {
		const uint32_t target = names(c);

		if (asl_take(&c->p, ":"))
			code_type(c);
		if (!asl_expect(&c->p, "="))
			return 0;
		value = code_expression(c);
		asl_expect(&c->p, ";");
		return two_part(c, NODE_ASSIGN, at, target, value);
	}
	do {
		const uint32_t symbol = code_name(c);
		const uint32_t n = code_node(c, NODE_DECLARE, at);

		code_at(c->code, n)->symbol = symbol;
		code_append(c, &first, &last, n);
	} while (asl_take(&c->p, ","));
	if (asl_take(&c->p, ":"))
		type = code_type(c);
	if (asl_take(&c->p, "="))
		value = code_expression(c);
	asl_expect(&c->p, ";");
	for (uint32_t n = first; n && !c->p.failed; n = code_at(c->code, n)->next) {
		code_at(c->code, n)->a = type;
		code_at(c->code, n)->b = value;
	}
	return first;
}

/* UNDEFINED; UNPREDICTABLE; SEE "text"; throw and the like: nothing can go on after them. */
static uint32_t stop(struct code_parser *c)
{
	const struct token *at = asl_token(&c->p);
	const uint32_t text = code_constant(
		c->code, (struct asl_value){.kind = ASL_STRING,
					    .u.string = code_text(at->text, at->length)});

	while (asl_token(&c->p)->kind != TOKEN_END && !asl_is(&c->p, ";"))
		c->p.at++;
	asl_expect(&c->p, ";");
	return two_part(c, NODE_STOP, at, text, 0);
}

static bool is_stop(const struct code_parser *c)
{
	static const char *const words[] = {"UNDEFINED", "UNPREDICTABLE",
					    "SEE",	 "IMPLEMENTATION_DEFINED",
					    "throw",	 "unreachable"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (asl_is(&c->p, words[i]))
			return true;
	return false;
}

/* target = value; or a call */
static uint32_t assignment(struct code_parser *c)
{
	const struct token *at = asl_token(&c->p);
	const uint32_t target = code_sum(c);
	uint32_t value;
	enum node_kind kind;

	if (!target)
		return 0;
	if (!asl_take(&c->p, "=")) {
		if (code_at(c->code, target)->kind != NODE_CALL)
			return asl_fail(&c->p, "\"=\" expected");
		asl_expect(&c->p, ";");
		return two_part(c, NODE_DO, at, target, 0);
	}
	kind = (enum node_kind)code_at(c->code, target)->kind;
	if (kind != NODE_NAME && kind != NODE_CALL && kind != NODE_BRACKET && kind != NODE_ANGLE &&
	    kind != NODE_FIELD && kind != NODE_FIELDS && kind != NODE_TUPLE)
		return asl_fail(&c->p, "nothing can be assigned to what is before \"=\"");
	value = code_expression(c);
	asl_expect(&c->p, ";");
	return two_part(c, NODE_ASSIGN, at, target, value);
}

static uint32_t returned(struct code_parser *c, const struct token *at)
{
	const uint32_t value = asl_is(&c->p, ";") ? 0 : code_expression(c);

	asl_expect(&c->p, ";");
	return two_part(c, NODE_RETURN, at, value, 0);
}

/* begin ... end, and an empty statement: an IF with one arm without a condition. */
static uint32_t grouped(struct code_parser *c, const struct token *at, bool begin)
{
	uint32_t block = 0, n;

	if (begin) {
		block = code_block(c, 0, at->line);
		expect_end(c);
	} else {
		asl_expect(&c->p, ";");
	}
	n = two_part(c, NODE_ARM, at, 0, block);
	return two_part(c, NODE_IF, at, n, 0);
}

static uint32_t read_statement(struct code_parser *c)
{
	const struct token *at = asl_token(&c->p);
	const struct anchor anchor = {line_column(c, at), at};
	uint32_t condition;

	if (asl_take(&c->p, "if"))
		return if_statement(c, &anchor);
	if (asl_take(&c->p, "case"))
		return case_statement(c, &anchor);
	if (asl_take(&c->p, "for"))
		return for_statement(c, &anchor);
	if (asl_take(&c->p, "while"))
		return while_statement(c, &anchor);
	if (asl_take(&c->p, "repeat"))
		return repeat_statement(c, &anchor);
	if (asl_take(&c->p, "return"))
		return returned(c, at);
	if (asl_take(&c->p, "assert")) {
		condition = code_expression(c);
		asl_expect(&c->p, ";");
		return two_part(c, NODE_ASSERT, at, condition, 0);
	}
	if (c->ends && asl_take(&c->p, "begin"))
		return grouped(c, at, true);
	if (c->ends && asl_take(&c->p, "pass"))
		return grouped(c, at, false);
	if (is_stop(c) && !code_next_is(c, 1, "("))
		return stop(c);
	if (c->ends && (asl_is(&c->p, "var") || asl_is(&c->p, "let") || asl_is(&c->p, "constant")))
		return ended_declaration(c);
	if (!c->ends && (asl_is(&c->p, "constant") || code_begins_type(c)))
		return declaration(c);
	return assignment(c);
}
