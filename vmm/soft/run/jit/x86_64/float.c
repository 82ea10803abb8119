/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Templates of floating-point, of single and double precision. The host's arithmetic is Arm's if
 * soft_cpu.fp_usual is set and each result is a normal number: then it rounds to nearest, and sets
 * no new flag. Everything else is left to the function that computes in integers: zeros, which may
 * have underflowed, and infinities, which may be flags; NaNs; and the smallest normal exponent, as
 * a number that was rounded up to it was tiny before (decisions, SOFT-82).
 */
#include "soft/run/jit/x86_64/vector.h"
#include "soft/flags.h"

#if SOFT_JIT

#define SINGLE 2 /* log2 of the bytes */
#define DOUBLE 3

static void emit(struct translator *t, enum x86_form form, unsigned int xmm,
		 struct x86_operand from)
{
	x86_emit(&t->code, form, 32, xmm, from, 0);
}

/* A jump, taken unless the host's arithmetic may be used. */
static uint8_t *unless_usual(struct translator *t)
{
	x86_emit(&t->code, X86_cmp8_imm8, 32, 0,
		 x86_at(RBP, (int32_t)offsetof(struct soft_cpu, fp_usual)), 0);
	return x86_jump_if(&t->code, X86_E);
}

/*
 * The lowest exponent that no tiny number can have, and how many more there are below that of
 * infinities.
 */
#define LEAST_EXPONENT	    2u
#define EXPONENTS(size)	    ((size) == SINGLE ? 0xfdu : 0x7fdu)
#define FRACTION_BITS(size) ((size) == SINGLE ? 23u : 52u)

/* A jump, taken unless XMM0 is a normal number. Changes RAX. */
static uint8_t *unless_normal(struct translator *t, unsigned int size)
{
	const unsigned int width = 8u << size;

	emit(t, size == SINGLE ? X86_movd_to : X86_movq_to_x, XMM0, x86_reg(RAX));
	x86_emit(&t->code, X86_add_to, width, RAX, x86_reg(RAX), 0);
	x86_emit(&t->code, X86_shr_imm8, width, 0, x86_reg(RAX), (int32_t)FRACTION_BITS(size) + 1);
	x86_emit(&t->code, X86_sub_imm8, 32, 0, x86_reg(RAX), LEAST_EXPONENT);
	x86_emit(&t->code, X86_cmp_imm32, 32, 0, x86_reg(RAX), (int32_t)EXPONENTS(size));
	return x86_jump_if(&t->code, X86_AE);
}

_Static_assert(LEAST_EXPONENT == 2, "others are 0 but for their lowest bit");

/*
 * The same for all its elements, of 8 bytes or 16: XMM1 is other than 0 if one of them is not a
 * normal number. In such a number the exponent's upper bits are 0, or all of its bits are 1.
 * Exponents of doubles are in their upper words. Changes XMM2 and XMM3.
 */
static void mark_not_normal(struct translator *t, unsigned int size, unsigned int bytes)
{
	const unsigned int fraction = size == SINGLE ? 23 : 52 - 32;

	v_op_imm(t, X86_pshufd, XMM1, XMM0, size == DOUBLE ? 0xdd : bytes == 8 ? 0x44 : 0xe4);
	v_op(t, X86_paddd, XMM1, XMM1);
	v_op(t, X86_movups, XMM2, XMM1);
	v_shift(t, X86_psrld, XMM1, fraction + 2);
	v_shift(t, X86_psrad, XMM2, fraction + 1);
	v_zero(t, XMM3);
	v_op(t, X86_pcmpeqd, XMM1, XMM3);
	v_op(t, X86_pcmpeqd, XMM3, XMM3);
	v_op(t, X86_pcmpeqd, XMM2, XMM3);
	v_op(t, X86_por, XMM1, XMM2);
}

static uint8_t *unless_all_normal(struct translator *t, unsigned int size, unsigned int bytes)
{
	mark_not_normal(t, size, bytes);
	v_op(t, X86_ptest, XMM1, XMM1);
	return x86_jump_if(&t->code, X86_NE);
}

/* Check and store the result in XMM0, of so many bytes. */
static bool put_checked(struct translator *t, const struct soft_op *op, unsigned int size,
			unsigned int bytes, uint8_t *unusual)
{
	uint8_t *not_normal =
		bytes == 1u << size ? unless_normal(t, size) : unless_all_normal(t, size, bytes);

	if (bytes == 8)
		v_op(t, X86_movq, XMM0, XMM0);
	v_put_result(t, op->rd);
	t_call_instead(t, unusual, not_normal, op);
	return true;
}

