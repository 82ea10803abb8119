/* SPDX-License-Identifier: BSD-2-Clause */
/* Templates of Advanced SIMD on integers, by shapes: see soft/fp/vector.h. */
#include "soft/run/jit/x86_64/vector.h"

#if SOFT_JIT

/* XMM0 = its complement. */
static void invert(struct translator *t)
{
	v_op(t, X86_pcmpeqd, XMM3, XMM3);
	v_op(t, X86_pxor, XMM0, XMM3);
}

/*
 * The host's forms of the lanes of lanes.def, by the size of their elements: XMM0 = first form
 * second, and what is done with the result.
 */
enum lane_operand { N, M, ZERO };
enum lane_then { DONE, INVERT, ADD_TO_D, SUBTRACT_FROM_D, IS_N, IS_NOT_M, IS_NOT_ZERO };

static const struct lane {
	uint8_t first, second, then;
	uint8_t form[4]; /* enum x86_form */
} lanes[SOFT_LANES] = {
#define B_W_D_Q(name)                                                      \
	{                                                                  \
		X86_##name##b, X86_##name##w, X86_##name##d, X86_##name##q \
	}
#define B_W_D(name)                                                  \
	{                                                            \
		X86_##name##b, X86_##name##w, X86_##name##d, NO_FORM \
	}
#define ANY(name)                                              \
	{                                                      \
		X86_##name, X86_##name, X86_##name, X86_##name \
	}
#define PRODUCTS                                         \
	{                                                \
		NO_FORM, X86_pmullw, X86_pmulld, NO_FORM \
	}
	[SOFT_lane_add] = {N, M, DONE, B_W_D_Q(padd)},
	[SOFT_lane_sub] = {N, M, DONE, B_W_D_Q(psub)},
	[SOFT_lane_mul] = {N, M, DONE, PRODUCTS},
	[SOFT_lane_mla] = {N, M, ADD_TO_D, PRODUCTS},
	[SOFT_lane_mls] = {N, M, SUBTRACT_FROM_D, PRODUCTS},
	[SOFT_lane_cmeq] = {N, M, DONE, B_W_D_Q(pcmpeq)},
	[SOFT_lane_cmgt] = {N, M, DONE, B_W_D_Q(pcmpgt)},
	[SOFT_lane_cmge] = {M, N, INVERT, B_W_D_Q(pcmpgt)},
	[SOFT_lane_cmhi] = {N, M, IS_NOT_M, B_W_D(pmaxu)},
	[SOFT_lane_cmhs] = {M, N, IS_N, B_W_D(pmaxu)},
	[SOFT_lane_cmtst] = {N, M, IS_NOT_ZERO, ANY(pand)},
	[SOFT_lane_smax] = {N, M, DONE, B_W_D(pmaxs)},
	[SOFT_lane_smin] = {N, M, DONE, B_W_D(pmins)},
	[SOFT_lane_umax] = {N, M, DONE, B_W_D(pmaxu)},
	[SOFT_lane_umin] = {N, M, DONE, B_W_D(pminu)},
	[SOFT_lane_urhadd] = {N, M, DONE, {X86_pavgb, X86_pavgw, NO_FORM, NO_FORM}},
	[SOFT_lane_and] = {N, M, DONE, ANY(pand)},
	[SOFT_lane_bic] = {M, N, DONE, ANY(pandn)},
	[SOFT_lane_orr] = {N, M, DONE, ANY(por)},
	[SOFT_lane_orn] = {N, M, INVERT, ANY(pandn)},
	[SOFT_lane_eor] = {N, M, DONE, ANY(pxor)},
	[SOFT_lane_abs] = {ZERO, N, DONE, B_W_D(pabs)},
	[SOFT_lane_neg] = {ZERO, N, DONE, B_W_D_Q(psub)},
	[SOFT_lane_not] = {N, ZERO, INVERT, ANY(por)},
	[SOFT_lane_cmeq_zero] = {N, ZERO, DONE, B_W_D_Q(pcmpeq)},
	[SOFT_lane_cmgt_zero] = {N, ZERO, DONE, B_W_D_Q(pcmpgt)},
	[SOFT_lane_cmge_zero] = {ZERO, N, INVERT, B_W_D_Q(pcmpgt)},
	[SOFT_lane_cmle_zero] = {N, ZERO, INVERT, B_W_D_Q(pcmpgt)},
	[SOFT_lane_cmlt_zero] = {ZERO, N, DONE, B_W_D_Q(pcmpgt)},
};

