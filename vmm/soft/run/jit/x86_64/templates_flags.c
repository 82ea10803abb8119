/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Templates of instructions that set and read the flags, and of branches. Flags are left lazy, as
 * handlers leave them. If a condition needs them, the host's flags are computed again from these.
 */
#include "soft/run/jit/x86_64/operands.h"

#if SOFT_JIT

static struct x86_operand cpu_at(size_t offset)
{
	return x86_at(RBP, (int32_t)offset);
}

static struct x86_operand flag_a(void)
{
	return cpu_at(offsetof(struct soft_cpu, flag_a));
}

static struct x86_operand flag_b(void)
{
	return cpu_at(offsetof(struct soft_cpu, flag_b));
}

/* From now on the flags are of kind how; the caller sets flag_a and flag_b. */
static void set_kind(struct translator *t, enum soft_flags how)
{
	if (t->flags != (int)how)
		x86_emit(&t->code, X86_mov_imm32, 32, 0,
			 cpu_at(offsetof(struct soft_cpu, flag_kind)), (int32_t)how);
	t->flags = (int)how;
}

static void keep(struct translator *t, unsigned int reg, struct x86_operand where)
{
	x86_emit(&t->code, X86_mov_to, 64, reg, where, 0);
}

void t_explicit_flags(struct translator *t, unsigned int reg)
{
	set_kind(t, SOFT_FLAGS_NZCV);
	keep(t, reg, flag_a());
	t_set_flag_slots(t, NO_SLOT, NO_SLOT);
}

static enum soft_flags kind_of(unsigned int how, unsigned int width)
{
	if (how == T_ADDS)
		return width == 64 ? SOFT_FLAGS_ADD64 : SOFT_FLAGS_ADD32;
	return width == 64 ? SOFT_FLAGS_SUB64 : SOFT_FLAGS_SUB32;
}

/* RCX = the immediate, of width bits. */
static void load_imm(struct translator *t, const struct soft_op *op, unsigned int width)
{
	int32_t imm;

	if (t_small(op, width, &imm))
		x86_move(&t->code, RCX, width == 64 ? (uint64_t)(int64_t)imm : (uint32_t)imm);
	else
		x86_emit(&t->code, X86_mov, width, RCX, T_IMM(t, op), 0);
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
	unsigned int d, to;

	set_kind(t, kind_of(how, width));
	keep(t, n, flag_a());
	keep(t, second, flag_b());
	t_set_flag_slots(t, op->rn, of_slot ? op->rm : NO_SLOT);
	if (how == T_CMP)
		return;
	d = t_define(t, op->rd);
	to = d == second ? R11 : d;
	if (to != n)
		x86_emit(&t->code, X86_mov, width, to, x86_reg(n), 0);
	x86_emit(&t->code, how == T_ADDS ? X86_add_to : X86_sub_to, width, second, x86_reg(to), 0);
	if (to != d)
		x86_emit(&t->code, X86_mov, 64, d, x86_reg(to), 0);
}

bool t_put_flags(struct translator *t, const struct soft_op *op, unsigned int width,
		 unsigned int arg)
{
	put_flags(t, op, width, arg & 3, t_second(t, op, width, arg & ~3u));
	return true;
}

bool t_put_flags_imm(struct translator *t, const struct soft_op *op, unsigned int width,
		     unsigned int arg)
{
	load_imm(t, op, width);
	put_flags(t, op, width, arg, RCX);
	return true;
}

bool t_put_flags_extended(struct translator *t, const struct soft_op *op, unsigned int width,
			  unsigned int arg)
{
	t_extend(t, op, RAX);
	put_flags(t, op, width, arg, RAX);
	return true;
}

/* Afterwards the host's flags Z and S are those of the result. */
static void put_logic(struct translator *t, const struct soft_op *op, unsigned int width,
		      unsigned int second)
{
	x86_emit(&t->code, X86_mov, width, R11, x86_reg(t_use(t, op->rn)), 0);
	x86_emit(&t->code, X86_and_to, width, second, x86_reg(R11), 0);
	set_kind(t, width == 64 ? SOFT_FLAGS_LOGIC64 : SOFT_FLAGS_LOGIC32);
	keep(t, R11, flag_a());
	t_set_flag_slots(t, NO_SLOT, NO_SLOT);
	if (op->rd == SOFT_X_SINK)
		return;
	x86_emit(&t->code, X86_mov, 64, t_define(t, op->rd), x86_reg(R11), 0);
	t_set_flag_slots(t, op->rd, NO_SLOT);
}

