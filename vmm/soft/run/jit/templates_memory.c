/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Templates of loads and stores of general registers: what the handlers of ops.c do where the
 * software TLB has the page, in the same order, and the slow way for all else.
 */
#include "soft/run/jit/templates.h"

#if SOFT_JIT

/* Which form the operation of a row has, enum soft_form, and whether its base is SP. */
static unsigned int form_of(const struct soft_op *op, bool *sp)
{
	const unsigned int n = (op->kind - SOFT_MEMORY_FIRST) % (2 * SOFT_FORM_SP);

	*sp = n >= SOFT_FORM_SP;
	return *sp ? n - SOFT_FORM_SP : n;
}

static unsigned int pair_form_of(const struct soft_op *op, bool *sp)
{
	const unsigned int n = (op->kind - SOFT_ldp64_off) % (2 * SOFT_PAIR_FORM_SP);

	*sp = n >= SOFT_PAIR_FORM_SP;
	return *sp ? n - SOFT_PAIR_FORM_SP : n;
}

/* reg += the immediate. */
static void add_imm(struct translator *t, const struct soft_op *op, unsigned int reg)
{
	int32_t imm;

	if (!t_small(op, 64, &imm)) {
		x86_emit(&t->code, X86_add, 64, reg, T_IMM(t, op), 0);
	} else if (imm != 0) {
		x86_emit(&t->code, imm == (int8_t)imm ? X86_add_imm8 : X86_add_imm32, 64, 0,
			 x86_reg(reg), imm);
	}
}

static void put_base(struct translator *t, unsigned int base)
{
	x86_emit(&t->code, X86_mov, 64, RAX, x86_reg(base), 0);
}

/* How an index is extended, as it is encoded. */
enum { EXTEND_UXTW = 2, EXTEND_SXTW = 6 };

/* RAX = base + the immediate. */
static void put_base_imm(struct translator *t, const struct soft_op *op, unsigned int base)
{
	int32_t imm;

	if (t_small(op, 64, &imm) && imm != 0) {
		x86_emit(&t->code, X86_lea, 64, RAX, x86_at(base, imm), 0);
		return;
	}
	put_base(t, base);
	add_imm(t, op, RAX);
}

void t_put_address(struct translator *t, const struct soft_op *op, bool sp, unsigned int form)
{
	const unsigned int base = t_use(t, sp ? SOFT_X_SP : op->rn);

	if (sp) {
		x86_emit(&t->code, X86_test_to, 64, base,
			 x86_at(RDI, offsetof(struct soft_cpu, sp_mask)), 0);
		t_leave_to(t, x86_jump_if(&t->code, X86_NE), op, soft_slow_memory);
	}
	switch (form) {
	case SOFT_FORM_OFF:
	case SOFT_FORM_PRE: put_base_imm(t, op, base); break;
	case SOFT_FORM_POST: put_base(t, base); break;
	case SOFT_FORM_LSL:
		if (op->aux <= 3) {
			x86_emit(&t->code, X86_lea, 64, RAX,
				 x86_scaled(base, t_use(t, op->rm), op->aux), 0);
			break;
		}
		put_base(t, t_use(t, op->rm));
		x86_emit(&t->code, X86_shl_imm8, 64, 0, x86_reg(RAX), op->aux);
		x86_emit(&t->code, X86_add_to, 64, base, x86_reg(RAX), 0);
		break;
	default:
		if ((op->ra == EXTEND_UXTW || op->ra == EXTEND_SXTW) && op->aux <= 3) {
			x86_emit(&t->code, op->ra == EXTEND_UXTW ? X86_mov : X86_movsxd,
				 op->ra == EXTEND_UXTW ? 32 : 64, RAX, x86_reg(t_use(t, op->rm)),
				 0);
			x86_emit(&t->code, X86_lea, 64, RAX, x86_scaled(base, RAX, op->aux), 0);
			break;
		}
		t_extend(t, op, RAX);
		x86_emit(&t->code, X86_add_to, 64, base, x86_reg(RAX), 0);
	}
}

_Static_assert(sizeof(struct soft_tlb_entry) == 32, "an index is shifted by five");

