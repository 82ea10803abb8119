/* SPDX-License-Identifier: BSD-2-Clause */
/* Templates of what computes. */
#include "soft/run/jit/x86_64/operands.h"

#if SOFT_JIT

/* Two operands, by argument. */
static const struct {
	uint8_t to, imm8, imm32; /* enum x86_form */
	bool commutes;
} binary[] = {
	[T_ADD] = {X86_add_to, X86_add_imm8, X86_add_imm32, true},
	[T_OR] = {X86_or_to, X86_or_imm8, X86_or_imm32, true},
	[T_AND] = {X86_and_to, X86_and_imm8, X86_and_imm32, true},
	[T_SUB] = {X86_sub_to, X86_sub_imm8, X86_sub_imm32, false},
	[T_XOR] = {X86_xor_to, X86_xor_imm8, X86_xor_imm32, true},
};

static const struct {
	uint8_t imm8, cl;
} shifts[] = {
	[T_LSL >> 4] = {X86_shl_imm8, X86_shl_cl},
	[T_LSR >> 4] = {X86_shr_imm8, X86_shr_cl},
	[T_ASR >> 4] = {X86_sar_imm8, X86_sar_cl},
	[T_ROR >> 4] = {X86_ror_imm8, X86_ror_cl},
};

static void copy(struct translator *t, unsigned int width, unsigned int to, unsigned int from)
{
	if (to != from || width == 32)
		x86_emit(&t->code, X86_mov_to, width, from, x86_reg(to), 0);
}

static void shift(struct translator *t, unsigned int width, unsigned int reg, unsigned int how,
		  unsigned int count)
{
	x86_emit(&t->code, shifts[(how & T_SHIFTS) >> 4].imm8, width, 0, x86_reg(reg),
		 (int32_t)count);
}

/* to = from, shifted. */
static void put_shifted(struct translator *t, unsigned int width, unsigned int to,
			unsigned int from, unsigned int how, unsigned int count)
{
	if ((how & T_SHIFTS) == T_ROR && t->jit->bmi) {
		x86_rorx(&t->code, width, to, from, count);
		return;
	}
	copy(t, width, to, from);
	shift(t, width, to, how, count);
}

/* Rm, shifted and inverted by arg: in RAX, or in another register that must not be changed. */
static unsigned int second_operand(struct translator *t, const struct soft_op *op,
				   unsigned int width, unsigned int arg)
{
	const unsigned int m = t_use(t, op->rm);

	if (!(arg & (T_SHIFTS | T_NOT)))
		return m;
	if (arg & T_SHIFTS)
		put_shifted(t, width, RAX, m, arg, op->aux);
	else
		copy(t, width, RAX, m);
	if (arg & T_NOT)
		x86_emit(&t->code, X86_not, width, 0, x86_reg(RAX), 0);
	return RAX;
}

/* reg = reg how the immediate. */
static void apply_imm(struct translator *t, const struct soft_op *op, unsigned int width,
		      unsigned int how, unsigned int reg)
{
	int32_t imm;

	if (!t_small(op, width, &imm)) {
		x86_emit(&t->code, X86_mov, 64, RCX, T_IMM(t, op), 0);
		x86_emit(&t->code, binary[how].to, width, RCX, x86_reg(reg), 0);
		return;
	}
	x86_emit(&t->code, imm == (int8_t)imm ? binary[how].imm8 : binary[how].imm32, width, 0,
		 x86_reg(reg), imm);
}

bool t_put_imm(struct translator *t, const struct soft_op *op, unsigned int width, unsigned int arg)
{
	const unsigned int n = t_use(t, op->rn), d = t_define(t, op->rd);
	int32_t imm;

	if (d != n && (arg == T_ADD || arg == T_SUB) && t_small(op, width, &imm)) {
		x86_emit(&t->code, X86_lea, width, d, x86_at(n, arg == T_ADD ? imm : -imm), 0);
		return true;
	}
	if (arg == T_AND && op->imm == 0xff) {
		x86_emit(&t->code, X86_movzx8, 32, d, x86_reg(n), 0);
		return true;
	}
	if (d != n)
		copy(t, width, d, n);
	apply_imm(t, op, width, arg, d);
	return true;
}

