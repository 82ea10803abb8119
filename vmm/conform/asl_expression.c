/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses expressions and types of the pseudocode. */
#include "conform/asl_code_internal.h"

#include <string.h>

/* ---- operands */

uint32_t code_arguments(struct code_parser *c, const char *end)
{
	const unsigned int angles = c->angles;
	uint32_t first = 0, last = 0;

	c->angles = 0;
	if (!asl_take(&c->p, end)) {
		do
			code_append(c, &first, &last, code_expression(c));
		while (asl_take(&c->p, ","));
		asl_expect(&c->p, end);
	}
	c->angles = angles;
	return first;
}

/* 7:0, 7, 0 +: 8 */
static uint32_t range(struct code_parser *c)
{
	const struct token *at = asl_token(&c->p);
	enum range_kind how = RANGE_ONE;
	uint32_t a = code_sum(c), b = 0, n;

	if (asl_take(&c->p, ":"))
		how = RANGE_DOWN;
	else if (asl_take(&c->p, "+:"))
		how = RANGE_PLUS;
	else if (asl_take(&c->p, "*:"))
		how = RANGE_TIMES;
	if (how != RANGE_ONE)
		b = code_sum(c);
	n = code_node(c, NODE_RANGE, at);
	code_at(c->code, n)->how = (uint8_t)how;
	code_at(c->code, n)->a = a;
	code_at(c->code, n)->b = b;
	return n;
}

uint32_t code_ranges(struct code_parser *c, const char *end)
{
	const unsigned int angles = c->angles;
	uint32_t first = 0, last = 0;

	c->angles = *end == '>';
	do
		code_append(c, &first, &last, range(c));
	while (asl_take(&c->p, ","));
	asl_expect(&c->p, end);
	c->angles = angles;
	return c->p.failed ? 0 : first;
}

/* Without a blank before it. Bits have a quote after their text. */
static bool touches(const struct code_parser *c)
{
	const struct token *t = asl_token(&c->p);
	const size_t quote = t[-1].kind == TOKEN_BITS;

	return t->text > t[-1].text && t->text == t[-1].text + t[-1].length + quote;
}

/* x<7:0>; 0, and nothing taken, if the < compares. */
static uint32_t angle(struct code_parser *c, uint32_t base)
{
	const struct asl_parser saved = c->p;
	const size_t nodes = c->code->nodes.count;
	const struct asl_error error = *c->p.error;
	const unsigned int angles = c->angles, chain = c->chain;
	uint32_t ranges, n;

	c->p.at++;
	ranges = code_ranges(c, ">");
	if (ranges && !c->p.failed) {
		n = code_node(c, NODE_ANGLE, c->p.tokens + saved.at);
		code_at(c->code, n)->a = base;
		code_at(c->code, n)->b = ranges;
		return n;
	}
	*c->p.error = error;
	c->p = saved;
	c->angles = angles;
	c->chain = chain;
	memset(&c->code->nodes.at[nodes], 0, (c->code->nodes.count - nodes) * sizeof(struct node));
	c->code->nodes.count = nodes;
	return 0;
}

/* .NAME or .<A,B>, after the point */
static uint32_t field(struct code_parser *c, uint32_t base)
{
	const struct token *at = asl_token(&c->p);
	const bool angles = asl_is(&c->p, "<"), list = angles || asl_is(&c->p, "[");
	uint32_t n, first = 0, last = 0, symbol;

	if (!list) {
		symbol = code_name(c);
		n = code_node(c, NODE_FIELD, at);
		code_at(c->code, n)->a = base;
		code_at(c->code, n)->symbol = symbol;
		return n;
	}
	c->p.at++;
	do {
		symbol = code_name(c);
		n = code_node(c, NODE_WORD, at);
		code_at(c->code, n)->symbol = symbol;
		code_append(c, &first, &last, n);
	} while (asl_take(&c->p, ","));
	asl_expect(&c->p, angles ? ">" : "]");
	n = code_node(c, NODE_FIELDS, at);
	code_at(c->code, n)->a = base;
	code_at(c->code, n)->b = first;
	return n;
}

static uint32_t bracket(struct code_parser *c, uint32_t base)
{
	const struct token *at = asl_token(&c->p);
	uint32_t n, list = 0;
	bool two;

	c->p.at++;
	two = asl_take(&c->p, "["); /* ASL1's [[i]] */
	if (!asl_is(&c->p, "]"))
		list = code_ranges(c, "]");
	else
		c->p.at++;
	if (two)
		asl_expect(&c->p, "]");
	n = code_node(c, NODE_BRACKET, at);
	code_at(c->code, n)->a = base;
	code_at(c->code, n)->b = list;
	return n;
}

