/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Conditions of the pseudocode. Every expression has a width, which is checked while parsing: 0 for
 * booleans, else the number of bits. Source of the named functions: the Arm ARM, through
 * conform/world.h.
 */
#include "conform/asl_internal.h"
#include "conform/subject.h"

#include <string.h>

static struct expr *expr_at(struct asl_parser *p, unsigned int index)
{
	return &p->program->exprs[index];
}

static unsigned int add_expr(struct asl_parser *p, struct expr e)
{
	if (p->failed)
		return 0;
	if (p->program->expr_count >= p->program->capacity)
		return asl_fail(p, "the accessor is too large");
	p->program->exprs[p->program->expr_count] = e;
	return p->program->expr_count++;
}

unsigned int asl_add(struct asl_parser *p, struct expr e)
{
	return add_expr(p, e);
}

static unsigned int parse_or(struct asl_parser *p);

static bool token_is(const struct token *t, const char *text)
{
	return (t->kind == TOKEN_NAME || t->kind == TOKEN_SYMBOL) && strlen(text) == t->length &&
	       !memcmp(t->text, text, t->length);
}

/* '01x': value and mask, of at most 64 bits. */
static bool parse_bits(struct asl_parser *p, uint64_t *value, uint64_t *mask, uint8_t *width)
{
	const struct token *t = asl_token(p);

	*value = *mask = 0;
	*width = 0;
	if (t->kind != TOKEN_BITS)
		return asl_fail(p, "bits such as '0x1' expected");
	for (size_t i = 0; i < t->length; i++) {
		if (t->text[i] == ' ')
			continue;
		if (!strchr("01x", t->text[i]) || !t->text[i] || *width == 64)
			return asl_fail(p, "bits are 0, 1 and x, and at most 64");
		*value = *value << 1 | (t->text[i] == '1');
		*mask = *mask << 1 | (t->text[i] != 'x');
		(*width)++;
	}
	if (*width == 0)
		return asl_fail(p, "bits without a bit");
	p->at++;
	return true;
}

static unsigned int parse_constant(struct asl_parser *p)
{
	struct expr e = {.kind = EXPR_CONSTANT};

	if (!parse_bits(p, &e.value, &e.mask, &e.width))
		return 0;
	return add_expr(p, e);
}

/* A decimal number below 64. */
static bool parse_index(struct asl_parser *p, unsigned int *index)
{
	const struct token *t = asl_token(p);

	*index = 0;
	if (t->kind != TOKEN_NUMBER || t->length > 2)
		return asl_fail(p, "the number of a bit expected");
	for (size_t i = 0; i < t->length; i++) {
		if (t->text[i] < '0' || t->text[i] > '9')
			return asl_fail(p, "the number of a bit expected");
		*index = *index * 10 + (unsigned int)(t->text[i] - '0');
	}
	p->at++;
	return true;
}

/* [n], [m:n], <n> or <m:n> after bits. */
static unsigned int parse_slices(struct asl_parser *p, unsigned int of)
{
	while (of && (asl_is(p, "[") || asl_is(p, "<"))) {
		const char *close = asl_is(p, "[") ? "]" : ">";
		unsigned int high, low;

		if (expr_at(p, of)->width == ASL_INTEGER)
			return asl_fail(p, "a bit of an integer");
		p->at++;
		if (!parse_index(p, &high))
			return 0;
		low = high;
		if (asl_take(p, ":") && !parse_index(p, &low))
			return 0;
		if (high < low || high >= expr_at(p, of)->width)
			return asl_fail(p, "a bit outside the field");
		if (!asl_expect(p, close))
			return 0;
		of = add_expr(p, (struct expr){.kind = EXPR_SLICE,
					       .width = (uint8_t)(high - low + 1),
					       .first = (uint16_t)low,
					       .a = of});
	}
	return of;
}

