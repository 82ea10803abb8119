/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions that the language's own library has. */
#include "conform/asl_code_internal.h"

#include <string.h>

static const struct asl_value nothing;

enum builtin {
	BUILTIN_UINT,
	BUILTIN_SINT,
	BUILTIN_ZEROS,
	BUILTIN_ONES,
	BUILTIN_ZERO_EXTEND,
	BUILTIN_SIGN_EXTEND,
	BUILTIN_REPLICATE,
	BUILTIN_IS_ZERO,
	BUILTIN_IS_ONES,
	BUILTIN_ABS,
	BUILTIN_MIN,
	BUILTIN_MAX,
	BUILTIN_ALIGN,
	BUILTIN_IS_ALIGNED,
	BUILTIN_ELEM,
	BUILTIN_BIT_COUNT,
	BUILTIN_HIGHEST,
	BUILTIN_LOWEST,
	BUILTIN_LSL,
	BUILTIN_LSR,
	BUILTIN_LEN,
	BUILTIN_UNREACHABLE,
	BUILTIN_DEFINED_BOOLEAN,
	BUILTIN_DEFINED_INTEGER,
	BUILTIN_DEFINED_BITS,
};

static const struct {
	const char *name;
	uint8_t number, least, most; /* arguments */
} builtins[] = {
	{"UInt", BUILTIN_UINT, 1, 1},
	{"SInt", BUILTIN_SINT, 1, 1},
	{"Zeros", BUILTIN_ZEROS, 1, 1},
	{"Ones", BUILTIN_ONES, 1, 1},
	{"ZeroExtend", BUILTIN_ZERO_EXTEND, 2, 2},
	{"SignExtend", BUILTIN_SIGN_EXTEND, 2, 2},
	{"Replicate", BUILTIN_REPLICATE, 2, 2},
	{"IsZero", BUILTIN_IS_ZERO, 1, 1},
	{"IsOnes", BUILTIN_IS_ONES, 1, 1},
	{"Abs", BUILTIN_ABS, 1, 1},
	{"Min", BUILTIN_MIN, 2, 2},
	{"Max", BUILTIN_MAX, 2, 2},
	{"Align", BUILTIN_ALIGN, 2, 2},
	{"AlignDownP2", BUILTIN_ALIGN, 2, 2},
	{"IsAlignedP2", BUILTIN_IS_ALIGNED, 2, 2},
	{"Elem", BUILTIN_ELEM, 3, 3},
	{"BitCount", BUILTIN_BIT_COUNT, 1, 1},
	{"HighestSetBit", BUILTIN_HIGHEST, 1, 1},
	{"LowestSetBit", BUILTIN_LOWEST, 1, 1},
	{"LSL", BUILTIN_LSL, 2, 2},
	{"LSR", BUILTIN_LSR, 2, 2},
	{"Len", BUILTIN_LEN, 1, 1},
	{"Unreachable", BUILTIN_UNREACHABLE, 0, 0},
	{"ImpDefBool", BUILTIN_DEFINED_BOOLEAN, 1, 1},
	{"ImpDefInt", BUILTIN_DEFINED_INTEGER, 1, 1},
	{"ImpDefBits", BUILTIN_DEFINED_BITS, 2, 2},
};

uint16_t code_builtin(const char *name)
{
	for (size_t i = 0; i < sizeof(builtins) / sizeof(builtins[0]); i++)
		if (!strcmp(name, builtins[i].name))
			return (uint16_t)(i + 1);
	return 0;
}

static bool is(struct asl_code *code, const struct asl_value *v, enum asl_kind kind)
{
	const struct asl_value wanted = {.kind = kind};

	return v->kind == kind || asl_code_fail(code, "%s where %s belongs", code_kind_name(v),
						code_kind_name(&wanted));
}

static struct asl_value extended(struct asl_code *code, const struct asl_value *v,
				 unsigned int width, bool sign)
{
	asl_uint128 value = v->u.bits;

	if (width < v->width) {
		asl_code_fail(code, "%u bits extended to %u", v->width, width);
		return nothing;
	}
	if (sign && v->width && (value >> (v->width - 1) & 1))
		value |= ~asl_mask(v->width);
	return asl_bits_value(width, value);
}

static struct asl_value signed_value(const struct asl_value *v)
{
	asl_uint128 value = v->u.bits;

	if (v->width && v->width < ASL_WIDTH_MAX && (value >> (v->width - 1) & 1))
		value |= ~asl_mask(v->width);
	return asl_number((asl_int128)value);
}

static struct asl_value of_bits(struct asl_code *code, enum builtin number,
				const struct asl_value *v)
{
	asl_uint128 value = v->u.bits;
	int bit = 0, count = 0;

	switch (number) {
	case BUILTIN_UINT:
		if (value >> (ASL_WIDTH_MAX - 1)) {
			asl_code_fail(code, "an integer of more than %u bits", ASL_WIDTH_MAX);
			return nothing;
		}
		return asl_number((asl_int128)value);
	case BUILTIN_SINT: return signed_value(v);
	case BUILTIN_IS_ZERO: return asl_boolean(!value);
	case BUILTIN_IS_ONES: return asl_boolean(value == asl_mask(v->width));
	case BUILTIN_BIT_COUNT:
		for (; value; value &= value - 1)
			count++;
		return asl_number(count);
	case BUILTIN_HIGHEST:
		for (bit = -1; value; value >>= 1)
			bit++;
		return asl_number(bit);
	case BUILTIN_LOWEST:
		for (; value && !(value & 1); value >>= 1)
			bit++;
		return asl_number(value ? bit : v->width);
	default: return asl_number(v->width);
	}
}

