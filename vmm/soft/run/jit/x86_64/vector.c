/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Templates of Advanced SIMD on integers: V registers are loaded, computed with and stored, as many
 * instructions of the host's as that takes.
 */
#include "soft/run/jit/x86_64/operands.h"

#if SOFT_JIT

#define NONE X86_FORMS /* the host has no such instruction */

static void vector(struct translator *t, enum x86_form form, unsigned int xmm, unsigned int from)
{
	x86_emit(&t->code, form, 32, xmm, x86_reg(from), 0);
}

static void vector_imm(struct translator *t, enum x86_form form, unsigned int xmm,
		       unsigned int from, unsigned int imm)
{
	x86_emit(&t->code, form, 32, xmm, x86_reg(from), (int32_t)imm);
}

/* A shift by an immediate. */
static void shift(struct translator *t, enum x86_form form, unsigned int xmm, unsigned int by)
{
	x86_emit(&t->code, form, 32, 0, x86_reg(xmm), (int32_t)by);
}

void t_load_v(struct translator *t, unsigned int xmm, unsigned int n, unsigned int bytes)
{
	const enum x86_form form = bytes == 4 ? X86_movd : bytes == 8 ? X86_movq : X86_movups;

	x86_emit(&t->code, form, 32, xmm, v_at(n, 0), 0);
}

/* XMM0 = its lowest bytes: 1, 2, 4, 8 or 16. */
static void keep_bytes(struct translator *t, unsigned int bytes)
{
	if (bytes == 8)
		vector(t, X86_movq, XMM0, XMM0);
	if (bytes >= 8)
		return;
	x86_emit(&t->code, X86_movd_to, 32, XMM0, x86_reg(RAX), 0);
	if (bytes < 4)
		x86_emit(&t->code, bytes == 1 ? X86_movzx8 : X86_movzx16, 32, RAX, x86_reg(RAX), 0);
	x86_emit(&t->code, X86_movd, 32, XMM0, x86_reg(RAX), 0);
}

static void put_result(struct translator *t, unsigned int d)
{
	x86_emit(&t->code, X86_movups_to, 32, XMM0, v_at(d, 0), 0);
}

void t_store_v(struct translator *t, unsigned int d, unsigned int bytes)
{
	keep_bytes(t, bytes);
	put_result(t, d);
}

static void zero(struct translator *t, unsigned int xmm)
{
	vector(t, X86_pxor, xmm, xmm);
}

/* XMM0 = its complement. */
static void invert(struct translator *t)
{
	vector(t, X86_pcmpeqd, XMM3, XMM3);
	vector(t, X86_pxor, XMM0, XMM3);
}

/* All elements as the lowest one, of 16 bits or more. */
static void spread(struct translator *t, unsigned int xmm, unsigned int size)
{
	if (size == 1)
		vector_imm(t, X86_pshuflw, xmm, xmm, 0);
	if (size == 2)
		vector_imm(t, X86_pshufd, xmm, xmm, 0);
	else
		vector(t, X86_punpcklqdq, xmm, xmm);
}

/* The same of what is in a register of the host's. */
static void spread_x(struct translator *t, unsigned int xmm, unsigned int size, unsigned int reg)
{
	if (size == 0) {
		x86_emit(&t->code, X86_movzx8, 32, RAX, x86_reg(reg), 0);
		x86_emit(&t->code, X86_imul_imm32, 32, RAX, x86_reg(RAX), 0x0101);
		reg = RAX;
		size = 1;
	}
	x86_emit(&t->code, X86_movq_from_x, 64, xmm, x86_reg(reg), 0);
	spread(t, xmm, size);
}

void t_broadcast(struct translator *t, unsigned int xmm, unsigned int size, struct x86_operand from)
{
	if (size >= 2) {
		x86_emit(&t->code, size == 2 ? X86_movd : X86_movq, 32, xmm, from, 0);
		spread(t, xmm, size);
		return;
	}
	x86_emit(&t->code, size ? X86_movzx16 : X86_movzx8, 32, RAX, from, 0);
	spread_x(t, xmm, size, RAX);
}