bool t_put_logic(struct translator *t, const struct soft_op *op, unsigned int width,
		 unsigned int arg)
{
	put_logic(t, op, width, t_second(t, op, width, arg));
	return true;
}

bool t_put_logic_imm(struct translator *t, const struct soft_op *op, unsigned int width,
		     unsigned int arg)
{
	(void)arg;
	load_imm(t, op, width);
	put_logic(t, op, width, RCX);
	return true;
}

#define NEVER 0xff

/* The host's condition after CMP; after ADD, and after TEST, which have the carry the other way. */
static const uint8_t behind_compare[T_CONDITIONS] = {
	X86_E,	X86_NE, X86_AE, X86_B,	X86_S, X86_NS, X86_O,
	X86_NO, X86_A,	X86_BE, X86_GE, X86_L, X86_G,  X86_LE,
};
static const uint8_t behind_others[T_CONDITIONS] = {
	X86_E,	X86_NE, X86_B, X86_AE, X86_S, X86_NS, X86_O,
	X86_NO, NEVER,	NEVER, X86_GE, X86_L, X86_G,  X86_LE,
};

/* Each condition by explicit N, Z, C, V: a bit for each of their values. */
#define MASK(c, mask, e, ...) mask,
static const uint16_t masks[T_CONDITIONS] = {SOFT_CONDITIONS(MASK, )};

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
	x86_emit(&t->code, X86_cmp_imm8, 32, 0, cpu_at(offsetof(struct soft_cpu, flag_kind)),
		 t->guess);
	t_leave_to(t, x86_jump_if(&t->code, X86_NE), op, soft_lone_handler(op));
	t->flags = t->guess;
	return true;
}

/* An operand of the flags: 0, which is put into a register, or 1. */
static unsigned int put_flag_a(struct translator *t, unsigned int width)
{
	const unsigned int reg = t_flag_reg(t, 0);

	if (reg != NO_REG)
		return reg;
	x86_emit(&t->code, X86_mov, width, RAX, flag_a(), 0);
	return RAX;
}

static struct x86_operand second_flag(const struct translator *t)
{
	const unsigned int reg = t_flag_reg(t, 1);

	return reg != NO_REG ? x86_reg(reg) : flag_b();
}

/* How the flags are held, or can be expected to be, or NO_FLAGS. */
static int flags_of(const struct translator *t)
{
	return t->flags == NO_FLAGS ? t->guess : t->flags;
}

/* The host's condition after t_condition(), or NEVER: there is none. */
static uint8_t condition_of(const struct translator *t, unsigned int asked)
{
	switch (flags_of(t)) {
	case NO_FLAGS: return NEVER;
	case SOFT_FLAGS_NZCV: return X86_B;
	case SOFT_FLAGS_SUB64:
	case SOFT_FLAGS_SUB32: return behind_compare[asked];
	default: return behind_others[asked];
	}
}

bool t_condition(struct translator *t, const struct soft_op *op, unsigned int asked,
		 enum x86_condition *condition)
{
	const int flags = flags_of(t);
	const bool wide = flags == SOFT_FLAGS_SUB64 || flags == SOFT_FLAGS_ADD64 ||
			  flags == SOFT_FLAGS_LOGIC64;
	const bool subtracted = flags == SOFT_FLAGS_SUB64 || flags == SOFT_FLAGS_SUB32;
	const bool added = flags == SOFT_FLAGS_ADD64 || flags == SOFT_FLAGS_ADD32;
	const uint8_t found = condition_of(t, asked);
	const unsigned int width = wide ? 64 : 32;
	unsigned int a;

	if (found == NEVER || !expect_flags(t, op))
		return false;
	a = put_flag_a(t, width);
	if (flags == SOFT_FLAGS_NZCV) {
		x86_move(&t->code, RCX, masks[asked]);
		x86_emit(&t->code, X86_bt_to, 32, a, x86_reg(RCX), 0);
	} else if (subtracted) {
		x86_emit(&t->code, X86_cmp, width, a, second_flag(t), 0);
	} else if (added) {
		if (a != RAX)
			x86_emit(&t->code, X86_mov, width, RAX, x86_reg(a), 0);
		x86_emit(&t->code, X86_add, width, RAX, second_flag(t), 0);
	} else {
		x86_emit(&t->code, X86_test_to, width, a, x86_reg(a), 0);
	}
	*condition = (enum x86_condition)found;
	return true;
}

