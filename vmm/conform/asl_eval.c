/* SPDX-License-Identifier: BSD-2-Clause */
/* Evaluates expressions of the pseudocode. */
#include "conform/asl_code_internal.h"

#include <string.h>

static const struct asl_value nothing;

static struct asl_value failed(struct asl_code *code, const char *what)
{
	asl_code_fail(code, "%s", what);
	return nothing;
}

/* A variable's value; the first access sets it. NULL after an error. */
struct asl_value *code_global(struct asl_code *code, uint32_t global)
{
	struct global *g = &code->globals.at[global];
	struct asl_value *frame, init;

	if (g->state == GLOBAL_SET)
		return &g->value;
	if (g->state == GLOBAL_BEING_SET) {
		asl_code_fail(code, "%.80s needs its own value", code->symbols.at[g->symbol].name);
		return NULL;
	}
	g->state = GLOBAL_BEING_SET;
	frame = code->frame;
	code->frame = NULL;
	g->value = code_default(code, g->type, true, false);
	if (g->init) {
		init = code_eval(code, g->init);
		if (init.kind >= ASL_ARRAY && !g->type)
			asl_code_fail(code, "a variable that needs a type");
		code_store(code, &g->value, &init);
	}
	code->frame = frame;
	g->state = code->failed ? GLOBAL_NEW : GLOBAL_SET;
	return code->failed ? NULL : &g->value;
}

struct asl_value *code_variable(struct asl_code *code, const struct node *n)
{
	if (n->slot && code->frame)
		return &code->frame[n->slot - 1];
	return n->c ? code_global(code, n->c) : NULL;
}

bool code_condition(struct asl_code *code, uint32_t node)
{
	const struct asl_value v = code_eval(code, node);

	if (code->failed)
		return false;
	if (v.kind != ASL_BOOLEAN)
		return asl_code_fail(code, "%s where a boolean belongs", code_kind_name(&v));
	return v.u.boolean;
}

/* ---- slices */

static bool one_slice(struct asl_code *code, const struct node *r, struct slice *slice)
{
	struct asl_value a = code_eval(code, r->a), b = nothing;
	const enum range_kind how = (enum range_kind)r->how;
	unsigned int high, low;

	if (r->b)
		b = code_eval(code, r->b);
	if (code->failed || !code_to_size(code, &a, 100000, &high))
		return false;
	*slice = (struct slice){high, 1};
	if (how == RANGE_ONE)
		return true;
	/* 8*n-1:0 of n = 0 is empty; a number below 0 has no slice. */
	if (!code_to_size(code, &b, 100000, &low))
		return false;
	if (how == RANGE_DOWN) {
		if (high < low)
			return asl_code_fail(code, "the slice %u:%u", high, low);
		*slice = (struct slice){low, high - low + 1};
	} else if (how == RANGE_PLUS) {
		*slice = (struct slice){high, low};
	} else {
		*slice = (struct slice){high * low, low};
	}
	return true;
}

unsigned int code_slices(struct asl_code *code, uint32_t ranges,
			 struct slice slices[static CODE_SLICES])
{
	unsigned int count = 0;

	for (uint32_t r = ranges; r; r = code_at(code, r)->next) {
		if (count == CODE_SLICES) {
			asl_code_fail(code, "more than %u slices", CODE_SLICES);
			return 0;
		}
		if (!one_slice(code, code_at(code, r), &slices[count++]))
			return 0;
	}
	return count;
}

unsigned int code_field(struct asl_code *code, const struct asl_value *v, uint32_t symbol,
			struct slice slices[static CODE_SLICES])
{
	uint32_t word = 0;

	if (v->kind == ASL_BITS && v->type)
		word = code->types.at[v->type].list;
	for (; word; word = code_at(code, word)->next)
		if (code_at(code, word)->symbol == symbol)
			return code_slices(code, code_at(code, word)->a, slices);
	asl_code_fail(code, "%s without a field %.80s", code_kind_name(v),
		      code->symbols.at[symbol].name);
	return 0;
}

