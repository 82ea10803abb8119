/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses what a file of the pseudocode declares: types, variables and functions. */
#include "conform/asl_code_internal.h"

#include <string.h>

static void declare_global(struct code_parser *c, uint32_t symbol, uint32_t type, uint32_t init)
{
	struct global *g;

	if (c->p.failed)
		return;
	if (c->code->symbols.at[symbol].global) {
		if (!c->weak)
			asl_fail(&c->p, "a variable that is there already");
		return;
	}
	CODE_GROW(c->code->globals);
	g = &c->code->globals.at[c->code->globals.count - 1];
	*g = (struct global){.symbol = symbol, .type = type, .init = init};
	c->code->symbols.at[symbol].global = (uint32_t)c->code->globals.count - 1;
}

/* A type; the caller fills it in. 0: there is one already, which stays. */
static uint32_t declare_type(struct code_parser *c, uint32_t symbol, enum declared_kind kind)
{
	if (c->p.failed)
		return 0;
	if (c->code->symbols.at[symbol].type) {
		if (!c->weak)
			asl_fail(&c->p, "a type that is there already");
		return 0;
	}
	if (c->code->types.count >= CODE_TYPES_MAX)
		return asl_fail(&c->p, "too many types");
	CODE_GROW(c->code->types);
	c->code->types.at[c->code->types.count - 1] =
		(struct declared){.kind = kind, .symbol = symbol};
	c->code->symbols.at[symbol].type = (uint32_t)c->code->types.count - 1;
	return (uint32_t)c->code->types.count - 1;
}

/* { A, B, ... } */
static void enumeration(struct code_parser *c, uint32_t symbol)
{
	const uint32_t type = declare_type(c, symbol, DECLARED_MEMBERS);
	uint32_t first = 0, last = 0, count = 0;

	asl_expect(&c->p, "{");
	do {
		const struct token *at = asl_token(&c->p);
		uint32_t member, n;

		if (asl_is(&c->p, "}"))
			break;
		member = code_name(c);
		if (c->p.failed)
			return;
		n = code_node(c, NODE_WORD, at);
		code_at(c->code, n)->symbol = member;
		code_append(c, &first, &last, n);
		if (!type) /* another file's stays, with its members */
			continue;
		if (!c->code->symbols.at[member].global) {
			struct global *g;

			declare_global(c, member, 0, 0);
			if (c->p.failed)
				return;
			g = &c->code->globals.at[c->code->globals.count - 1];
			g->member = true;
			g->state = GLOBAL_SET;
			g->value = (struct asl_value){
				.kind = ASL_MEMBER, .type = (uint16_t)type, .u.member = count};
		} else if (!c->weak) {
			asl_fail(&c->p, "a name that is there already");
		}
		count++;
	} while (asl_take(&c->p, ","));
	asl_expect(&c->p, "}");
	asl_take(&c->p, ";");
	if (type && !c->p.failed) {
		c->code->types.at[type].list = first;
		c->code->types.at[type].count = count;
	}
}

/* ASL0: ( T a, T b ). ASL1: { a: T, b: T } */
static void record(struct code_parser *c, uint32_t symbol)
{
	const uint32_t type = declare_type(c, symbol, DECLARED_RECORD);
	const char *const end = c->ends ? "}" : ")";
	uint32_t first = 0, last = 0, count = 0;

	asl_expect(&c->p, c->ends ? "{" : "(");
	while (!c->p.failed && !asl_is(&c->p, end)) {
		const struct token *at = asl_token(&c->p);
		uint32_t part = 0, of, n;

		if (c->ends) {
			part = code_name(c);
			asl_expect(&c->p, ":");
			of = code_type(c);
		} else {
			of = code_type(c);
			part = code_name(c);
		}
		n = code_node(c, NODE_WORD, at);
		code_at(c->code, n)->symbol = part;
		code_at(c->code, n)->a = of;
		code_append(c, &first, &last, n);
		count++;
		if (!asl_take(&c->p, ","))
			break;
	}
	asl_expect(&c->p, end);
	asl_take(&c->p, ";");
	if (type && !c->p.failed) {
		c->code->types.at[type].list = first;
		c->code->types.at[type].count = count;
	}
}

