/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Templates of instructions that set and read the flags, and of branches. Flags are left lazy, as
 * handlers leave them. If a condition needs them, the host's flags, which are the same, are
 * computed again from these.
 */
#include "soft/run/jit/arm64/operands.h"

#if SOFT_JIT

_Static_assert((int)T_CONDITION_eq == (int)A_EQ && T_CONDITION_le == 13,
	       "conditions as they are encoded");
_Static_assert(offsetof(struct soft_cpu, flag_b) == offsetof(struct soft_cpu, flag_a) + 8 &&
		       offsetof(struct soft_cpu, flag_a) < 512,
	       "a pair");
#define FLAGS ((unsigned int)(offsetof(struct soft_cpu, flag_a) / 8))
#define KIND  ((unsigned int)(offsetof(struct soft_cpu, flag_kind) / 4))

/* From now on the flags are of kind how; the caller sets flag_a and flag_b. */
static void set_kind(struct translator *t, enum soft_flags how)
{
	if (t->flags != (int)how) {
		arm64_move(&t->code, A_THIRD, how);
		arm64_emit(&t->code, ARM64_str_w_at, 32, A_THIRD, A_CPU, 0, KIND);
	}
	t->flags = (int)how;
}

void a_explicit_flags(struct translator *t)
{
	arm64_emit(&t->code, ARM64_mrs_nzcv, 64, A_FIRST, 0, 0, 0);
	arm64_emit(&t->code, ARM64_ubfm, 32, A_FIRST, A_FIRST, 0, ARM64_FIELD_OF(28, 31));
	set_kind(t, SOFT_FLAGS_NZCV);
	a_store_cpu(&t->code, A_FIRST, offsetof(struct soft_cpu, flag_a));
	t_set_flag_slots(t, NO_SLOT, NO_SLOT);
}

static enum soft_flags kind_of(unsigned int how, unsigned int width)
{
	if (how == T_ADDS)
		return width == 64 ? SOFT_FLAGS_ADD64 : SOFT_FLAGS_ADD32;
	return width == 64 ? SOFT_FLAGS_SUB64 : SOFT_FLAGS_SUB32;
}

/*
 * Flags and result of n and second, which is Rm's register, never one of the pool. Afterwards the
 * host's flags are those of the operation.
 */
static void put_flags(struct translator *t, const struct soft_op *op, unsigned int width,
		      unsigned int how, unsigned int second)
{
	const unsigned int n = t_use(t, op->rn);
	const bool of_slot = second == t->reg[op->rm];

	set_kind(t, kind_of(how, width));
	arm64_emit(&t->code, ARM64_stp, 64, n, A_CPU, second, FLAGS);
	t_set_flag_slots(t, op->rn, of_slot ? op->rm : NO_SLOT);
	arm64_emit(&t->code, how == T_ADDS ? ARM64_adds : ARM64_subs, width,
		   how == T_CMP ? ARM64_ZR : t_define(t, op->rd), n, second, 0);
}

bool t_put_flags(struct translator *t, const struct soft_op *op, unsigned int width,
		 unsigned int arg)
{
	unsigned int second = t_use(t, op->rm);

	if (arg & T_SHIFTS) {
		arm64_emit(&t->code, ARM64_orr, width, A_FIRST, ARM64_ZR, second, a_shift(op, arg));
		second = A_FIRST;
	}
	put_flags(t, op, width, arg & 3, second);
	return true;
}

bool t_put_flags_imm(struct translator *t, const struct soft_op *op, unsigned int width,
		     unsigned int arg)
{
	a_load_imm(t, op, width, A_FIRST);
	put_flags(t, op, width, arg, A_FIRST);
	return true;
}

/* Rm, extended as ra says, and shifted. */
bool t_put_flags_extended(struct translator *t, const struct soft_op *op, unsigned int width,
			  unsigned int arg)
{
	const unsigned int top = (8u << (op->ra & 3)) - 1, room = 63u - op->aux;

	arm64_emit(&t->code, op->ra & 4 ? ARM64_sbfm : ARM64_ubfm, 64, A_FIRST, t_use(t, op->rm), 0,
		   ARM64_FIELD_OF((64u - op->aux) & 63, top < room ? top : room));
	put_flags(t, op, width, arg, A_FIRST);
	return true;
}