/* Rd = n how reg; reg is not Rd's. */
static void put_two(struct translator *t, const struct soft_op *op, unsigned int width,
		    unsigned int how, unsigned int reg)
{
	const unsigned int n = t_use(t, op->rn), d = t_define(t, op->rd);

	if (how == T_ADD && d != n && d != reg) {
		x86_emit(&t->code, X86_lea, width, d, x86_indexed(n, reg, 0), 0);
	} else if (d == n || d != reg) {
		if (d != n)
			copy(t, width, d, n);
		x86_emit(&t->code, binary[how].to, width, reg, x86_reg(d), 0);
	} else if (binary[how].commutes) {
		x86_emit(&t->code, binary[how].to, width, n, x86_reg(d), 0);
	} else {
		copy(t, width, RCX, n);
		x86_emit(&t->code, binary[how].to, width, reg, x86_reg(RCX), 0);
		copy(t, width, d, RCX);
	}
}

bool t_put_reg(struct translator *t, const struct soft_op *op, unsigned int width, unsigned int arg)
{
	unsigned int n, m;

	if (arg == (T_ADD | T_LSL) && op->aux <= 3) {
		n = t_use(t, op->rn);
		m = t_use(t, op->rm);
		x86_emit(&t->code, X86_lea, width, t_define(t, op->rd), x86_scaled(n, m, op->aux),
			 0);
		return true;
	}
	if ((arg & ~(unsigned int)T_SHIFTS) == (T_AND | T_NOT) && t->jit->bmi) {
		m = second_operand(t, op, width, arg & T_SHIFTS);
		n = t_use(t, op->rn);
		x86_andn(&t->code, width, t_define(t, op->rd), m, n);
		return true;
	}
	put_two(t, op, width, arg & 7, second_operand(t, op, width, arg));
	return true;
}

/* reg = extend_register(Rm, ra, aux) */
void t_extend(struct translator *t, const struct soft_op *op, unsigned int reg)
{
	static const struct {
		uint8_t form, width;
	} extensions[] = {
		{X86_movzx8, 32}, {X86_movzx16, 32}, {X86_mov, 32},    {X86_mov, 64},
		{X86_movsx8, 64}, {X86_movsx16, 64}, {X86_movsxd, 64}, {X86_mov, 64},
	};

	x86_emit(&t->code, extensions[op->ra].form, extensions[op->ra].width, reg,
		 x86_reg(t_use(t, op->rm)), 0);
	if (op->aux)
		shift(t, 64, reg, T_LSL, op->aux);
}

bool t_put_extended(struct translator *t, const struct soft_op *op, unsigned int width,
		    unsigned int arg)
{
	t_extend(t, op, RAX);
	put_two(t, op, width, arg, RAX);
	return true;
}

bool t_put_move(struct translator *t, const struct soft_op *op, unsigned int width,
		unsigned int arg)
{
	const unsigned int m = t_use(t, op->rm), d = t_define(t, op->rd);

	copy(t, width, d, m);
	if (arg)
		x86_emit(&t->code, X86_not, width, 0, x86_reg(d), 0);
	return true;
}

bool t_put_move_imm(struct translator *t, const struct soft_op *op, unsigned int width,
		    unsigned int arg)
{
	const unsigned int d = t_define(t, op->rd);
	int32_t imm;

	(void)arg;
	if (t_small(op, width, &imm))
		x86_move(&t->code, d, op->imm);
	else
		x86_emit(&t->code, X86_mov, 64, d, T_IMM(t, op), 0);
	return true;
}

bool t_put_move_keep(struct translator *t, const struct soft_op *op, unsigned int width,
		     unsigned int arg)
{
	const unsigned int d = t_use(t, op->rd);

	(void)arg, (void)t_define(t, op->rd);
	x86_move(&t->code, RCX, ~(UINT64_C(0xffff) << op->aux));
	x86_emit(&t->code, X86_and_to, width, RCX, x86_reg(d), 0);
	x86_emit(&t->code, X86_mov, 64, RCX, T_IMM(t, op), 0);
	x86_emit(&t->code, X86_or_to, width, RCX, x86_reg(d), 0);
	return true;
}

bool t_put_shift(struct translator *t, const struct soft_op *op, unsigned int width,
		 unsigned int arg)
{
	const unsigned int n = t_use(t, op->rn), d = t_define(t, op->rd);

	put_shifted(t, width, d, n, arg, op->aux);
	return true;
}

