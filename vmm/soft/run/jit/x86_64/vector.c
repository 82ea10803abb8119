/* SPDX-License-Identifier: BSD-2-Clause */
/* V registers, and templates of Advanced SIMD that moves elements: see vector.h. */
#include "soft/run/jit/x86_64/vector.h"

#if SOFT_JIT

void v_load(struct translator *t, unsigned int xmm, unsigned int n, unsigned int bytes)
{
	const enum x86_form form = bytes == 4 ? X86_movd : bytes == 8 ? X86_movq : X86_movups;

	x86_emit(&t->code, form, 32, xmm, v_at(n, 0), 0);
}

/* XMM0 = its lowest bytes: 1, 2, 4, 8 or 16. */
static void keep_bytes(struct translator *t, unsigned int bytes)
{
	if (bytes == 8)
		v_op(t, X86_movq, XMM0, XMM0);
	if (bytes >= 8)
		return;
	x86_emit(&t->code, X86_movd_to, 32, XMM0, x86_reg(RAX), 0);
	if (bytes < 4)
		x86_emit(&t->code, bytes == 1 ? X86_movzx8 : X86_movzx16, 32, RAX, x86_reg(RAX), 0);
	x86_emit(&t->code, X86_movd, 32, XMM0, x86_reg(RAX), 0);
}

void v_store(struct translator *t, unsigned int d, unsigned int bytes)
{
	keep_bytes(t, bytes);
	v_put_result(t, d);
}

/* Copy the lowest element, of 16 bits or more, to all elements. */
static void spread(struct translator *t, unsigned int xmm, unsigned int size)
{
	if (size == 1)
		v_op_imm(t, X86_pshuflw, xmm, xmm, 0);
	if (size == 2)
		v_op_imm(t, X86_pshufd, xmm, xmm, 0);
	else
		v_op(t, X86_punpcklqdq, xmm, xmm);
}

/* The same from a register of the host. */
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

void v_broadcast(struct translator *t, unsigned int xmm, unsigned int size, struct x86_operand from)
{
	if (size >= 2) {
		x86_emit(&t->code, size == 2 ? X86_movd : X86_movq, 32, xmm, from, 0);
		spread(t, xmm, size);
		return;
	}
	x86_emit(&t->code, size ? X86_movzx16 : X86_movzx8, 32, RAX, from, 0);
	spread_x(t, xmm, size, RAX);
}

struct x86_operand v_element_at(const struct soft_op *op, unsigned int size)
{
	const struct a64_vector_indexed f = a64_get_vector_indexed(op->word);
	const unsigned int index = (f.h << 2 | f.l << 1 | f.m) >> (size - 1);

	return v_at(size == 1 ? f.rm4 : f.m << 4 | f.rm4, index << size);
}

const uint8_t v_left[4] = {NO_FORM, X86_psllw, X86_pslld, X86_psllq};
const uint8_t v_right[4] = {NO_FORM, X86_psrlw, X86_psrld, X86_psrlq};

void v_put_half(struct translator *t, unsigned int size, bool odd, unsigned int a, unsigned int b)
{
	if (size == 3) {
		v_op(t, odd ? X86_punpckhqdq : X86_punpcklqdq, a, b);
		return;
	}
	if (size == 2) {
		v_op_imm(t, X86_shufps, a, b, odd ? 0xdd : 0x88);
		return;
	}
	for (unsigned int xmm = a;; xmm = b) {
		if (!odd)
			v_shift(t, (enum x86_form)v_left[size + 1], xmm, 8u << size);
		v_shift(t, (enum x86_form)v_right[size + 1], xmm, 8u << size);
		if (xmm == b)
			break;
	}
	v_op(t, size ? X86_packusdw : X86_packuswb, a, b);
}

void v_load_halves(struct translator *t, const struct soft_op *op, unsigned int bytes)
{
	v_load(t, XMM1, op->rn, bytes);
	v_load(t, XMM2, op->rm, bytes);
	if (bytes == 16)
		return;
	v_op(t, X86_punpcklqdq, XMM1, XMM2);
	v_op(t, X86_movups, XMM2, XMM1);
}

/*
 * imm5 of the copies, which is not 0: its lowest 1 gives the size of an element, the bits above it
 * the number.
 */
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
	v_put_result(t, op->rd);
}

static void put_insert(struct translator *t, const struct soft_op *op, struct x86_operand from,
		       struct place to)
{
	v_load(t, XMM0, op->rd, 16);
	x86_emit(&t->code, (enum x86_form)inserts[to.size], 32, XMM0, from,
		 (int32_t)(to.byte >> to.size));
	v_put_result(t, op->rd);
}

/* INS of an element: its byte offset in Vn. */
static unsigned int element_of(const struct soft_op *op, unsigned int size)
{
	return a64_get_copy(op->word).imm4 >> size << size;
}