static uint32_t postfix(struct code_parser *c, uint32_t base)
{
	for (unsigned int i = 0; base && !c->p.failed; i++) {
		uint32_t next = 0;

		if (i == ASL_DEPTH_MAX)
			return asl_fail(&c->p, "too many fields and slices");
		if (asl_is(&c->p, "<") && !c->ends && touches(c))
			next = angle(c, base);
		else if (asl_take(&c->p, "."))
			next = field(c, base);
		else if (asl_is(&c->p, "["))
			next = bracket(c, base);
		if (!next)
			return c->p.failed ? 0 : base;
		base = next;
	}
	return base;
}

/* Type{field = value, ...}, after the brace */
static uint32_t record(struct code_parser *c, uint32_t symbol, const struct token *at)
{
	uint32_t first = 0, last = 0, n;

	do {
		const struct token *word = asl_token(&c->p);
		const uint32_t name = code_name(c);
		uint32_t value;

		asl_expect(&c->p, "=");
		value = code_expression(c);
		n = code_node(c, NODE_WORD, word);
		code_at(c->code, n)->symbol = name;
		code_at(c->code, n)->a = value;
		code_append(c, &first, &last, n);
	} while (asl_take(&c->p, ","));
	asl_expect(&c->p, "}");
	n = code_node(c, NODE_RECORD, at);
	code_at(c->code, n)->symbol = symbol;
	code_at(c->code, n)->a = first;
	return n;
}

static uint32_t named(struct code_parser *c)
{
	const struct token *at = asl_token(&c->p);
	const uint32_t symbol = code_dotted_name(c);
	uint32_t n, braces = 0, arguments = 0;
	bool call = false;

	if (c->ends && asl_is(&c->p, "{")) {
		c->p.at++;
		if (code_next_kind(c, 0) == TOKEN_NAME && code_next_is(c, 1, "="))
			return record(c, symbol, at);
		braces = code_arguments(c, "}");
		call = true;
	}
	if (asl_take(&c->p, "(")) {
		arguments = code_arguments(c, ")");
		call = true;
	}
	n = code_node(c, call ? NODE_CALL : NODE_NAME, at);
	code_at(c->code, n)->symbol = symbol;
	if (call) {
		code_at(c->code, n)->a = arguments;
		code_at(c->code, n)->b = braces;
	}
	return n;
}

/* bits(64) UNKNOWN; boolean IMPLEMENTATION_DEFINED "text" */
static uint32_t typed(struct code_parser *c)
{
	const struct token *at = asl_token(&c->p);
	const uint32_t type = code_type(c);
	uint32_t n, text;

	if (asl_take(&c->p, "UNKNOWN")) {
		n = code_node(c, NODE_UNKNOWN, at);
		code_at(c->code, n)->a = type;
		return n;
	}
	if (!asl_expect(&c->p, "IMPLEMENTATION_DEFINED"))
		return 0;
	if (asl_token(&c->p)->kind != TOKEN_STRING)
		return asl_fail(&c->p, "what is IMPLEMENTATION DEFINED needs its text");
	text = code_at(c->code, code_string(c))->a;
	n = code_node(c, NODE_DEFINED, at);
	code_at(c->code, n)->a = type;
	code_at(c->code, n)->b = text;
	return n;
}

/* ARBITRARY : T */
static uint32_t arbitrary(struct code_parser *c)
{
	const struct token *at = asl_token(&c->p);
	uint32_t n, type;

	c->p.at++;
	asl_expect(&c->p, ":");
	type = code_type(c);
	n = code_node(c, NODE_UNKNOWN, at);
	code_at(c->code, n)->a = type;
	return n;
}

/* (a), or the tuple (a, b), after the parenthesis */
static uint32_t parenthesis(struct code_parser *c)
{
	const struct token *at = asl_token(&c->p);
	const unsigned int angles = c->angles;
	uint32_t first = 0, last = 0, n;
	bool many = false;

	c->angles = 0;
	do {
		const struct token *item = asl_token(&c->p);

		if (asl_is(&c->p, "-") && (code_next_is(c, 1, ",") || code_next_is(c, 1, ")"))) {
			c->p.at++;
			n = code_node(c, NODE_IGNORED, item);
			many = true;
		} else {
			n = code_expression(c);
		}
		code_append(c, &first, &last, n);
		many |= asl_is(&c->p, ",");
	} while (asl_take(&c->p, ","));
	asl_expect(&c->p, ")");
	c->angles = angles;
	if (!many || c->p.failed)
		return first;
	n = code_node(c, NODE_TUPLE, at);
	code_at(c->code, n)->a = first;
	return n;
}

