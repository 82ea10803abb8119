/* SPDX-License-Identifier: BSD-2-Clause */
/* Which function executes a floating-point or Advanced SIMD instruction, with which operands. */
#include "soft/fp/element.h"
#include "soft/fp/vector.h"
#include "soft/mem/memory.h"
#include "soft/mem/structures.h"
#include "soft/run/translate.h"

static enum flow set_vector(struct translation *t, soft_vector_function *function)
{
	t->op->rd = t->word & 31;
	t->op->imm = (uintptr_t)function;
	return set_kind(t, SOFT_vector);
}

/* Elements of 1 << size bytes; bytes as in vector.h. */
static enum flow set_shape(struct translation *t, soft_vector_function *shape, unsigned int size,
			   unsigned int bytes)
{
	t->op->aux = SOFT_AUX_LANES(t->kind, size);
	t->op->ra = (uint8_t)bytes;
	return set_vector(t, shape);
}

/* The field size; sz, of floating-point: S or D; H has separate rows. */
static unsigned int size_of(const struct translation *t)
{
	return t->word >> 22 & 3;
}

static unsigned int float_size_of(const struct translation *t)
{
	return t->insn->feature == A64_FEAT_FP16 ? 1 : 2 + (t->word >> 22 & 1);
}

/* All of Vd, or one element of it. */
static unsigned int bytes_of(const struct translation *t, unsigned int size)
{
	return soft_is_scalar(t->word) ? 1u << size : 8u << (t->word >> 30 & 1);
}

static enum flow set_sized(struct translation *t, soft_vector_function *shape, unsigned int size)
{
	return set_shape(t, shape, size, bytes_of(t, size));
}

enum flow translate_same(struct translation *t)
{
	return set_sized(t, soft_shape_same, size_of(t));
}

enum flow translate_same_float(struct translation *t)
{
	return set_sized(t, soft_shape_same, float_size_of(t));
}

/* Whatever the elements are. */
enum flow translate_bits(struct translation *t)
{
	return set_sized(t, soft_shape_same, 3);
}

/* One source: no bits after the point, and no other register. */
static enum flow set_two(struct translation *t, unsigned int size)
{
	t->op->rm = 0;
	return set_sized(t, soft_shape_same, size);
}

enum flow translate_two(struct translation *t)
{
	return set_two(t, size_of(t));
}

enum flow translate_two_float(struct translation *t)
{
	return set_two(t, float_size_of(t));
}

enum flow translate_two_bytes(struct translation *t)
{
	return set_two(t, 0);
}

enum flow translate_pair(struct translation *t)
{
	return set_sized(t, soft_shape_pair, size_of(t));
}

enum flow translate_pair_float(struct translation *t)
{
	return set_sized(t, soft_shape_pair, float_size_of(t));
}

enum flow translate_pair_scalar(struct translation *t)
{
	return set_sized(t, soft_shape_pair_scalar, 3);
}

enum flow translate_pair_scalar_float(struct translation *t)
{
	return set_sized(t, soft_shape_pair_scalar, float_size_of(t));
}

enum flow translate_pair_long(struct translation *t)
{
	return set_sized(t, soft_shape_pair_long, size_of(t));
}

enum flow translate_element(struct translation *t)
{
	return set_sized(t, soft_shape_element, size_of(t));
}

/* Of groups of four bytes, whatever the field size */
enum flow translate_element_words(struct translation *t)
{
	return set_sized(t, soft_shape_element, 2);
}

enum flow translate_element_float(struct translation *t)
{
	return set_sized(t, soft_shape_element, float_size_of(t));
}

/* Results of twice the size: all of Vd. Only PMULL has doublewords. */
static enum flow set_long(struct translation *t, soft_vector_function *shape, unsigned int size)
{
	if (size == 3)
		return set_vector(t, soft_vector_pmull_64);
	return set_shape(t, shape, size, soft_is_scalar(t->word) ? 2u << size : 16);
}

enum flow translate_long(struct translation *t)
{
	return set_long(t, soft_shape_long, size_of(t));
}

enum flow translate_long_element(struct translation *t)
{
	return set_long(t, soft_shape_long_element, size_of(t));
}

enum flow translate_wide(struct translation *t)
{
	return set_long(t, soft_shape_wide, size_of(t));
}

/* Results of half the size: half of Vd. */
static enum flow set_narrow(struct translation *t, unsigned int size)
{
	return set_shape(t, soft_shape_narrow, size, soft_is_scalar(t->word) ? 1u << size : 8);
}

enum flow translate_narrow(struct translation *t)
{
	return set_narrow(t, size_of(t));
}

/* immh:immb is the size and the amount in one. */
static unsigned int shift_of(struct translation *t, bool right, unsigned int *amount)
{
	const unsigned int both = t->word >> 16 & 0x7f;
	const unsigned int size = 31u - (unsigned int)__builtin_clz(both >> 3);

	*amount = right ? (16u << size) - both : both - (8u << size);
	t->op->rm = (uint8_t)*amount;
	return size;
}

