/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loads and stores on x86-64: RAX is the guest's address, unless a register has it. RCX is the
 * offset of its entry of the software TLB from the first one, then what to add for the host's
 * address.
 */
#include "soft/run/jit/x86_64/vector.h"

#if SOFT_JIT

void t_add_imm(struct translator *t, const struct soft_op *op, unsigned int reg)
{
	int32_t imm;

	if (!t_small(op, 64, &imm)) {
		x86_emit(&t->code, X86_add, 64, reg, T_IMM(t, op), 0);
	} else if (imm != 0) {
		x86_emit(&t->code, imm == (int8_t)imm ? X86_add_imm8 : X86_add_imm32, 64, 0,
			 x86_reg(reg), imm);
	}
}

unsigned int t_put_indexed(struct translator *t, unsigned int base, unsigned int index,
			   unsigned int shift)
{
	x86_emit(&t->code, X86_lea, 64, RAX, x86_scaled(base, index, shift), 0);
	return RAX;
}

unsigned int t_put_displaced(struct translator *t, unsigned int base, int32_t by)
{
	if (by == 0)
		return base;
	x86_emit(&t->code, X86_lea, 64, RAX, x86_at(base, by), 0);
	return RAX;
}

static void put_base(struct translator *t, unsigned int base)
{
	x86_emit(&t->code, X86_mov, 64, RAX, x86_reg(base), 0);
}

/* How an index is extended, as encoded. */
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
	t_add_imm(t, op, RAX);
}

unsigned int t_put_base(struct translator *t, const struct soft_op *op, unsigned int slot)
{
	const unsigned int base = t_use(t, slot);

	if (slot == SOFT_X_SP && !t->sp_aligned) {
		t->sp_aligned = true;
		x86_emit(&t->code, X86_test_to, 64, base,
			 x86_at(RBP, offsetof(struct soft_cpu, sp_mask)), 0);
		t_leave_to(t, x86_jump_if(&t->code, X86_NE), op, t_slow(op));
	}
	return base;
}

unsigned int t_put_address(struct translator *t, const struct soft_op *op, bool sp,
			   unsigned int form, bool stays)
{
	const unsigned int base = t_put_base(t, op, sp ? SOFT_X_SP : op->rn);

	if (form == SOFT_FORM_OFF && op->imm == 0 && stays)
		return base;
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
	return RAX;
}

_Static_assert(SOFT_PAGE_SHIFT - 5 + 17 <= 32, "the index is in the lower half");

void t_put_entry(struct translator *t, const struct soft_op *op, size_t side, unsigned int address,
		 unsigned int offset, unsigned int bytes)
{
	if (t->jit->bmi) {
		x86_rorx(&t->code, 32, RCX, address, SOFT_PAGE_SHIFT - 5);
	} else {
		x86_emit(&t->code, X86_mov, 32, RCX, x86_reg(address), 0);
		x86_emit(&t->code, X86_shr_imm8, 32, 0, x86_reg(RCX), SOFT_PAGE_SHIFT - 5);
	}
	x86_emit(&t->code, X86_and_imm32, 32, 0, x86_reg(RCX), (SOFT_TLB_SIZE - 1) << 5);
	if (t_unprivileged(op))
		x86_emit(&t->code, X86_add, 64, RCX,
			 x86_at(RBP, offsetof(struct soft_cpu, views.unprivileged_tlb)), 0);
	x86_emit(&t->code, X86_lea, 64, R11, x86_at(address, (int32_t)offset), 0);
	x86_emit(&t->code, X86_and_imm32, 64, 0, x86_reg(R11),
		 (int32_t)(SOFT_PAGE_MASK | (bytes - 1)));
	x86_emit(&t->code, X86_cmp, 64, R11, entry_at(side), 0);
	t_leave_unaligned(t, x86_jump_if(&t->code, X86_NE), op,
			  side == offsetof(struct soft_tlb_entry, write), address,
			  offset + bytes - 1);
}

void t_put_also_read(struct translator *t, const struct soft_op *op)
{
	x86_emit(&t->code, X86_cmp, 64, R11, entry_at(offsetof(struct soft_tlb_entry, read)), 0);
	t_leave_to(t, x86_jump_if(&t->code, X86_NE), op, t_slow(op));
}

void t_put_offset(struct translator *t)
{
	x86_emit(&t->code, X86_mov, 64, RCX, entry_at(offsetof(struct soft_tlb_entry, add)), 0);
}