static struct asl_value replicated(struct asl_code *code, const struct asl_value *v,
				   unsigned int count)
{
	struct asl_value result = asl_bits_value(0, 0);

	for (unsigned int i = 0; i < count && !code->failed; i++)
		result = code_binary(code, OPERATOR_CONCAT, &result, v);
	return result;
}

/* Of a multiple of a size; of a power of two for bits and for IsAlignedP2(). */
static struct asl_value aligned(struct asl_code *code, enum builtin number,
				const struct asl_value *v, const struct asl_value *by)
{
	unsigned int power;

	if (number == BUILTIN_ALIGN && v->kind == ASL_NUMBER && by->kind == ASL_NUMBER) {
		const struct asl_value part = code_binary(code, OPERATOR_MOD, v, by);

		return code->failed ? nothing : code_binary(code, OPERATOR_SUBTRACT, v, &part);
	}
	if (number == BUILTIN_ALIGN && v->kind == ASL_BITS && by->kind == ASL_NUMBER &&
	    by->u.integer > 0)
		return asl_bits_value(v->width, v->u.bits - v->u.bits % (asl_uint128)by->u.integer);
	if (!code_to_size(code, by, ASL_WIDTH_MAX - 1, &power))
		return nothing;
	if (v->kind == ASL_BITS)
		return asl_boolean(!(v->u.bits & asl_mask(power)));
	return is(code, v, ASL_NUMBER) ? asl_boolean(!((asl_uint128)v->u.integer & asl_mask(power)))
				       : nothing;
}

static struct asl_value of_sizes(struct asl_code *code, enum builtin number,
				 const struct asl_value *v, unsigned int count)
{
	unsigned int n = 0, size = 0;
	struct slice slice;

	if (number == BUILTIN_ZEROS || number == BUILTIN_ONES) {
		if (!code_to_size(code, &v[0], ASL_WIDTH_MAX, &n))
			return nothing;
		return asl_bits_value(n, number == BUILTIN_ONES ? asl_mask(n) : 0);
	}
	if (!is(code, &v[0], ASL_BITS) || !code_to_size(code, &v[1], ASL_WIDTH_MAX, &n))
		return nothing;
	switch (number) {
	case BUILTIN_ZERO_EXTEND: return extended(code, v, n, false);
	case BUILTIN_SIGN_EXTEND: return extended(code, v, n, true);
	case BUILTIN_REPLICATE: return replicated(code, v, n);
	case BUILTIN_LSL: return asl_bits_value(v->width, n < ASL_WIDTH_MAX ? v->u.bits << n : 0);
	case BUILTIN_LSR: return asl_bits_value(v->width, n < ASL_WIDTH_MAX ? v->u.bits >> n : 0);
	default: /* Elem */
		if (count < 3 || !code_to_size(code, &v[2], ASL_WIDTH_MAX, &size))
			return nothing;
		slice = (struct slice){n * size, size};
		return code_take(code, v, &slice, 1);
	}
}

static struct asl_value of_integers(struct asl_code *code, enum builtin number,
				    const struct asl_value *v, unsigned int count)
{
	const struct asl_value zero = asl_number(0);

	for (unsigned int i = 0; i < count; i++)
		if (!is(code, &v[i], ASL_NUMBER))
			return nothing;
	if (number == BUILTIN_ABS)
		return v->u.integer < 0 ? code_binary(code, OPERATOR_SUBTRACT, &zero, v) : v[0];
	return v[(v[0].u.integer < v[1].u.integer) == (number == BUILTIN_MAX)];
}

static struct asl_value implementation(struct asl_code *code, enum builtin number,
				       const struct asl_value *v)
{
	struct asl_value kind = asl_boolean(false);
	unsigned int width;

	if (!is(code, &v[0], ASL_STRING))
		return nothing;
	if (number == BUILTIN_DEFINED_INTEGER)
		kind = asl_number(0);
	if (number == BUILTIN_DEFINED_BITS) {
		if (!code_to_size(code, &v[1], ASL_WIDTH_MAX, &width))
			return nothing;
		kind = asl_bits_value(width, 0);
	}
	return code_defined(code, v[0].u.string, kind);
}

struct asl_value code_call_builtin(struct asl_code *code, unsigned int builtin,
				   const struct asl_value *arguments, unsigned int count)
{
	const enum builtin number = (enum builtin)builtins[builtin].number;

	if (count < builtins[builtin].least || count > builtins[builtin].most) {
		asl_code_fail(code, "%s with %u arguments", builtins[builtin].name, count);
		return nothing;
	}
	switch (number) {
	case BUILTIN_UINT:
	case BUILTIN_SINT:
	case BUILTIN_IS_ZERO:
	case BUILTIN_IS_ONES:
	case BUILTIN_BIT_COUNT:
	case BUILTIN_HIGHEST:
	case BUILTIN_LOWEST:
	case BUILTIN_LEN:
		return is(code, arguments, ASL_BITS) ? of_bits(code, number, arguments) : nothing;
	case BUILTIN_ABS:
	case BUILTIN_MIN:
	case BUILTIN_MAX: return of_integers(code, number, arguments, count);
	case BUILTIN_ALIGN:
	case BUILTIN_IS_ALIGNED: return aligned(code, number, arguments, &arguments[1]);
	case BUILTIN_UNREACHABLE: asl_code_fail(code, "Unreachable()"); return nothing;
	case BUILTIN_DEFINED_BOOLEAN:
	case BUILTIN_DEFINED_INTEGER:
	case BUILTIN_DEFINED_BITS: return implementation(code, number, arguments);
	default: return of_sizes(code, number, arguments, count);
	}
}