/* ASL1: { [7:4] A, [0] B }. ASL0: { 7:4 A, 0 B } */
static uint32_t fields(struct code_parser *c)
{
	uint32_t first = 0, last = 0;

	while (!c->p.failed && !asl_is(&c->p, "}")) {
		const struct token *at = asl_token(&c->p);
		const bool bracket = asl_take(&c->p, "[");
		uint32_t ranges = 0, end = 0, name, n;

		if (bracket) {
			ranges = code_ranges(c, "]");
		} else {
			/* "7:4": the name is not part of a sum */
			const uint32_t high = code_sum(c);
			uint32_t low = 0;

			if (asl_take(&c->p, ":"))
				low = code_sum(c);
			n = code_node(c, NODE_RANGE, at);
			code_at(c->code, n)->how = low ? RANGE_DOWN : RANGE_ONE;
			code_at(c->code, n)->a = high;
			code_at(c->code, n)->b = low;
			code_append(c, &ranges, &end, n);
		}
		name = code_name(c);
		if (asl_is(&c->p, ":")) { /* the field's own type */
			c->p.at++;
			code_type(c);
		}
		n = code_node(c, NODE_WORD, at);
		code_at(c->code, n)->symbol = name;
		code_at(c->code, n)->a = ranges;
		code_append(c, &first, &last, n);
		if (!asl_take(&c->p, ","))
			break;
	}
	asl_expect(&c->p, "}");
	return first;
}

static void alias(struct code_parser *c, uint32_t symbol)
{
	const uint32_t type = declare_type(c, symbol, DECLARED_ALIAS);
	const uint32_t of = code_type(c);
	uint32_t list = 0;

	if (asl_take(&c->p, "{"))
		list = fields(c);
	asl_take(&c->p, ";");
	if (type && !c->p.failed) {
		c->code->types.at[type].type = of;
		c->code->types.at[type].list = list;
	}
}

/* After "type". ASL0: Name is (...), Name = T;  ASL1: Name of T; */
static void type_declaration(struct code_parser *c)
{
	const uint32_t symbol = code_name(c);

	if (asl_take(&c->p, "of")) {
		if (asl_take(&c->p, "enumeration"))
			enumeration(c, symbol);
		else if (asl_take(&c->p, "record") || asl_take(&c->p, "exception"))
			record(c, symbol);
		else
			alias(c, symbol);
	} else if (asl_take(&c->p, "is")) {
		if (asl_is(&c->p, "("))
			record(c, symbol);
		else
			alias(c, symbol);
	} else if (asl_take(&c->p, "=")) {
		alias(c, symbol);
	} else {
		asl_fail(&c->p, "\"is\", \"of\" or \"=\" expected");
	}
}

/* ---- functions */

static uint32_t new_function(struct code_parser *c, uint32_t symbol, const struct token *at,
			     uint32_t first)
{
	struct function *f;

	CODE_GROW(c->code->functions);
	f = &c->code->functions.at[c->code->functions.count - 1];
	*f = (struct function){.symbol = symbol,
			       .place = c->code->file_count << 24 | (at->line & 0xffffff),
			       .first = first};
	return (uint32_t)c->code->functions.count - 1;
}

static void add_parameter(struct code_parser *c, uint32_t *first, uint32_t *last,
			  const struct token *at, uint32_t symbol, uint32_t type)
{
	const uint32_t n = code_node(c, NODE_WORD, at);

	code_at(c->code, n)->symbol = symbol;
	code_at(c->code, n)->a = type;
	code_append(c, first, last, n);
}

/* Up to the closing bracket. */
static uint32_t parameters(struct code_parser *c, const char *end, uint32_t *last)
{
	uint32_t first = 0;

	*last = 0;
	if (asl_take(&c->p, end))
		return 0;
	do {
		const struct token *at = asl_token(&c->p);
		uint32_t name, type = 0;

		if (c->ends) {
			name = code_name(c);
			if (asl_take(&c->p, ":"))
				type = code_type(c);
		} else {
			type = code_type(c);
			asl_take(&c->p, "&"); /* by reference, in old texts */
			name = code_name(c);
		}
		add_parameter(c, &first, last, at, name, type);
	} while (asl_take(&c->p, ","));
	asl_expect(&c->p, end);
	return first;
}

static unsigned int count_of(const struct asl_code *code, uint32_t list)
{
	unsigned int count = 0;

	for (; list; list = code_at(code, list)->next)
		count++;
	return count;
}

/* A function is ready: find it by its name. A weak one only if the name is not there. */
static void finish(struct code_parser *c, uint32_t function, bool known)
{
	struct asl_code *code = c->code;
	struct function *f = &code->functions.at[function];
	struct symbol *s = &code->symbols.at[f->symbol];
	uint32_t *end = &s->function;

	f->last = (uint32_t)code->nodes.count;
	f->parameter_count = count_of(code, f->parameters);
	if (f->parameter_count > ASL_ARGUMENTS)
		asl_fail(&c->p, "too many parameters");
	if (c->p.failed || (c->weak && known) || !f->has_body)
		return;
	while (*end)
		end = &code->functions.at[*end].next;
	*end = function;
}

