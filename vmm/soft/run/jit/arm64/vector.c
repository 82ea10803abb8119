/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Templates of vector computations: the guest's instruction is the host's. All vector registers are
 * free here, so operands go where it has them; general registers are replaced with those of the
 * pool.
 *
 * Floating-point is Arm's arithmetic, but the host's FPCR and FPSR are not the guest's: see
 * float_is_usual(). If a result is not a normal number, or its exponent is the smallest, the
 * function is called, as on x86-64 (decisions, SOFT-82).
 */
#include "soft/run/jit/arm64/operands.h"

#if SOFT_JIT

_Static_assert(offsetof(struct soft_cpu, v) % sizeof(union soft_vector) == 0, "in units of 16");
#define V0 ((unsigned int)(offsetof(struct soft_cpu, v) / sizeof(union soft_vector)))

#define SINGLE 2 /* log2 of the bytes */
#define DOUBLE 3

/* What has to be checked; all but the first two also need fp_usual. */
enum kind {
	NEITHER,      /* it is a call */
	EXACT,	      /* nothing: it has no flags */
	FLOAT,	      /* its result */
	FROM_INTEGER, /* no result is anything but zero or normal */
	TO_INTEGER,   /* that integers are large enough */
	COMPARE,      /* that operands are numbers */
	FLAGS,	      /* the same, and it sets the flags */
	OF_LANE,      /* as lanes[] says */
};

/*
 * COUNTED saturates, and is left out. FLOATS here are for single and double precision: half
 * precision is another feature, with separate rows.
 */
static const uint8_t lanes[SOFT_LANES] = {
#define LANES(name, e) [SOFT_lane_##name] = EXACT,
#define COUNTED(name, e)
#define FLOATS(name, e)
#include "soft/fp/lanes.def"
	[SOFT_lane_fadd... SOFT_lane_fmls] = FLOAT,
	[SOFT_lane_fcmeq... SOFT_lane_fcmlt_zero] = COMPARE,
	[SOFT_lane_fmov... SOFT_lane_fneg] = EXACT,
	[SOFT_lane_fsqrt... SOFT_lane_frsqrte] = FLOAT,
	[SOFT_lane_frintn... SOFT_lane_frinti] = FLOAT,
	[SOFT_lane_fcvtns... SOFT_lane_fcvtzu] = TO_INTEGER,
	[SOFT_lane_scvtf... SOFT_lane_ucvtf] = FROM_INTEGER,
};

static const struct {
	soft_vector_function *function;
	enum kind kind;
} functions[] = {
	{soft_shape_same, OF_LANE},
	{soft_shape_element, OF_LANE},
	{soft_shape_pair, OF_LANE},
	{soft_shape_pair_scalar, OF_LANE},
	{soft_shape_pair_long, OF_LANE},
	{soft_shape_long, OF_LANE},
	{soft_shape_long_element, OF_LANE},
	{soft_shape_wide, OF_LANE},
	{soft_shape_narrow, OF_LANE},
	{soft_shape_across, OF_LANE},
	{soft_shape_across_long, EXACT},
	{soft_vector_dup_element, EXACT},
	{soft_vector_dup, EXACT},
	{soft_vector_dup_scalar, EXACT},
	{soft_vector_smov, EXACT},
	{soft_vector_umov, EXACT},
	{soft_vector_ins, EXACT},
	{soft_vector_ins_element, EXACT},
	{soft_vector_tbl, EXACT},
	{soft_vector_ext, EXACT},
	{soft_vector_zip, EXACT},
	{soft_vector_uzp, EXACT},
	{soft_vector_trn, EXACT},
	{soft_vector_rev, EXACT},
	{soft_vector_orr_imm, EXACT},
	{soft_vector_bic_imm, EXACT},
	{soft_vector_float_select, EXACT},
	{soft_vector_float_move_to_x, EXACT},
	{soft_vector_float_move_from_x, EXACT},
	{soft_vector_float_multiply_add, FLOAT},
	{soft_vector_float_convert, FLOAT},
	{soft_vector_float_narrow, FLOAT},
	{soft_vector_float_lengthen, FLOAT},
	{soft_vector_float_from_x, FROM_INTEGER},
	{soft_vector_float_to_x, TO_INTEGER},
	{soft_vector_float_compare, FLAGS},
	{soft_vector_float_compare_conditional, FLAGS},
};

static soft_vector_function *function_of(const struct soft_op *op)
{
	return (soft_vector_function *)(uintptr_t)op->imm;
}

static bool bit(uint32_t word, unsigned int n)
{
	return word >> n & 1;
}

/*
 * Half precision, whose arithmetic is an optional feature, and whose conversions FPCR.AHP changes;
 * also the FCVTN that rounds to odd, or that keeps half of Vd.
 */
