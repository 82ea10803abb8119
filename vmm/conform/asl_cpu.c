/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The pseudocode of the accessors that the software CPU's sys_route() decides. There are several
 * hundred, which name far more than SPE's do: what world.def does not have is only refused when an
 * evaluation asks for it. And an access may end in any statement.
 */
#define _GNU_SOURCE /* memmem */
#include "conform/asl_internal.h"
#include "conform/world_cpu.h"

#include <stdlib.h>
#include <string.h>

/* Keep the text from one token to another, both included. Returns its place in names. */
static size_t keep_name(struct asl_parser *p, const struct token *from, const struct token *to)
{
	struct asl_program *program = p->program;
	const size_t at = program->names_size;
	const size_t size = (size_t)(to->text + to->length - from->text);

	if (size >= program->names_room - at) {
		asl_fail(p, "the accessor is too large");
		return 0;
	}
	memcpy(program->names + at, from->text, size);
	program->names_size += size + 1;
	return at;
}

static unsigned int lacking(struct asl_parser *p, const struct token *from, const struct token *to,
			    uint8_t width)
{
	const size_t at = keep_name(p, from, to);

	if (at > UINT16_MAX)
		return asl_fail(p, "the accessor is too large");
	return asl_add(p, (struct expr){.kind = EXPR_LACKING,
					.width = width,
					.first = (uint16_t)at,
					.mask = UINT64_MAX});
}

static unsigned int constant(struct asl_parser *p, uint64_t value, uint8_t width)
{
	return asl_add(p, (struct expr){.kind = EXPR_CONSTANT,
					.width = width,
					.value = value,
					.mask = UINT64_MAX});
}

static bool token_is(const struct token *t, const char *text)
{
	return strlen(text) == t->length && !memcmp(t->text, text, t->length);
}

/* Is it a bracket: 1 opens, -1 closes. */
static int bracket(const struct token *t)
{
	if (t->kind != TOKEN_SYMBOL || t->length != 1)
		return 0;
	return strchr("([{", *t->text) ? 1 : strchr(")]}", *t->text) ? -1 : 0;
}

/* Take the brackets that begin here, with all in them. */
static bool skip_brackets(struct asl_parser *p)
{
	int depth = 0;

	do {
		if (asl_token(p)->kind == TOKEN_END)
			return asl_fail(p, "a bracket that is not closed");
		depth += bracket(asl_token(p));
		p->at++;
	} while (depth > 0);
	return true;
}

/* IsFeatureImplemented(FEAT_X), HaveEL(ELn). */
static unsigned int parse_feature(struct asl_parser *p, bool level)
{
	const struct token *name;
	struct world_cpu_bit bit;
	unsigned int e;

	p->at++;
	if (!asl_expect(p, "("))
		return 0;
	name = asl_token(p);
	if (name->kind != TOKEN_NAME)
		return asl_fail(p, "a name expected");
	bit = level ? world_cpu_level(name->text, name->length)
		    : world_cpu_feature(name->text, name->length);
	p->at++;
	e = bit.kind == WORLD_CPU_BIT
		    ? asl_add(p, (struct expr){.kind = EXPR_BITS, .first = bit.first})
		    : constant(p, bit.kind == WORLD_CPU_ONE, 0);
	return asl_expect(p, ")") ? e : 0;
}

/* IsHighestEL(level), ValidSecurityStateAtEL(level). */
static unsigned int parse_of_level(struct asl_parser *p, enum asl_function function)
{
	unsigned int level;

	p->at++;
	if (!asl_expect(p, "("))
		return 0;
	level = asl_operand(p);
	if (!level || !asl_expect(p, ")"))
		return 0;
	return asl_add(
		p, (struct expr){.kind = EXPR_FUNCTION, .first = (uint16_t)function, .a = level});
}

/* IsCurrentSecurityState(SS_Secure), which alone decides accesses. */
static unsigned int parse_state(struct asl_parser *p)
{
	p->at++;
	if (!asl_expect(p, "(") || !asl_expect(p, "SS_Secure") || !asl_expect(p, ")"))
		return 0;
	return asl_add(p, (struct expr){.kind = EXPR_FUNCTION, .first = FUNCTION_SECURE});
}

/* boolean IMPLEMENTATION_DEFINED "...", ImpDefBool("..."). */
static unsigned int parse_choice(struct asl_parser *p)
{
	const bool call = asl_take(p, "ImpDefBool");
	const struct token *text;
	int value;

	asl_take(p, "boolean");
	if (call ? !asl_expect(p, "(") : !asl_expect(p, "IMPLEMENTATION_DEFINED"))
		return 0;
	text = asl_token(p);
	if (text->kind != TOKEN_STRING)
		return asl_fail(p, "a text expected");
	p->at++;
	if (call && !asl_expect(p, ")"))
		return 0;
	value = world_cpu_choice(text->text, text->length);
	return value < 0 ? lacking(p, text, text, 0) : constant(p, (uint64_t)value, 0);
}