/* Is a function of the same name from another file? */
static bool is_known(const struct code_parser *c, uint32_t symbol)
{
	const struct asl_code *code = c->code;
	const uint32_t f = code->symbols.at[symbol].function;

	return f && code->functions.at[f].place >> 24 != code->file_count;
}

/* ASL0, at the name: Name(...) or Name[...], and "= T value" of a setter */
static void plain_function(struct code_parser *c, const struct token *at, uint32_t first,
			   uint32_t result)
{
	const uint32_t symbol = code_dotted_name(c);
	const bool bracket = asl_is(&c->p, "[");
	const int column = at->column;
	const uint32_t f = new_function(c, symbol, at, first);
	uint32_t last, list;
	enum function_kind kind = bracket ? FUNCTION_GETTER : FUNCTION_PLAIN;

	c->p.at++;
	list = parameters(c, bracket ? "]" : ")", &last);
	if (bracket && asl_take(&c->p, "=")) {
		const struct token *word = asl_token(&c->p);
		const uint32_t type = code_type(c), name = code_name(c);

		add_parameter(c, &list, &last, word, name, type);
		kind = FUNCTION_SETTER;
	}
	c->code->functions.at[f].kind = kind;
	c->code->functions.at[f].parameters = list;
	c->code->functions.at[f].result = result;
	if (!asl_take(&c->p, ";")) {
		const uint32_t body = code_block(c, column, at[0].line);

		c->code->functions.at[f].body = body;
		c->code->functions.at[f].has_body = true;
	}
	finish(c, f, is_known(c, symbol));
}

/* T Name, ... = value; */
static void plain_variable(struct code_parser *c, uint32_t type)
{
	do {
		const uint32_t symbol = code_name(c);
		const uint32_t init = asl_take(&c->p, "=") ? code_expression(c) : 0;

		declare_global(c, symbol, type, init);
	} while (asl_take(&c->p, ","));
	asl_expect(&c->p, ";");
}

static bool opens_function(const struct code_parser *c)
{
	if (code_next_is(c, 1, ".")) /* AArch64.Name */
		return code_next_is(c, 3, "(") || code_next_is(c, 3, "[");
	return code_next_kind(c, 0) == TOKEN_NAME && !code_next_is(c, 0, "array") &&
	       (code_next_is(c, 1, "(") || code_next_is(c, 1, "["));
}

static void plain_declaration(struct code_parser *c)
{
	const struct token *at = asl_token(&c->p);
	const uint32_t first = (uint32_t)c->code->nodes.count;
	uint32_t type;

	if (asl_take(&c->p, "enumeration")) {
		enumeration(c, code_name(c));
		return;
	}
	if (asl_take(&c->p, "type")) {
		type_declaration(c);
		return;
	}
	asl_take(&c->p, "constant");
	if (!asl_is(&c->p, "bits") && opens_function(c)) {
		plain_function(c, at, first, 0);
		return;
	}
	type = code_type(c);
	if (c->p.failed)
		return;
	if (opens_function(c))
		plain_function(c, at, first, type);
	else
		plain_variable(c, type);
}

/* begin ... end */
static void ended_body(struct code_parser *c, uint32_t function)
{
	uint32_t body;

	if (asl_take(&c->p, ";"))
		return;
	if (!asl_expect(&c->p, "begin"))
		return;
	body = code_block(c, 0, 0);
	asl_expect(&c->p, "end");
	asl_take(&c->p, ";");
	c->code->functions.at[function].body = body;
	c->code->functions.at[function].has_body = true;
}

/* func, getter or setter */
static void ended_function(struct code_parser *c, enum function_kind kind)
{
	const struct token *at = asl_token(&c->p);
	const uint32_t first = (uint32_t)c->code->nodes.count;
	const uint32_t symbol = code_dotted_name(c);
	uint32_t f, last, braces = 0, list = 0, result = 0;

	if (asl_take(&c->p, "{"))
		braces = parameters(c, "}", &last);
	last = 0;
	if (asl_take(&c->p, "("))
		list = parameters(c, ")", &last);
	else if (asl_take(&c->p, "["))
		list = parameters(c, "]", &last);
	if (kind == FUNCTION_SETTER && asl_expect(&c->p, "=")) {
		const struct token *word = asl_token(&c->p);
		const uint32_t name = code_name(c);

		asl_expect(&c->p, ":");
		add_parameter(c, &list, &last, word, name, code_type(c));
	}
	if (asl_take(&c->p, "=>"))
		result = code_type(c);
	if (asl_take(&c->p, "recurselimit"))
		code_expression(c);
	if (c->p.failed)
		return;
	f = new_function(c, symbol, at, first);
	c->code->functions.at[f].kind = kind;
	c->code->functions.at[f].parameters = list;
	c->code->functions.at[f].braces = braces;
	c->code->functions.at[f].result = result;
	ended_body(c, f);
	finish(c, f, is_known(c, symbol));
}