void t_put_expected_offset(struct translator *t)
{
	const unsigned int place = t_place(t);

	x86_emit(&t->code, X86_mov, 64, R11, entry_at(offsetof(struct soft_tlb_entry, add)), 0);
	x86_emit(&t->code, X86_mov, 64, RCX, last_add(place), 0);
	x86_emit(&t->code, X86_cmp_to, 64, R11, x86_reg(RCX), 0);
	t_learn(t, x86_jump_if(&t->code, X86_NE), place);
}

void t_put_vector_entry(struct translator *t, const struct soft_op *op, size_t side,
			unsigned int address, unsigned int element, unsigned int bytes)
{
	uint8_t *aligned;

	t_put_entry(t, op, side, address, 0, 1);
	x86_emit(&t->code, X86_lea, 64, R11, x86_at(address, (int32_t)bytes - 1), 0);
	x86_emit(&t->code, X86_and_imm32, 64, 0, x86_reg(R11), (int32_t)SOFT_PAGE_MASK);
	x86_emit(&t->code, X86_cmp, 64, R11, entry_at(side), 0);
	t_leave_to(t, x86_jump_if(&t->code, X86_NE), op, t_slow(op));
	x86_emit(&t->code, X86_mov, 32, R11, x86_reg(address), 0);
	x86_emit(&t->code, X86_and_imm8, 32, 0, x86_reg(R11), (int32_t)element - 1);
	aligned = x86_jump_if(&t->code, X86_E);
	x86_emit(&t->code, X86_cmp8_imm8, 32, 0, entry_at(offsetof(struct soft_tlb_entry, device)),
		 0);
	t_leave_to(t, x86_jump_if(&t->code, X86_NE), op, t_slow(op));
	x86_here(&t->code, aligned);
	t_put_offset(t);
}

static struct x86_operand at(unsigned int address, unsigned int offset)
{
	return x86_indexed(address, RCX, (int32_t)offset);
}

static enum x86_form load_form(unsigned int arg)
{
	switch (T_ACCESS_BYTES(arg)) {
	case 8: return X86_mov;
	case 4: return arg & T_SIGNED_ACCESS ? X86_movsxd : X86_mov;
	case 2: return arg & T_SIGNED_ACCESS ? X86_movsx16 : X86_movzx16;
	default: return arg & T_SIGNED_ACCESS ? X86_movsx8 : X86_movzx8;
	}
}

static enum x86_form store_form(unsigned int arg)
{
	switch (T_ACCESS_BYTES(arg)) {
	case 2: return X86_mov_to16;
	case 1: return X86_mov_to8;
	default: return X86_mov_to;
	}
}

void host_access(struct jit_code *code, bool load, unsigned int arg, unsigned int width,
		 unsigned int reg, unsigned int address, unsigned int offset)
{
	x86_emit(code, load ? load_form(arg) : store_form(arg), width, reg, at(address, offset), 0);
}

void host_take_target(struct jit_code *code, unsigned int reg)
{
	x86_emit(code, X86_mov, 64, reg, x86_reg(RAX), 0);
}

/*
 * Access the bytes of a register, at offset of the access. The bytes above those of a load become
 * 0.
 */
void host_access_vector(struct jit_code *code, bool load, unsigned int n, unsigned int address,
			unsigned int offset, unsigned int bytes)
{
	static const struct {
		uint8_t load, store; /* enum x86_form */
	} moves[] = {{X86_movd, X86_movd_to}, {X86_movq, X86_movq_to}, {X86_movups, X86_movups_to}};
	const unsigned int size = bytes == 4 ? 0 : bytes == 8 ? 1 : 2;
	const struct x86_operand memory = at(address, offset);

	if (load) {
		x86_emit(code, moves[size].load, 32, XMM0, memory, 0);
		x86_emit(code, X86_movups_to, 32, XMM0, v_at(n, 0), 0);
	} else {
		x86_emit(code, X86_movups, 32, XMM0, v_at(n, 0), 0);
		x86_emit(code, moves[size].store, 32, XMM0, memory, 0);
	}
}

void host_set_vector(struct jit_code *code, unsigned int n, int32_t distance, bool both)
{
	host_load_field(code, RAX, distance);
	x86_emit(code, X86_mov_to, 64, RAX, v_at(n, 0), 0);
	if (!both)
		x86_move(code, RAX, 0);
	x86_emit(code, X86_mov_to, 64, RAX, v_at(n, 8), 0);
}

#endif