/* One field of a register, of any width if world.def lacks it. */
static unsigned int parse_field(struct asl_parser *p, const struct token *reg)
{
	const struct token *name = asl_token(p);
	struct world_cpu_bit bit;

	if (name->kind != TOKEN_NAME)
		return asl_fail(p, "the name of a field expected");
	p->at++;
	bit = world_cpu_find(reg->text, reg->length, name->text, name->length);
	if (bit.kind == WORLD_CPU_BIT)
		return asl_add(
			p,
			(struct expr){.kind = EXPR_BITS, .width = bit.width, .first = bit.first});
	if (bit.kind == WORLD_CPU_ONE || bit.kind == WORLD_CPU_ZERO)
		return constant(p, bit.kind == WORLD_CPU_ONE, bit.width);
	return lacking(p, reg, name, ASL_ANY);
}

/* REG.FIELD, REG().FIELD, REG.<A,B>. The tokens are at REG. */
static unsigned int parse_register(struct asl_parser *p)
{
	const struct token *reg = asl_token(p);
	const char *close;
	unsigned int all;
	bool any = false;

	p->at++;
	if (asl_take(p, "(") && !asl_expect(p, ")"))
		return 0;
	if (!asl_expect(p, "."))
		return 0;
	if (!asl_is(p, "<") && !asl_is(p, "["))
		return parse_field(p, reg);
	close = asl_is(p, "<") ? ">" : "]";
	p->at++;
	all = parse_field(p, reg);
	while (all && asl_take(p, ",")) {
		const struct token *begin = asl_token(p);
		const unsigned int more = parse_field(p, reg);
		struct expr *exprs = p->program->exprs;
		unsigned int width;

		if (!more)
			return 0;
		any = any || exprs[all].width == ASL_ANY || exprs[more].width == ASL_ANY;
		width = exprs[all].width + 0u + exprs[more].width;
		if (any)
			all = lacking(p, begin, begin, ASL_ANY);
		else if (width > 64)
			return asl_fail(p, "more than 64 bits");
		else
			all = asl_add(p, (struct expr){.kind = EXPR_CONCAT,
						       .width = (uint8_t)width,
						       .a = all,
						       .b = more});
	}
	return all && asl_expect(p, close) ? all : 0;
}

/* A function, with the AArch64. before it or not, that world.def has a row for, or lacks. */
static unsigned int parse_call(struct asl_parser *p)
{
	const struct token *name = asl_token(p);
	int value;

	if (token_is(&name[0], "AArch64") && token_is(&name[1], "."))
		p->at += 2;
	name = asl_token(p);
	if (name->kind != TOKEN_NAME || !token_is(&name[1], "("))
		return asl_fail(p, "a function expected");
	p->at++;
	value = world_cpu_call(name->text, name->length);
	if (!skip_brackets(p))
		return 0;
	return value < 0 ? lacking(p, name, name, ASL_ANY) : constant(p, (uint64_t)value, 0);
}

/* NAME with brackets or sums after it: what only an absent feature asks. */
static unsigned int parse_plain(struct asl_parser *p)
{
	const struct token *name = asl_token(p);
	const int number = world_cpu_number(name->text, name->length);

	p->at++;
	if (number >= 0)
		return constant(p, (uint64_t)number, ASL_INTEGER);
	if (bracket(asl_token(p)) > 0 && !skip_brackets(p))
		return 0;
	return lacking(p, name, name, ASL_ANY);
}

/* m, alone or as the first part of a sum, whose other parts only absent features add. */
static unsigned int parse_index(struct asl_parser *p)
{
	const struct token *from = asl_token(p);

	p->at++;
	if (!asl_is(p, "+"))
		return asl_add(p, (struct expr){.kind = EXPR_M, .width = ASL_INTEGER});
	while (asl_take(p, "+") || asl_take(p, "-") || asl_take(p, "*")) {
		if (bracket(asl_token(p)) > 0) {
			if (!skip_brackets(p))
				return 0;
		} else if (asl_token(p)->kind == TOKEN_NAME || asl_token(p)->kind == TOKEN_NUMBER) {
			p->at++;
		} else {
			return asl_fail(p, "a part of a sum expected");
		}
	}
	return lacking(p, from, from, ASL_INTEGER);
}

