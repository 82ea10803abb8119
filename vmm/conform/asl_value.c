/* SPDX-License-Identifier: BSD-2-Clause */
/* Values of the pseudocode: copies, initial values, comparison and arithmetic. */
#include "conform/asl_code_internal.h"

#include <string.h>

static const struct asl_value nothing;

const char *code_kind_name(const struct asl_value *v)
{
	static const char *const names[] = {
		"nothing",  "a boolean", "an integer", "bits",	 "an enumeration's member",
		"a string", "an array",	 "a record",   "a tuple"};

	return names[v->kind];
}

struct asl_value *code_room(struct asl_code *code, unsigned int count)
{
	struct asl_value *at = &code->arena[code->arena_used];

	if (count > CODE_ARENA - code->arena_used) {
		asl_code_fail(code, "more than %u values in a call", CODE_ARENA);
		code->arena_used = 0; /* what is there no longer means anything */
		return count <= CODE_ARENA ? code->arena : NULL;
	}
	code->arena_used += count;
	memset(at, 0, count * sizeof(*at));
	return at;
}

static struct asl_value *pool_room(struct asl_code *code, unsigned int count)
{
	struct asl_value *at = &code->pool[code->pool_used];

	if (count > CODE_POOL - code->pool_used) {
		asl_code_fail(code, "more than %u values in variables", CODE_POOL);
		return NULL;
	}
	code->pool_used += count;
	memset(at, 0, count * sizeof(*at));
	return at;
}

static bool is_compound(const struct asl_value *v)
{
	return v->kind == ASL_ARRAY || v->kind == ASL_RECORD || v->kind == ASL_TUPLE;
}

struct asl_value code_copy(struct asl_code *code, const struct asl_value *value)
{
	struct asl_value copy = *value;

	if (!is_compound(value) || code->failed)
		return copy;
	if (++code->depth > CODE_DEPTH_MAX) {
		asl_code_fail(code, "nested too deeply");
		return nothing;
	}
	copy.u.parts = code_room(code, value->count);
	for (unsigned int i = 0; i < value->count && !code->failed; i++)
		copy.u.parts[i] = code_copy(code, &value->u.parts[i]);
	code->depth--;
	return code->failed ? nothing : copy;
}

bool code_store(struct asl_code *code, struct asl_value *to, const struct asl_value *from)
{
	if (code->failed)
		return false;
	if (from->kind == ASL_NOTHING)
		return asl_code_fail(code, "no value");
	if (to->kind == ASL_NOTHING) { /* not declared with a type */
		*to = code_copy(code, from);
		return !code->failed;
	}
	if (to->kind != from->kind)
		return asl_code_fail(code, "%s where %s belongs", code_kind_name(from),
				     code_kind_name(to));
	if (to->kind == ASL_BITS && to->width != from->width)
		return asl_code_fail(code, "%u bits where %u belong", from->width, to->width);
	if (to->kind == ASL_MEMBER && to->type != from->type)
		return asl_code_fail(code, "a member of another enumeration");
	if (!is_compound(to)) {
		const uint16_t type = to->type;

		*to = *from;
		to->type = to->kind == ASL_BITS ? type : from->type;
		return true;
	}
	if (to->count != from->count || to->type != from->type)
		return asl_code_fail(code, "%s of another type", code_kind_name(from));
	for (unsigned int i = 0; i < to->count; i++)
		if (!code_store(code, &to->u.parts[i], &from->u.parts[i]))
			return false;
	return true;
}

/* ---- types */

const struct declared *code_declared(const struct asl_code *code, uint32_t type)
{
	const struct node *t = code_at(code, type);
	const uint32_t d = t->how == TYPE_NAMED ? code->symbols.at[t->symbol].type : 0;

	return type && d ? &code->types.at[d] : NULL;
}