/* ---- kinds of expressions */

static struct asl_value eval_name(struct asl_code *code, const struct node *n)
{
	const struct asl_value *v = code_variable(code, n);

	if (code->failed)
		return nothing;
	if (!v) { /* a getter without brackets, or nothing */
		if (code->symbols.at[n->symbol].function || code->symbols.at[n->symbol].hook)
			return code->call(code, n->symbol, false, NULL, 0, NULL, 0);
		asl_code_fail(code, "%.80s is not there", code->symbols.at[n->symbol].name);
		return nothing;
	}
	if (v->kind == ASL_NOTHING)
		asl_code_fail(code, "%.80s has no value yet", code->symbols.at[n->symbol].name);
	return *v;
}

unsigned int code_evaluate_list(struct asl_code *code, uint32_t list,
				struct asl_value values[static ASL_ARGUMENTS])
{
	unsigned int count = 0;

	for (uint32_t e = list; e && !code->failed; e = code_at(code, e)->next) {
		const struct node *n = code_at(code, e);

		if (count == ASL_ARGUMENTS) {
			asl_code_fail(code, "more than %u arguments", ASL_ARGUMENTS);
			return 0;
		}
		/* In brackets they look like slices. */
		if (n->kind == NODE_RANGE && n->how != RANGE_ONE) {
			asl_code_fail(code, "a slice of what has none");
			return 0;
		}
		values[count++] = code_eval(code, n->kind == NODE_RANGE ? n->a : e);
	}
	return count;
}

static struct asl_value eval_call(struct asl_code *code, const struct node *n)
{
	struct asl_value arguments[ASL_ARGUMENTS], braces[ASL_ARGUMENTS];
	const uint32_t symbol = n->symbol, in_braces = n->b, global = n->c;
	const unsigned int count = code_evaluate_list(code, n->a, arguments);
	const unsigned int brace_count = code_evaluate_list(code, in_braces, braces);

	if (code->failed)
		return nothing;
	/* ASL1 reads a register like this. */
	if (global && !count && !code->symbols.at[symbol].function &&
	    !code->symbols.at[symbol].hook) {
		const struct asl_value *v = code_global(code, global);

		return v ? *v : nothing;
	}
	return code->call(code, symbol, false, arguments, count, braces, brace_count);
}

static struct asl_value element(struct asl_code *code, const struct asl_value *array,
				uint32_t index)
{
	struct asl_value arguments[ASL_ARGUMENTS];
	unsigned int i;

	if (code_evaluate_list(code, index, arguments) != 1)
		return failed(code, "an array's element has one index");
	if (arguments[0].kind == ASL_MEMBER)
		arguments[0] = asl_number(arguments[0].u.member);
	if (!code_to_size(code, &arguments[0], CODE_POOL, &i))
		return nothing;
	if (i >= array->count) {
		asl_code_fail(code, "element %u of %u", i, array->count);
		return nothing;
	}
	return array->u.parts[i];
}

static struct asl_value eval_bracket(struct asl_code *code, const struct node *n)
{
	const uint32_t base = n->a, list = n->b;
	const struct node *name = code_at(code, base);
	struct slice slices[CODE_SLICES];
	struct asl_value v, arguments[ASL_ARGUMENTS];
	unsigned int count;

	if (name->kind == NODE_NAME && !name->slot && !name->c) {
		const uint32_t symbol = name->symbol;

		count = code_evaluate_list(code, list, arguments);
		if (code->failed)
			return nothing;
		return code->call(code, symbol, false, arguments, count, NULL, 0);
	}
	v = code_eval(code, base);
	if (code->failed)
		return nothing;
	if (v.kind == ASL_ARRAY)
		return element(code, &v, list);
	count = code_slices(code, list, slices);
	return code_take(code, &v, slices, count);
}