/*
 * What lanes of lanes.def are, by the size of their elements: XMM0 = first form second, and what is
 * done with that.
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
#define B_W_D(name)                                               \
	{                                                         \
		X86_##name##b, X86_##name##w, X86_##name##d, NONE \
	}
#define ANY(name)                                              \
	{                                                      \
		X86_##name, X86_##name, X86_##name, X86_##name \
	}
#define PRODUCTS                                   \
	{                                          \
		NONE, X86_pmullw, X86_pmulld, NONE \
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
	[SOFT_lane_urhadd] = {N, M, DONE, {X86_pavgb, X86_pavgw, NONE, NONE}},
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

/* Forms by the size of an element, which others need. */
static const uint8_t equal[] = B_W_D_Q(pcmpeq), add[] = B_W_D_Q(padd), subtract[] = B_W_D_Q(psub);
static const uint8_t left[] = {NONE, X86_psllw, X86_pslld, X86_psllq};
static const uint8_t right[] = {NONE, X86_psrlw, X86_psrld, X86_psrlq};
static const uint8_t right_signed[] = {NONE, X86_psraw, X86_psrad, NONE};

static const struct lane *lane_of(unsigned int lane, unsigned int size)
{
	return lanes[lane].form[0] && lanes[lane].form[size] != NONE ? &lanes[lane] : NULL;
}

/* Of a lane that the host has, with n in XMM1 and m in XMM2. */
static void put_lane(struct translator *t, const struct lane *lane, unsigned int size,
		     unsigned int d)
{
	static const uint8_t where[] = {[N] = XMM1, [M] = XMM2, [ZERO] = XMM3};

	if (lane->first == ZERO || lane->second == ZERO)
		zero(t, XMM3);
	vector(t, X86_movups, XMM0, where[lane->first]);
	vector(t, (enum x86_form)lane->form[size], XMM0, where[lane->second]);
	switch (lane->then) {
	case INVERT: invert(t); break;
	case ADD_TO_D:
		t_load_v(t, XMM3, d, 16);
		vector(t, (enum x86_form)add[size], XMM0, XMM3);
		break;
	case SUBTRACT_FROM_D:
		vector(t, X86_movups, XMM3, XMM0);
		t_load_v(t, XMM0, d, 16);
		vector(t, (enum x86_form)subtract[size], XMM0, XMM3);
		break;
	case IS_N: vector(t, (enum x86_form)equal[size], XMM0, XMM1); break;
	case IS_NOT_M:
		vector(t, (enum x86_form)equal[size], XMM0, XMM2);
		invert(t);
		break;
	case IS_NOT_ZERO:
		zero(t, XMM3);
		vector(t, (enum x86_form)equal[size], XMM0, XMM3);
		invert(t);
		break;
	default: break;
	}
}

/* BSL, BIT, BIF: XMM0 = two, where the mask has ones the second of them. */
static bool put_chosen(struct translator *t, const struct soft_op *op, unsigned int lane)
{
	const unsigned int d = op->rd, n = op->rn, m = op->rm;
	const unsigned int first = lane == SOFT_lane_bsl ? m : d;
	const unsigned int mask = lane == SOFT_lane_bsl ? d : m;

	t_load_v(t, XMM1, first, 16);
	t_load_v(t, XMM2, n, 16);
	t_load_v(t, XMM0, mask, 16);
	vector(t, X86_pxor, XMM2, XMM1);
	vector(t, lane == SOFT_lane_bif ? X86_pandn : X86_pand, XMM0, XMM2);
	vector(t, X86_pxor, XMM0, XMM1);
	t_store_v(t, d, op->ra);
	return true;
}