static bool is_left_out(const struct soft_op *op)
{
	const uint32_t word = op->word;

	if ((word & 0x5e000000) == 0x1e000000 && (word >> 22 & 3) == 3)
		return true;
	if (function_of(op) == soft_vector_float_convert)
		return a64_get_fp_convert(word).opc > 1;
	if (function_of(op) == soft_vector_float_lengthen)
		return !bit(word, 22);
	if (function_of(op) == soft_vector_float_narrow)
		return !bit(word, 22) || bit(word, 29) || bit(word, 30);
	return false;
}

/* Half precision is an optional feature here, too. */
static enum kind kind_of_lane(const struct soft_op *op)
{
	const enum kind kind = (enum kind)lanes[op->aux >> 2];

	return kind == EXACT || (op->aux & 3) >= SINGLE ? kind : NEITHER;
}

static enum kind kind_of(const struct soft_op *op)
{
	const unsigned int feature = soft_decode(op->word)->feature;

	if ((feature != A64_FEAT_SIMD && feature != A64_FEAT_FP) || is_left_out(op))
		return NEITHER;
	for (size_t n = 0; n < sizeof(functions) / sizeof(functions[0]); n++) {
		if (functions[n].function == function_of(op))
			return functions[n].kind == OF_LANE ? kind_of_lane(op) : functions[n].kind;
	}
	return NEITHER;
}

/* Was the old Vd an operand? Only shapes have a lane. */
static bool reads_rd(const struct soft_op *op)
{
	soft_vector_function *const function = function_of(op);

	switch (op->aux >> 2) {
	case SOFT_lane_mla ... SOFT_lane_mls:
	case SOFT_lane_saba ... SOFT_lane_uaba:
	case SOFT_lane_bsl ... SOFT_lane_bif:
	case SOFT_lane_ssra ... SOFT_lane_usra:
	case SOFT_lane_srsra ... SOFT_lane_sli:
	case SOFT_lane_adalp:
	case SOFT_lane_fmla ... SOFT_lane_fmls: return true;
	default: break;
	}
	return (function == soft_shape_narrow && bit(op->word, 30)) ||
	       function == soft_vector_ins || function == soft_vector_ins_element ||
	       function == soft_vector_tbl || function == soft_vector_orr_imm ||
	       function == soft_vector_bic_imm || function == soft_vector_float_move_from_x;
}

static unsigned int field_rd(uint32_t word)
{
	return word & 31;
}

static unsigned int field_rn(uint32_t word)
{
	return word >> 5 & 31;
}

static unsigned int field_rm(uint32_t word)
{
	return word >> 16 & 31;
}

static void load_to(struct translator *t, unsigned int reg, unsigned int n)
{
	arm64_emit(&t->code, ARM64_ldr_q_at, 64, reg, A_CPU, 0, V0 + n);
}

/* The roles of registers; a64_insn.registers says where their fields are. */
static void load_operands(struct translator *t, const struct soft_op *op)
{
	static const uint8_t places[] = {0, 5, 16, 10};
	const unsigned int roles = soft_decode(op->word)->registers;
	/* For elements of 16 bits Rm has four bits; a table has up to four registers. */
	const bool has_rm4 =
		function_of(op) == soft_shape_element || function_of(op) == soft_shape_long_element;
	const unsigned int more =
		function_of(op) == soft_vector_tbl ? a64_get_table_lookup(op->word).len : 0;

	for (unsigned int n = 0; n < sizeof(places); n++) {
		const unsigned int reg = op->word >> places[n] & 31;

		if (roles >> 4 * n & A64_VECTOR && (n != 0 || reads_rd(op)))
			load_to(t, reg, reg);
	}
	if (has_rm4 && bit(op->word, 20))
		load_to(t, field_rm(op->word) & 15, field_rm(op->word) & 15);
	for (unsigned int n = 1; n <= more; n++)
		load_to(t, (field_rn(op->word) + n) % 32, (field_rn(op->word) + n) % 32);
}

/* op's word, with the host's general registers. */
static uint32_t host_word(struct translator *t, const struct soft_op *op)
{
	const unsigned int roles = soft_decode(op->word)->registers;
	const unsigned int rd = field_rd(op->word), rn = field_rn(op->word);
	uint32_t word = op->word;

	if ((roles >> 4 & (A64_READS | A64_VECTOR)) == A64_READS)
		word = (word & ~(UINT32_C(31) << 5)) | t_use(t, rn) << 5;
	if ((roles & (A64_WRITES | A64_VECTOR)) == A64_WRITES)
		word = (word & ~UINT32_C(31)) | t_define(t, rd == 31 ? SOFT_X_SINK : rd);
	/* A comparison with 0, for which a host may leave any Rm but 0 undefined. */
	if (function_of(op) == soft_vector_float_compare && bit(word, 3))
		word &= ~(UINT32_C(31) << 16);
	return word;
}