static unsigned int parse_field(struct asl_parser *p, const struct token *reg)
{
	const struct token *name = asl_token(p);
	const struct world_field *f;

	if (name->kind != TOKEN_NAME)
		return asl_fail(p, "the name of a field expected");
	f = world_find_field(reg->text, reg->length, name->text, name->length);
	if (!f)
		return asl_fail(p, "not a field that accesses are known to depend on");
	p->at++;
	return add_expr(p, (struct expr){.kind = EXPR_BITS, .width = f->width, .first = f->first});
}

/* PMUACR_EL1[n], n an integer: P<n>, C or F0. */
static unsigned int parse_bit_of_pmuacr(struct asl_parser *p)
{
	const char *close = asl_take(p, "(") ? ")" : "]";
	unsigned int n;

	if (*close == ')') {
		/* PMUACR_EL1()[n] */
		if (!asl_expect(p, ")"))
			return 0;
		close = "]";
	}
	if (!asl_expect(p, "["))
		return 0;
	n = asl_integer(p);
	if (!n || !asl_expect(p, close))
		return 0;
	return add_expr(p, (struct expr){.kind = EXPR_AT,
					 .width = 1,
					 .first = WORLD_PMUACR_EL1_P,
					 .value = WORLD_PMUACR_EL1_F0 - WORLD_PMUACR_EL1_P + 1,
					 .a = n});
}

/* REG.FIELD, REG().FIELD, and several fields as one value: REG.<A,B>, REG().[A,B]. */
static unsigned int parse_register(struct asl_parser *p)
{
	const struct token *reg = asl_token(p);
	const char *close;
	unsigned int all;

	p->at++;
	if (asl_take(p, "(") && !asl_expect(p, ")"))
		return 0;
	if (!asl_expect(p, "."))
		return 0;
	if (!asl_is(p, "<") && !asl_is(p, "["))
		return parse_slices(p, parse_field(p, reg));
	close = asl_is(p, "<") ? ">" : "]";
	p->at++;
	all = parse_field(p, reg);
	while (all && asl_take(p, ",")) {
		const unsigned int more = parse_field(p, reg);
		const unsigned int width =
			more ? expr_at(p, all)->width + 0u + expr_at(p, more)->width : 0;

		if (!more)
			return 0;
		if (width > 64)
			return asl_fail(p, "more than 64 bits");
		all = add_expr(p, (struct expr){.kind = EXPR_CONCAT,
						.width = (uint8_t)width,
						.a = all,
						.b = more});
	}
	return all && asl_expect(p, close) ? all : 0;
}

/* Functions without arguments, by name. */
static const struct named_function {
	const char *name;
	enum expr_kind kind;
	uint16_t first; /* enum asl_function, or enum world_bit */
	uint8_t width;
} functions[] = {
	{"EL3SDDUndef", EXPR_FUNCTION, FUNCTION_SDD_UNDEF, 0},
	{"EL3SDDUndefPriority", EXPR_FUNCTION, FUNCTION_SDD_PRIORITY, 0},
	{"CheckMDCR_EL3_NSPBTrap", EXPR_FUNCTION, FUNCTION_NSPB_TRAP, 0},
	{"EL2Enabled", EXPR_FUNCTION, FUNCTION_EL2_ENABLED, 0},
	{"EffectiveHCR_EL2_NVx", EXPR_FUNCTION, FUNCTION_NVX, 3},
	{"EffectivePMSCR_EL2_EE", EXPR_FUNCTION, FUNCTION_PMSCR_EL2_EE, 2},
	{"Halted", EXPR_BITS, WORLD_HALTED, 0},
	{"GetNumEventCountersSelfHosted", EXPR_FUNCTION, FUNCTION_COUNTERS, ASL_INTEGER},
	{"GetNumEventCountersAccessible", EXPR_FUNCTION, FUNCTION_ACCESSIBLE, ASL_INTEGER},
};