/* Signed or unsigned, of elements that the host compares; accumulated or not. */
static bool put_difference(struct translator *t, const struct soft_op *op, unsigned int lane,
			   unsigned int size)
{
	const bool is_signed = lane == SOFT_lane_sabd || lane == SOFT_lane_saba;
	const uint8_t *largest = lanes[is_signed ? SOFT_lane_smax : SOFT_lane_umax].form;
	const uint8_t *smallest = lanes[is_signed ? SOFT_lane_smin : SOFT_lane_umin].form;

	if (size == 3)
		return false;
	t_load_v(t, XMM0, op->rn, 16);
	t_load_v(t, XMM2, op->rm, 16);
	vector(t, X86_movups, XMM1, XMM0);
	vector(t, (enum x86_form)largest[size], XMM0, XMM2);
	vector(t, (enum x86_form)smallest[size], XMM1, XMM2);
	vector(t, (enum x86_form)subtract[size], XMM0, XMM1);
	if (lane == SOFT_lane_saba || lane == SOFT_lane_uaba) {
		t_load_v(t, XMM1, op->rd, 16);
		vector(t, (enum x86_form)add[size], XMM0, XMM1);
	}
	t_store_v(t, op->rd, op->ra);
	return true;
}

/* XMM0 = v[n], each element of which is shifted by an immediate: more than all bits leave 0, or the
 * sign. False: the host has no such shift. */
static bool put_shifted(struct translator *t, const uint8_t *forms, unsigned int n,
			unsigned int size, unsigned int by)
{
	if (forms[size] == NONE)
		return false;
	t_load_v(t, XMM0, n, 16);
	shift(t, (enum x86_form)forms[size], XMM0, by);
	return true;
}

/* SRI, SLI: what is shifted in is that of Vd. */
static bool put_inserted(struct translator *t, const struct soft_op *op, unsigned int size,
			 const uint8_t *forms, const uint8_t *others)
{
	const unsigned int by = op->rm, rest = (8u << size) - by;

	if (!put_shifted(t, forms, op->rn, size, by))
		return false;
	t_load_v(t, XMM1, op->rd, 16);
	shift(t, (enum x86_form)forms[size], XMM1, rest);
	shift(t, (enum x86_form)others[size], XMM1, rest);
	vector(t, X86_por, XMM0, XMM1);
	t_store_v(t, op->rd, op->ra);
	return true;
}

static bool put_shift(struct translator *t, const struct soft_op *op, unsigned int size,
		      const uint8_t *forms, bool adds)
{
	if (!put_shifted(t, forms, op->rn, size, op->rm))
		return false;
	if (adds) {
		t_load_v(t, XMM1, op->rd, 16);
		vector(t, (enum x86_form)add[size], XMM0, XMM1);
	}
	t_store_v(t, op->rd, op->ra);
	return true;
}

/* FABS, FNEG: the signs are cleared, or changed. */
static bool put_sign(struct translator *t, const struct soft_op *op, unsigned int size, bool clear)
{
	const unsigned int bits = 8u << size;

	if (op->ra < 4)
		return false;
	vector(t, X86_pcmpeqd, XMM0, XMM0);
	shift(t, (enum x86_form)(clear ? right : left)[size], XMM0, clear ? 1 : bits - 1);
	t_load_v(t, XMM1, op->rn, 16);
	vector(t, clear ? X86_pand : X86_pxor, XMM0, XMM1);
	t_store_v(t, op->rd, op->ra);
	return true;
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
		t_load_v(t, XMM0, op->rn, op->ra);
		put_result(t, op->rd);
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
	case SOFT_lane_shl: return put_shift(t, op, size, left, false);
	case SOFT_lane_ushr: return put_shift(t, op, size, right, false);
	case SOFT_lane_sshr: return put_shift(t, op, size, right_signed, false);
	case SOFT_lane_usra: return put_shift(t, op, size, right, true);
	case SOFT_lane_ssra: return put_shift(t, op, size, right_signed, true);
	case SOFT_lane_sri: return put_inserted(t, op, size, right, left);
	case SOFT_lane_sli: return put_inserted(t, op, size, left, right);
	default: break;
	}
	if (!simple)
		return false;
	t_load_v(t, XMM1, op->rn, 16);
	if (simple->first == M || simple->second == M)
		t_load_v(t, XMM2, op->rm, 16);
	put_lane(t, simple, size, op->rd);
	t_store_v(t, op->rd, op->ra);
	return true;
}