static struct asl_value compound(struct asl_code *code, enum asl_kind kind, unsigned int count,
				 bool pool)
{
	struct asl_value v = {.kind = kind, .count = count};

	v.u.parts = pool ? pool_room(code, count) : code_room(code, count);
	return code->failed || !v.u.parts ? nothing : v;
}

static struct asl_value named_default(struct asl_code *code, const struct node *t, bool pool,
				      bool unknown)
{
	const uint32_t number = code->symbols.at[t->symbol].type;
	struct asl_value v;
	uint32_t word;

	if (!number) {
		asl_code_fail(code, "%.80s is no type", code->symbols.at[t->symbol].name);
		return nothing;
	}
	if (code->types.at[number].kind == DECLARED_MEMBERS)
		return (struct asl_value){.kind = ASL_MEMBER, .type = (uint16_t)number};
	if (code->types.at[number].kind == DECLARED_ALIAS) {
		v = code_default(code, code->types.at[number].type, pool, unknown);
		if (v.kind == ASL_BITS && code->types.at[number].list)
			v.type = (uint16_t)number;
		return v;
	}
	v = compound(code, ASL_RECORD, code->types.at[number].count, pool);
	v.type = (uint16_t)number;
	word = code->types.at[number].list;
	for (unsigned int i = 0; i < v.count && !code->failed; i++) {
		const struct node *w = code_at(code, word);

		v.u.parts[i] = code_default(code, w->a, pool, unknown);
		word = w->next;
	}
	return v;
}

static struct asl_value array_default(struct asl_code *code, const struct node *t, bool pool,
				      bool unknown)
{
	const uint32_t element = t->b;
	struct asl_value size = code->eval(code, t->a ? t->a : t->c), v;
	const unsigned int more = t->a ? 1 : 0;
	unsigned int count = 0;

	if (!t->a && size.kind == ASL_NOTHING)
		return nothing;
	if (!code_to_size(code, &size, CODE_POOL, &count))
		return nothing;
	v = compound(code, ASL_ARRAY, count + more, pool);
	for (unsigned int i = 0; i < v.count && code_step(code, code->place); i++)
		v.u.parts[i] = code_default(code, element, pool, unknown);
	return v;
}

static struct asl_value default_of(struct asl_code *code, const struct node *t, bool pool,
				   bool unknown)
{
	struct asl_value v = {0};
	unsigned int i = 0, count = 0;

	switch ((enum type_kind)t->how) {
	case TYPE_BOOLEAN: v = asl_boolean(false); break;
	case TYPE_INTEGER: v = asl_number(0); break;
	case TYPE_STRING: return (struct asl_value){.kind = ASL_STRING, .u.string = ""};
	case TYPE_BITS:
		v = code->eval(code, t->a);
		if (!code_to_size(code, &v, ASL_WIDTH_MAX, &count))
			return nothing;
		v = asl_bits_value(count, 0);
		break;
	case TYPE_NAMED: return named_default(code, t, pool, unknown);
	case TYPE_ARRAY: return array_default(code, t, pool, unknown);
	case TYPE_TUPLE:
		for (uint32_t e = t->a; e; e = code_at(code, e)->next)
			count++;
		v = compound(code, ASL_TUPLE, count, pool);
		for (uint32_t e = t->a; e && !code->failed; e = code_at(code, e)->next)
			v.u.parts[i++] = code_default(code, e, pool, unknown);
		return v;
	}
	if (unknown && code->host->unknown && !code->failed)
		code->host->unknown(code->host->ctx, &v);
	return v;
}

struct asl_value code_default(struct asl_code *code, uint32_t type, bool pool, bool unknown)
{
	struct asl_value v;

	if (code->failed || !type)
		return nothing;
	if (++code->depth > CODE_DEPTH_MAX) {
		asl_code_fail(code, "nested too deeply");
		return nothing;
	}
	v = default_of(code, code_at(code, type), pool, unknown);
	code->depth--;
	return code->failed ? nothing : v;
}

