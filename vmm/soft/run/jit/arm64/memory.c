/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loads and stores on arm64: X16 is the guest's address, unless a register has it. X17 is its entry
 * of the software TLB, then what to add for the host's address.
 */
#include "soft/run/jit/arm64/operands.h"

#if SOFT_JIT

void a_load_imm(struct translator *t, const struct soft_op *op, unsigned int width,
		unsigned int reg)
{
	int32_t imm;

	if (t_small(op, width, &imm))
		arm64_move(&t->code, reg, width == 64 ? (uint64_t)(int64_t)imm : (uint32_t)imm);
	else
		host_load_field(&t->code, reg,
				t_distance(t, op) + (int32_t)offsetof(struct soft_op, imm));
}

/* to = from + the immediate. */
static void put_sum(struct translator *t, const struct soft_op *op, unsigned int to,
		    unsigned int from)
{
	const int64_t imm = (int64_t)op->imm;

	if (imm > -4096 && imm < 4096) {
		arm64_emit(&t->code, imm < 0 ? ARM64_sub_imm : ARM64_add_imm, 64, to, from, 0,
			   (unsigned int)(imm < 0 ? -imm : imm));
		return;
	}
	a_load_imm(t, op, 64, A_SECOND);
	arm64_emit(&t->code, ARM64_add, 64, to, from, A_SECOND, 0);
}

void t_add_imm(struct translator *t, const struct soft_op *op, unsigned int reg)
{
	put_sum(t, op, reg, reg);
}

unsigned int t_put_indexed(struct translator *t, unsigned int base, unsigned int index,
			   unsigned int shift)
{
	arm64_emit(&t->code, ARM64_add, 64, A_TARGET, base, index, ARM64_SHIFT(0u, shift));
	return A_TARGET;
}

unsigned int t_put_displaced(struct translator *t, unsigned int base, int32_t by)
{
	if (by == 0)
		return base;
	arm64_emit(&t->code, by < 0 ? ARM64_sub_imm : ARM64_add_imm, 64, A_TARGET, base, 0,
		   (unsigned int)(by < 0 ? -by : by));
	return A_TARGET;
}

unsigned int t_put_base(struct translator *t, const struct soft_op *op, unsigned int slot)
{
	const unsigned int base = t_use(t, slot);

	if (slot == SOFT_X_SP && !t->sp_aligned) {
		t->sp_aligned = true;
		a_load_cpu(&t->code, A_SECOND, offsetof(struct soft_cpu, sp_mask));
		arm64_emit(&t->code, ARM64_ands, 64, ARM64_ZR, base, A_SECOND, 0);
		t_leave_to(t, arm64_jump_if(&t->code, A_NE), op, t_slow(op));
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
	case SOFT_FORM_PRE: put_sum(t, op, A_TARGET, base); break;
	case SOFT_FORM_POST: a_copy(&t->code, 64, A_TARGET, base); break;
	case SOFT_FORM_LSL:
		arm64_emit(&t->code, ARM64_add, 64, A_TARGET, base, t_use(t, op->rm),
			   ARM64_SHIFT(0u, op->aux));
		break;
	default:
		arm64_emit(&t->code, ARM64_add_extended, 64, A_TARGET, base, t_use(t, op->rm),
			   ARM64_EXTEND((unsigned int)op->ra, op->aux));
	}
	return A_TARGET;
}

_Static_assert(sizeof(struct soft_tlb_entry) == 32 && SOFT_TLB_SIZE == 4096 &&
		       SOFT_PAGE_SHIFT == 12,
	       "an index of 12 bits, shifted by five");

/*
 * X15 is a page. Returns a jump that is taken unless address + offset is in it, and aligned to
 * bytes.
 */
static uint8_t *put_check(struct translator *t, unsigned int address, unsigned int offset,
			  unsigned int bytes)
{
	if (offset) {
		arm64_emit(&t->code, ARM64_add_imm, 64, A_THIRD, address, 0, offset);
		address = A_THIRD;
	}
	arm64_emit(&t->code, ARM64_and_imm, 64, A_THIRD, address, 0, page_mask(bytes));
	arm64_emit(&t->code, ARM64_subs, 64, ARM64_ZR, A_THIRD, A_SECOND, 0);
	return arm64_jump_if(&t->code, A_NE);
}

void t_put_entry(struct translator *t, const struct soft_op *op, size_t side, unsigned int address,
		 unsigned int offset, unsigned int bytes)
{
	arm64_emit(&t->code, ARM64_ubfm, 64, A_FIRST, address, 0,
		   ARM64_FIELD_OF(SOFT_PAGE_SHIFT, SOFT_PAGE_SHIFT + 11));
	a_load_cpu(&t->code, A_SECOND, offsetof(struct soft_cpu, tlb));
	arm64_emit(&t->code, ARM64_add, 64, A_FIRST, A_SECOND, A_FIRST, ARM64_SHIFT(0, 5));
	if (t_unprivileged(op)) {
		a_load_cpu(&t->code, A_SECOND, offsetof(struct soft_cpu, views.unprivileged_tlb));
		arm64_emit(&t->code, ARM64_add, 64, A_FIRST, A_FIRST, A_SECOND, 0);
	}
	arm64_emit(&t->code, ARM64_ldr_x_at, 64, A_SECOND, A_FIRST, 0, (unsigned int)(side / 8));
	t_leave_unaligned(t, put_check(t, address, offset, bytes), op,
			  side == offsetof(struct soft_tlb_entry, write), address,
			  offset + bytes - 1);
}