struct x86_operand t_element_at(const struct soft_op *op, unsigned int size)
{
	const struct a64_vector_indexed f = a64_get_vector_indexed(op->word);
	const unsigned int index = (f.h << 2 | f.l << 1 | f.m) >> (size - 1);

	return v_at(size == 1 ? f.rm4 : f.m << 4 | f.rm4, index << size);
}

static bool put_element(struct translator *t, const struct soft_op *op, unsigned int lane,
			unsigned int size)
{
	const struct lane *simple = lane_of(lane, size);

	if (!simple || op->ra < 8)
		return false;
	t_load_v(t, XMM1, op->rn, 16);
	t_broadcast(t, XMM2, size, t_element_at(op, size));
	put_lane(t, simple, size, op->rd);
	t_store_v(t, op->rd, op->ra);
	return true;
}

/* a = the even elements of a and then of b, or the odd ones; b changes. Of words, nothing changes
 * but a. */
static void put_half(struct translator *t, unsigned int size, bool odd, unsigned int a,
		     unsigned int b)
{
	if (size == 3) {
		vector(t, odd ? X86_punpckhqdq : X86_punpcklqdq, a, b);
		return;
	}
	if (size == 2) {
		vector_imm(t, X86_shufps, a, b, odd ? 0xdd : 0x88);
		return;
	}
	for (unsigned int xmm = a;; xmm = b) {
		if (!odd)
			shift(t, (enum x86_form)left[size + 1], xmm, 8u << size);
		shift(t, (enum x86_form)right[size + 1], xmm, 8u << size);
		if (xmm == b)
			break;
	}
	vector(t, size ? X86_packusdw : X86_packuswb, a, b);
}

/* XMM1 and XMM2 = what pairs are taken from: of 8 bytes, one behind the other in both. */
static void load_halves(struct translator *t, const struct soft_op *op, unsigned int bytes)
{
	t_load_v(t, XMM1, op->rn, bytes);
	t_load_v(t, XMM2, op->rm, bytes);
	if (bytes == 16)
		return;
	vector(t, X86_punpcklqdq, XMM1, XMM2);
	vector(t, X86_movups, XMM2, XMM1);
}

static bool put_pairs(struct translator *t, const struct soft_op *op, unsigned int lane,
		      unsigned int size)
{
	const struct lane *simple = lane_of(lane, size);

	if (!simple)
		return false;
	load_halves(t, op, op->ra);
	vector(t, X86_movups, XMM0, XMM1);
	vector(t, X86_movups, XMM3, XMM2);
	put_half(t, size, false, XMM1, XMM2);
	put_half(t, size, true, XMM0, XMM3);
	vector(t, X86_movups, XMM2, XMM0);
	put_lane(t, simple, size, op->rd);
	t_store_v(t, op->rd, op->ra);
	return true;
}

/* ADDP of the two elements of Vn. */
static bool put_pair(struct translator *t, const struct soft_op *op, unsigned int lane)
{
	if (lane != SOFT_lane_add)
		return false;
	t_load_v(t, XMM0, op->rn, 16);
	vector_imm(t, X86_pshufd, XMM1, XMM0, 0xee);
	vector(t, X86_paddq, XMM0, XMM1);
	t_store_v(t, op->rd, 8);
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
	const uint8_t *forms = is_signed(op) ? right_signed : right;
	const unsigned int bits = 8u << size;

	if (forms[size + 1] == NONE || (lane != SOFT_lane_addlp && lane != SOFT_lane_adalp))
		return false;
	t_load_v(t, XMM0, op->rn, 16);
	vector(t, X86_movups, XMM1, XMM0);
	shift(t, (enum x86_form)left[size + 1], XMM1, bits);
	shift(t, (enum x86_form)forms[size + 1], XMM1, bits);
	shift(t, (enum x86_form)forms[size + 1], XMM0, bits);
	vector(t, (enum x86_form)add[size + 1], XMM0, XMM1);
	if (lane == SOFT_lane_adalp) {
		t_load_v(t, XMM1, op->rd, 16);
		vector(t, (enum x86_form)add[size + 1], XMM0, XMM1);
	}
	t_store_v(t, op->rd, op->ra);
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

/* Products of doublewords are of the lower halves of what was widened to them. */
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
			shift(t, (enum x86_form)left[size + 1], XMM0, op->rm);
	} else {
		if (wide)
			t_load_v(t, XMM1, op->rn, 16);
		else
			widen(t, op, XMM1, op->rn, size);
		widen(t, op, XMM2, op->rm, size);
		put_lane(t, simple, size + 1, op->rd);
	}
	put_result(t, op->rd);
	return true;
}