/* if a then b elsif c then d else e, after the if */
static uint32_t choice(struct code_parser *c, const struct token *at)
{
	uint32_t a, b, other, n;

	if (!code_enter(c))
		return 0;
	a = code_expression(c);
	asl_expect(&c->p, "then");
	b = code_expression(c);
	if (asl_take(&c->p, "elsif"))
		other = choice(c, at);
	else
		other = asl_expect(&c->p, "else") ? code_expression(c) : 0;
	code_leave(c);
	n = code_node(c, NODE_CHOICE, at);
	code_at(c->code, n)->a = a;
	code_at(c->code, n)->b = b;
	code_at(c->code, n)->c = other;
	return n;
}

static bool is_typed(struct code_parser *c)
{
	return code_is_type_word(c) ||
	       (code_next_kind(c, 0) == TOKEN_NAME &&
		(code_next_is(c, 1, "UNKNOWN") || code_next_is(c, 1, "IMPLEMENTATION_DEFINED")));
}

static uint32_t operand(struct code_parser *c)
{
	const struct token *at = asl_token(&c->p);

	if (at->kind == TOKEN_BITS)
		return postfix(c, code_bits(c));
	if (at->kind == TOKEN_NUMBER)
		return postfix(c, code_number(c));
	if (at->kind == TOKEN_STRING)
		return code_string(c);
	if (asl_take(&c->p, "("))
		return postfix(c, parenthesis(c));
	if (asl_take(&c->p, "if"))
		return choice(c, at);
	if (asl_take(&c->p, "TRUE"))
		return code_value(c, asl_boolean(true), at);
	if (asl_take(&c->p, "FALSE"))
		return code_value(c, asl_boolean(false), at);
	if (c->ends && (asl_is(&c->p, "ARBITRARY") || asl_is(&c->p, "UNKNOWN")))
		return arbitrary(c);
	if (is_typed(c))
		return typed(c);
	if (at->kind == TOKEN_NAME)
		return postfix(c, named(c));
	return asl_fail(&c->p, "a value expected");
}

/* ---- operators */

static uint32_t unary_node(struct code_parser *c, enum code_operator how, uint32_t a,
			   const struct token *at)
{
	const uint32_t n = code_node(c, NODE_UNARY, at);

	code_at(c->code, n)->how = (uint8_t)how;
	code_at(c->code, n)->a = a;
	return n;
}

static uint32_t unary(struct code_parser *c)
{
	const struct token *at = asl_token(&c->p);
	uint32_t a = 0;

	if (!code_enter(c)) {
		code_leave(c);
		return 0;
	}
	if (asl_take(&c->p, "!"))
		a = unary_node(c, OPERATOR_NOT, unary(c), at);
	else if (asl_take(&c->p, "NOT"))
		a = unary_node(c, OPERATOR_INVERT, unary(c), at);
	else if (asl_take(&c->p, "-"))
		a = unary_node(c, OPERATOR_MINUS, unary(c), at);
	else
		a = operand(c);
	code_leave(c);
	return c->p.failed ? 0 : a;
}

struct operator_word {
	const char *text;
	uint8_t how, level;
};

/* From the weakest level to the strongest. */
#define LEVEL_COMPARE 2
#define LEVEL_CONCAT  3
#define LEVEL_SUM     4
#define LEVEL_TOP     6