static unsigned int parse_call(struct asl_parser *p)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		const struct named_function *f = &functions[i];

		if (!asl_is(p, f->name))
			continue;
		p->at++;
		if (!asl_expect(p, "(") || !asl_expect(p, ")"))
			return 0;
		return parse_slices(p, add_expr(p, (struct expr){.kind = f->kind,
								 .width = f->width,
								 .first = f->first}));
	}
	return asl_fail(p, "not a function that accessors are known to call");
}

/* IsFeatureImplemented(FEAT_X), HaveEL(ELn), ELIsInHost(EL2). */
static unsigned int parse_call_with_name(struct asl_parser *p)
{
	const struct token *function = asl_token(p), *name;
	struct expr e = {.kind = EXPR_BITS};
	int bit;

	p->at++;
	if (!asl_expect(p, "("))
		return 0;
	name = asl_token(p);
	if (name->kind != TOKEN_NAME)
		return asl_fail(p, "a name expected");
	if (token_is(function, "ELIsInHost")) {
		if (!token_is(name, "EL2") && !token_is(name, "EL0"))
			return asl_fail(p, "ELIsInHost() is known of EL0 and EL2 only");
		e.kind = EXPR_FUNCTION;
		bit = token_is(name, "EL2") ? FUNCTION_IN_HOST : FUNCTION_EL0_IN_HOST;
	} else if (token_is(function, "HaveEL")) {
		bit = world_find_level(name->text, name->length);
		if (bit < 0)
			return asl_fail(p, "HaveEL() is known of EL2 and EL3");
	} else if (token_is(name, "FEAT_AA64")) {
		/* Every accessor here is one of AArch64 state. */
		e = (struct expr){.kind = EXPR_CONSTANT, .value = 1};
		bit = 0;
	} else {
		bit = world_find_feature(name->text, name->length);
		if (bit < 0)
			return asl_fail(p, "not a feature that accesses are known to depend on");
	}
	e.first = (uint16_t)bit;
	p->at++;
	return asl_expect(p, ")") ? add_expr(p, e) : 0;
}

/* boolean IMPLEMENTATION_DEFINED "...", or ImpDefBool("..."): only one choice is known. */
static unsigned int parse_choice(struct asl_parser *p)
{
	static const char known[] = "EL3 trap priority when SDD";
	const bool call = asl_take(p, "ImpDefBool");

	if (call ? !asl_expect(p, "(") : !asl_expect(p, "IMPLEMENTATION_DEFINED"))
		return 0;
	if (asl_token(p)->kind != TOKEN_STRING || asl_token(p)->length < sizeof(known) - 1 ||
	    memcmp(asl_token(p)->text, known, sizeof(known) - 1) != 0)
		return asl_fail(p, "an IMPLEMENTATION DEFINED choice that is not known");
	p->at++;
	if (call && !asl_expect(p, ")"))
		return 0;
	return add_expr(p, (struct expr){.kind = EXPR_BITS, .first = WORLD_PRIORITY});
}