/* XTN, SHRN; the upper half of Vd, or all of it. */
static bool put_narrow(struct translator *t, const struct soft_op *op, unsigned int lane,
		       unsigned int size)
{
	if (op->ra != 8 || (lane != SOFT_lane_copy && lane != SOFT_lane_ushr))
		return false;
	t_load_v(t, XMM0, op->rn, 16);
	if (lane == SOFT_lane_ushr)
		shift(t, (enum x86_form)right[size + 1], XMM0, op->rm);
	zero(t, XMM1);
	put_half(t, size, false, XMM0, XMM1);
	if (is_upper(op)) {
		vector(t, X86_movups, XMM1, XMM0);
		t_load_v(t, XMM0, op->rd, 8);
		vector(t, X86_punpcklqdq, XMM0, XMM1);
	}
	put_result(t, op->rd);
	return true;
}

/* One element of all: half of those that are left with the other half. */
static bool put_across(struct translator *t, const struct soft_op *op, unsigned int lane,
		       unsigned int size)
{
	const struct lane *simple = lane_of(lane, size);

	if (!simple || simple->then != DONE)
		return false;
	t_load_v(t, XMM0, op->rn, 16);
	for (unsigned int bytes = op->ra / 2; bytes >= 1u << size; bytes /= 2) {
		vector(t, X86_movups, XMM1, XMM0);
		shift(t, X86_psrldq, XMM1, bytes);
		vector(t, (enum x86_form)simple->form[size], XMM0, XMM1);
	}
	t_store_v(t, op->rd, 1u << size);
	return true;
}

/* UADDLV of bytes. */
static bool put_across_long(struct translator *t, const struct soft_op *op, unsigned int size)
{
	if (size != 0 || is_signed(op))
		return false;
	t_load_v(t, XMM0, op->rn, op->ra);
	zero(t, XMM1);
	vector(t, X86_psadbw, XMM0, XMM1);
	vector_imm(t, X86_pshufd, XMM1, XMM0, 0xee);
	vector(t, X86_paddd, XMM0, XMM1);
	t_store_v(t, op->rd, 2);
	return true;
}

/* imm5 of the copies, which is not 0: its lowest 1 says the size of an element, what is above it
 * which one. */
struct place {
	unsigned int size, byte;
};

static struct place place_of(const struct soft_op *op)
{
	const unsigned int imm5 = a64_get_copy(op->word).imm5;
	const unsigned int size = (unsigned int)__builtin_ctz(imm5 | 32);

	return (struct place){size, imm5 >> (size + 1) << size};
}

static unsigned int bytes_of(const struct soft_op *op)
{
	return 8u << (op->word >> 30 & 1);
}

/* UMOV, SMOV */
static void put_to_x(struct translator *t, const struct soft_op *op, bool sign)
{
	static const uint8_t forms[2][4] = {
		{X86_movzx8, X86_movzx16, X86_mov, X86_mov},
		{X86_movsx8, X86_movsx16, X86_movsxd, X86_mov},
	};
	const struct place from = place_of(op);
	const bool wide = sign ? bytes_of(op) == 16 : from.size == 3;

	x86_emit(&t->code, (enum x86_form)forms[sign][from.size], wide ? 64 : 32,
		 t_define(t, op->rd == 31 ? SOFT_X_SINK : op->rd), v_at(op->rn, from.byte), 0);
}

static const uint8_t inserts[] = {X86_pinsrb, X86_pinsrw, X86_pinsrd, X86_pinsrq};