static struct asl_value eval_angle(struct asl_code *code, const struct node *n)
{
	const uint32_t ranges = n->b;
	const struct asl_value v = code_eval(code, n->a);
	struct slice slices[CODE_SLICES];
	unsigned int count;

	if (code->failed)
		return nothing;
	count = code_slices(code, ranges, slices);
	return code_take(code, &v, slices, count);
}

static struct asl_value part_of(struct asl_code *code, const struct asl_value *v, uint32_t symbol)
{
	struct slice slices[CODE_SLICES];
	unsigned int count;

	if (v->kind == ASL_RECORD) {
		uint32_t word = code->types.at[v->type].list;

		for (unsigned int i = 0; i < v->count; i++, word = code_at(code, word)->next)
			if (code_at(code, word)->symbol == symbol)
				return v->u.parts[i];
		asl_code_fail(code, "a record without %.80s", code->symbols.at[symbol].name);
		return nothing;
	}
	count = code_field(code, v, symbol, slices);
	return code_take(code, v, slices, count);
}

static struct asl_value eval_fields(struct asl_code *code, const struct node *n)
{
	uint32_t word = n->b;
	const struct asl_value v = code_eval(code, n->a);
	struct asl_value result = asl_bits_value(0, 0);

	for (; word && !code->failed; word = code_at(code, word)->next) {
		const struct asl_value part = part_of(code, &v, code_at(code, word)->symbol);

		if (!code->failed)
			result = code_binary(code, OPERATOR_CONCAT, &result, &part);
	}
	return result;
}

/* '1x0' against a value; anything else is compared. */
static bool matches_one(struct asl_code *code, const struct asl_value *v, uint32_t pattern)
{
	const struct node *n = code_at(code, pattern);
	struct asl_value low, high;

	if (n->kind == NODE_IGNORED)
		return true;
	if (n->kind == NODE_MASK) {
		const struct asl_value *bits = &code->constants.at[n->a];
		const struct asl_value *mask = &code->constants.at[n->b];

		if (v->kind != ASL_BITS || v->width != bits->width)
			return asl_code_fail(code, "a pattern of %u bits for others", bits->width);
		return (v->u.bits & mask->u.bits) == bits->u.bits;
	}
	if (n->kind != NODE_SPAN) {
		low = code_eval(code, pattern);
		return !code->failed && code_equal(code, v, &low);
	}
	low = code_eval(code, n->a);
	high = code_eval(code, code_at(code, pattern)->b);
	if (code->failed)
		return false;
	if (v->kind != ASL_NUMBER || low.kind != ASL_NUMBER || high.kind != ASL_NUMBER)
		return asl_code_fail(code, "a span has integers");
	return v->u.integer >= low.u.integer && v->u.integer <= high.u.integer;
}

bool code_matches(struct asl_code *code, const struct asl_value *value, uint32_t patterns)
{
	for (uint32_t p = patterns; p && !code->failed; p = code_at(code, p)->next)
		if (matches_one(code, value, p))
			return !code->failed;
	return false;
}

static struct asl_value eval_binary(struct asl_code *code, const struct node *n)
{
	const enum code_operator how = (enum code_operator)n->how;
	const uint32_t second = n->b;
	struct asl_value a, b;

	if (how == OPERATOR_OR_ELSE)
		return asl_boolean(code_condition(code, n->a) || code_condition(code, second));
	if (how == OPERATOR_AND_THEN)
		return asl_boolean(code_condition(code, n->a) && code_condition(code, second));
	if (how == OPERATOR_IMPLIES)
		return asl_boolean(!code_condition(code, n->a) || code_condition(code, second));
	a = code_eval(code, n->a);
	if (code->failed)
		return nothing;
	if ((how == OPERATOR_EQUAL || how == OPERATOR_NOT_EQUAL) &&
	    code_at(code, second)->kind == NODE_MASK)
		return asl_boolean(matches_one(code, &a, second) == (how == OPERATOR_EQUAL));
	b = code_eval(code, second);
	return code->failed ? nothing : code_binary(code, how, &a, &b);
}

