/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Templates of what computes with vectors: the guest's instruction is the host's. All registers of
 * vectors are free here, so that its operands go where it has them, whatever its fields are: what
 * is no register is loaded for nothing. General registers are exchanged for those of the pool.
 *
 * Of floating-point this is Arm's arithmetic, but the host's FPCR and FPSR are not the guest's: see
 * float_is_usual(). Where a result is not a normal number, or its exponent is the smallest, the
 * function is called, as on x86-64 (decisions, SOFT-82).
 */
#include "soft/run/jit/arm64/operands.h"

#if SOFT_JIT

_Static_assert(offsetof(struct soft_cpu, v) % sizeof(union soft_vector) == 0, "in units of 16");

#define SINGLE 2 /* log2 of the bytes */
#define DOUBLE 3

static void load(struct translator *t, unsigned int n)
{
	arm64_emit(&t->code, ARM64_ldr_q_at, 64, n % 32, A_CPU, 0,
		   (unsigned int)(offsetof(struct soft_cpu, v) / 16) + n % 32);
}

static void store(struct translator *t, unsigned int n)
{
	arm64_emit(&t->code, ARM64_str_q_at, 64, n, A_CPU, 0,
		   (unsigned int)(offsetof(struct soft_cpu, v) / 16) + n);
}

static unsigned int field_rd(uint32_t word)
{
	return word & 31;
}

static unsigned int field_rn(uint32_t word)
{
	return word >> 5 & 31;
}

static void load_operands(struct translator *t, uint32_t word)
{
	load(t, field_rd(word));
	load(t, field_rn(word));
	load(t, word >> 16);
}

/* What has no flags: lanes.def says which operations of elements are integers that do not saturate,
 * or floating-point. */
enum kind { NEITHER, EXACT, FLOAT };
static const uint8_t lanes[SOFT_LANES] = {
#define LANES(name, e)	 [SOFT_lane_##name] = EXACT,
#define COUNTED(name, e) [SOFT_lane_##name] = NEITHER,
#define FLOATS(name, e)	 [SOFT_lane_##name] = NEITHER,
#include "soft/fp/lanes.def"
};

/* Half precision is another feature's. */
static enum kind kind_of_lane(unsigned int lane, unsigned int size)
{
	switch (lane) {
	case SOFT_lane_fmov:
	case SOFT_lane_fabs:
	case SOFT_lane_fneg: return size >= SINGLE ? EXACT : NEITHER;
	case SOFT_lane_fadd:
	case SOFT_lane_fsub:
	case SOFT_lane_fmul:
	case SOFT_lane_fnmul:
	case SOFT_lane_fdiv:
	case SOFT_lane_fsqrt:
	case SOFT_lane_fmla:
	case SOFT_lane_fmls: return size >= SINGLE ? FLOAT : NEITHER;
	default: return (enum kind)lanes[lane];
	}
}

static bool is_shape(soft_vector_function *function)
{
	return function == soft_shape_same || function == soft_shape_element ||
	       function == soft_shape_pair || function == soft_shape_pair_scalar ||
	       function == soft_shape_pair_long || function == soft_shape_long ||
	       function == soft_shape_long_element || function == soft_shape_wide ||
	       function == soft_shape_narrow || function == soft_shape_across ||
	       function == soft_shape_across_long;
}

static bool moves(soft_vector_function *function)
{
	return function == soft_vector_dup_element || function == soft_vector_dup_scalar ||
	       function == soft_vector_ins_element || function == soft_vector_ext ||
	       function == soft_vector_zip || function == soft_vector_uzp ||
	       function == soft_vector_trn || function == soft_vector_rev ||
	       function == soft_vector_orr_imm || function == soft_vector_bic_imm;
}

static bool put_exact(struct translator *t, const struct soft_op *op)
{
	load_operands(t, op->word);
	load(t, op->word >> 16 & 15); /* of elements of 16 bits Rm has four bits */
	arm64_word(&t->code, op->word);
	store(t, field_rd(op->word));
	return true;
}

/* TBL, TBX: the table is up to four registers. */
static bool put_table(struct translator *t, const struct soft_op *op)
{
	for (unsigned int n = 0; n <= a64_get_table_lookup(op->word).len; n++)
		load(t, field_rn(op->word) + n);
	return put_exact(t, op);
}

/* The word with another register in a field. */
static uint32_t with_rd(uint32_t word, unsigned int reg)
{
	return (word & ~UINT32_C(31)) | reg;
}

static uint32_t with_rn(uint32_t word, unsigned int reg)
{
	return (word & ~(UINT32_C(31) << 5)) | reg << 5;
}