bool code_fits(struct asl_code *code, uint32_t type, const struct asl_value *v)
{
	const struct node *t = code_at(code, type);
	const struct node *width;

	switch ((enum type_kind)t->how) {
	case TYPE_BOOLEAN: return v->kind == ASL_BOOLEAN;
	case TYPE_INTEGER: return v->kind == ASL_NUMBER;
	case TYPE_STRING: return v->kind == ASL_STRING;
	case TYPE_ARRAY: return v->kind == ASL_ARRAY;
	case TYPE_TUPLE: return v->kind == ASL_TUPLE;
	case TYPE_BITS:
		width = code_at(code, t->a);
		return v->kind == ASL_BITS && (width->kind != NODE_VALUE ||
					       code->constants.at[width->a].u.integer == v->width);
	case TYPE_NAMED: break;
	}
	for (unsigned int i = 0; i < ASL_DEPTH_MAX; i++) {
		const uint32_t number = code->symbols.at[t->symbol].type;

		if (!number)
			return v->kind == ASL_STRING; /* one of asl_host.words */
		if (code->types.at[number].kind != DECLARED_ALIAS)
			return (v->kind == ASL_MEMBER || v->kind == ASL_RECORD) &&
			       v->type == number;
		t = code_at(code, code->types.at[number].type);
		if (t->how != TYPE_NAMED)
			return code_fits(code, code->types.at[number].type, v);
	}
	return false;
}

/* ---- operators */

bool code_as_bits(struct asl_code *code, const struct asl_value *v, asl_uint128 *bits,
		  unsigned int *width)
{
	if (v->kind != ASL_BITS)
		return asl_code_fail(code, "%s where bits belong", code_kind_name(v));
	*bits = v->u.bits;
	*width = v->width;
	return true;
}

bool code_to_size(struct asl_code *code, const struct asl_value *v, unsigned int most,
		  unsigned int *size)
{
	if (v->kind != ASL_NUMBER)
		return asl_code_fail(code, "%s where an integer belongs", code_kind_name(v));
	if (v->u.integer < 0 || v->u.integer > most)
		return asl_code_fail(code, "%lld is not from 0 to %u", (long long)v->u.integer,
				     most);
	*size = (unsigned int)v->u.integer;
	return true;
}

bool code_equal(struct asl_code *code, const struct asl_value *a, const struct asl_value *b)
{
	if (code->failed)
		return false;
	if (a->kind != b->kind)
		return asl_code_fail(code, "%s compared with %s", code_kind_name(a),
				     code_kind_name(b));
	switch (a->kind) {
	case ASL_NOTHING: break;
	case ASL_BOOLEAN: return a->u.boolean == b->u.boolean;
	case ASL_NUMBER: return a->u.integer == b->u.integer;
	case ASL_BITS:
		if (a->width != b->width)
			return asl_code_fail(code, "%u bits compared with %u", a->width, b->width);
		return a->u.bits == b->u.bits;
	case ASL_MEMBER:
		if (a->type != b->type)
			return asl_code_fail(code, "members of two enumerations compared");
		return a->u.member == b->u.member;
	case ASL_STRING: return !strcmp(a->u.string, b->u.string);
	case ASL_ARRAY:
	case ASL_RECORD:
	case ASL_TUPLE:
		if (a->count != b->count || a->type != b->type)
			return false;
		for (unsigned int i = 0; i < a->count; i++)
			if (!code_equal(code, &a->u.parts[i], &b->u.parts[i]))
				return false;
		return true;
	}
	return asl_code_fail(code, "no value");
}

static struct asl_value wrong(struct asl_code *code, const struct asl_value *a)
{
	asl_code_fail(code, "an operator does not take %s", code_kind_name(a));
	return nothing;
}

static asl_int128 floor_divide(asl_int128 a, asl_int128 b)
{
	const asl_int128 q = a / b;

	return a % b && (a < 0) != (b < 0) ? q - 1 : q;
}