enum flow translate_shift_right(struct translation *t)
{
	unsigned int amount;

	return set_sized(t, soft_shape_same, shift_of(t, true, &amount));
}

enum flow translate_shift_right_float(struct translation *t)
{
	unsigned int amount;

	return set_sized(t, soft_shape_same, shift_of(t, true, &amount));
}

enum flow translate_shift_left(struct translation *t)
{
	unsigned int amount;

	return set_sized(t, soft_shape_same, shift_of(t, false, &amount));
}

enum flow translate_shift_narrow(struct translation *t)
{
	unsigned int amount;

	return set_narrow(t, shift_of(t, true, &amount));
}

enum flow translate_shift_long(struct translation *t)
{
	unsigned int amount;

	return set_long(t, soft_shape_long, shift_of(t, false, &amount));
}

/* SHLL: by the size of an element */
enum flow translate_shift_whole(struct translation *t)
{
	t->op->rm = (uint8_t)(8u << size_of(t));
	return set_long(t, soft_shape_long, size_of(t));
}

enum flow translate_across(struct translation *t)
{
	return set_sized(t, soft_shape_across, size_of(t));
}

enum flow translate_across_long(struct translation *t)
{
	return set_sized(t, soft_shape_across_long, size_of(t));
}

enum flow translate_across_float(struct translation *t)
{
	return set_sized(t, soft_shape_across_float, float_size_of(t));
}

/* Scalar floating-point: ftype is 0 of S, 1 of D, 3 of H. */
static unsigned int ftype_size(const struct translation *t)
{
	return size_of(t) == 3 ? 1 : 2 + size_of(t);
}

enum flow translate_float(struct translation *t)
{
	const unsigned int size = ftype_size(t);

	return set_shape(t, soft_shape_same, size, 1u << size);
}

enum flow translate_function(struct translation *t)
{
#define FUNCTION(name) soft_vector_##name,
	static soft_vector_function *const functions[] = {
#include "soft/fp/functions.def"
	};

	return set_vector(t, functions[t->kind]);
}

static enum flow set_immediate(struct translation *t, uint64_t value, bool both)
{
	t->op->rd = t->word & 31;
	t->op->imm = value;
	t->op->aux = both;
	return set_kind(t, SOFT_vector_immediate);
}

enum flow translate_vector_immediate(struct translation *t)
{
	return set_immediate(t, soft_vector_immediate(t->word), t->word >> 30 & 1);
}

enum flow translate_vector_immediate_not(struct translation *t)
{
	return set_immediate(t, ~soft_vector_immediate(t->word), t->word >> 30 & 1);
}

enum flow translate_float_immediate(struct translation *t)
{
	const struct a64_fp_immediate f = a64_get_fp_immediate(t->word);

	return set_immediate(t, soft_float_immediate((enum float_size)(ftype_size(t) - 1), f.imm8),
			     false);
}

/* Loads and stores */

#define FORMS	   (SOFT_ldr_h_off - SOFT_ldr_b_off)
#define PAIR_FORMS (SOFT_ldp_d_off - SOFT_ldp_s_off)

/* B, H, S, D, Q: opc1:size */
enum flow translate_vector_access(struct translation *t)
{
	const struct a64_fp_register_offset f = a64_get_fp_register_offset(t->word);
	const unsigned int scale = f.opc1 << 2 | f.size;

	t->op->rd = (uint8_t)f.rt;
	t->op->rn = or_sp(f.rn);
	return set_kind(t, t->kind + scale * FORMS + address_form(t, scale));
}

enum flow translate_vector_literal(struct translation *t)
{
	const struct a64_fp_literal f = a64_get_fp_literal(t->word);

	t->op->rd = (uint8_t)f.rt;
	t->op->rn = SOFT_X_ZERO;
	t->op->imm = t->pc + (uint64_t)((int64_t)f.imm19 * 4);
	return set_kind(t, t->kind + (f.opc + 2) * FORMS);
}

enum flow translate_vector_pair(struct translation *t)
{
	const struct a64_fp_pair f = a64_get_fp_pair(t->word);

	t->op->rd = (uint8_t)f.rt;
	t->op->ra = (uint8_t)f.rt2;
	t->op->rn = or_sp(f.rn);
	return set_kind(t, t->kind + f.opc * PAIR_FORMS + pair_form(t, 4 << f.opc));
}

static enum flow set_structure(struct translation *t, soft_function *function)
{
	t->op->rd = t->word & 31;
	t->op->rn = or_sp(t->word >> 5 & 31);
	return by_function(t, function);
}

enum flow translate_structures(struct translation *t)
{
	return set_structure(t, soft_op_structures);
}

enum flow translate_structure(struct translation *t)
{
	return set_structure(t, soft_op_structure);
}
