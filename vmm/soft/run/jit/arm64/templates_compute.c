/* SPDX-License-Identifier: BSD-2-Clause */
/* Templates of computations: the guest's instruction, or nearly, with registers of the host. */
#include "soft/run/jit/arm64/operands.h"

#if SOFT_JIT

/* Two operands, by argument; with the second inverted; with an immediate. */
static const struct {
	uint8_t plain, inverted, imm; /* enum arm64_form */
} binary[] = {
	[T_ADD] = {ARM64_add, ARM64_add, ARM64_add_imm},
	[T_OR] = {ARM64_orr, ARM64_orn, ARM64_orr_imm},
	[T_AND] = {ARM64_and, ARM64_bic, ARM64_and_imm},
	[T_SUB] = {ARM64_sub, ARM64_sub, ARM64_sub_imm},
	[T_XOR] = {ARM64_eor, ARM64_eon, ARM64_eor_imm},
};

unsigned int a_shift(const struct soft_op *op, unsigned int arg)
{
	return arg & T_SHIFTS ? ARM64_SHIFT(((arg & T_SHIFTS) >> 4) - 1, op->aux) : 0u;
}

bool a_bitmask(const struct soft_op *op, unsigned int *imm)
{
	*imm = op->word >> 10 & 0x1fff;
	return (op->word & 0x1f800000) == 0x12000000;
}

/* Can ADD and SUB encode it as an immediate? *imm: how. */
static bool is_addend(uint64_t value, unsigned int *imm)
{
	const bool upper = value >= 4096;

	*imm = (unsigned int)(upper ? 4096 | (value >> 12 & 4095) : value);
	return value < 4096 || (value < 4096 * 4096 && value % 4096 == 0);
}

bool t_put_imm(struct translator *t, const struct soft_op *op, unsigned int width, unsigned int arg)
{
	const unsigned int n = t_use(t, op->rn), d = t_define(t, op->rd);
	unsigned int imm;

	if (arg == T_ADD || arg == T_SUB ? is_addend(op->imm, &imm) : a_bitmask(op, &imm)) {
		arm64_emit(&t->code, (enum arm64_form)binary[arg].imm, width, d, n, 0, imm);
		return true;
	}
	a_load_imm(t, op, width, A_FIRST);
	arm64_emit(&t->code, (enum arm64_form)binary[arg].plain, width, d, n, A_FIRST, 0);
	return true;
}

bool t_put_reg(struct translator *t, const struct soft_op *op, unsigned int width, unsigned int arg)
{
	const unsigned int n = t_use(t, op->rn), m = t_use(t, op->rm), d = t_define(t, op->rd);
	const enum arm64_form form =
		(enum arm64_form)(arg & T_NOT ? binary[arg & 7].inverted : binary[arg & 7].plain);

	arm64_emit(&t->code, form, width, d, n, m, a_shift(op, arg));
	return true;
}

bool t_put_extended(struct translator *t, const struct soft_op *op, unsigned int width,
		    unsigned int arg)
{
	const unsigned int n = t_use(t, op->rn), m = t_use(t, op->rm), d = t_define(t, op->rd);

	arm64_emit(&t->code, arg == T_ADD ? ARM64_add_extended : ARM64_sub_extended, width, d, n, m,
		   ARM64_EXTEND((unsigned int)op->ra, op->aux));
	return true;
}

bool t_put_move(struct translator *t, const struct soft_op *op, unsigned int width,
		unsigned int arg)
{
	const unsigned int m = t_use(t, op->rm), d = t_define(t, op->rd);

	arm64_emit(&t->code, arg ? ARM64_orn : ARM64_orr, width, d, ARM64_ZR, m, 0);
	return true;
}

bool t_put_move_imm(struct translator *t, const struct soft_op *op, unsigned int width,
		    unsigned int arg)
{
	(void)arg;
	a_load_imm(t, op, width, t_define(t, op->rd));
	return true;
}

bool t_put_move_keep(struct translator *t, const struct soft_op *op, unsigned int width,
		     unsigned int arg)
{
	const unsigned int d = t_use(t, op->rd);

	(void)arg, (void)t_define(t, op->rd);
	arm64_emit(&t->code, ARM64_movk, width, d, 0, 0,
		   op->aux / 16u << 16 | (uint16_t)(op->imm >> op->aux));
	return true;
}

static bool put_three(struct translator *t, const struct soft_op *op, unsigned int width,
		      enum arm64_form form)
{
	const unsigned int n = t_use(t, op->rn), m = t_use(t, op->rm), d = t_define(t, op->rd);