static unsigned int parse_name(struct asl_parser *p)
{
	const struct token *t = asl_token(p);

	if (p->cpu_name) {
		const unsigned int e = p->cpu_name(p);

		if (e || p->failed)
			return parse_slices(p, e);
	}
	if (asl_take(p, "TRUE") || asl_take(p, "FALSE"))
		return add_expr(p, (struct expr){.kind = EXPR_CONSTANT, .value = t->length == 4});
	if (t->length == 3 && t->text[0] == 'E' && t->text[1] == 'L' && t->text[2] >= '0' &&
	    t->text[2] <= '3') {
		p->at++;
		return add_expr(p, (struct expr){.kind = EXPR_CONSTANT,
						 .width = 2,
						 .value = (uint64_t)(t->text[2] - '0'),
						 .mask = 3});
	}
	if (asl_take(p, "PSTATE")) {
		if (!asl_expect(p, ".") || !asl_expect(p, "EL"))
			return 0;
		return add_expr(p, (struct expr){.kind = EXPR_EL, .width = 2});
	}
	if (asl_take(p, "boolean") || asl_is(p, "ImpDefBool") ||
	    asl_is(p, "IMPLEMENTATION_DEFINED"))
		return parse_choice(p);
	if (asl_is(p, "UInt")) {
		const unsigned int n = asl_integer(p);

		return n;
	}
	if (asl_take(p, "m"))
		return add_expr(p, (struct expr){.kind = EXPR_M, .width = ASL_INTEGER});
	if (token_is(t, "PMUACR_EL1") && token_is(&t[1], "[")) {
		p->at++;
		return parse_bit_of_pmuacr(p);
	}
	if (token_is(t, "PMUACR_EL1") && token_is(&t[1], "(") && token_is(&t[2], ")") &&
	    token_is(&t[3], "[")) {
		p->at++;
		return parse_bit_of_pmuacr(p);
	}
	if (asl_is(p, "IsFeatureImplemented") || asl_is(p, "HaveEL") || asl_is(p, "ELIsInHost"))
		return parse_call_with_name(p);
	/* Fields follow a register's name, with or without () between. */
	if (token_is(&t[1], ".") ||
	    (token_is(&t[1], "(") && token_is(&t[2], ")") && token_is(&t[3], ".")))
		return parse_register(p);
	return parse_call(p);
}

/* A number as an integer. */
static unsigned int parse_decimal(struct asl_parser *p)
{
	unsigned int number;

	if (!parse_index(p, &number))
		return 0;
	return add_expr(p, (struct expr){.kind = EXPR_CONSTANT,
					 .width = ASL_INTEGER,
					 .value = number,
					 .mask = UINT64_MAX});
}

static unsigned int parse_operand(struct asl_parser *p)
{
	unsigned int e = 0;

	if (++p->depth > ASL_DEPTH_MAX) {
		asl_fail(p, "nested too deeply");
	} else if (asl_take(p, "(")) {
		e = parse_or(p);
		if (e && !asl_expect(p, ")"))
			e = 0;
	} else if (asl_take(p, "!")) {
		e = parse_operand(p);
		if (e && !asl_fits(expr_at(p, e)->width, 0))
			e = asl_fail(p, "! of something that is no condition");
		if (e)
			e = add_expr(p, (struct expr){.kind = EXPR_NOT, .a = e});
	} else if (asl_token(p)->kind == TOKEN_BITS) {
		e = parse_constant(p);
	} else if (asl_token(p)->kind == TOKEN_NUMBER) {
		e = parse_decimal(p);
	} else if (asl_token(p)->kind == TOKEN_NAME) {
		e = parse_name(p);
	} else {
		asl_fail(p, "a condition expected");
	}
	p->depth--;
	return p->failed ? 0 : e;
}

/* An element of a list: bits, or an Exception level. */
static unsigned int parse_pattern(struct asl_parser *p, uint8_t width)
{
	struct expr e = {.kind = EXPR_PATTERN};
	const struct token *t = asl_token(p);

	if (t->kind == TOKEN_NAME) {
		const unsigned int constant = parse_name(p);

		if (!constant)
			return 0;
		if (expr_at(p, constant)->kind != EXPR_CONSTANT)
			return asl_fail(p, "a constant expected");
		e.value = expr_at(p, constant)->value;
		e.mask = expr_at(p, constant)->mask;
		e.width = expr_at(p, constant)->width;
	} else if (!parse_bits(p, &e.value, &e.mask, &e.width)) {
		return 0;
	}
	if (!asl_fits(e.width, width))
		return asl_fail(p, "compared with bits of another width");
	return add_expr(p, e);
}