static bool power(asl_int128 base, asl_int128 exponent, asl_int128 *result)
{
	*result = 1;
	if (exponent < 0 || (exponent > ASL_WIDTH_MAX && base != 0 && base != 1))
		return false;
	for (asl_int128 i = 0; i < exponent && i <= ASL_WIDTH_MAX; i++)
		if (__builtin_mul_overflow(*result, base, result))
			return false;
	return true;
}

/* Both are integers. False: no such number. */
static bool compute(enum code_operator how, asl_int128 a, asl_int128 b, asl_int128 *result)
{
	/* Below that, -a overflows. */
	const asl_int128 least = -(asl_int128)asl_mask(127);
	const bool no_quotient = b == 0 || (b == -1 && a < least);
	asl_int128 factor;

	switch (how) {
	case OPERATOR_ADD: return !__builtin_add_overflow(a, b, result);
	case OPERATOR_SUBTRACT: return !__builtin_sub_overflow(a, b, result);
	case OPERATOR_MULTIPLY: return !__builtin_mul_overflow(a, b, result);
	case OPERATOR_DIVIDE:
		if (no_quotient || a % b)
			return false;
		*result = a / b;
		return true;
	case OPERATOR_DIV:
	case OPERATOR_MOD:
		if (no_quotient)
			return false;
		*result = floor_divide(a, b);
		if (how == OPERATOR_MOD)
			*result = a - b * *result;
		return true;
	case OPERATOR_LEFT:
		return b >= 0 && b < ASL_WIDTH_MAX - 1 && power(2, b, &factor) &&
		       !__builtin_mul_overflow(a, factor, result);
	case OPERATOR_RIGHT:
		if (b < 0)
			return false;
		*result = b >= ASL_WIDTH_MAX ? -(a < 0) : a >> (int)b;
		return true;
	case OPERATOR_POWER: return power(a, b, result);
	default: return false;
	}
}

static struct asl_value of_integers(struct asl_code *code, enum code_operator how, asl_int128 a,
				    asl_int128 b)
{
	asl_int128 result;

	switch (how) {
	case OPERATOR_LESS: return asl_boolean(a < b);
	case OPERATOR_LESS_EQUAL: return asl_boolean(a <= b);
	case OPERATOR_GREATER: return asl_boolean(a > b);
	case OPERATOR_GREATER_EQUAL: return asl_boolean(a >= b);
	default: break;
	}
	if (compute(how, a, b, &result))
		return asl_number(result);
	asl_code_fail(code, "an integer that does not exist, or of more than %u bits",
		      ASL_WIDTH_MAX);
	return nothing;
}

struct asl_value code_unary(struct asl_code *code, enum code_operator how,
			    const struct asl_value *a)
{
	if (how == OPERATOR_NOT && a->kind == ASL_BOOLEAN)
		return asl_boolean(!a->u.boolean);
	if (how == OPERATOR_INVERT && a->kind == ASL_BITS)
		return asl_bits_value(a->width, ~a->u.bits);
	if (how == OPERATOR_MINUS && a->kind == ASL_NUMBER)
		return of_integers(code, OPERATOR_SUBTRACT, 0, a->u.integer);
	return wrong(code, a);
}