/* Forms that other lanes need, by the size of an element. */
static const uint8_t equal[] = B_W_D_Q(pcmpeq), add[] = B_W_D_Q(padd), subtract[] = B_W_D_Q(psub);
static const uint8_t right_signed[] = {NO_FORM, X86_psraw, X86_psrad, NO_FORM};

static const struct lane *lane_of(unsigned int lane, unsigned int size)
{
	return lanes[lane].form[0] && lanes[lane].form[size] != NO_FORM ? &lanes[lane] : NULL;
}

/* A lane that the host has, with n in XMM1 and m in XMM2. */
static void put_lane(struct translator *t, const struct lane *lane, unsigned int size,
		     unsigned int d)
{
	static const uint8_t where[] = {[N] = XMM1, [M] = XMM2, [ZERO] = XMM3};

	if (lane->first == ZERO || lane->second == ZERO)
		v_zero(t, XMM3);
	v_op(t, X86_movups, XMM0, where[lane->first]);
	v_op(t, (enum x86_form)lane->form[size], XMM0, where[lane->second]);
	switch (lane->then) {
	case INVERT: invert(t); break;
	case ADD_TO_D:
		v_load(t, XMM3, d, 16);
		v_op(t, (enum x86_form)add[size], XMM0, XMM3);
		break;
	case SUBTRACT_FROM_D:
		v_op(t, X86_movups, XMM3, XMM0);
		v_load(t, XMM0, d, 16);
		v_op(t, (enum x86_form)subtract[size], XMM0, XMM3);
		break;
	case IS_N: v_op(t, (enum x86_form)equal[size], XMM0, XMM1); break;
	case IS_NOT_M:
		v_op(t, (enum x86_form)equal[size], XMM0, XMM2);
		invert(t);
		break;
	case IS_NOT_ZERO:
		v_zero(t, XMM3);
		v_op(t, (enum x86_form)equal[size], XMM0, XMM3);
		invert(t);
		break;
	default: break;
	}
}

/* BSL, BIT, BIF: XMM0 = two vectors combined: the second one where the mask has ones. */
static bool put_chosen(struct translator *t, const struct soft_op *op, unsigned int lane)
{
	const unsigned int d = op->rd, n = op->rn, m = op->rm;
	const unsigned int first = lane == SOFT_lane_bsl ? m : d;
	const unsigned int mask = lane == SOFT_lane_bsl ? d : m;

	v_load(t, XMM1, first, 16);
	v_load(t, XMM2, n, 16);
	v_load(t, XMM0, mask, 16);
	v_op(t, X86_pxor, XMM2, XMM1);
	v_op(t, lane == SOFT_lane_bif ? X86_pandn : X86_pand, XMM0, XMM2);
	v_op(t, X86_pxor, XMM0, XMM1);
	v_store(t, d, op->ra);
	return true;
}

/* Signed or unsigned, for elements that the host can compare; accumulated or not. */
static bool put_difference(struct translator *t, const struct soft_op *op, unsigned int lane,
			   unsigned int size)
{
	const bool is_signed = lane == SOFT_lane_sabd || lane == SOFT_lane_saba;
	const uint8_t *largest = lanes[is_signed ? SOFT_lane_smax : SOFT_lane_umax].form;
	const uint8_t *smallest = lanes[is_signed ? SOFT_lane_smin : SOFT_lane_umin].form;

	if (size == 3)
		return false;
	v_load(t, XMM0, op->rn, 16);
	v_load(t, XMM2, op->rm, 16);
	v_op(t, X86_movups, XMM1, XMM0);
	v_op(t, (enum x86_form)largest[size], XMM0, XMM2);
	v_op(t, (enum x86_form)smallest[size], XMM1, XMM2);
	v_op(t, (enum x86_form)subtract[size], XMM0, XMM1);
	if (lane == SOFT_lane_saba || lane == SOFT_lane_uaba) {
		v_load(t, XMM1, op->rd, 16);
		v_op(t, (enum x86_form)add[size], XMM0, XMM1);
	}
	v_store(t, op->rd, op->ra);
	return true;
}