static unsigned int define_x(struct translator *t, uint32_t word)
{
	return t_define(t, field_rd(word) == 31 ? SOFT_X_SINK : field_rd(word));
}

static bool put_to_x(struct translator *t, const struct soft_op *op)
{
	load(t, field_rn(op->word));
	arm64_word(&t->code, with_rd(op->word, define_x(t, op->word)));
	return true;
}

static bool put_from_x(struct translator *t, const struct soft_op *op)
{
	const unsigned int n = t_use(t, field_rn(op->word));

	load(t, field_rd(op->word));
	arm64_word(&t->code, with_rn(op->word, n));
	store(t, field_rd(op->word));
	return true;
}

static uint8_t *unless_usual(struct translator *t)
{
	arm64_emit(&t->code, ARM64_ldrb_at, 64, A_FIRST, A_CPU, 0,
		   offsetof(struct soft_cpu, fp_usual));
	return arm64_jump_zero(&t->code, 32, A_FIRST, true);
}

/* Vector instructions with registers, of what checks results. */
enum {
	ADD_2D = 0x4ee08400,
	ADD_4S = 0x4ea08400,
	USHR_2D_53 = 0x6f4b0400,
	USHR_4S_24 = 0x6f280400,
	XTN_2S = 0x0ea12800,
	MOVI_4S_2 = 0x4f000440,
	SUB_4S = 0x6ea08400,
	UMAXP_4S = 0x6ea0a400,
	UMAXP_2S = 0x2ea0a400,
	FMOV_W_S = 0x1e260000,
	FMOV_X_D = 0x9e660000,
};

static void put(struct translator *t, uint32_t word, unsigned int rd, unsigned int rn,
		unsigned int rm)
{
	arm64_word(&t->code, word | rd | rn << 5 | rm << 16);
}

/* How many exponents there are from 2 on, of normal numbers. */
static unsigned int exponents(unsigned int size)
{
	return size == SINGLE ? 0xfd : 0x7fd;
}

/* A jump, unless all elements of v[d] are normal numbers, and no exponent is the smallest: X17 is
 * the largest of them, with 2 subtracted. */
static uint8_t *unless_normal(struct translator *t, unsigned int size, unsigned int bytes,
			      unsigned int d)
{
	const unsigned int e = (d + 1) % 32, two = (d + 2) % 32;

	if (bytes == 1u << size) {
		put(t, size == SINGLE ? FMOV_W_S : FMOV_X_D, A_FIRST, d, 0);
		arm64_emit(&t->code, ARM64_ubfm, 8u << size, A_FIRST, A_FIRST, 0,
			   size == SINGLE ? ARM64_FIELD_OF(23, 30) : ARM64_FIELD_OF(52, 62));
		arm64_emit(&t->code, ARM64_sub_imm, 32, A_FIRST, A_FIRST, 0, 2);
	} else {
		put(t, size == SINGLE ? ADD_4S : ADD_2D, e, d, d);
		put(t, size == SINGLE ? USHR_4S_24 : USHR_2D_53, e, e, 0);
		if (size == DOUBLE)
			put(t, XTN_2S, e, e, 0);
		put(t, MOVI_4S_2, two, 0, 0);
		put(t, SUB_4S, e, e, two);
		if (size == SINGLE && bytes == 16)
			put(t, UMAXP_4S, e, e, e);
		put(t, UMAXP_2S, e, e, e);
		put(t, FMOV_W_S, A_FIRST, e, 0);
	}
	arm64_emit(&t->code, ARM64_subs_imm, 32, ARM64_ZR, A_FIRST, 0, exponents(size));
	return arm64_jump_if(&t->code, A_CS);
}

/* The word has what it needs; its result is so many bytes. */
static bool put_float(struct translator *t, const struct soft_op *op, unsigned int size,
		      unsigned int bytes)
{
	const unsigned int d = field_rd(op->word);
	uint8_t *unusual = unless_usual(t), *not_normal;

	load_operands(t, op->word);
	if ((op->word & 0xff000000) == 0x1f000000) /* FMADD and the like: Ra */
		load(t, op->word >> 10);
	arm64_word(&t->code, op->word);
	not_normal = unless_normal(t, size, bytes, d);
	store(t, d);
	t_call_instead(t, unusual, not_normal, op);
	return true;
}

/* ftype: 0 is single, 1 double; not half precision. */
static bool has_type(uint32_t word)
{
	return !(word >> 23 & 1);
}

static unsigned int size_of(uint32_t word)
{
	return word >> 22 & 1 ? DOUBLE : SINGLE;
}

