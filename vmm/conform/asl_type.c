/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses constants and types of the pseudocode. */
#include "conform/asl_code_internal.h"

#include <string.h>

/* ---- constants */

uint32_t code_value(struct code_parser *c, struct asl_value value, const struct token *at)
{
	const uint32_t constant = code_constant(c->code, value);
	const uint32_t n = code_node(c, NODE_VALUE, at);

	code_at(c->code, n)->a = constant;
	return n;
}

/* '01x', with blanks between. */
uint32_t code_bits(struct code_parser *c)
{
	const struct token *t = asl_token(&c->p);
	asl_uint128 value = 0, mask = 0;
	unsigned int width = 0;
	uint32_t n, constant;

	for (size_t i = 0; i < t->length; i++) {
		if (t->text[i] == ' ')
			continue;
		if (!t->text[i] || !strchr("01x", t->text[i]) || width == ASL_WIDTH_MAX)
			return asl_fail(&c->p, "bits are 0, 1 or x, and at most 128");
		value = value << 1 | (t->text[i] == '1');
		mask = mask << 1 | (t->text[i] != 'x');
		width++;
	}
	c->p.at++;
	n = code_value(c, asl_bits_value(width, value), t);
	if (mask == asl_mask(width))
		return n;
	constant = code_constant(c->code, asl_bits_value(width, mask));
	code_at(c->code, n)->kind = NODE_MASK;
	code_at(c->code, n)->b = constant;
	return n;
}

static int digit_of(char ch)
{
	if (ch >= '0' && ch <= '9')
		return ch - '0';
	if (ch >= 'a' && ch <= 'f')
		return ch - 'a' + 10;
	return ch >= 'A' && ch <= 'F' ? ch - 'A' + 10 : 99;
}

uint32_t code_number(struct code_parser *c)
{
	const struct token *t = asl_token(&c->p);
	const bool hex = t->length > 2 && t->text[0] == '0' && (t->text[1] | 0x20) == 'x';
	const int base = hex ? 16 : 10;
	asl_int128 value = 0;

	for (size_t i = hex ? 2 : 0; i < t->length; i++) {
		if (t->text[i] == '_')
			continue;
		if (digit_of(t->text[i]) >= base)
			return asl_fail(&c->p, "not a number");
		if (value >= (asl_int128)1 << 120)
			return asl_fail(&c->p, "too large a number");
		value = value * base + digit_of(t->text[i]);
	}
	c->p.at++;
	return code_value(c, asl_number(value), t);
}

uint32_t code_string(struct code_parser *c)
{
	const struct token *t = asl_token(&c->p);

	c->p.at++;
	return code_value(
		c,
		(struct asl_value){.kind = ASL_STRING, .u.string = code_text(t->text, t->length)},
		t);
}

/* ---- types */

static const char *const type_words[] = {"boolean", "integer", "bits", "bit", "string", "array"};

bool code_is_type_word(const struct code_parser *c)
{
	for (size_t i = 0; i < sizeof(type_words) / sizeof(type_words[0]); i++)
		if (asl_is(&c->p, type_words[i]))
			return true;
	return false;
}

bool code_begins_type(struct code_parser *c)
{
	return code_is_type_word(c) ||
	       (code_next_kind(c, 0) == TOKEN_NAME && code_next_kind(c, 1) == TOKEN_NAME &&
		!c->p.tokens[c->p.at + 1].first && !code_next_is(c, 1, "IN") &&
		!code_next_is(c, 1, "DIV") && !code_next_is(c, 1, "MOD"));
}

/* array [0..N-1] of T, array [[N]] of T */
static uint32_t array_type(struct code_parser *c, uint32_t type)
{
	const bool two = code_next_is(c, 0, "[") && code_next_is(c, 1, "[");
	uint32_t first, last = 0, element;

	if (!asl_expect(&c->p, "[") || (two && !asl_expect(&c->p, "[")))
		return 0;
	first = c->sum(c);
	if (asl_take(&c->p, ".."))
		last = c->sum(c);
	if (!asl_expect(&c->p, "]") || (two && !asl_expect(&c->p, "]")) || !asl_expect(&c->p, "of"))
		return 0;
	element = code_type(c);
	if (last) {
		const struct node *low = code_at(c->code, first);

		if (low->kind != NODE_VALUE || c->code->constants.at[low->a].kind != ASL_NUMBER ||
		    c->code->constants.at[low->a].u.integer)
			return asl_fail(&c->p, "an array begins with element 0");
		code_at(c->code, type)->a = last;
	} else {
		code_at(c->code, type)->c = first;
	}
	code_at(c->code, type)->how = TYPE_ARRAY;
	code_at(c->code, type)->b = element;
	return type;
}

/* (T, T) */
static uint32_t tuple_type(struct code_parser *c, uint32_t type)
{
	uint32_t first = 0, last = 0;

	do
		code_append(c, &first, &last, code_type(c));
	while (asl_take(&c->p, ","));
	if (!asl_expect(&c->p, ")"))
		return 0;
	code_at(c->code, type)->how = TYPE_TUPLE;
	code_at(c->code, type)->a = first;
	return type;
}

/* integer {0..63}: any integer here, as in the text's other dialect. */
static void skip_constraint(struct code_parser *c)
{
	unsigned int depth = 0;

	if (!asl_is(&c->p, "{"))
		return;
	do {
		depth += asl_is(&c->p, "{");
		depth -= asl_is(&c->p, "}");
		c->p.at++;
	} while (depth && asl_token(&c->p)->kind != TOKEN_END);
	if (depth)
		asl_fail(&c->p, "\"}\" expected");
}

static uint32_t type_after(struct code_parser *c, uint32_t type)
{
	struct asl_value one = asl_number(1);
	uint32_t width;

	if (asl_take(&c->p, "boolean")) {
		code_at(c->code, type)->how = TYPE_BOOLEAN;
	} else if (asl_take(&c->p, "integer")) {
		code_at(c->code, type)->how = TYPE_INTEGER;
		skip_constraint(c);
	} else if (asl_take(&c->p, "string")) {
		code_at(c->code, type)->how = TYPE_STRING;
	} else if (asl_take(&c->p, "bit")) {
		width = code_value(c, one, asl_token(&c->p));
		code_at(c->code, type)->how = TYPE_BITS;
		code_at(c->code, type)->a = width;
	} else if (asl_take(&c->p, "bits")) {
		if (!asl_expect(&c->p, "("))
			return 0;
		width = c->expression(c);
		asl_expect(&c->p, ")");
		code_at(c->code, type)->how = TYPE_BITS;
		code_at(c->code, type)->a = width;
	} else if (asl_take(&c->p, "array")) {
		return array_type(c, type);
	} else if (asl_take(&c->p, "(")) {
		return tuple_type(c, type);
	} else {
		const uint32_t symbol = code_name(c);

		code_at(c->code, type)->how = TYPE_NAMED;
		code_at(c->code, type)->symbol = symbol;
	}
	return c->p.failed ? 0 : type;
}

uint32_t code_type(struct code_parser *c)
{
	const uint32_t type = code_node(c, NODE_TYPE, asl_token(&c->p));
	uint32_t result = 0;

	if (code_enter(c))
		result = type_after(c, type);
	code_leave(c);
	return c->p.failed ? 0 : result;
}