/* ADC and SBC: the host's carry is the guest's for ADC, and its inverse for SBC. */
bool t_put_carry(struct translator *t, const struct soft_op *op, unsigned int width,
		 unsigned int arg)
{
	const unsigned int n = t_use(t, op->rn), m = t_use(t, op->rm);
	enum x86_condition condition;

	if (!t_condition(t, op, T_CONDITION_cs, &condition))
		return false;
	if ((condition == X86_B) != (arg == T_ADDS))
		x86_cmc(&t->code);
	x86_emit(&t->code, X86_mov, width, R11, x86_reg(n), 0);
	x86_emit(&t->code, arg == T_ADDS ? X86_adc_to : X86_sbb_to, width, m, x86_reg(R11), 0);
	x86_emit(&t->code, X86_mov, 64, t_define(t, op->rd), x86_reg(R11), 0);
	return true;
}

/*
 * The host's S, Z, C and V as LAHF and SETO deliver them, for a multiplication that gathers them as
 * explicit N, Z, C and V in its highest bits.
 */
#define HOST_FLAGS  0xc101
#define GATHER_ARMS (1 << 16 | 1 << 21 | 1 << 28)

/* R11 = N, Z, C, V of n and op's other operand, added or subtracted. Changes RAX. */
static void put_nzcv(struct translator *t, const struct soft_op *op, unsigned int width,
		     unsigned int how)
{
	const bool subtracted = !(how & T_ADDS);
	const unsigned int n = t_use(t, op->rn);
	unsigned int first = n;

	if (!subtracted) {
		x86_emit(&t->code, X86_mov, width, RAX, x86_reg(n), 0);
		first = RAX;
	}
	if (how & T_IMMEDIATE)
		x86_emit(&t->code, subtracted ? X86_cmp_imm8 : X86_add_imm8, width, 0,
			 x86_reg(first), op->rm);
	else
		x86_emit(&t->code, subtracted ? X86_cmp_to : X86_add_to, width, t_use(t, op->rm),
			 x86_reg(first), 0);
	x86_lahf(&t->code);
	x86_set(&t->code, X86_O, RAX);
	x86_emit(&t->code, X86_and_imm32, 32, 0, x86_reg(RAX), HOST_FLAGS);
	x86_emit(&t->code, X86_imul_imm32, 32, R11, x86_reg(RAX), GATHER_ARMS);
	x86_emit(&t->code, X86_shr_imm8, 32, 0, x86_reg(R11), 28);
	if (subtracted)
		x86_emit(&t->code, X86_xor_imm8, 32, 0, x86_reg(R11), 2);
}

/*
 * CCMP and CCMN: which of two sets of flags is the result is only known at run time, so the flags
 * are held explicitly.
 */
bool t_put_compare_if(struct translator *t, const struct soft_op *op, unsigned int width,
		      unsigned int arg)
{
	const unsigned int asked = arg & 0xff;
	enum x86_condition condition;

	if (!t->jit->lahf || condition_of(t, asked) == NEVER)
		return false;
	put_nzcv(t, op, width, arg >> 8);
	if (!t_condition(t, op, asked, &condition))
		return false;
	x86_move(&t->code, RCX, op->aux);
	x86_cmov(&t->code, (enum x86_condition)(condition ^ 1), 32, R11, x86_reg(RCX));
	t_explicit_flags(t, R11);
	return true;
}

/* CSET and CSETM: Rd = the condition ? 0 : 1, or all ones instead of 1. */
static void put_set(struct translator *t, const struct soft_op *op, unsigned int width,
		    unsigned int how, enum x86_condition condition)
{
	const unsigned int d = t_define(t, op->rd);

	x86_set(&t->code, (enum x86_condition)(condition ^ 1), RCX);
	x86_emit(&t->code, X86_movzx8, 32, d, x86_reg(RCX), 0);
	if (how == T_INVERT)
		x86_emit(&t->code, X86_neg, width, 0, x86_reg(d), 0);
}

/*
 * Rd = the condition ? Rn : Rm; arg says what is done to Rm. Minus Rm is one more than its
 * complement. Nothing after the condition changes the host's flags.
 */
