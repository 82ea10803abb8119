/* SPDX-License-Identifier: BSD-2-Clause */
/* Assignment in the pseudocode: to variables, elements, fields, slices, lists, and setters. */
#include "conform/asl_code_internal.h"

#include <string.h>

/* Where a target's value is kept; NULL if it has no such place, or after an error. */
static struct asl_value *place_of(struct asl_code *code, uint32_t target)
{
	const struct node *n = code_at(code, target);
	struct asl_value *base, arguments[ASL_ARGUMENTS];
	unsigned int index, i;
	uint32_t word;

	switch ((enum node_kind)n->kind) {
	case NODE_NAME: return code_variable(code, n);
	case NODE_CALL: /* ASL1: REGISTER() */
		return n->c && !n->a ? code_global(code, n->c) : NULL;
	case NODE_BRACKET:
		base = place_of(code, n->a);
		if (code->failed || !base || base->kind != ASL_ARRAY)
			return NULL;
		if (code_evaluate_list(code, n->b, arguments) != 1 && !code->failed)
			asl_code_fail(code, "an array's element has one index");
		if (code->failed)
			return NULL;
		if (arguments[0].kind == ASL_MEMBER)
			arguments[0] = asl_number(arguments[0].u.member);
		if (!code_to_size(code, &arguments[0], CODE_POOL, &index))
			return NULL;
		if (index < base->count)
			return &base->u.parts[index];
		asl_code_fail(code, "element %u of %u", index, base->count);
		return NULL;
	case NODE_FIELD:
		base = place_of(code, n->a);
		if (code->failed || !base || base->kind != ASL_RECORD)
			return NULL;
		word = code->types.at[base->type].list;
		for (i = 0; i < base->count; i++, word = code_at(code, word)->next)
			if (code_at(code, word)->symbol == n->symbol)
				return &base->u.parts[i];
		asl_code_fail(code, "a record without %.80s", code->symbols.at[n->symbol].name);
		return NULL;
	default: return NULL;
	}
}

static unsigned int width_of(const struct slice *slices, unsigned int count)
{
	unsigned int width = 0;

	for (unsigned int i = 0; i < count; i++)
		width += slices[i].width;
	return width;
}

/* Put value into slices of bits. */
static bool insert(struct asl_code *code, struct asl_value *bits, const struct slice *slices,
		   unsigned int count, const struct asl_value *value)
{
	unsigned int width, left;
	asl_uint128 from;

	if (code->failed)
		return false;
	if (bits->kind != ASL_BITS)
		return asl_code_fail(code, "a slice of %s", code_kind_name(bits));
	if (!code_as_bits(code, value, &from, &width))
		return false;
	left = width_of(slices, count);
	if (left != width)
		return asl_code_fail(code, "%u bits where %u belong", width, left);
	for (unsigned int i = 0; i < count; i++) {
		const struct slice *s = &slices[i];
		asl_uint128 mask;

		if (s->low > bits->width || s->width > bits->width - s->low)
			return asl_code_fail(code, "%u bits from %u on, of %u", s->width, s->low,
					     bits->width);
		left -= s->width;
		if (!s->width)
			continue;
		mask = asl_mask(s->width) << s->low;
		bits->u.bits &= ~mask;
		bits->u.bits |= (from >> left & asl_mask(s->width)) << s->low;
	}
	return true;
}

/* The slices of .<A,B>, one list. */
static unsigned int fields_of(struct asl_code *code, const struct asl_value *v, uint32_t words,
			      struct slice slices[static CODE_SLICES])
{
	unsigned int count = 0;

	for (uint32_t w = words; w && !code->failed; w = code_at(code, w)->next) {
		struct slice some[CODE_SLICES];
		const unsigned int n = code_field(code, v, code_at(code, w)->symbol, some);

		if (n > CODE_SLICES - count) {
			asl_code_fail(code, "more than %u slices", CODE_SLICES);
			return 0;
		}
		memcpy(&slices[count], some, n * sizeof(some[0]));
		count += n;
	}
	return count;
}