static struct asl_value eval_tuple(struct asl_code *code, const struct node *n)
{
	struct asl_value parts[ASL_ARGUMENTS], v = {.kind = ASL_TUPLE};

	v.count = code_evaluate_list(code, n->a, parts);
	if (code->failed)
		return nothing;
	v.u.parts = code_room(code, v.count);
	if (code->failed)
		return nothing;
	memcpy(v.u.parts, parts, v.count * sizeof(parts[0]));
	return v;
}

static struct asl_value eval_record(struct asl_code *code, const struct node *n)
{
	const uint32_t type = code->symbols.at[n->symbol].type;
	struct asl_value v = {.kind = ASL_RECORD, .type = (uint16_t)type};
	uint32_t word = n->a;

	if (!type || code->types.at[type].kind != DECLARED_RECORD)
		return failed(code, "no such record");
	v.count = code->types.at[type].count;
	v.u.parts = code_room(code, v.count);
	for (; word && !code->failed; word = code_at(code, word)->next) {
		const struct asl_value part = code_eval(code, code_at(code, word)->a);
		uint32_t w = code->types.at[type].list;
		unsigned int i = 0;

		for (; w && code_at(code, w)->symbol != code_at(code, word)->symbol; i++)
			w = code_at(code, w)->next;
		if (!w)
			return failed(code, "a record without such a part");
		if (code->failed)
			return nothing;
		v.u.parts[i] = code_default(code, code_at(code, w)->a, false, false);
		code_store(code, &v.u.parts[i], &part);
	}
	for (unsigned int i = 0; i < v.count && !code->failed; i++)
		if (v.u.parts[i].kind == ASL_NOTHING)
			return failed(code, "a record with a part missing");
	return v;
}

static struct asl_value eval_other(struct asl_code *code, const struct node *n)
{
	struct asl_value v;

	switch ((enum node_kind)n->kind) {
	case NODE_FIELDS: return eval_fields(code, n);
	case NODE_IN:
		v = code_eval(code, n->a);
		return asl_boolean(!code->failed && code_matches(code, &v, n->b));
	case NODE_TUPLE: return eval_tuple(code, n);
	case NODE_RECORD: return eval_record(code, n);
	case NODE_UNKNOWN: return code_default(code, n->a, false, true);
	case NODE_DEFINED:
		v = code_default(code, n->a, false, false);
		return code_defined(code, code->constants.at[n->b].u.string, v);
	case NODE_MASK: return failed(code, "bits with x where a value belongs");
	default: return failed(code, "no value");
	}
}

/* Nodes stay where they are: reading has ended. */
static struct asl_value eval(struct asl_code *code, const struct node *n)
{
	struct asl_value v;

	switch ((enum node_kind)n->kind) {
	case NODE_VALUE: return code->constants.at[n->a];
	case NODE_NAME: return eval_name(code, n);
	case NODE_CALL: return eval_call(code, n);
	case NODE_BRACKET: return eval_bracket(code, n);
	case NODE_ANGLE: return eval_angle(code, n);
	case NODE_FIELD:
		v = code_eval(code, n->a);
		return code->failed ? nothing : part_of(code, &v, n->symbol);
	case NODE_UNARY:
		v = code_eval(code, n->a);
		return code->failed ? nothing : code_unary(code, (enum code_operator)n->how, &v);
	case NODE_BINARY: return eval_binary(code, n);
	case NODE_CHOICE: return code_eval(code, code_condition(code, n->a) ? n->b : n->c);
	default: return eval_other(code, n);
	}
}

struct asl_value code_eval(struct asl_code *code, uint32_t node)
{
	const struct node *n = code_at(code, node);
	struct asl_value v;

	if (!node || !code_step(code, n->place))
		return nothing;
	if (++code->depth > CODE_DEPTH_MAX)
		return failed(code, "nested too deeply");
	v = eval(code, n);
	code->depth--;
	return v;
}