unsigned int asl_cpu_name(struct asl_parser *p)
{
	static const char *const others[] = {"EL2Enabled", "EffectiveHCR_EL2_NVx",
					     "ELIsInHost", "TRUE",
					     "FALSE",	   "EL0",
					     "EL1",	   "EL2",
					     "EL3",	   "UInt"};
	const struct token *t = asl_token(p);

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (token_is(t, others[i]))
			return 0;
	if (token_is(t, "PSTATE") && token_is(&t[1], ".") && token_is(&t[2], "EL"))
		return 0;
	if (token_is(t, "IsFeatureImplemented") || token_is(t, "HaveEL"))
		return parse_feature(p, t->length == 6);
	if (token_is(t, "boolean") || token_is(t, "IMPLEMENTATION_DEFINED") ||
	    token_is(t, "ImpDefBool"))
		return parse_choice(p);
	if (token_is(t, "IsHCRXEL2Enabled")) {
		p->at++;
		return asl_expect(p, "(") && asl_expect(p, ")")
			       ? asl_add(p, (struct expr){.kind = EXPR_FUNCTION,
							  .first = FUNCTION_HCRX})
			       : 0;
	}
	if (token_is(t, "IsHighestEL"))
		return parse_of_level(p, FUNCTION_HIGHEST);
	if (token_is(t, "ValidSecurityStateAtEL"))
		return parse_of_level(p, FUNCTION_VALID);
	if (token_is(t, "IsCurrentSecurityState"))
		return parse_state(p);
	if (token_is(t, "m") || token_is(t, "n"))
		return parse_index(p);
	if (token_is(t, "AArch64") && token_is(&t[1], "."))
		return parse_call(p);
	if (token_is(&t[1], ".") ||
	    (token_is(&t[1], "(") && token_is(&t[2], ")") && token_is(&t[3], ".")))
		return parse_register(p);
	return token_is(&t[1], "(") ? parse_call(p) : parse_plain(p);
}

/* AArch64.SystemAccessTrap(ELn, class). */
static bool take_trap(struct asl_parser *p, struct outcome *outcome)
{
	const struct token *t = asl_token(p);
	char digits[8];

	if (!token_is(t, "(") || t[1].length != 3 || memcmp(t[1].text, "EL", 2) != 0 ||
	    t[1].text[2] < '1' || t[1].text[2] > '3' || !token_is(&t[2], ",") ||
	    t[3].kind != TOKEN_NUMBER || t[3].length >= sizeof(digits))
		return asl_fail(p, "a trap to EL1, EL2 or EL3 with its class expected");
	memcpy(digits, t[3].text, t[3].length);
	digits[t[3].length] = 0;
	*outcome = (struct outcome){.kind = SYSREG_TRAP,
				    .target_el = (uint8_t)(t[1].text[2] - '0'),
				    .ec = (uint8_t)strtoul(digits, NULL, 0)};
	p->at += 4;
	return asl_expect(p, ")");
}

/* The tokens of a statement, up to its semicolon, which is taken. 0: there is none. */
static size_t take_statement(struct asl_parser *p)
{
	const size_t from = p->at;
	int depth = 0;

	while (depth > 0 || !asl_is(p, ";")) {
		if (asl_token(p)->kind == TOKEN_END) {
			asl_fail(p, "a statement without its semicolon");
			return 0;
		}
		depth += bracket(asl_token(p));
		p->at++;
	}
	p->at++;
	return p->at - 1 - from;
}

/* A number; false: the token is none. */
static bool number_of(const struct token *t, unsigned long *value)
{
	char digits[16];

	if (t->kind != TOKEN_NUMBER || t->length >= sizeof(digits))
		return false;
	memcpy(digits, t->text, t->length);
	digits[t->length] = 0;
	*value = strtoul(digits, NULL, 0);
	return true;
}

/*
 * NVMem[0x828], NVMem{64}(0x400 + (8 * m)) among the tokens, which end with a semicolon: the offset
 * of register 0, and from one to the next. False: there is none.
 */
static bool memory_place(const struct token *t, size_t count, struct asl_statement *s)
{
	unsigned long offset, step;
	size_t i = 0;

	while (i < count && !token_is(&t[i], "NVMem"))
		i++;
	if (i == count)
		return false;
	i++;
	if (token_is(&t[i], "{"))
		while (i < count && !token_is(&t[i++], "}"))
			;
	if (i + 1 >= count || bracket(&t[i]) <= 0 || !number_of(&t[i + 1], &offset))
		return false;
	s->outcome = (struct outcome){.kind = SYSREG_NVMEM, .offset = (uint16_t)offset};
	s->step = 0;
	i += 2;
	if (i >= count || !token_is(&t[i], "+"))
		return true;
	i += token_is(&t[i + 1], "(") ? 2 : 1;
	if (i >= count || !number_of(&t[i], &step) || !token_is(&t[i + 1], "*"))
		return false;
	s->step = (unsigned int)step;
	return true;
}