bool t_put_shift_by(struct translator *t, const struct soft_op *op, unsigned int width,
		    unsigned int arg)
{
	copy(t, width, RAX, t_use(t, op->rn));
	copy(t, 64, RCX, t_use(t, op->rm));
	x86_emit(&t->code, shifts[arg >> 4].cl, width, 0, x86_reg(RAX), 0);
	copy(t, width, t_define(t, op->rd), RAX);
	return true;
}

/* d = the lowest bits of n, if the host has an instruction for it. */
static bool put_extension(struct translator *t, unsigned int width, unsigned int bits, bool sign,
			  unsigned int d, unsigned int n)
{
	enum x86_form form;

	switch (bits) {
	case 8: form = sign ? X86_movsx8 : X86_movzx8; break;
	case 16: form = sign ? X86_movsx16 : X86_movzx16; break;
	case 32: form = sign ? X86_movsxd : X86_mov; break;
	default: return false;
	}
	x86_emit(&t->code, form, sign ? width : 32, d, x86_reg(n), 0);
	return true;
}

/* UBFM and SBFM: shift left by the immediate, then right. */
bool t_put_field(struct translator *t, const struct soft_op *op, unsigned int width,
		 unsigned int arg)
{
	const unsigned int n = t_use(t, op->rn), d = t_define(t, op->rd);

	if (op->imm == op->aux && put_extension(t, width, width - op->aux, arg == T_ASR, d, n))
		return true;
	copy(t, width, d, n);
	shift(t, width, d, T_LSL, (unsigned int)op->imm);
	shift(t, width, d, arg, op->aux);
	return true;
}

bool t_put_insert(struct translator *t, const struct soft_op *op, unsigned int width,
		  unsigned int arg)
{
	const unsigned int d = t_use(t, op->rd);

	(void)arg;
	copy(t, width, RAX, t_use(t, op->rn));
	shift(t, width, RAX, T_ROR, op->aux);
	x86_emit(&t->code, X86_mov, 64, RCX, T_IMM(t, op), 0);
	x86_emit(&t->code, X86_and_to, width, RCX, x86_reg(RAX), 0);
	x86_emit(&t->code, X86_not, width, 0, x86_reg(RCX), 0);
	(void)t_define(t, op->rd);
	x86_emit(&t->code, X86_and_to, width, RCX, x86_reg(d), 0);
	x86_emit(&t->code, X86_or_to, width, RAX, x86_reg(d), 0);
	return true;
}

bool t_put_extract(struct translator *t, const struct soft_op *op, unsigned int width,
		   unsigned int arg)
{
	(void)arg;
	copy(t, width, RAX, t_use(t, op->rm));
	copy(t, width, RCX, t_use(t, op->rn));
	shift(t, width, RAX, T_LSR, op->aux);
	shift(t, width, RCX, T_LSL, width - op->aux);
	x86_emit(&t->code, X86_or_to, width, RCX, x86_reg(RAX), 0);
	copy(t, width, t_define(t, op->rd), RAX);
	return true;
}

/* MUL, MADD, MSUB. */
static void accumulate(struct translator *t, const struct soft_op *op, unsigned int width,
		       unsigned int how)
{
	unsigned int a, d;

	if (how == T_TIMES) {
		copy(t, width, t_define(t, op->rd), RAX);
		return;
	}
	a = t_use(t, op->ra);
	d = t_define(t, op->rd);
	copy(t, width, RCX, a);
	x86_emit(&t->code, how == T_PLUS ? X86_add_to : X86_sub_to, width, RAX, x86_reg(RCX), 0);
	copy(t, width, d, RCX);
}

bool t_put_multiply(struct translator *t, const struct soft_op *op, unsigned int width,
		    unsigned int arg)
{
	copy(t, width, RAX, t_use(t, op->rn));
	x86_emit(&t->code, X86_imul, width, RAX, x86_reg(t_use(t, op->rm)), 0);
	accumulate(t, op, width, arg);
	return true;
}

bool t_put_multiply_long(struct translator *t, const struct soft_op *op, unsigned int width,
			 unsigned int arg)
{
	const enum x86_form form = arg & T_SIGNED ? X86_movsxd : X86_mov;

	x86_emit(&t->code, form, 32, RAX, x86_reg(t_use(t, op->rn)), 0);
	x86_emit(&t->code, form, 32, RCX, x86_reg(t_use(t, op->rm)), 0);
	x86_emit(&t->code, X86_imul, 64, RAX, x86_reg(RCX), 0);
	accumulate(t, op, width, arg & ~(unsigned int)T_SIGNED);
	return true;
}