/* .<A,B> of a record whose parts are bits */
static void assign_parts(struct asl_code *code, struct asl_value *record, uint32_t words,
			 const struct asl_value *value)
{
	unsigned int width, total = 0;
	asl_uint128 from;

	if (!code_as_bits(code, value, &from, &width))
		return;
	for (int pass = 0; pass < 2 && !code->failed; pass++) {
		unsigned int left = total;

		if (pass && total != width) {
			asl_code_fail(code, "%u bits where %u belong", width, total);
			return;
		}
		for (uint32_t w = words; w; w = code_at(code, w)->next) {
			struct asl_value *part = asl_code_part(
				code, record, code->symbols.at[code_at(code, w)->symbol].name);

			if (!part || part->kind != ASL_BITS) {
				asl_code_fail(code, "a record without such bits");
				return;
			}
			total += pass ? 0 : part->width;
			left -= pass ? part->width : 0;
			if (pass)
				*part = asl_bits_value(part->width, from >> left);
		}
	}
}

/* Change slices or a field of what target names. */
static void assign_slices(struct asl_code *code, const struct node *n,
			  const struct asl_value *value)
{
	const uint32_t base = n->a;
	struct asl_value *place = place_of(code, base), copy, *to;
	struct slice slices[CODE_SLICES];
	unsigned int count;

	if (code->failed)
		return;
	if (place && place->kind == ASL_RECORD && n->kind == NODE_FIELDS) {
		assign_parts(code, place, n->b, value);
		return;
	}
	/* A getter's value goes back through the setter. */
	copy = place ? *place : code_eval(code, base);
	to = place ? place : &copy;
	if (code->failed)
		return;
	if (n->kind == NODE_FIELD)
		count = code_field(code, to, n->symbol, slices);
	else if (n->kind == NODE_FIELDS)
		count = fields_of(code, to, n->b, slices);
	else
		count = code_slices(code, n->b, slices);
	if (insert(code, to, slices, count, value) && !place)
		code_assign(code, base, to);
}

static void assign_tuple(struct asl_code *code, const struct node *n, const struct asl_value *value)
{
	unsigned int i = 0;

	if (value->kind != ASL_TUPLE) {
		asl_code_fail(code, "%s where a tuple belongs", code_kind_name(value));
		return;
	}
	for (uint32_t t = n->a; t && !code->failed; t = code_at(code, t)->next, i++) {
		if (i >= value->count)
			break;
		if (code_at(code, t)->kind != NODE_IGNORED)
			code_assign(code, t, &value->u.parts[i]);
		if (!code_at(code, t)->next && i + 1 == value->count)
			return;
	}
	asl_code_fail(code, "a tuple of %u", value->count);
}

/* NAME[index] = value, or NAME(index) = value, where a setter has that name */
static void call_setter(struct asl_code *code, uint32_t symbol, uint32_t list,
			const struct asl_value *value)
{
	struct asl_value arguments[ASL_ARGUMENTS];
	unsigned int count = code_evaluate_list(code, list, arguments);

	if (code->failed)
		return;
	if (count == ASL_ARGUMENTS) {
		asl_code_fail(code, "more than %u arguments", ASL_ARGUMENTS);
		return;
	}
	arguments[count++] = *value;
	code->call(code, symbol, true, arguments, count, NULL, 0);
}

static void assign(struct asl_code *code, uint32_t target, const struct asl_value *value)
{
	const struct node *n = code_at(code, target), *base = code_at(code, n->a);
	struct asl_value *place;

	if (n->kind == NODE_TUPLE) {
		assign_tuple(code, n, value);
		return;
	}
	if (n->kind == NODE_BRACKET && base->kind == NODE_NAME && !base->slot && !base->c) {
		call_setter(code, base->symbol, n->b, value);
		return;
	}
	place = place_of(code, target);
	if (code->failed)
		return;
	if (place)
		code_store(code, place, value);
	else if (n->kind == NODE_ANGLE || n->kind == NODE_FIELD || n->kind == NODE_FIELDS ||
		 n->kind == NODE_BRACKET)
		assign_slices(code, n, value);
	else if (n->kind == NODE_CALL)
		call_setter(code, n->symbol, n->a, value);
	else if (n->kind == NODE_NAME)
		call_setter(code, n->symbol, 0, value);
	else
		asl_code_fail(code, "nothing can be assigned to this");
}

void code_assign(struct asl_code *code, uint32_t target, const struct asl_value *value)
{
	if (code->failed)
		return;
	if (value->kind == ASL_NOTHING) {
		asl_code_fail(code, "no value");
		return;
	}
	if (++code->depth > CODE_DEPTH_MAX) {
		asl_code_fail(code, "nested too deeply");
		return;
	}
	assign(code, target, value);
	code->depth--;
}