/* The register that an assignment to or from X names, alone or with its bits; or NULL. */
static const struct token *named_register(const struct asl_parser *p, const struct token *t,
					  size_t count)
{
	const struct token *name = t, *end;
	size_t equal = 0;

	while (equal < count && !token_is(&t[equal], "="))
		equal++;
	if (equal == count)
		return NULL;
	end = p->write ? &t[equal] : &t[count];
	if (!p->write)
		name = &t[equal + 1];
	else if (equal + 1 == count || !token_is(&t[equal + 1], "X"))
		return NULL;
	if (name >= end || name->kind != TOKEN_NAME)
		return NULL;
	if (name + 1 == end || token_is(&name[1], "<") ||
	    (token_is(&name[1], "(") && token_is(&name[2], ")") && name + 3 == end &&
	     memchr(name->text, '_', name->length)))
		return name;
	return NULL;
}

/*
 * A timer's TVAL is a difference of its CVAL: an access to CNTx_TVAL computes with CNTx_CVAL, whose
 * name says which timer's it is. Returns the name of the TVAL, or NULL.
 */
static const char *timer_value(struct asl_parser *p, const struct token *t, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const char *at = t[i].kind == TOKEN_NAME
					 ? memmem(t[i].text, t[i].length, "_CVAL_", 6)
					 : NULL;
		char *name;

		if (!at)
			continue;
		name = p->program->names + keep_name(p, &t[i], &t[i]);
		name[at + 1 - t[i].text] = 'T';
		return name;
	}
	return NULL;
}

bool asl_cpu_outcome(struct asl_parser *p, struct asl_statement *s)
{
	const struct token *t = asl_token(p), *name;
	struct outcome *outcome = &s->outcome;
	size_t count;

	if (asl_take(p, "UNDEFINED")) {
		*outcome = (struct outcome){.kind = SYSREG_UNDEFINED};
		return asl_expect(p, ";");
	}
	if (asl_take(p, "AArch64_SystemAccessTrap"))
		return take_trap(p, outcome) && asl_expect(p, ";");
	if (token_is(t, "AArch64") && token_is(&t[1], ".") && token_is(&t[2], "SystemAccessTrap")) {
		p->at += 3;
		return take_trap(p, outcome) && asl_expect(p, ";");
	}
	if (t->kind != TOKEN_NAME)
		return asl_fail(p, "a statement expected");
	count = take_statement(p);
	if (p->failed)
		return false;
	name = named_register(p, t, count);
	if (token_is(t, "Undefined") || token_is(t, "UnimplementedIDRegister"))
		*outcome = (struct outcome){.kind = SYSREG_UNDEFINED};
	else if (!memory_place(t, count, s))
		*outcome = (struct outcome){.kind = SYSREG_DIRECT};
	if (outcome->kind == SYSREG_DIRECT && name && !token_is(name, "Zeros"))
		outcome->name = p->program->names + keep_name(p, name, name);
	else if (outcome->kind == SYSREG_DIRECT)
		outcome->name = timer_value(p, t, count);
	return !p->failed;
}

static bool root_below_el3(struct world *w)
{
	return world_is(w, WORLD_FEAT_RME) && world_is(w, WORLD_SCR_EL3_NSE) &&
	       !world_is(w, WORLD_SCR_EL3_NS);
}

static bool is_valid_at(unsigned int level, struct world *w)
{
	if (level == 3)
		return world_is(w, WORLD_FEAT_EL3);
	if (world_is(w, WORLD_FEAT_EL3) && root_below_el3(w))
		return false;
	return level < 2 || world_el2_enabled(w);
}

/* Of the state below EL3; at EL3 itself SCR_EL3 says no more. */
static bool is_secure(struct world *w)
{
	if (!world_is(w, WORLD_FEAT_EL3))
		return false;
	if (w->el == 3)
		return !world_is(w, WORLD_FEAT_RME);
	return !world_is(w, WORLD_SCR_EL3_NS) &&
	       !(world_is(w, WORLD_FEAT_RME) && world_is(w, WORLD_SCR_EL3_NSE));
}

bool asl_cpu_call(enum asl_function function, unsigned int a, struct world *w)
{
	switch (function) {
	case FUNCTION_HCRX:
		if (!world_is(w, WORLD_CPU_FEAT_HCX) || !world_is(w, WORLD_FEAT_EL2))
			return false;
		if (world_is(w, WORLD_FEAT_EL3) && !world_is(w, WORLD_CPU_SCR_EL3_HXEn))
			return false;
		return world_el2_enabled(w);
	case FUNCTION_HIGHEST:
		if (world_is(w, WORLD_FEAT_EL3))
			return a == 3;
		return a == (world_is(w, WORLD_FEAT_EL2) ? 2u : 1u);
	case FUNCTION_VALID: return is_valid_at(a, w);
	case FUNCTION_SECURE: return is_secure(w);
	default: return false;
	}
}