bool t_put_multiply_high(struct translator *t, const struct soft_op *op, unsigned int width,
			 unsigned int arg)
{
	copy(t, width, RAX, t_use(t, op->rn));
	copy(t, width, RCX, t_use(t, op->rm));
	copy(t, width, R11, RDX);
	x86_emit(&t->code, arg & T_SIGNED ? X86_imul_high : X86_mul, 64, 0, x86_reg(RCX), 0);
	copy(t, width, RAX, RDX);
	copy(t, width, RDX, R11);
	copy(t, width, t_define(t, op->rd), RAX);
	return true;
}

bool t_put_clz(struct translator *t, const struct soft_op *op, unsigned int width, unsigned int arg)
{
	unsigned int n;

	(void)arg;
	if (!t->jit->lzcnt)
		return false;
	n = t_use(t, op->rn);
	x86_emit(&t->code, X86_lzcnt, width, t_define(t, op->rd), x86_reg(n), 0);
	return true;
}

/* RAX = n with the bytes of each 16 of its 64 bits swapped. */
static void put_rev16(struct translator *t, unsigned int n)
{
	x86_move(&t->code, RCX, UINT64_C(0x00ff00ff00ff00ff));
	copy(t, 64, RAX, n);
	shift(t, 64, RAX, T_LSR, 8);
	x86_emit(&t->code, X86_and_to, 64, RCX, x86_reg(RAX), 0);
	x86_emit(&t->code, X86_and_to, 64, n, x86_reg(RCX), 0);
	shift(t, 64, RCX, T_LSL, 8);
	x86_emit(&t->code, X86_or_to, 64, RCX, x86_reg(RAX), 0);
}

/* Swap all bytes, then the halves back. */
bool t_put_rev(struct translator *t, const struct soft_op *op, unsigned int width, unsigned int arg)
{
	const unsigned int n = t_use(t, op->rn);

	if (arg == T_REV16 && width == 64) {
		put_rev16(t, n);
	} else {
		copy(t, width, RAX, n);
		x86_bswap(&t->code, width, RAX);
		if (arg != T_REV)
			shift(t, width, RAX, T_ROR, width / 2);
	}
	copy(t, width, t_define(t, op->rd), RAX);
	return true;
}

/*
 * RAX = RAX / RCX, with operands that do not make the host's instruction fault. RDX is the budget.
 */
static void put_quotient(struct translator *t, unsigned int width, bool is_signed)
{
	copy(t, 64, R11, RDX);
	if (is_signed) {
		x86_emit(&t->code, X86_mov, width, RDX, x86_reg(RAX), 0);
		shift(t, width, RDX, T_ASR, width - 1);
	} else {
		x86_move(&t->code, RDX, 0);
	}
	x86_emit(&t->code, is_signed ? X86_idiv : X86_div, width, 0, x86_reg(RCX), 0);
	copy(t, 64, RDX, R11);
}

/*
 * Division by 0 gives 0, and by -1 the negated dividend: on the host both fault, the latter for the
 * most negative number.
 */
bool t_put_divide(struct translator *t, const struct soft_op *op, unsigned int width,
		  unsigned int arg)
{
	uint8_t *by_zero, *other, *negated = NULL;

	copy(t, width, RCX, t_use(t, op->rm));
	copy(t, width, R11, t_use(t, op->rn));
	x86_move(&t->code, RAX, 0);
	x86_emit(&t->code, X86_test_to, width, RCX, x86_reg(RCX), 0);
	by_zero = x86_jump_if(&t->code, X86_E);
	copy(t, width, RAX, R11);
	if (arg & T_SIGNED) {
		x86_emit(&t->code, X86_cmp_imm8, width, 0, x86_reg(RCX), -1);
		other = x86_jump_if(&t->code, X86_NE);
		x86_emit(&t->code, X86_neg, width, 0, x86_reg(RAX), 0);
		negated = x86_jump(&t->code);
		x86_here(&t->code, other);
	}
	put_quotient(t, width, arg & T_SIGNED);
	if (negated)
		x86_here(&t->code, negated);
	x86_here(&t->code, by_zero);
	copy(t, width, t_define(t, op->rd), RAX);
	return true;
}

unsigned int t_second(struct translator *t, const struct soft_op *op, unsigned int width,
		      unsigned int arg)
{
	return second_operand(t, op, width, arg);
}

#endif
