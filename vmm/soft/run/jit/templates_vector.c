/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Templates of FP and SIMD: loads and stores, constants, and calls of the functions that compute
 * with vectors, from the midst of a block.
 */
#include "soft/run/jit/templates.h"

#if SOFT_JIT

#define XMM0 0

static struct x86_operand vector_at(unsigned int n, unsigned int half)
{
	return x86_at(RDI, (int32_t)(offsetof(struct soft_cpu, v) + n * sizeof(union soft_vector) +
				     8 * (size_t)half));
}

/* Unless a flag of the vCPU is false, op is left to run. */
static void leave_if_set(struct translator *t, const struct soft_op *op, size_t flag,
			 soft_handler *run)
{
	x86_emit(&t->code, X86_cmp8_imm8, 32, 0, x86_at(RDI, (int32_t)flag), 0);
	t_leave_to(t, x86_jump_if(&t->code, X86_NE), op, run);
}

/*
 * FP and SIMD instructions may be executed here. What makes them trap leaves the fast loop, so that
 * the first of them says it of all.
 */
static void check_allowed(struct translator *t, const struct soft_op *op)
{
	if (!t->fp_allowed)
		leave_if_set(t, op, offsetof(struct soft_cpu, fp_trapped), soft_lone_handler(op));
	t->fp_allowed = true;
}

bool t_put_vector(struct translator *t, const struct soft_op *op, unsigned int width,
		  unsigned int arg)
{
	(void)width, (void)arg;
	check_allowed(t, op);
	t_flush(t);
	t_forget(t);
	t->flags = NO_FLAGS; /* FCMP sets them */
	t->guess = SOFT_FLAGS_NZCV;
	x86_push(&t->code, RDX);
	x86_emit(&t->code, X86_lea, 64, RSI, t_field(t, op, 0), 0);
	x86_emit(&t->code, X86_call, 64, 0, x86_at(RSI, offsetof(struct soft_op, imm)), 0);
	x86_pop(&t->code, RDX);
	x86_emit(&t->code, X86_mov, 64, RDI, x86_reg(RBP), 0);
	x86_move(&t->code, RSI, (uintptr_t)t->block->ops);
	return true;
}

bool t_put_vector_immediate(struct translator *t, const struct soft_op *op, unsigned int width,
			    unsigned int arg)
{
	(void)width, (void)arg;
	check_allowed(t, op);
	x86_emit(&t->code, X86_mov, 64, RAX, T_IMM(t, op), 0);
	x86_emit(&t->code, X86_mov_to, 64, RAX, vector_at(op->rd, 0), 0);
	if (!op->aux)
		x86_move(&t->code, RAX, 0);
	x86_emit(&t->code, X86_mov_to, 64, RAX, vector_at(op->rd, 1), 0);
	return true;
}

/*
 * RAX is an address: RCX is what has to be added for the host's, if bytes from there on are in a
 * page that the software TLB has, and in Device memory each element is aligned.
 */
static void put_lookup(struct translator *t, const struct soft_op *op, size_t side,
		       unsigned int element, unsigned int bytes)
{
	uint8_t *aligned;

	leave_if_set(t, op, offsetof(struct soft_cpu, fp_slow), soft_slow_memory);
	t_put_entry(t, op, side, 0, 1);
	x86_emit(&t->code, X86_lea, 64, R11, x86_at(RAX, (int32_t)bytes - 1), 0);
	x86_emit(&t->code, X86_and_imm32, 64, 0, x86_reg(R11), (int32_t)SOFT_PAGE_MASK);
	x86_emit(&t->code, X86_cmp, 64, R11, x86_at(RCX, (int32_t)side), 0);
	t_leave_to(t, x86_jump_if(&t->code, X86_NE), op, soft_slow_memory);
	x86_emit(&t->code, X86_mov, 32, R11, x86_reg(RAX), 0);
	x86_emit(&t->code, X86_and_imm8, 32, 0, x86_reg(R11), (int32_t)element - 1);
	aligned = x86_jump_if(&t->code, X86_E);
	x86_emit(&t->code, X86_cmp8_imm8, 32, 0,
		 x86_at(RCX, offsetof(struct soft_tlb_entry, device)), 0);
	t_leave_to(t, x86_jump_if(&t->code, X86_NE), op, soft_slow_memory);
	x86_here(&t->code, aligned);
	t_put_offset(t);
}

/* The bytes of a register, to or from offset of the access. What a load does not reach is 0. */
static void put_transfer(struct translator *t, unsigned int n, unsigned int offset,
			 unsigned int bytes, bool load)
{
	static const struct {
		uint8_t load, store; /* enum x86_form */
	} moves[] = {{X86_movd, X86_movd_to}, {X86_movq, X86_movq_to}, {X86_movups, X86_movups_to}};
	const unsigned int size = bytes == 4 ? 0 : bytes == 8 ? 1 : 2;
	const struct x86_operand memory = x86_indexed(RAX, RCX, (int32_t)offset);

	if (load) {
		x86_emit(&t->code, moves[size].load, 32, XMM0, memory, 0);
		x86_emit(&t->code, X86_movups_to, 32, XMM0, vector_at(n, 0), 0);
	} else {
		x86_emit(&t->code, X86_movups, 32, XMM0, vector_at(n, 0), 0);
		x86_emit(&t->code, moves[size].store, 32, XMM0, memory, 0);
	}
}

/* arg: the bytes of a register, and whether there are two. */
static bool put_access(struct translator *t, const struct soft_op *op, unsigned int arg, bool load,
		       unsigned int form, bool sp)
{
	const unsigned int bytes = arg & ~(unsigned int)T_TWO, count = arg & T_TWO ? 2 : 1;

	t_put_address(t, op, sp, form);
	put_lookup(t, op,
		   load ? offsetof(struct soft_tlb_entry, read)
			: offsetof(struct soft_tlb_entry, write),
		   bytes, count * bytes);
	if (load)
		t_write_back(t, op, sp, form);
	put_transfer(t, op->rd, 0, bytes, load);
	if (count == 2)
		put_transfer(t, op->ra, bytes, bytes, load);
	if (!load)
		t_write_back(t, op, sp, form);
	t->fp_allowed = true;
	return true;
}

static bool put_vector_access(struct translator *t, const struct soft_op *op, unsigned int arg,
			      bool load)
{
	const bool two = arg & T_TWO;
	const unsigned int forms = two ? SOFT_PAIR_FORM_SP : SOFT_FORM_SP;
	const unsigned int first = two ? SOFT_ldp_s_off : SOFT_MEMORY_VECTOR;
	const unsigned int n = (op->kind - first) % (2 * forms);

	return put_access(t, op, arg, load, n % forms, n >= forms);
}

bool t_put_vector_load(struct translator *t, const struct soft_op *op, unsigned int width,
		       unsigned int arg)
{
	(void)width;
	return put_vector_access(t, op, arg, true);
}

bool t_put_vector_store(struct translator *t, const struct soft_op *op, unsigned int width,
			unsigned int arg)
{
	(void)width;
	return put_vector_access(t, op, arg, false);
}

#endif