static struct asl_value of_bits(struct asl_code *code, enum code_operator how,
				const struct asl_value *a, const struct asl_value *b)
{
	if (how == OPERATOR_CONCAT) {
		if (a->width + b->width > ASL_WIDTH_MAX) {
			asl_code_fail(code, "more than %u bits", ASL_WIDTH_MAX);
			return nothing;
		}
		if (!a->width)
			return *b;
		return asl_bits_value(a->width + b->width,
				      (b->width < ASL_WIDTH_MAX ? a->u.bits << b->width : 0) |
					      b->u.bits);
	}
	if (a->width != b->width) {
		asl_code_fail(code, "%u bits and %u bits", a->width, b->width);
		return nothing;
	}
	switch (how) {
	case OPERATOR_AND: return asl_bits_value(a->width, a->u.bits & b->u.bits);
	case OPERATOR_OR: return asl_bits_value(a->width, a->u.bits | b->u.bits);
	case OPERATOR_EOR: return asl_bits_value(a->width, a->u.bits ^ b->u.bits);
	case OPERATOR_ADD: return asl_bits_value(a->width, a->u.bits + b->u.bits);
	case OPERATOR_SUBTRACT: return asl_bits_value(a->width, a->u.bits - b->u.bits);
	default: return wrong(code, a);
	}
}

struct asl_value code_binary(struct asl_code *code, enum code_operator how,
			     const struct asl_value *a, const struct asl_value *b)
{
	if (how == OPERATOR_EQUAL || how == OPERATOR_NOT_EQUAL)
		return asl_boolean(code_equal(code, a, b) == (how == OPERATOR_EQUAL));
	if (a->kind == ASL_NUMBER && b->kind == ASL_NUMBER)
		return of_integers(code, how, a->u.integer, b->u.integer);
	if (a->kind == ASL_BITS && b->kind == ASL_BITS)
		return of_bits(code, how, a, b);
	/* bits + integer: modulo their width */
	if (a->kind == ASL_BITS && b->kind == ASL_NUMBER && how == OPERATOR_ADD)
		return asl_bits_value(a->width, a->u.bits + (asl_uint128)b->u.integer);
	if (a->kind == ASL_BITS && b->kind == ASL_NUMBER && how == OPERATOR_SUBTRACT)
		return asl_bits_value(a->width, a->u.bits - (asl_uint128)b->u.integer);
	return wrong(code, a->kind == ASL_NUMBER || a->kind == ASL_BITS ? b : a);
}

struct asl_value *asl_code_part(const struct asl_code *code, struct asl_value *record,
				const char *name)
{
	uint32_t word, i = 0;

	if (record->kind != ASL_RECORD)
		return NULL;
	word = code->types.at[record->type].list;
	for (; word; word = code_at(code, word)->next, i++)
		if (!strcmp(code->symbols.at[code_at(code, word)->symbol].name, name))
			return &record->u.parts[i];
	return NULL;
}

struct asl_value code_take(struct asl_code *code, const struct asl_value *v,
			   const struct slice *slices, unsigned int count)
{
	const bool integer = v->kind == ASL_NUMBER;
	const asl_uint128 from = integer ? (asl_uint128)v->u.integer : v->u.bits;
	const unsigned int most = integer ? ASL_WIDTH_MAX : v->width;
	struct asl_value result = asl_bits_value(0, 0);

	if (code->failed)
		return nothing;
	if (!integer && v->kind != ASL_BITS) {
		asl_code_fail(code, "a slice of %s", code_kind_name(v));
		return nothing;
	}
	for (unsigned int i = 0; i < count; i++) {
		struct asl_value part;

		if (slices[i].low > most || slices[i].width > most - slices[i].low) {
			asl_code_fail(code, "%u bits from %u on, of %u", slices[i].width,
				      slices[i].low, most);
			return nothing;
		}
		part = asl_bits_value(slices[i].width,
				      slices[i].low < ASL_WIDTH_MAX ? from >> slices[i].low : 0);
		result = code_binary(code, OPERATOR_CONCAT, &result, &part);
	}
	return result;
}

struct asl_value code_defined(struct asl_code *code, const char *text, struct asl_value value)
{
	if (code->failed)
		return nothing;
	if (!code->host->defined || !code->host->defined(code->host->ctx, text, &value)) {
		asl_code_fail(code, "nothing says what is IMPLEMENTATION DEFINED as \"%.100s\"",
			      text);
		return nothing;
	}
	return value;
}