static unsigned int parse_in(struct asl_parser *p, unsigned int left)
{
	const uint8_t width = expr_at(p, left)->width;
	unsigned int first = 0, last = 0;

	if (!asl_expect(p, "{"))
		return 0;
	do {
		const unsigned int pattern = parse_pattern(p, width);

		if (!pattern)
			return 0;
		if (last)
			expr_at(p, last)->b = pattern;
		else
			first = pattern;
		last = pattern;
	} while (asl_take(p, ","));
	if (!asl_expect(p, "}"))
		return 0;
	return add_expr(p, (struct expr){.kind = EXPR_IN, .a = left, .b = first});
}

unsigned int asl_operand(struct asl_parser *p)
{
	return parse_operand(p);
}

static unsigned int parse_comparison(struct asl_parser *p)
{
	const unsigned int left = parse_operand(p);
	unsigned int right;
	bool equal, less;

	if (!left)
		return 0;
	if (asl_take(p, "IN"))
		return expr_at(p, left)->width ? parse_in(p, left)
					       : asl_fail(p, "IN of something that is no bits");
	if (!asl_is(p, "==") && !asl_is(p, "!=") && !asl_is(p, ">="))
		return left;
	if (asl_is(p, ">=") && !asl_fits(expr_at(p, left)->width, ASL_INTEGER))
		return asl_fail(p, ">= of something that is no integer");
	equal = asl_is(p, "==");
	less = asl_is(p, ">=");
	p->at++;
	right = parse_operand(p);
	if (!right)
		return 0;
	if (!asl_fits(expr_at(p, left)->width, expr_at(p, right)->width))
		return asl_fail(p, "two sides of different width");
	return add_expr(p, (struct expr){.kind = less	 ? EXPR_NOT_LESS
						 : equal ? EXPR_EQUAL
							 : EXPR_NOT_EQUAL,
					 .a = left,
					 .b = right});
}

/* && or ||. They should not mix without brackets; if they do, && binds as in C. */
static unsigned int parse_chain(struct asl_parser *p, bool conjunction)
{
	const char *operator= conjunction ? "&&" : "||";
	unsigned int left = conjunction ? parse_comparison(p) : parse_chain(p, true);
	unsigned int parts = 1;

	while (left && asl_is(p, operator)) {
		unsigned int right;

		if (++parts > ASL_CHAIN_MAX)
			return asl_fail(p, "a condition of too many parts");
		if (!asl_fits(expr_at(p, left)->width, 0))
			return asl_fail(p, "bits where a condition is expected");
		p->at++;
		right = conjunction ? parse_comparison(p) : parse_chain(p, true);
		if (!right)
			return 0;
		if (!asl_fits(expr_at(p, right)->width, 0))
			return asl_fail(p, "bits where a condition is expected");
		left = add_expr(p, (struct expr){.kind = conjunction ? EXPR_AND : EXPR_OR,
						 .a = left,
						 .b = right});
	}
	return left;
}

static unsigned int parse_or(struct asl_parser *p)
{
	return parse_chain(p, false);
}

/* UInt(bits), m, a number, or an integer function. */
unsigned int asl_integer(struct asl_parser *p)
{
	unsigned int e;

	if (asl_take(p, "UInt")) {
		if (!asl_expect(p, "("))
			return 0;
		e = parse_operand(p);
		if (!e || !asl_expect(p, ")"))
			return 0;
		if (!expr_at(p, e)->width || expr_at(p, e)->width > 64)
			return asl_fail(p, "UInt() of something that is no bits");
		return add_expr(p,
				(struct expr){.kind = EXPR_INTEGER, .width = ASL_INTEGER, .a = e});
	}
	e = parse_operand(p);
	if (e && expr_at(p, e)->width != ASL_INTEGER)
		return asl_fail(p, "an integer expected");
	return e;
}

unsigned int asl_condition(struct asl_parser *p)
{
	const unsigned int e = parse_or(p);

	if (e && !asl_fits(expr_at(p, e)->width, 0))
		return asl_fail(p, "bits where a condition is expected");
	return e;
}