/* SCVTF, UCVTF: no result is anything but zero or normal. */
static bool put_float_from_x(struct translator *t, const struct soft_op *op)
{
	const unsigned int n = t_use(t, field_rn(op->word));
	uint8_t *unusual = unless_usual(t);

	arm64_word(&t->code, with_rn(op->word, n));
	store(t, field_rd(op->word));
	t_call_instead(t, unusual, NULL, op);
	return true;
}

/*
 * FCVTZS, FCVTZU: of a number that an integer is large enough for. That is as its exponent says,
 * above which the sign is, if it has to be 0.
 */
static bool put_float_to_x(struct translator *t, const struct soft_op *op)
{
	const struct a64_fp_integer f = a64_get_fp_integer(op->word);
	const bool is_signed = !(f.opcode & 1), is_single = size_of(op->word) == SINGLE;
	const unsigned int bits = (f.sf ? 64u : 32u) - is_signed, bias = is_single ? 127 : 1023;
	const unsigned int top = (is_single ? 31u : 63u) - is_signed;
	uint8_t *unusual, *too_large;
	unsigned int d;

	if (!(op->word >> 21 & 1) || f.rmode != 3 || f.opcode > 1)
		return false;
	d = define_x(t, op->word);
	unusual = unless_usual(t);
	load(t, f.rn);
	put(t, is_single ? FMOV_W_S : FMOV_X_D, A_FIRST, f.rn, 0);
	arm64_emit(&t->code, ARM64_ubfm, is_single ? 32 : 64, A_FIRST, A_FIRST, 0,
		   ARM64_FIELD_OF(is_single ? 23u : 52u, top));
	arm64_emit(&t->code, ARM64_subs_imm, 32, ARM64_ZR, A_FIRST, 0, bias + bits);
	too_large = arm64_jump_if(&t->code, A_CS);
	arm64_word(&t->code, with_rd(op->word, d));
	t_call_instead(t, unusual, too_large, op);
	return true;
}

/* FCMP, FCMPE: of what is not ordered the function says which exception it is. */
static bool put_float_compare(struct translator *t, const struct soft_op *op)
{
	uint8_t *unusual = unless_usual(t), *unordered;

	load(t, field_rn(op->word));
	load(t, op->word >> 16);
	arm64_word(&t->code, op->word);
	unordered = arm64_jump_if(&t->code, A_VS);
	a_explicit_flags(t);
	t_call_instead(t, unusual, unordered, op);
	return true;
}

static bool put_float_function(struct translator *t, const struct soft_op *op,
			       soft_vector_function *function)
{
	const uint32_t word = op->word;

	if (!t->jit->rounds || !has_type(word))
		return false;
	if (function == soft_vector_float_multiply_add)
		return put_float(t, op, size_of(word), 1u << size_of(word));
	if (function == soft_vector_float_convert) {
		const unsigned int size = a64_get_fp_convert(word).opc ? DOUBLE : SINGLE;

		return a64_get_fp_convert(word).opc <= 1 && put_float(t, op, size, 1u << size);
	}
	if (function == soft_vector_float_from_x)
		return put_float_from_x(t, op);
	if (function == soft_vector_float_to_x)
		return put_float_to_x(t, op);
	return function == soft_vector_float_compare && put_float_compare(t, op);
}

bool t_put_vector_inline(struct translator *t, const struct soft_op *op, unsigned int width,
			 unsigned int arg)
{
	soft_vector_function *const function = (soft_vector_function *)(uintptr_t)op->imm;
	const unsigned int feature = soft_decode(op->word)->feature;
	enum kind kind = NEITHER;

	(void)width, (void)arg;
	if (feature != A64_FEAT_SIMD && feature != A64_FEAT_FP)
		return false;
	if (is_shape(function))
		kind = kind_of_lane(op->aux >> 2, op->aux & 3);
	if (kind == EXACT || moves(function))
		return put_exact(t, op);
	if (kind == FLOAT)
		return t->jit->rounds && put_float(t, op, op->aux & 3, op->ra);
	if (function == soft_vector_tbl)
		return put_table(t, op);
	if (function == soft_vector_umov || function == soft_vector_smov)
		return put_to_x(t, op);
	if (function == soft_vector_dup || function == soft_vector_ins)
		return put_from_x(t, op);
	if (function == soft_vector_float_move_to_x || function == soft_vector_float_move_from_x) {
		if (a64_get_fp_integer(op->word).ftype == 3)
			return false;
		return function == soft_vector_float_move_to_x ? put_to_x(t, op)
							       : put_from_x(t, op);
	}
	return put_float_function(t, op, function);
}

#endif