static uint8_t *unless_usual(struct translator *t)
{
	arm64_emit(&t->code, ARM64_ldrb_at, 64, A_FIRST, A_CPU, 0,
		   offsetof(struct soft_cpu, fp_usual));
	return arm64_jump_zero(&t->code, 32, A_FIRST, true);
}

/* Vector instructions, with registers, that check numbers. */
enum {
	ADD_2D = 0x4ee08400,
	ADD_4S = 0x4ea08400,
	USHR_2D_52 = 0x6f4c0400,
	USHR_2D_53 = 0x6f4b0400,
	USHR_4S_23 = 0x6f290400,
	USHR_4S_24 = 0x6f280400,
	XTN_2S = 0x0ea12800,
	MOVI_4S_2 = 0x4f000440,
	SUB_4S = 0x6ea08400,
	UMAXP_4S = 0x6ea0a400,
	UMAXP_2S = 0x2ea0a400,
	FADD_4S = 0x4e20d400,
	FADD_2D = 0x4e60d400,
	FMOV_W_S = 0x1e260000,
	FMOV_X_D = 0x9e660000,
};

static void put(struct translator *t, uint32_t word, unsigned int rd, unsigned int rn,
		unsigned int rm)
{
	arm64_word(&t->code, word | rd | rn << 5 | rm << 16);
}

/*
 * The elements of a register: their size, the bytes of all of them, and whether the sign counts as
 * the top bit of an exponent.
 */
struct numbers {
	unsigned int size, bytes;
	bool sign;
};

/*
 * X17 becomes the largest of the exponents of v, less 2 if less is set. Changes the two registers
 * after v.
 */
static void put_largest(struct translator *t, unsigned int v, struct numbers of, bool less)
{
	const unsigned int e = (v + 1) % 32, two = (v + 2) % 32;
	const bool single = of.size == SINGLE;

	if (of.bytes == 1u << of.size) {
		put(t, single ? FMOV_W_S : FMOV_X_D, A_FIRST, v, 0);
		arm64_emit(&t->code, ARM64_ubfm, single ? 32 : 64, A_FIRST, A_FIRST, 0,
			   ARM64_FIELD_OF(single ? 23u : 52u, (single ? 30u : 62u) + of.sign));
		if (less)
			arm64_emit(&t->code, ARM64_sub_imm, 32, A_FIRST, A_FIRST, 0, 2);
		return;
	}
	if (of.sign) {
		put(t, single ? USHR_4S_23 : USHR_2D_52, e, v, 0);
	} else {
		put(t, single ? ADD_4S : ADD_2D, e, v, v);
		put(t, single ? USHR_4S_24 : USHR_2D_53, e, e, 0);
	}
	if (!single)
		put(t, XTN_2S, e, e, 0);
	if (less) {
		put(t, MOVI_4S_2, two, 0, 0);
		put(t, SUB_4S, e, e, two);
	}
	if (single && of.bytes == 16)
		put(t, UMAXP_4S, e, e, e);
	put(t, UMAXP_2S, e, e, e);
	put(t, FMOV_W_S, A_FIRST, e, 0);
}

static uint8_t *unless_below(struct translator *t, unsigned int limit)
{
	arm64_emit(&t->code, ARM64_subs_imm, 32, ARM64_ZR, A_FIRST, 0, limit);
	return arm64_jump_if(&t->code, A_CS);
}

/* op's result; of a comparison, or of a conversion to integers, its operands. */
static struct numbers numbers_of(const struct soft_op *op)
{
	struct numbers of = {.size = bit(op->word, 22) ? DOUBLE : SINGLE};

	if (function_of(op) == soft_vector_float_convert)
		of.size = a64_get_fp_convert(op->word).opc ? DOUBLE : SINGLE;
	of.bytes = 1u << of.size;
	if (function_of(op) == soft_vector_float_narrow)
		return (struct numbers){.size = SINGLE, .bytes = 8};
	if (function_of(op) == soft_vector_float_lengthen)
		return (struct numbers){.size = DOUBLE, .bytes = 16};
	if (lanes[op->aux >> 2] != EXACT)
		return (struct numbers){.size = op->aux & 3, .bytes = op->ra};
	return of;
}

/* From 2 on there are so many exponents of normal numbers. */
static uint8_t *unless_normal(struct translator *t, const struct soft_op *op)
{
	const struct numbers of = numbers_of(op);

	put_largest(t, field_rd(op->word), of, true);
	return unless_below(t, of.size == SINGLE ? 0xfd : 0x7fd);
}