/* accessor Name(a: T) <=> value: T begin getter ... end; setter ... end; end; */
static void accessor(struct code_parser *c)
{
	const struct token *at = asl_token(&c->p);
	const uint32_t symbol = code_dotted_name(c);
	const size_t head = c->p.at;

	while (!c->p.failed && !asl_is(&c->p, "begin") && asl_token(&c->p)->kind != TOKEN_END)
		c->p.at++;
	asl_expect(&c->p, "begin");
	while (!c->p.failed && !asl_take(&c->p, "end")) {
		const uint32_t first = (uint32_t)c->code->nodes.count;
		uint32_t f, list, last, braces = 0, name, type, body;
		size_t inside;
		bool setter;

		while (asl_take(&c->p, "readonly") || asl_take(&c->p, "pure"))
			;
		setter = asl_is(&c->p, "setter");
		if (!setter && !asl_is(&c->p, "getter")) {
			asl_fail(&c->p, "getter or setter expected");
			return;
		}
		inside = c->p.at + 1;
		/* The head once more: each of the two has its own parameters. */
		c->p.at = head;
		if (asl_take(&c->p, "{"))
			braces = parameters(c, "}", &last);
		asl_expect(&c->p, "(");
		list = parameters(c, ")", &last);
		if (!asl_take(&c->p, "<=>"))
			asl_expect(&c->p, "<->");
		name = code_name(c);
		asl_expect(&c->p, ":");
		type = code_type(c);
		if (c->p.failed)
			return;
		if (setter)
			add_parameter(c, &list, &last, at, name, type);
		c->p.at = inside;
		f = new_function(c, symbol, at, first);
		c->code->functions.at[f].kind = setter ? FUNCTION_SETTER : FUNCTION_GETTER;
		c->code->functions.at[f].parameters = list;
		c->code->functions.at[f].braces = braces;
		c->code->functions.at[f].result = setter ? 0 : type;
		body = code_block(c, 0, 0);
		asl_expect(&c->p, "end");
		asl_take(&c->p, ";");
		c->code->functions.at[f].body = body;
		c->code->functions.at[f].has_body = true;
		finish(c, f, is_known(c, symbol));
	}
	asl_take(&c->p, ";");
}

/* var, let, constant or config: name : T = value; */
static void ended_variable(struct code_parser *c)
{
	const uint32_t symbol = code_name(c);
	uint32_t type = 0, init = 0;

	if (asl_take(&c->p, ":"))
		type = code_type(c);
	if (asl_take(&c->p, "="))
		init = code_expression(c);
	asl_expect(&c->p, ";");
	declare_global(c, symbol, type, init);
}

static void ended_declaration(struct code_parser *c)
{
	static const char *const marks[] = {"pure", "readonly", "noreturn", "impdef",
					    "implementation"};

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (asl_take(&c->p, marks[i]))
			i = (size_t)-1;
	if (asl_take(&c->p, "func"))
		ended_function(c, FUNCTION_PLAIN);
	else if (asl_take(&c->p, "getter"))
		ended_function(c, FUNCTION_GETTER);
	else if (asl_take(&c->p, "setter"))
		ended_function(c, FUNCTION_SETTER);
	else if (asl_take(&c->p, "accessor"))
		accessor(c);
	else if (asl_take(&c->p, "type"))
		type_declaration(c);
	else if (asl_take(&c->p, "enumeration"))
		enumeration(c, code_name(c));
	else if (asl_take(&c->p, "var") || asl_take(&c->p, "let") || asl_take(&c->p, "constant") ||
		 asl_take(&c->p, "config"))
		ended_variable(c);
	else
		asl_fail(&c->p, "a declaration expected");
}

void code_declarations(struct code_parser *c)
{
	while (!c->p.failed && asl_token(&c->p)->kind != TOKEN_END) {
		const size_t before = c->p.at;

		if (asl_take(&c->p, ";"))
			continue;
		if (c->ends)
			ended_declaration(c);
		else
			plain_declaration(c);
		if (c->p.at == before)
			asl_fail(&c->p, "a declaration expected");
	}
}