/*
 * XMM0 = v[n] with each element shifted by an immediate: more than all bits leave 0, or the sign.
 * False: the host has no such shift.
 */
static bool put_shifted(struct translator *t, const uint8_t *forms, unsigned int n,
			unsigned int size, unsigned int by)
{
	if (forms[size] == NO_FORM)
		return false;
	v_load(t, XMM0, n, 16);
	v_shift(t, (enum x86_form)forms[size], XMM0, by);
	return true;
}

/* SRI, SLI: Vd's bits are shifted in. */
static bool put_inserted(struct translator *t, const struct soft_op *op, unsigned int size,
			 const uint8_t *forms, const uint8_t *others)
{
	const unsigned int by = op->rm, rest = (8u << size) - by;

	if (!put_shifted(t, forms, op->rn, size, by))
		return false;
	v_load(t, XMM1, op->rd, 16);
	v_shift(t, (enum x86_form)forms[size], XMM1, rest);
	v_shift(t, (enum x86_form)others[size], XMM1, rest);
	v_op(t, X86_por, XMM0, XMM1);
	v_store(t, op->rd, op->ra);
	return true;
}

static bool put_shift(struct translator *t, const struct soft_op *op, unsigned int size,
		      const uint8_t *forms, bool adds)
{
	if (!put_shifted(t, forms, op->rn, size, op->rm))
		return false;
	if (adds) {
		v_load(t, XMM1, op->rd, 16);
		v_op(t, (enum x86_form)add[size], XMM0, XMM1);
	}
	v_store(t, op->rd, op->ra);
	return true;
}

/* FABS, FNEG: the signs are cleared, or changed. */
static bool put_sign(struct translator *t, const struct soft_op *op, unsigned int size, bool clear)
{
	const unsigned int bits = 8u << size;

	if (op->ra < 4)
		return false;
	v_op(t, X86_pcmpeqd, XMM0, XMM0);
	v_shift(t, (enum x86_form)(clear ? v_right : v_left)[size], XMM0, clear ? 1 : bits - 1);
	v_load(t, XMM1, op->rn, 16);
	v_op(t, clear ? X86_pand : X86_pxor, XMM0, XMM1);
	v_store(t, op->rd, op->ra);
	return true;
}

/* XMM0 = the lane of Vn and Vm, and of Vd. */
static void put_simple(struct translator *t, const struct lane *lane, unsigned int size,
		       unsigned int d, unsigned int n, unsigned int m)
{
	v_load(t, XMM1, n, 16);
	if (lane->first == M || lane->second == M)
		v_load(t, XMM2, m, 16);
	put_lane(t, lane, size, d);
}

static bool put_same(struct translator *t, const struct soft_op *op, unsigned int lane,
		     unsigned int size)
{
	const struct lane *simple = lane_of(lane, size);

	switch (lane) {
	case SOFT_lane_fabs: return put_sign(t, op, size, true);
	case SOFT_lane_fneg: return put_sign(t, op, size, false);
	case SOFT_lane_fmov:
		if (op->ra < 4)
			return false;
		v_load(t, XMM0, op->rn, op->ra);
		v_put_result(t, op->rd);
		return true;
	default: break;
	}
	if (op->ra < 8)
		return false;
	switch (lane) {
	case SOFT_lane_bsl:
	case SOFT_lane_bit:
	case SOFT_lane_bif: return put_chosen(t, op, lane);
	case SOFT_lane_sabd:
	case SOFT_lane_uabd:
	case SOFT_lane_saba:
	case SOFT_lane_uaba: return put_difference(t, op, lane, size);
	case SOFT_lane_shl: return put_shift(t, op, size, v_left, false);
	case SOFT_lane_ushr: return put_shift(t, op, size, v_right, false);
	case SOFT_lane_sshr: return put_shift(t, op, size, right_signed, false);
	case SOFT_lane_usra: return put_shift(t, op, size, v_right, true);
	case SOFT_lane_ssra: return put_shift(t, op, size, right_signed, true);
	case SOFT_lane_sri: return put_inserted(t, op, size, v_right, v_left);
	case SOFT_lane_sli: return put_inserted(t, op, size, v_left, v_right);
	default: break;
	}
	if (!simple)
		return false;
	put_simple(t, simple, size, op->rd, op->rn, op->rm);
	v_store(t, op->rd, op->ra);
	return true;
}