/* For one element, single and double, and for all of them. */
static const uint8_t arithmetic[SOFT_LANES][2][2] = {
#define FORMS(name)                                    \
	{                                              \
		{X86_##name##ss, X86_##name##sd},      \
		{                                      \
			X86_##name##ps, X86_##name##pd \
		}                                      \
	}
	[SOFT_lane_fadd] = FORMS(add),	 [SOFT_lane_fsub] = FORMS(sub),
	[SOFT_lane_fmul] = FORMS(mul),	 [SOFT_lane_fdiv] = FORMS(div),
	[SOFT_lane_fsqrt] = FORMS(sqrt),
};

static bool is_fused(unsigned int lane)
{
	return lane == SOFT_lane_fmla || lane == SOFT_lane_fmls;
}

static unsigned int how_fused(unsigned int lane)
{
	return lane == SOFT_lane_fmls ? X86_NEGATIVE : X86_PLUS;
}

/* FADD and the like, FMLA and FMLS: on vectors, or on one element; and with one element of Vm. */
static bool put_arithmetic(struct translator *t, const struct soft_op *op, bool element)
{
	const unsigned int lane = op->aux >> 2, size = op->aux & 3, bytes = op->ra;
	const bool fused = is_fused(lane), all = bytes >> size > 1;
	uint8_t *unusual;

	if (size < SINGLE || (fused ? !t->jit->fma : !arithmetic[lane][0][0]))
		return false;
	unusual = unless_usual(t);
	if (element)
		v_broadcast(t, XMM2, size, v_element_at(op, size));
	else
		v_load(t, XMM2, lane == SOFT_lane_fsqrt ? op->rn : op->rm, bytes);
	v_load(t, XMM0, fused ? op->rd : op->rn, bytes);
	if (fused) {
		v_load(t, XMM1, op->rn, bytes);
		x86_multiply_add(&t->code, how_fused(lane) | (all ? X86_ALL : X86_ONE), 8u << size,
				 XMM0, XMM1, XMM2);
	} else {
		v_op(t, (enum x86_form)arithmetic[lane][all][size - SINGLE], XMM0, XMM2);
	}
	return put_checked(t, op, size, bytes, unusual);
}

/* ftype: 0 is single, 1 double. */
static bool has_type(const struct soft_op *op)
{
	return !(op->word >> 23 & 1);
}

static unsigned int size_of(const struct soft_op *op)
{
	return op->word >> 22 & 1 ? DOUBLE : SINGLE;
}

/* FMADD, FMSUB, FNMADD, FNMSUB: o1 subtracts the addend; o0 other than o1 subtracts the product. */
static bool put_multiply_add(struct translator *t, const struct soft_op *op)
{
	const struct a64_fp_three_sources f = a64_get_fp_three_sources(op->word);
	const unsigned int size = size_of(op), bytes = 1u << size;
	const unsigned int how =
		X86_ONE | (f.o1 ? X86_MINUS : X86_PLUS) | (f.o0 != f.o1 ? X86_NEGATIVE : 0u);
	uint8_t *unusual;

	if (!t->jit->fma || !has_type(op))
		return false;
	unusual = unless_usual(t);
	v_load(t, XMM0, f.ra, bytes);
	v_load(t, XMM1, f.rn, bytes);
	v_load(t, XMM2, f.rm, bytes);
	x86_multiply_add(&t->code, how, 8 * bytes, XMM0, XMM1, XMM2);
	return put_checked(t, op, size, bytes, unusual);
}

/* FCVT between single and double. */
static bool put_convert(struct translator *t, const struct soft_op *op)
{
	const struct a64_fp_convert f = a64_get_fp_convert(op->word);
	uint8_t *unusual;

	if (!has_type(op) || f.opc > 1)
		return false;
	unusual = unless_usual(t);
	v_zero(t, XMM0);
	emit(t, f.opc ? X86_cvtss2sd : X86_cvtsd2ss, XMM0, v_at(op->rn, 0));
	return put_checked(t, op, f.opc ? DOUBLE : SINGLE, f.opc ? 8 : 4, unusual);
}

/* Is it a conversion of an integer, with no bits after the point? */
static bool is_whole(const struct soft_op *op)
{
	return op->word >> 21 & 1;
}

/* SCVTF, UCVTF: every result is zero or normal. */
static bool put_from_x(struct translator *t, const struct soft_op *op)
{
	const struct a64_fp_integer f = a64_get_fp_integer(op->word);
	const bool is_signed = !(f.opcode & 1);
	uint8_t *unusual;
	unsigned int n;

	if (!has_type(op) || !is_whole(op) || (f.sf && !is_signed))
		return false;
	n = t_use(t, f.rn);
	unusual = unless_usual(t);
	v_zero(t, XMM0);
	if (!f.sf) {
		x86_emit(&t->code, is_signed ? X86_movsxd : X86_mov, 32, RAX, x86_reg(n), 0);
		n = RAX;
	}
	x86_emit(&t->code, f.ftype ? X86_cvtsi2sd : X86_cvtsi2ss, 64, XMM0, x86_reg(n), 0);
	v_put_result(t, op->rd);
	t_call_instead(t, unusual, NULL, op);
	return true;
}

/*
 * A jump, taken unless RAX is the result of a conversion to an integer: of 64 bits, the host
 * returns the most negative number for what it cannot convert. Changes RCX.
 */
static uint8_t *unless_converted(struct translator *t, bool wide, bool is_signed)
{
	if (wide && is_signed) {
		x86_emit(&t->code, X86_cmp_imm8, 64, 0, x86_reg(RAX), 1);
		return x86_jump_if(&t->code, X86_O);
	}
	if (wide) {
		x86_emit(&t->code, X86_test_to, 64, RAX, x86_reg(RAX), 0);
		return x86_jump_if(&t->code, X86_S);
	}
	x86_emit(&t->code, is_signed ? X86_movsxd : X86_mov, 32, RCX, x86_reg(RAX), 0);
	x86_emit(&t->code, X86_cmp_to, 64, RCX, x86_reg(RAX), 0);
	return x86_jump_if(&t->code, X86_NE);
}

/* FCVTZS, FCVTZU */
static bool put_to_x(struct translator *t, const struct soft_op *op)
{
	const struct a64_fp_integer f = a64_get_fp_integer(op->word);
	const bool is_signed = !(f.opcode & 1);
	uint8_t *unusual, *not_converted;
	unsigned int d;

	if (!has_type(op) || !is_whole(op) || f.rmode != 3 || f.opcode > 1)
		return false;
	d = t_define(t, f.rd == 31 ? SOFT_X_SINK : f.rd);
	unusual = unless_usual(t);
	x86_emit(&t->code, f.ftype ? X86_cvttsd2si : X86_cvttss2si, 64, RAX, v_at(op->rn, 0), 0);
	not_converted = unless_converted(t, f.sf, is_signed);
	x86_emit(&t->code, X86_mov, f.sf ? 64 : 32, d, x86_reg(RAX), 0);
	t_call_instead(t, unusual, not_converted, op);
	return true;
}

/* FMOV to and from a general-purpose register; ftype 2: the upper half of a V register. */
static bool put_move_x(struct translator *t, const struct soft_op *op, bool to_x)
{
	const struct a64_fp_integer f = a64_get_fp_integer(op->word);
	const unsigned int width = f.ftype ? 64 : 32;
	unsigned int x;

	if (f.ftype == 3)
		return false;
	if (to_x) {
		x = t_define(t, f.rd == 31 ? SOFT_X_SINK : f.rd);
		x86_emit(&t->code, X86_mov, width, x, v_at(f.rn, f.ftype == 2 ? 8 : 0), 0);
		return true;
	}
	x = t_use(t, f.rn);
	if (f.ftype == 2) {
		x86_emit(&t->code, X86_mov_to, 64, x, v_at(f.rd, 8), 0);
		return true;
	}
	emit(t, f.ftype ? X86_movq_from_x : X86_movd, XMM0, x86_reg(x));
	v_put_result(t, f.rd);
	return true;
}

/*
 * FCMP, FCMPE: the flags are held explicitly: less is N, equal is Z and C, greater is C. For
 * unordered operands the function decides about exceptions.
 */
static bool put_compare(struct translator *t, const struct soft_op *op)
{
	const struct a64_fp_compare f = a64_get_fp_compare(op->word);
	const unsigned int size = size_of(op);
	uint8_t *unusual, *unordered;

	if (!has_type(op))
		return false;
	unusual = unless_usual(t);
	v_load(t, XMM0, f.rn, 1u << size);
	if (f.opc & 1)
		v_zero(t, XMM1);
	emit(t, size == SINGLE ? X86_ucomiss : X86_ucomisd, XMM0,
	     f.opc & 1 ? x86_reg(XMM1) : v_at(f.rm, 0));
	unordered = x86_jump_if(&t->code, X86_P);
	x86_set(&t->code, X86_B, RCX);
	x86_set(&t->code, X86_BE, RAX);
	x86_emit(&t->code, X86_movzx8, 32, RCX, x86_reg(RCX), 0);
	x86_emit(&t->code, X86_movzx8, 32, RAX, x86_reg(RAX), 0);
	x86_emit(&t->code, X86_lea, 32, RAX, x86_scaled(RCX, RAX, 1), 0);
	x86_emit(&t->code, X86_lea, 32, RAX, x86_indexed(RAX, RAX, 2), 0);
	t_explicit_flags(t, RAX);
	t_call_instead(t, unusual, unordered, op);
	return true;
}

/* FCSEL */
static bool put_select(struct translator *t, const struct soft_op *op)
{
	const struct a64_fp_select f = a64_get_fp_select(op->word);
	const unsigned int width = f.ftype ? 64 : 32;
	enum x86_condition condition;

	if (!has_type(op) || f.cond >= T_CONDITIONS || !t_condition(t, op, f.cond, &condition))
		return false;
	x86_emit(&t->code, X86_mov, width, RCX, v_at(f.rm, 0), 0);
	x86_cmov(&t->code, condition, width, RCX, v_at(f.rn, 0));
	emit(t, X86_movq_from_x, XMM0, x86_reg(RCX));
	v_put_result(t, f.rd);
	return true;
}

static bool put_float(struct translator *t, const struct soft_op *op)
{
	soft_vector_function *const function = (soft_vector_function *)(uintptr_t)op->imm;

	if (function == soft_vector_float_select)
		return put_select(t, op);
	if (function == soft_vector_float_move_to_x || function == soft_vector_float_move_from_x)
		return put_move_x(t, op, function == soft_vector_float_move_to_x);
	if (!t->jit->rounds)
		return false;
	if (function == soft_shape_same || function == soft_shape_element)
		return put_arithmetic(t, op, function == soft_shape_element);
	if (function == soft_vector_float_multiply_add)
		return put_multiply_add(t, op);
	if (function == soft_vector_float_convert)
		return put_convert(t, op);
	if (function == soft_vector_float_from_x)
		return put_from_x(t, op);
	if (function == soft_vector_float_to_x)
		return put_to_x(t, op);
	return function == soft_vector_float_compare && put_compare(t, op);
}

bool t_has_segments(const struct translator *t, const struct t_segments *s)
{
	if (!t->jit->sse4)
		return false;
	if (!s->is_float)
		return v_has_lane(s->lane, s->size);
	if (!t->jit->rounds || s->size < SINGLE)
		return false;
	return is_fused(s->lane) ? t->jit->fma : arithmetic[s->lane][1][0] != 0;
}

/* XMM0 = the lane of segment c. */
static void put_float_segment(struct translator *t, const struct t_segments *s, unsigned int c)
{
	v_load(t, XMM2, T_SEGMENT(s->m, c), 16);
	if (is_fused(s->lane)) {
		v_load(t, XMM0, T_SEGMENT(s->acc, c), 16);
		v_load(t, XMM1, T_SEGMENT(s->n, c), 16);
		x86_multiply_add(&t->code, how_fused(s->lane) | X86_ALL, 8u << s->size, XMM0, XMM1,
				 XMM2);
		return;
	}
	v_load(t, XMM0, T_SEGMENT(s->n, c), 16);
	v_op(t, (enum x86_form)arithmetic[s->lane][1][s->size - SINGLE], XMM0, XMM2);
}

/* Nothing is written before all numbers are known to be right. */
static void put_float_segments(struct translator *t, const struct soft_op *op,
			       const struct t_segments *s)
{
	uint8_t *const unusual = unless_usual(t);
	uint8_t *not_normal;

	v_zero(t, MARKS);
	for (unsigned int c = 0; c < s->count; c++) {
		put_float_segment(t, s, c);
		v_op(t, X86_movups, FIRST_RESULT + c, XMM0);
		mark_not_normal(t, s->size, 16);
		v_op(t, X86_por, MARKS, XMM1);
	}
	v_op(t, X86_ptest, MARKS, MARKS);
	not_normal = x86_jump_if(&t->code, X86_NE);
	for (unsigned int c = 0; c < s->count; c++)
		x86_emit(&t->code, X86_movups_to, 32, FIRST_RESULT + c, v_at(T_SEGMENT(s->d, c), 0),
			 0);
	t_call_instead(t, unusual, not_normal, op);
}

void t_put_segments(struct translator *t, const struct soft_op *op, const struct t_segments *s)
{
	if (s->is_float) {
		put_float_segments(t, op, s);
		return;
	}
	for (unsigned int c = 0; c < s->count; c++)
		v_put_lane(t, s->lane, s->size, T_SEGMENT(s->d, c), T_SEGMENT(s->n, c),
			   T_SEGMENT(s->m, c));
}

bool t_put_vector_inline(struct translator *t, const struct soft_op *op, unsigned int width,
			 unsigned int arg)
{
	(void)width, (void)arg;
	return t->jit->sse4 && (v_put_shape(t, op) || v_put_move(t, op) || put_float(t, op));
}

#endif