/* A sum is no number if an operand is none. */
static uint8_t *unless_numbers(struct translator *t, const struct soft_op *op)
{
	const struct numbers of = numbers_of(op);

	load_to(t, 0, field_rn(op->word));
	if (op->aux >> 2 < SOFT_lane_fcmeq_zero) {
		load_to(t, 1, field_rm(op->word));
		put(t, of.size == SINGLE ? FADD_4S : FADD_2D, 0, 0, 1);
	}
	put_largest(t, 0, of, false);
	return unless_below(t, of.size == SINGLE ? 0xff : 0x7ff);
}

/*
 * Less than half of the largest integer, so that rounding cannot exceed it. If the sign counts too,
 * nothing is negative.
 */
static uint8_t *unless_small(struct translator *t, const struct soft_op *op)
{
	const uint32_t word = op->word;
	const bool to_x = function_of(op) == soft_vector_float_to_x;
	struct numbers of = numbers_of(op);
	unsigned int bits = 8u << of.size, fraction = op->rm;

	of.sign = bit(word, to_x ? 16 : 29);
	if (to_x) {
		bits = bit(word, 31) ? 64 : 32;
		fraction = bit(word, 21) ? 0 : 64 - a64_get_fp_fixed(word).scale;
	}
	load_to(t, 0, field_rn(word));
	put_largest(t, 0, of, false);
	return unless_below(t, (of.size == SINGLE ? 127u : 1023u) + bits - 2 + of.sign - fraction);
}

static void put_op(struct translator *t, const struct soft_op *op, enum kind kind)
{
	const uint32_t word = host_word(t, op);
	uint8_t *unusual = kind == EXACT ? NULL : unless_usual(t), *other = NULL;

	if (kind == COMPARE)
		other = unless_numbers(t, op);
	else if (kind == TO_INTEGER)
		other = unless_small(t, op);
	load_operands(t, op);
	arm64_word(&t->code, word);
	if (kind == FLOAT) {
		other = unless_normal(t, op);
	} else if (kind == FLAGS) { /* the function knows which exception it is */
		other = arm64_jump_if(&t->code, A_VS);
		a_explicit_flags(t);
	}
	if (soft_decode(op->word)->registers & A64_VECTOR)
		arm64_emit(&t->code, ARM64_str_q_at, 64, field_rd(word), A_CPU, 0,
			   V0 + field_rd(word));
	if (unusual)
		t_call_instead(t, unusual, other, op);
}

/* Integers of three registers, and the host's instruction of 16 bytes, with elements of bytes. */
static const struct {
	uint16_t lane;
	bool sized; /* bits 23 and 22 are the size */
	uint32_t word;
} lane_words[] = {
	{SOFT_lane_add, true, 0x4e208400},  {SOFT_lane_sub, true, 0x6e208400},
	{SOFT_lane_smax, true, 0x4e206400}, {SOFT_lane_umax, true, 0x6e206400},
	{SOFT_lane_smin, true, 0x4e206c00}, {SOFT_lane_umin, true, 0x6e206c00},
	{SOFT_lane_and, false, 0x4e201c00}, {SOFT_lane_bic, false, 0x4e601c00},
	{SOFT_lane_orr, false, 0x4ea01c00}, {SOFT_lane_eor, false, 0x6e201c00},
};

/* 0: the host has none. Its maxima and minima are of at most 32 bits. */
static uint32_t word_of(const struct t_segments *s)
{
	for (size_t n = 0; n < sizeof(lane_words) / sizeof(lane_words[0]); n++) {
		if (lane_words[n].lane != s->lane)
			continue;
		if (s->size == 3 && s->lane != SOFT_lane_add && s->lane != SOFT_lane_sub &&
		    lane_words[n].sized)
			return 0;
		return lane_words[n].word | (lane_words[n].sized ? s->size << 22 : 0);
	}
	return 0;
}

bool t_has_segments(const struct translator *t, const struct t_segments *s)
{
	(void)t;
	return !s->is_float && word_of(s) != 0;
}

void t_put_segments(struct translator *t, const struct soft_op *op, const struct t_segments *s)
{
	(void)op;
	for (unsigned int c = 0; c < s->count; c++) {
		load_to(t, 1, T_SEGMENT(s->n, c));
		load_to(t, 2, T_SEGMENT(s->m, c));
		put(t, word_of(s), 0, 1, 2);
		arm64_emit(&t->code, ARM64_str_q_at, 64, 0, A_CPU, 0, V0 + T_SEGMENT(s->d, c));
	}
}

bool t_put_vector_inline(struct translator *t, const struct soft_op *op, unsigned int width,
			 unsigned int arg)
{
	const enum kind kind = kind_of(op);
	const bool conditional = function_of(op) == soft_vector_float_select ||
				 function_of(op) == soft_vector_float_compare_conditional;

	(void)width, (void)arg;
	if (kind == NEITHER || (kind != EXACT && !t->jit->rounds) ||
	    (conditional && !a_put_condition(t, op)))
		return false;
	put_op(t, op, kind);
	return true;
}

#endif