/* The flags are those of the result in reg, op's destination; the host's stay. */
static void keep_logic(struct translator *t, const struct soft_op *op, unsigned int width,
		       unsigned int reg)
{
	set_kind(t, width == 64 ? SOFT_FLAGS_LOGIC64 : SOFT_FLAGS_LOGIC32);
	a_store_cpu(&t->code, reg, offsetof(struct soft_cpu, flag_a));
	t_set_flag_slots(t, op->rd, NO_SLOT);
}

bool t_put_logic(struct translator *t, const struct soft_op *op, unsigned int width,
		 unsigned int arg)
{
	const unsigned int n = t_use(t, op->rn), m = t_use(t, op->rm), d = t_define(t, op->rd);

	arm64_emit(&t->code, arg & T_NOT ? ARM64_bics : ARM64_ands, width, d, n, m,
		   a_shift(op, arg));
	keep_logic(t, op, width, d);
	return true;
}

bool t_put_logic_imm(struct translator *t, const struct soft_op *op, unsigned int width,
		     unsigned int arg)
{
	const unsigned int n = t_use(t, op->rn), d = t_define(t, op->rd);
	unsigned int imm;

	(void)arg;
	if (a_bitmask(op, &imm)) {
		arm64_emit(&t->code, ARM64_ands_imm, width, d, n, 0, imm);
	} else {
		a_load_imm(t, op, width, A_FIRST);
		arm64_emit(&t->code, ARM64_ands, width, d, n, A_FIRST, 0);
	}
	keep_logic(t, op, width, d);
	return true;
}

/*
 * It is not known how the flags are held: from here on assume that it is as expected, and use op's
 * handler if it is not.
 */
static bool expect_flags(struct translator *t, const struct soft_op *op)
{
	if (t->flags != NO_FLAGS)
		return true;
	if (t->guess == NO_FLAGS)
		return false;
	arm64_emit(&t->code, ARM64_ldr_w_at, 32, A_FIRST, A_CPU, 0, KIND);
	arm64_emit(&t->code, ARM64_subs_imm, 32, ARM64_ZR, A_FIRST, 0, (unsigned int)t->guess);
	t_leave_to(t, arm64_jump_if(&t->code, A_NE), op, soft_lone_handler(op));
	t->flags = t->guess;
	return true;
}

/* *first and *second become registers with the operands of the flags. */
static void put_operands(struct translator *t, unsigned int *first, unsigned int *second)
{
	const bool one = t->flags == SOFT_FLAGS_LOGIC64 || t->flags == SOFT_FLAGS_LOGIC32 ||
			 t->flags == SOFT_FLAGS_NZCV;

	*first = t_flag_reg(t, 0);
	*second = t_flag_reg(t, 1);
	if (*first == NO_REG || (*second == NO_REG && !one))
		arm64_emit(&t->code, ARM64_ldp, 64, A_FIRST, A_CPU, A_SECOND, FLAGS);
	if (*first == NO_REG)
		*first = A_FIRST;
	if (*second == NO_REG)
		*second = A_SECOND;
}

bool a_put_condition(struct translator *t, const struct soft_op *op)
{
	unsigned int width, first, second;

	if (!expect_flags(t, op))
		return false;
	width = t->flags == SOFT_FLAGS_SUB64 || t->flags == SOFT_FLAGS_ADD64 ||
				t->flags == SOFT_FLAGS_LOGIC64
			? 64
			: 32;
	put_operands(t, &first, &second);
	switch ((enum soft_flags)t->flags) {
	case SOFT_FLAGS_SUB64:
	case SOFT_FLAGS_SUB32:
		arm64_emit(&t->code, ARM64_subs, width, ARM64_ZR, first, second, 0);
		break;
	case SOFT_FLAGS_ADD64:
	case SOFT_FLAGS_ADD32:
		arm64_emit(&t->code, ARM64_adds, width, ARM64_ZR, first, second, 0);
		break;
	case SOFT_FLAGS_LOGIC64:
	case SOFT_FLAGS_LOGIC32:
		arm64_emit(&t->code, ARM64_ands, width, ARM64_ZR, first, first, 0);
		break;
	case SOFT_FLAGS_NZCV:
		arm64_emit(&t->code, ARM64_ubfm, 32, A_FIRST, first, 0, ARM64_FIELD_OF(4, 3));
		arm64_emit(&t->code, ARM64_msr_nzcv, 64, A_FIRST, 0, 0, 0);
		break;
	}
	return true;
}