static void put_ext(struct translator *t, const struct soft_op *op)
{
	const unsigned int first = a64_get_extract_vector(op->word).imm4;

	if (bytes_of(op) == 16) {
		v_load(t, XMM1, op->rn, 16);
		v_load(t, XMM0, op->rm, 16);
		v_op_imm(t, X86_palignr, XMM0, XMM1, first);
		v_put_result(t, op->rd);
		return;
	}
	v_load(t, XMM0, op->rn, 8);
	v_load(t, XMM1, op->rm, 8);
	v_op(t, X86_punpcklqdq, XMM0, XMM1);
	v_shift(t, X86_psrldq, XMM0, first);
	v_store(t, op->rd, 8);
}

static void put_zip(struct translator *t, const struct soft_op *op, bool second)
{
	static const uint8_t low[] = {X86_punpcklbw, X86_punpcklwd, X86_punpckldq, X86_punpcklqdq};
	static const uint8_t high[] = {X86_punpckhbw, X86_punpckhwd, X86_punpckhdq, X86_punpckhqdq};
	const unsigned int bytes = bytes_of(op), size = a64_get_permute(op->word).size;

	v_load(t, XMM0, op->rn, 16);
	v_load(t, XMM1, op->rm, 16);
	v_op(t, (enum x86_form)(second && bytes == 16 ? high : low)[size], XMM0, XMM1);
	if (second && bytes == 8)
		v_shift(t, X86_psrldq, XMM0, 8);
	v_store(t, op->rd, bytes);
}

static void put_uzp(struct translator *t, const struct soft_op *op, bool second)
{
	v_load_halves(t, op, bytes_of(op));
	v_op(t, X86_movups, XMM0, XMM1);
	v_put_half(t, a64_get_permute(op->word).size, second, XMM0, XMM2);
	v_store(t, op->rd, bytes_of(op));
}

/* TRN1, TRN2: elements of Vn stay in place, or move down by one; those of Vm the other way. */
static bool put_trn(struct translator *t, const struct soft_op *op, bool second)
{
	const unsigned int size = a64_get_permute(op->word).size, bits = 8u << size;

	if (size == 3) {
		put_zip(t, op, second);
		return true;
	}
	v_load(t, XMM0, op->rn, 16);
	v_load(t, XMM1, op->rm, 16);
	if (second) {
		v_shift(t, (enum x86_form)v_right[size + 1], XMM0, bits);
		v_shift(t, (enum x86_form)v_right[size + 1], XMM1, bits);
		v_shift(t, (enum x86_form)v_left[size + 1], XMM1, bits);
	} else {
		v_shift(t, (enum x86_form)v_left[size + 1], XMM0, bits);
		v_shift(t, (enum x86_form)v_right[size + 1], XMM0, bits);
		v_shift(t, (enum x86_form)v_left[size + 1], XMM1, bits);
	}
	v_op(t, X86_por, XMM0, XMM1);
	v_store(t, op->rd, bytes_of(op));
	return true;
}

/* XMM3 = 8 bytes, twice. */
static void put_constant(struct translator *t, uint64_t value)
{
	x86_move(&t->code, RAX, value);
	spread_x(t, XMM3, 3, RAX);
}

/* The index of each byte, within the 8 of a container. */
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
	v_shift(t, X86_pslldq, XMM1, 8);
	v_op(t, X86_por, XMM3, XMM1);
	v_load(t, XMM0, op->rn, 16);
	v_op(t, X86_pshufb, XMM0, XMM3);
	v_store(t, op->rd, bytes_of(op));
}

/* TBL of one register: an index of 16 or more has bit 7 set, which makes the byte 0. */
static bool put_tbl(struct translator *t, const struct soft_op *op)
{
	const struct a64_table_lookup f = a64_get_table_lookup(op->word);

	if (f.len != 0 || f.op)
		return false;
	put_constant(t, UINT64_C(0x0f0f0f0f0f0f0f0f));
	v_load(t, XMM1, f.rm, 16);
	v_op(t, X86_movups, XMM2, XMM1);
	v_op(t, X86_pmaxub, XMM2, XMM3);
	v_op(t, X86_pcmpeqb, XMM2, XMM3); /* ones where it is 15 or less */
	v_op(t, X86_pcmpeqd, XMM3, XMM3);
	v_op(t, X86_pxor, XMM2, XMM3);
	v_op(t, X86_por, XMM1, XMM2);
	v_load(t, XMM0, f.rn, 16);
	v_op(t, X86_pshufb, XMM0, XMM1);
	v_store(t, op->rd, bytes_of(op));
	return true;
}

/* Moves that are not shapes; bit 14 chooses the second of two. */
bool v_put_move(struct translator *t, const struct soft_op *op)
{
	soft_vector_function *const function = (soft_vector_function *)(uintptr_t)op->imm;
	const bool second = op->word >> 14 & 1;
	const struct place place = place_of(op);

	if (function == soft_vector_dup) {
		spread_x(t, XMM0, place.size, t_use(t, op->rn));
		v_store(t, op->rd, bytes_of(op));
	} else if (function == soft_vector_dup_element) {
		v_broadcast(t, XMM0, place.size, v_at(op->rn, place.byte));
		v_store(t, op->rd, bytes_of(op));
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

#endif