	arm64_emit(&t->code, form, width, d, n, m, 0);
	return true;
}

static bool put_two(struct translator *t, const struct soft_op *op, unsigned int width,
		    enum arm64_form form, unsigned int imm)
{
	const unsigned int n = t_use(t, op->rn), d = t_define(t, op->rd);

	arm64_emit(&t->code, form, width, d, n, 0, imm);
	return true;
}

bool t_put_shift(struct translator *t, const struct soft_op *op, unsigned int width,
		 unsigned int arg)
{
	const unsigned int n = t_use(t, op->rn), d = t_define(t, op->rd);

	arm64_emit(&t->code, ARM64_orr, width, d, ARM64_ZR, n, a_shift(op, arg));
	return true;
}

bool t_put_shift_by(struct translator *t, const struct soft_op *op, unsigned int width,
		    unsigned int arg)
{
	static const enum arm64_form shifts[] = {ARM64_lslv, ARM64_lsrv, ARM64_asrv, ARM64_rorv};

	return put_three(t, op, width, shifts[(arg >> 4) - 1]);
}

/* UBFM and SBFM: shift left by the immediate, then right. */
bool t_put_field(struct translator *t, const struct soft_op *op, unsigned int width,
		 unsigned int arg)
{
	const unsigned int up = (unsigned int)op->imm, by = op->aux;

	return put_two(t, op, width, arg == T_ASR ? ARM64_sbfm : ARM64_ubfm,
		       ARM64_FIELD_OF((by - up) & (width - 1), width - 1 - up));
}

bool t_put_insert(struct translator *t, const struct soft_op *op, unsigned int width,
		  unsigned int arg)
{
	const unsigned int n = t_use(t, op->rn), d = t_use(t, op->rd);

	(void)arg, (void)t_define(t, op->rd);
	arm64_emit(&t->code, ARM64_bfm, width, d, n, 0, op->word >> 10 & 0xfff);
	return true;
}

bool t_put_extract(struct translator *t, const struct soft_op *op, unsigned int width,
		   unsigned int arg)
{
	const unsigned int n = t_use(t, op->rn), m = t_use(t, op->rm), d = t_define(t, op->rd);

	(void)arg;
	arm64_emit(&t->code, ARM64_extr, width, d, n, m, op->aux);
	return true;
}

static bool put_multiply(struct translator *t, const struct soft_op *op, unsigned int width,
			 enum arm64_form form, bool adds)
{
	const unsigned int n = t_use(t, op->rn), m = t_use(t, op->rm);
	const unsigned int a = adds ? t_use(t, op->ra) : ARM64_ZR;

	arm64_emit(&t->code, form, width, t_define(t, op->rd), n, m, a);
	return true;
}

bool t_put_multiply(struct translator *t, const struct soft_op *op, unsigned int width,
		    unsigned int arg)
{
	return put_multiply(t, op, width, arg == T_MINUS ? ARM64_msub : ARM64_madd, arg != T_TIMES);
}

bool t_put_multiply_long(struct translator *t, const struct soft_op *op, unsigned int width,
			 unsigned int arg)
{
	const bool minus = (arg & ~(unsigned int)T_SIGNED) == T_MINUS;

	return put_multiply(t, op, width,
			    arg & T_SIGNED ? (minus ? ARM64_smsubl : ARM64_smaddl)
					   : (minus ? ARM64_umsubl : ARM64_umaddl),
			    true);
}

bool t_put_multiply_high(struct translator *t, const struct soft_op *op, unsigned int width,
			 unsigned int arg)
{
	return put_three(t, op, width, arg & T_SIGNED ? ARM64_smulh : ARM64_umulh);
}

bool t_put_clz(struct translator *t, const struct soft_op *op, unsigned int width, unsigned int arg)
{
	(void)arg;
	return put_two(t, op, width, ARM64_clz, 0);
}

bool t_put_rev(struct translator *t, const struct soft_op *op, unsigned int width, unsigned int arg)
{
	if (arg == T_REV)
		return put_two(t, op, width, width == 64 ? ARM64_rev64 : ARM64_rev32, 0);
	return put_two(t, op, width, arg == T_REV16 ? ARM64_rev16 : ARM64_rev32_x, 0);
}

bool t_put_divide(struct translator *t, const struct soft_op *op, unsigned int width,
		  unsigned int arg)
{
	return put_three(t, op, width, arg & T_SIGNED ? ARM64_sdiv : ARM64_udiv);
}

#endif