bool t_put_select(struct translator *t, const struct soft_op *op, unsigned int width,
		  unsigned int arg)
{
	const unsigned int how = arg & T_SELECTS;
	enum x86_condition condition;

	if (!t_condition(t, op, arg & ~(unsigned int)T_SELECTS, &condition))
		return false;
	if (op->rn == SOFT_X_ZERO && op->rm == SOFT_X_ZERO &&
	    (how == T_INCREMENT || how == T_INVERT)) {
		put_set(t, op, width, how, condition);
		return true;
	}
	x86_emit(&t->code, X86_mov, width, RCX, x86_reg(t_use(t, op->rm)), 0);
	if (how == T_INVERT || how == T_NEGATE)
		x86_emit(&t->code, X86_not, width, 0, x86_reg(RCX), 0);
	if (how == T_INCREMENT || how == T_NEGATE)
		x86_emit(&t->code, X86_lea, width, RCX, x86_at(RCX, 1), 0);
	x86_cmov(&t->code, condition, width, RCX, x86_reg(t_use(t, op->rn)));
	x86_emit(&t->code, X86_mov, width, t_define(t, op->rd), x86_reg(RCX), 0);
	return true;
}

/* End the block: go to side 1 of the links if the condition holds. */
static bool end_if(struct translator *t, const struct soft_op *links, enum x86_condition condition)
{
	t_begin_end(t);
	t_end_if(t, links, x86_jump_if(&t->code, condition));
	return true;
}

bool t_put_branch_if(struct translator *t, const struct soft_op *op, unsigned int width,
		     unsigned int arg)
{
	enum x86_condition condition;

	(void)width;
	return t_condition(t, op, arg, &condition) && end_if(t, op + 1, condition);
}

bool t_put_compare_zero(struct translator *t, const struct soft_op *op, unsigned int width,
			unsigned int arg)
{
	const unsigned int n = t_use(t, op->rn);

	x86_emit(&t->code, X86_test_to, width, n, x86_reg(n), 0);
	return end_if(t, op + 1, arg == T_CONDITION_eq ? X86_E : X86_NE);
}

bool t_put_test_bit(struct translator *t, const struct soft_op *op, unsigned int width,
		    unsigned int arg)
{
	x86_emit(&t->code, X86_bt_imm8, width, 0, x86_reg(t_use(t, op->rn)), op->aux);
	return end_if(t, op + 1, arg == T_CONDITION_eq ? X86_AE : X86_B);
}

/* Fused: the links come after the branch. */

static bool put_compare_branch(struct translator *t, const struct soft_op *op, unsigned int width,
			       unsigned int asked, unsigned int second)
{
	put_flags(t, op, width, T_CMP, second);
	x86_emit(&t->code, X86_cmp_to, width, second, x86_reg(t_use(t, op->rn)), 0);
	return end_if(t, op + 2, (enum x86_condition)behind_compare[asked]);
}

bool t_put_compare_branch(struct translator *t, const struct soft_op *op, unsigned int width,
			  unsigned int arg)
{
	return put_compare_branch(t, op, width, arg, t_use(t, op->rm));
}

bool t_put_compare_imm_branch(struct translator *t, const struct soft_op *op, unsigned int width,
			      unsigned int arg)
{
	load_imm(t, op, width);
	return put_compare_branch(t, op, width, arg, RCX);
}

bool t_put_subtract_branch(struct translator *t, const struct soft_op *op, unsigned int width,
			   unsigned int arg)
{
	load_imm(t, op, width);
	put_flags(t, op, width, T_SUBS, RCX);
	return end_if(t, op + 2, (enum x86_condition)behind_compare[arg]);
}

bool t_put_logic_branch(struct translator *t, const struct soft_op *op, unsigned int width,
			unsigned int arg)
{
	put_logic(t, op, width, t_use(t, op->rm));
	return end_if(t, op + 2, arg == T_CONDITION_eq ? X86_E : X86_NE);
}

bool t_put_logic_imm_branch(struct translator *t, const struct soft_op *op, unsigned int width,
			    unsigned int arg)
{
	load_imm(t, op, width);
	put_logic(t, op, width, RCX);
	return end_if(t, op + 2, arg == T_CONDITION_eq ? X86_E : X86_NE);
}

#endif