static const struct operator_word words[] = {
	{"-->", OPERATOR_IMPLIES, 0},
	{"<->", OPERATOR_EQUAL, 0},
	{"||", OPERATOR_OR_ELSE, 0},
	{"&&", OPERATOR_AND_THEN, 1},
	{"==", OPERATOR_EQUAL, 2},
	{"!=", OPERATOR_NOT_EQUAL, 2},
	{"<=", OPERATOR_LESS_EQUAL, 2},
	{"<", OPERATOR_LESS, 2},
	{">=", OPERATOR_GREATER_EQUAL, 2},
	{">", OPERATOR_GREATER, 2},
	{":", OPERATOR_CONCAT, 3},
	{"::", OPERATOR_CONCAT, 3},
	{"+", OPERATOR_ADD, 4},
	{"-", OPERATOR_SUBTRACT, 4},
	{"AND", OPERATOR_AND, 4},
	{"OR", OPERATOR_OR, 4},
	{"EOR", OPERATOR_EOR, 4},
	{"XOR", OPERATOR_EOR, 4},
	{"*", OPERATOR_MULTIPLY, 5},
	{"/", OPERATOR_DIVIDE, 5},
	{"DIV", OPERATOR_DIVIDE, 5},
	{"DIVRM", OPERATOR_DIV, 5},
	{"MOD", OPERATOR_MOD, 5},
	{"<<", OPERATOR_LEFT, 5},
	{">>", OPERATOR_RIGHT, 5},
	{"^", OPERATOR_POWER, 6},
};

static const struct operator_word *operator_at(const struct code_parser *c, unsigned int level)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		const char *text = words[i].text;

		if (words[i].level != level || !asl_is(&c->p, text))
			continue;
		/* ":" ends a type's name or a range in ASL1; "<" and ">" may end a slice. */
		if ((c->ends && !strcmp(text, ":")) || (c->angles && *text == '>'))
			continue;
		return &words[i];
	}
	return NULL;
}

/* A value or a span of a list; bits with x are a pattern. */
static uint32_t pattern(struct code_parser *c)
{
	const struct token *at = asl_token(&c->p);
	uint32_t a, b, n;

	if (asl_take(&c->p, "-"))
		return code_node(c, NODE_IGNORED, at);
	a = code_expression(c);
	if (!asl_take(&c->p, ".."))
		return a;
	b = code_expression(c);
	n = code_node(c, NODE_SPAN, at);
	code_at(c->code, n)->a = a;
	code_at(c->code, n)->b = b;
	return n;
}

uint32_t code_patterns(struct code_parser *c, const char *end)
{
	const bool braces = asl_take(&c->p, "{");
	uint32_t first = 0, last = 0;

	do
		code_append(c, &first, &last, pattern(c));
	while (asl_take(&c->p, ","));
	if (braces)
		asl_expect(&c->p, "}");
	else if (end)
		asl_expect(&c->p, end);
	return c->p.failed ? 0 : first;
}

static uint32_t membership(struct code_parser *c, uint32_t a, const struct token *at)
{
	const unsigned int angles = c->angles;
	uint32_t list = 0, last = 0, n;

	c->angles = 0;
	if (asl_is(&c->p, "{"))
		list = code_patterns(c, NULL);
	else
		code_append(c, &list, &last, unary(c));
	c->angles = angles;
	n = code_node(c, NODE_IN, at);
	code_at(c->code, n)->a = a;
	code_at(c->code, n)->b = list;
	return n;
}

static uint32_t binary(struct code_parser *c, unsigned int level)
{
	uint32_t a = level == LEVEL_TOP ? unary(c) : binary(c, level + 1);

	while (a && !c->p.failed) {
		const struct token *at = asl_token(&c->p);
		const struct operator_word *w = operator_at(c, level);
		uint32_t b, n;

		if (level == LEVEL_COMPARE && asl_take(&c->p, "IN")) {
			a = membership(c, a, at);
			continue;
		}
		if (!w)
			break;
		if (++c->chain > ASL_CHAIN_MAX)
			return asl_fail(&c->p, "too long an expression");
		c->p.at++;
		b = level == LEVEL_TOP ? unary(c) : binary(c, level + 1);
		n = code_node(c, NODE_BINARY, at);
		code_at(c->code, n)->how = w->how;
		/* ASL0's DIV rounds down; ASL1's is exact. */
		if (!c->ends && !strcmp(w->text, "DIV"))
			code_at(c->code, n)->how = OPERATOR_DIV;
		code_at(c->code, n)->a = a;
		code_at(c->code, n)->b = b;
		a = n;
	}
	return c->p.failed ? 0 : a;
}

uint32_t code_expression(struct code_parser *c)
{
	const unsigned int chain = c->chain;
	uint32_t n = 0;

	if (code_enter(c))
		n = binary(c, 0);
	code_leave(c);
	c->chain = chain;
	return c->p.failed ? 0 : n;
}

uint32_t code_sum(struct code_parser *c)
{
	const unsigned int chain = c->chain;
	uint32_t n = 0;

	if (code_enter(c))
		n = binary(c, LEVEL_SUM);
	code_leave(c);
	c->chain = chain;
	return c->p.failed ? 0 : n;
}