/* DUP of one element. */
static void put_scalar(struct translator *t, const struct soft_op *op)
{
	const struct place from = place_of(op);

	if (from.size >= 2) {
		x86_emit(&t->code, from.size == 2 ? X86_movd : X86_movq, 32, XMM0,
			 v_at(op->rn, from.byte), 0);
	} else {
		x86_emit(&t->code, from.size ? X86_movzx16 : X86_movzx8, 32, RAX,
			 v_at(op->rn, from.byte), 0);
		x86_emit(&t->code, X86_movd, 32, XMM0, x86_reg(RAX), 0);
	}
	put_result(t, op->rd);
}

static void put_insert(struct translator *t, const struct soft_op *op, struct x86_operand from,
		       struct place to)
{
	t_load_v(t, XMM0, op->rd, 16);
	x86_emit(&t->code, (enum x86_form)inserts[to.size], 32, XMM0, from,
		 (int32_t)(to.byte >> to.size));
	put_result(t, op->rd);
}

/* INS of an element: the byte where it is in Vn. */
static unsigned int element_of(const struct soft_op *op, unsigned int size)
{
	return a64_get_copy(op->word).imm4 >> size << size;
}

static void put_ext(struct translator *t, const struct soft_op *op)
{
	const unsigned int first = a64_get_extract_vector(op->word).imm4;

	if (bytes_of(op) == 16) {
		t_load_v(t, XMM1, op->rn, 16);
		t_load_v(t, XMM0, op->rm, 16);
		vector_imm(t, X86_palignr, XMM0, XMM1, first);
		put_result(t, op->rd);
		return;
	}
	t_load_v(t, XMM0, op->rn, 8);
	t_load_v(t, XMM1, op->rm, 8);
	vector(t, X86_punpcklqdq, XMM0, XMM1);
	shift(t, X86_psrldq, XMM0, first);
	t_store_v(t, op->rd, 8);
}

static void put_zip(struct translator *t, const struct soft_op *op, bool second)
{
	static const uint8_t low[] = {X86_punpcklbw, X86_punpcklwd, X86_punpckldq, X86_punpcklqdq};
	static const uint8_t high[] = {X86_punpckhbw, X86_punpckhwd, X86_punpckhdq, X86_punpckhqdq};
	const unsigned int bytes = bytes_of(op), size = a64_get_permute(op->word).size;

	t_load_v(t, XMM0, op->rn, 16);
	t_load_v(t, XMM1, op->rm, 16);
	vector(t, (enum x86_form)(second && bytes == 16 ? high : low)[size], XMM0, XMM1);
	if (second && bytes == 8)
		shift(t, X86_psrldq, XMM0, 8);
	t_store_v(t, op->rd, bytes);
}

static void put_uzp(struct translator *t, const struct soft_op *op, bool second)
{
	load_halves(t, op, bytes_of(op));
	vector(t, X86_movups, XMM0, XMM1);
	put_half(t, a64_get_permute(op->word).size, second, XMM0, XMM2);
	t_store_v(t, op->rd, bytes_of(op));
}

/* TRN1, TRN2: elements of Vn where they are, or one further down; those of Vm the other way. */
static bool put_trn(struct translator *t, const struct soft_op *op, bool second)
{
	const unsigned int size = a64_get_permute(op->word).size, bits = 8u << size;

	if (size == 3) {
		put_zip(t, op, second);
		return true;
	}
	t_load_v(t, XMM0, op->rn, 16);
	t_load_v(t, XMM1, op->rm, 16);
	if (second) {
		shift(t, (enum x86_form)right[size + 1], XMM0, bits);
		shift(t, (enum x86_form)right[size + 1], XMM1, bits);
		shift(t, (enum x86_form)left[size + 1], XMM1, bits);
	} else {
		shift(t, (enum x86_form)left[size + 1], XMM0, bits);
		shift(t, (enum x86_form)right[size + 1], XMM0, bits);
		shift(t, (enum x86_form)left[size + 1], XMM1, bits);
	}
	vector(t, X86_por, XMM0, XMM1);
	t_store_v(t, op->rd, bytes_of(op));
	return true;
}