bool v_has_lane(unsigned int lane, unsigned int size)
{
	return lane_of(lane, size);
}

void v_put_lane(struct translator *t, unsigned int lane, unsigned int size, unsigned int d,
		unsigned int n, unsigned int m)
{
	put_simple(t, lane_of(lane, size), size, d, n, m);
	v_put_result(t, d);
}

static bool put_element(struct translator *t, const struct soft_op *op, unsigned int lane,
			unsigned int size)
{
	const struct lane *simple = lane_of(lane, size);

	if (!simple || op->ra < 8)
		return false;
	v_load(t, XMM1, op->rn, 16);
	v_broadcast(t, XMM2, size, v_element_at(op, size));
	put_lane(t, simple, size, op->rd);
	v_store(t, op->rd, op->ra);
	return true;
}

static bool put_pairs(struct translator *t, const struct soft_op *op, unsigned int lane,
		      unsigned int size)
{
	const struct lane *simple = lane_of(lane, size);

	if (!simple)
		return false;
	v_load_halves(t, op, op->ra);
	v_op(t, X86_movups, XMM0, XMM1);
	v_op(t, X86_movups, XMM3, XMM2);
	v_put_half(t, size, false, XMM1, XMM2);
	v_put_half(t, size, true, XMM0, XMM3);
	v_op(t, X86_movups, XMM2, XMM0);
	put_lane(t, simple, size, op->rd);
	v_store(t, op->rd, op->ra);
	return true;
}

/* ADDP of the two elements of Vn. */
static bool put_pair(struct translator *t, const struct soft_op *op, unsigned int lane)
{
	if (lane != SOFT_lane_add)
		return false;
	v_load(t, XMM0, op->rn, 16);
	v_op_imm(t, X86_pshufd, XMM1, XMM0, 0xee);
	v_op(t, X86_paddq, XMM0, XMM1);
	v_store(t, op->rd, 8);
	return true;
}

/* U chooses between signed and unsigned wherever elements are widened. */
static bool is_signed(const struct soft_op *op)
{
	return !(op->word >> 29 & 1);
}

static bool is_upper(const struct soft_op *op)
{
	return op->word >> 30 & 1;
}

/* Neighbours are added in elements of twice the size. */
static bool put_pairs_long(struct translator *t, const struct soft_op *op, unsigned int lane,
			   unsigned int size)
{
	const uint8_t *forms = is_signed(op) ? right_signed : v_right;
	const unsigned int bits = 8u << size;

	if (forms[size + 1] == NO_FORM || (lane != SOFT_lane_addlp && lane != SOFT_lane_adalp))
		return false;
	v_load(t, XMM0, op->rn, 16);
	v_op(t, X86_movups, XMM1, XMM0);
	v_shift(t, (enum x86_form)v_left[size + 1], XMM1, bits);
	v_shift(t, (enum x86_form)forms[size + 1], XMM1, bits);
	v_shift(t, (enum x86_form)forms[size + 1], XMM0, bits);
	v_op(t, (enum x86_form)add[size + 1], XMM0, XMM1);
	if (lane == SOFT_lane_adalp) {
		v_load(t, XMM1, op->rd, 16);
		v_op(t, (enum x86_form)add[size + 1], XMM0, XMM1);
	}
	v_store(t, op->rd, op->ra);
	return true;
}

/* xmm = the elements of half of v[n], widened. */
static void widen(struct translator *t, const struct soft_op *op, unsigned int xmm, unsigned int n,
		  unsigned int size)
{
	static const uint8_t forms[2][3] = {{X86_pmovzxbw, X86_pmovzxwd, X86_pmovzxdq},
					    {X86_pmovsxbw, X86_pmovsxwd, X86_pmovsxdq}};

	x86_emit(&t->code, (enum x86_form)forms[is_signed(op)][size], 32, xmm,
		 v_at(n, is_upper(op) ? 8 : 0), 0);
}

/* Products of doublewords use the lower halves of the elements that were widened to them. */
static const struct lane *long_lane(const struct soft_op *op, unsigned int lane, unsigned int size,
				    struct lane *product)
{
	const bool multiplies =
		lane == SOFT_lane_mul || lane == SOFT_lane_mla || lane == SOFT_lane_mls;