void t_put_also_read(struct translator *t, const struct soft_op *op)
{
	arm64_emit(&t->code, ARM64_ldr_x_at, 64, A_SECOND, A_FIRST, 0,
		   offsetof(struct soft_tlb_entry, read) / 8);
	arm64_emit(&t->code, ARM64_subs, 64, ARM64_ZR, A_THIRD, A_SECOND, 0);
	t_leave_to(t, arm64_jump_if(&t->code, A_NE), op, t_slow(op));
}

void t_put_offset(struct translator *t)
{
	arm64_emit(&t->code, ARM64_ldr_x_at, 64, A_FIRST, A_FIRST, 0,
		   offsetof(struct soft_tlb_entry, add) / 8);
}

void t_put_expected_offset(struct translator *t)
{
	const unsigned int place = t_place(t);

	arm64_emit(&t->code, ARM64_ldr_x_at, 64, A_THIRD, A_FIRST, 0,
		   offsetof(struct soft_tlb_entry, add) / 8);
	a_load_cpu(&t->code, A_FIRST, last_add(place));
	arm64_emit(&t->code, ARM64_subs, 64, ARM64_ZR, A_THIRD, A_FIRST, 0);
	t_learn(t, arm64_jump_if(&t->code, A_NE), place);
}

void t_put_vector_entry(struct translator *t, const struct soft_op *op, size_t side,
			unsigned int address, unsigned int element, unsigned int bytes)
{
	uint8_t *aligned;

	t_put_entry(t, op, side, address, 0, 1);
	t_leave_to(t, put_check(t, address, bytes - 1, 1), op, t_slow(op));
	if (element == 1) {
		t_put_offset(t);
		return;
	}
	arm64_emit(&t->code, ARM64_ands_imm, 64, ARM64_ZR, address, 0,
		   1 << 12 | ((unsigned int)__builtin_ctz(element) - 1));
	aligned = arm64_jump_if(&t->code, A_EQ);
	arm64_emit(&t->code, ARM64_ldrb_at, 64, A_SECOND, A_FIRST, 0,
		   offsetof(struct soft_tlb_entry, device));
	t_leave_to(t, arm64_jump_zero(&t->code, 32, A_SECOND, false), op, t_slow(op));
	arm64_here(&t->code, aligned);
	t_put_offset(t);
}

static enum arm64_form access_form(bool load, unsigned int arg, unsigned int width)
{
	const bool is_signed = arg & T_SIGNED_ACCESS;

	switch (T_ACCESS_BYTES(arg)) {
	case 8: return load ? ARM64_ldr_x : ARM64_str_x;
	case 4: return !load ? ARM64_str_w : is_signed ? ARM64_ldrsw : ARM64_ldr_w;
	case 2:
		if (!load || !is_signed)
			return load ? ARM64_ldrh : ARM64_strh;
		return width == 64 ? ARM64_ldrsh_x : ARM64_ldrsh_w;
	default:
		if (!load || !is_signed)
			return load ? ARM64_ldrb : ARM64_strb;
		return width == 64 ? ARM64_ldrsb_x : ARM64_ldrsb_w;
	}
}

/* The base of an access at address + offset. */
static unsigned int base_of(struct jit_code *code, unsigned int address, unsigned int offset)
{
	if (!offset)
		return address;
	arm64_emit(code, ARM64_add_imm, 64, A_SECOND, address, 0, offset);
	return A_SECOND;
}

void host_access(struct jit_code *code, bool load, unsigned int arg, unsigned int width,
		 unsigned int reg, unsigned int address, unsigned int offset)
{
	arm64_emit(code, access_form(load, arg, width), width, reg, base_of(code, address, offset),
		   A_FIRST, 0);
}

void host_take_target(struct jit_code *code, unsigned int reg)
{
	a_copy(code, 64, reg, A_TARGET);
}

#define V0 0

static size_t vector_offset(unsigned int n)
{
	return offsetof(struct soft_cpu, v) + n * sizeof(union soft_vector);
}

_Static_assert(sizeof(union soft_vector) == 16 && offsetof(struct soft_cpu, v) % 8 == 0 &&
		       offsetof(struct soft_cpu, v) + 64 * sizeof(union soft_vector) < 4096 &&
		       offsetof(struct soft_cpu, fp_usual) < 4096,
	       "accessed by halves, or as a whole, at an offset of 12 bits");

/* What a load does not reach is 0. */
void host_access_vector(struct jit_code *code, bool load, unsigned int n, unsigned int address,
			unsigned int offset, unsigned int bytes)
{
	static const uint8_t loads[] = {ARM64_ldr_s, ARM64_ldr_d, ARM64_ldr_q};
	static const uint8_t stores[] = {ARM64_str_s, ARM64_str_d, ARM64_str_q};
	const unsigned int size = bytes == 4 ? 0 : bytes == 8 ? 1 : 2;
	const unsigned int base = base_of(code, address, offset);

	arm64_emit(code, ARM64_add_imm, 64, A_THIRD, A_CPU, 0, (unsigned int)vector_offset(n));
	if (load) {
		arm64_emit(code, (enum arm64_form)loads[size], 64, V0, base, A_FIRST, 0);
		arm64_emit(code, ARM64_str_q_at, 64, V0, A_THIRD, 0, 0);
	} else {
		arm64_emit(code, ARM64_ldr_q_at, 64, V0, A_THIRD, 0, 0);
		arm64_emit(code, (enum arm64_form)stores[size], 64, V0, base, A_FIRST, 0);
	}
}

void host_set_vector(struct jit_code *code, unsigned int n, int32_t distance, bool both)
{
	host_load_field(code, A_SECOND, distance);
	a_store_cpu(code, A_SECOND, vector_offset(n));
	a_store_cpu(code, both ? A_SECOND : ARM64_ZR, vector_offset(n) + 8);
}

#endif