void t_put_entry(struct translator *t, const struct soft_op *op, size_t side, unsigned int offset,
		 unsigned int bytes)
{
	x86_emit(&t->code, X86_mov, 64, RCX, x86_reg(RAX), 0);
	x86_emit(&t->code, X86_shr_imm8, 64, 0, x86_reg(RCX), SOFT_PAGE_SHIFT - 5);
	x86_emit(&t->code, X86_and_imm32, 32, 0, x86_reg(RCX), (SOFT_TLB_SIZE - 1) << 5);
	x86_emit(&t->code, X86_add, 64, RCX, x86_at(RDI, offsetof(struct soft_cpu, tlb)), 0);
	x86_emit(&t->code, X86_lea, 64, R11, x86_at(RAX, (int32_t)offset), 0);
	x86_emit(&t->code, X86_and_imm32, 64, 0, x86_reg(R11),
		 (int32_t)(SOFT_PAGE_MASK | (bytes - 1)));
	x86_emit(&t->code, X86_cmp, 64, R11, x86_at(RCX, (int32_t)side), 0);
	t_leave_to(t, x86_jump_if(&t->code, X86_NE), op, soft_slow_memory);
}

void t_put_offset(struct translator *t)
{
	x86_emit(&t->code, X86_mov, 64, RCX, x86_at(RCX, offsetof(struct soft_tlb_entry, add)), 0);
}

static void put_lookup(struct translator *t, const struct soft_op *op, size_t side,
		       unsigned int offset, unsigned int bytes)
{
	t_put_entry(t, op, side, offset, bytes);
	t_put_offset(t);
}

void t_write_back(struct translator *t, const struct soft_op *op, bool sp, unsigned int form)
{
	unsigned int base;

	if (form != SOFT_FORM_PRE && form != SOFT_FORM_POST)
		return;
	base = t_define(t, sp ? SOFT_X_SP : op->rn);
	if (form == SOFT_FORM_PRE)
		x86_emit(&t->code, X86_mov, 64, base, x86_reg(RAX), 0);
	else
		add_imm(t, op, base);
}

static struct x86_operand at(unsigned int offset)
{
	return x86_indexed(RAX, RCX, (int32_t)offset);
}

bool t_put_load(struct translator *t, const struct soft_op *op, unsigned int width,
		unsigned int arg)
{
	bool sp;
	const unsigned int form = form_of(op, &sp);

	t_put_address(t, op, sp, form);
	put_lookup(t, op, offsetof(struct soft_tlb_entry, read), 0, T_ACCESS_BYTES(arg));
	t_write_back(t, op, sp, form);
	x86_emit(&t->code, T_ACCESS_FORM(arg), width, t_define(t, op->rd), at(0), 0);
	return true;
}

bool t_put_store(struct translator *t, const struct soft_op *op, unsigned int width,
		 unsigned int arg)
{
	bool sp;
	const unsigned int form = form_of(op, &sp);
	const unsigned int value = t_use(t, op->rd);

	t_put_address(t, op, sp, form);
	put_lookup(t, op, offsetof(struct soft_tlb_entry, write), 0, T_ACCESS_BYTES(arg));
	x86_emit(&t->code, T_ACCESS_FORM(arg), width, value, at(0), 0);
	t_write_back(t, op, sp, form);
	return true;
}

bool t_put_load_pair(struct translator *t, const struct soft_op *op, unsigned int width,
		     unsigned int arg)
{
	const unsigned int bytes = T_ACCESS_BYTES(arg);
	bool sp;
	const unsigned int form = pair_form_of(op, &sp);

	t_put_address(t, op, sp, form);
	put_lookup(t, op, offsetof(struct soft_tlb_entry, read), bytes, bytes);
	t_write_back(t, op, sp, form);
	x86_emit(&t->code, T_ACCESS_FORM(arg), width, t_define(t, op->rd), at(0), 0);
	x86_emit(&t->code, T_ACCESS_FORM(arg), width, t_define(t, op->ra), at(bytes), 0);
	return true;
}

bool t_put_store_pair(struct translator *t, const struct soft_op *op, unsigned int width,
		      unsigned int arg)
{
	const unsigned int bytes = T_ACCESS_BYTES(arg);
	bool sp;
	const unsigned int form = pair_form_of(op, &sp);
	const unsigned int first = t_use(t, op->rd), second = t_use(t, op->ra);

	t_put_address(t, op, sp, form);
	put_lookup(t, op, offsetof(struct soft_tlb_entry, write), bytes, bytes);
	x86_emit(&t->code, T_ACCESS_FORM(arg), width, first, at(0), 0);
	x86_emit(&t->code, T_ACCESS_FORM(arg), width, second, at(bytes), 0);
	t_write_back(t, op, sp, form);
	return true;
}

#endif