	if (!multiplies || size != 2)
		return lane_of(lane, size + 1);
	*product = lanes[lane];
	product->form[3] = is_signed(op) ? X86_pmuldq : X86_pmuludq;
	return product;
}

static bool put_long(struct translator *t, const struct soft_op *op, unsigned int lane,
		     unsigned int size, bool wide)
{
	struct lane product;
	const struct lane *simple = long_lane(op, lane, size, &product);

	if (op->ra != 16 || (!simple && lane != SOFT_lane_shl))
		return false;
	if (lane == SOFT_lane_shl) {
		widen(t, op, XMM0, op->rn, size);
		if (op->rm)
			v_shift(t, (enum x86_form)v_left[size + 1], XMM0, op->rm);
	} else {
		if (wide)
			v_load(t, XMM1, op->rn, 16);
		else
			widen(t, op, XMM1, op->rn, size);
		widen(t, op, XMM2, op->rm, size);
		put_lane(t, simple, size + 1, op->rd);
	}
	v_put_result(t, op->rd);
	return true;
}

/* XTN, SHRN, to the upper half of Vd, or to all of it. */
static bool put_narrow(struct translator *t, const struct soft_op *op, unsigned int lane,
		       unsigned int size)
{
	if (op->ra != 8 || (lane != SOFT_lane_copy && lane != SOFT_lane_ushr))
		return false;
	v_load(t, XMM0, op->rn, 16);
	if (lane == SOFT_lane_ushr)
		v_shift(t, (enum x86_form)v_right[size + 1], XMM0, op->rm);
	v_zero(t, XMM1);
	v_put_half(t, size, false, XMM0, XMM1);
	if (is_upper(op)) {
		v_op(t, X86_movups, XMM1, XMM0);
		v_load(t, XMM0, op->rd, 8);
		v_op(t, X86_punpcklqdq, XMM0, XMM1);
	}
	v_put_result(t, op->rd);
	return true;
}

/*
 * Reduce all elements to one: combine half of the remaining ones with the other half, repeatedly.
 */
static bool put_across(struct translator *t, const struct soft_op *op, unsigned int lane,
		       unsigned int size)
{
	const struct lane *simple = lane_of(lane, size);

	if (!simple || simple->then != DONE)
		return false;
	v_load(t, XMM0, op->rn, 16);
	for (unsigned int bytes = op->ra / 2; bytes >= 1u << size; bytes /= 2) {
		v_op(t, X86_movups, XMM1, XMM0);
		v_shift(t, X86_psrldq, XMM1, bytes);
		v_op(t, (enum x86_form)simple->form[size], XMM0, XMM1);
	}
	v_store(t, op->rd, 1u << size);
	return true;
}

/* UADDLV of bytes. */
static bool put_across_long(struct translator *t, const struct soft_op *op, unsigned int size)
{
	if (size != 0 || is_signed(op))
		return false;
	v_load(t, XMM0, op->rn, op->ra);
	v_zero(t, XMM1);
	v_op(t, X86_psadbw, XMM0, XMM1);
	v_op_imm(t, X86_pshufd, XMM1, XMM0, 0xee);
	v_op(t, X86_paddd, XMM0, XMM1);
	v_store(t, op->rd, 2);
	return true;
}

bool v_put_shape(struct translator *t, const struct soft_op *op)
{
	soft_vector_function *const function = (soft_vector_function *)(uintptr_t)op->imm;
	const unsigned int lane = op->aux >> 2, size = op->aux & 3;

	if (function == soft_shape_same)
		return put_same(t, op, lane, size);
	if (function == soft_shape_element)
		return put_element(t, op, lane, size);
	if (function == soft_shape_pair)
		return put_pairs(t, op, lane, size);
	if (function == soft_shape_pair_scalar)
		return put_pair(t, op, lane);
	if (function == soft_shape_pair_long)
		return put_pairs_long(t, op, lane, size);
	if (function == soft_shape_long)
		return put_long(t, op, lane, size, false);
	if (function == soft_shape_wide)
		return put_long(t, op, lane, size, true);
	if (function == soft_shape_narrow)
		return put_narrow(t, op, lane, size);
	if (function == soft_shape_across)
		return put_across(t, op, lane, size);
	if (function == soft_shape_across_long)
		return put_across_long(t, op, size);
	return false;
}

#endif