/* XMM3 = 8 bytes, twice. */
static void put_constant(struct translator *t, uint64_t value)
{
	x86_move(&t->code, RAX, value);
	spread_x(t, XMM3, 3, RAX);
}

/* The index of each byte, among 8 of a container. */
static void put_rev(struct translator *t, const struct soft_op *op)
{
	const struct a64_vector_two f = a64_get_vector_two(op->word);
	const unsigned int container = f.opcode ? 1 : f.u ? 2 : 3;
	const unsigned int swap = ((1u << container) - 1) & ~((1u << f.size) - 1);
	uint64_t indices = 0;

	for (unsigned int i = 0; i < 8; i++)
		indices |= (uint64_t)(i ^ swap) << 8 * i;
	/* in the upper half they are 8 more */
	put_constant(t, indices);
	x86_move(&t->code, RAX, UINT64_C(0x0808080808080808));
	x86_emit(&t->code, X86_movq_from_x, 64, XMM1, x86_reg(RAX), 0);
	shift(t, X86_pslldq, XMM1, 8);
	vector(t, X86_por, XMM3, XMM1);
	t_load_v(t, XMM0, op->rn, 16);
	vector(t, X86_pshufb, XMM0, XMM3);
	t_store_v(t, op->rd, bytes_of(op));
}

/* TBL of one register: of an index of 16 or more bit 7 is set, which makes the byte 0. */
static bool put_tbl(struct translator *t, const struct soft_op *op)
{
	const struct a64_table_lookup f = a64_get_table_lookup(op->word);

	if (f.len != 0 || f.op)
		return false;
	put_constant(t, UINT64_C(0x0f0f0f0f0f0f0f0f));
	t_load_v(t, XMM1, f.rm, 16);
	vector(t, X86_movups, XMM2, XMM1);
	vector(t, X86_pmaxub, XMM2, XMM3);
	vector(t, X86_pcmpeqb, XMM2, XMM3); /* ones where it is 15 or less */
	vector(t, X86_pcmpeqd, XMM3, XMM3);
	vector(t, X86_pxor, XMM2, XMM3);
	vector(t, X86_por, XMM1, XMM2);
	t_load_v(t, XMM0, f.rn, 16);
	vector(t, X86_pshufb, XMM0, XMM1);
	t_store_v(t, op->rd, bytes_of(op));
	return true;
}

/* What is no shape; bit 14 chooses the second of two. */
static bool put_move(struct translator *t, const struct soft_op *op, soft_vector_function *function)
{
	const bool second = op->word >> 14 & 1;
	const struct place place = place_of(op);

	if (function == soft_vector_dup) {
		spread_x(t, XMM0, place.size, t_use(t, op->rn));
		t_store_v(t, op->rd, bytes_of(op));
	} else if (function == soft_vector_dup_element) {
		t_broadcast(t, XMM0, place.size, v_at(op->rn, place.byte));
		t_store_v(t, op->rd, bytes_of(op));
	} else if (function == soft_vector_dup_scalar) {
		put_scalar(t, op);
	} else if (function == soft_vector_umov || function == soft_vector_smov) {
		put_to_x(t, op, function == soft_vector_smov);
	} else if (function == soft_vector_ins) {
		put_insert(t, op, x86_reg(t_use(t, op->rn)), place);
	} else if (function == soft_vector_ins_element) {
		put_insert(t, op, v_at(op->rn, element_of(op, place.size)), place);
	} else if (function == soft_vector_ext) {
		put_ext(t, op);
	} else if (function == soft_vector_zip) {
		put_zip(t, op, second);
	} else if (function == soft_vector_uzp) {
		put_uzp(t, op, second);
	} else if (function == soft_vector_trn) {
		return put_trn(t, op, second);
	} else if (function == soft_vector_rev) {
		put_rev(t, op);
	} else {
		return function == soft_vector_tbl && put_tbl(t, op);
	}
	return true;
}

bool t_put_shape(struct translator *t, const struct soft_op *op)
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
	return put_move(t, op, function);
}

#endif