bool t_put_carry(struct translator *t, const struct soft_op *op, unsigned int width,
		 unsigned int arg)
{
	unsigned int n, m;

	if (!a_put_condition(t, op))
		return false;
	n = t_use(t, op->rn);
	m = t_use(t, op->rm);
	arm64_emit(&t->code, arg == T_ADDS ? ARM64_adc : ARM64_sbc, width, t_define(t, op->rd), n,
		   m, 0);
	return true;
}

/*
 * CCMP and CCMN: which of two sets of flags is the result is only known at run time, so the flags
 * are held explicitly.
 */
bool t_put_compare_if(struct translator *t, const struct soft_op *op, unsigned int width,
		      unsigned int arg)
{
	static const enum arm64_form forms[] = {ARM64_ccmp, ARM64_ccmn, ARM64_ccmp_imm,
						ARM64_ccmn_imm};
	const unsigned int how = arg >> 8;
	const bool imm = how & T_IMMEDIATE;
	unsigned int n, m;

	if (!a_put_condition(t, op))
		return false;
	n = t_use(t, op->rn);
	m = imm ? op->rm : t_use(t, op->rm);
	arm64_emit(&t->code, forms[(imm ? 2 : 0) + (how & T_ADDS)], width, op->aux, n, m,
		   arg & 0xff);
	a_explicit_flags(t);
	return true;
}

/* Rd = the condition ? Rn : Rm; arg says what is done to Rm. */
bool t_put_select(struct translator *t, const struct soft_op *op, unsigned int width,
		  unsigned int arg)
{
	static const enum arm64_form forms[] = {ARM64_csel, ARM64_csinc, ARM64_csinv, ARM64_csneg};
	const enum arm64_form form = forms[(arg & T_SELECTS) >> 8];
	unsigned int n, m;

	if (!a_put_condition(t, op))
		return false;
	n = t_use(t, op->rn);
	m = t_use(t, op->rm);
	arm64_emit(&t->code, form, width, t_define(t, op->rd), n, m,
		   arg & ~(unsigned int)T_SELECTS);
	return true;
}

/* End the block: go to side 1 of the links if the condition holds. */
static bool end_if(struct translator *t, const struct soft_op *links, unsigned int condition)
{
	t_begin_end(t);
	t_end_if(t, links, arm64_jump_if(&t->code, condition));
	return true;
}

bool t_put_branch_if(struct translator *t, const struct soft_op *op, unsigned int width,
		     unsigned int arg)
{
	(void)width;
	return a_put_condition(t, op) && end_if(t, op + 1, arg);
}

bool t_put_compare_zero(struct translator *t, const struct soft_op *op, unsigned int width,
			unsigned int arg)
{
	const unsigned int n = t_use(t, op->rn);

	t_begin_end(t);
	t_end_if(t, op + 1, arm64_jump_zero(&t->code, width, n, arg == T_CONDITION_eq));
	return true;
}

bool t_put_test_bit(struct translator *t, const struct soft_op *op, unsigned int width,
		    unsigned int arg)
{
	const unsigned int n = t_use(t, op->rn);

	(void)width;
	/* TBZ reaches 32 KiB, which may be less than a trace has. */
	arm64_emit(&t->code, ARM64_ands_imm, 64, ARM64_ZR, n, 0,
		   1u << 12 | ((64u - op->aux) & 63) << 6);
	return end_if(t, op + 1, arg);
}

/* Fused: the links come after the branch. */

bool t_put_compare_branch(struct translator *t, const struct soft_op *op, unsigned int width,
			  unsigned int arg)
{
	put_flags(t, op, width, T_CMP, t_use(t, op->rm));
	return end_if(t, op + 2, arg);
}

bool t_put_compare_imm_branch(struct translator *t, const struct soft_op *op, unsigned int width,
			      unsigned int arg)
{
	(void)t_put_flags_imm(t, op, width, T_CMP);
	return end_if(t, op + 2, arg);
}

bool t_put_subtract_branch(struct translator *t, const struct soft_op *op, unsigned int width,
			   unsigned int arg)
{
	(void)t_put_flags_imm(t, op, width, T_SUBS);
	return end_if(t, op + 2, arg);
}

bool t_put_logic_branch(struct translator *t, const struct soft_op *op, unsigned int width,
			unsigned int arg)
{
	(void)t_put_logic(t, op, width, 0);
	return end_if(t, op + 2, arg);
}

bool t_put_logic_imm_branch(struct translator *t, const struct soft_op *op, unsigned int width,
			    unsigned int arg)
{
	(void)t_put_logic_imm(t, op, width, 0);
	return end_if(t, op + 2, arg);
}

#endif
