/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Templates of FP and SIMD: loads and stores, constants, and calls of the functions that compute
 * with vectors, from inside a block.
 */
#include "soft/run/jit/templates.h"

#if SOFT_JIT

/* Leave op to run if a flag of the vCPU is set. */
static void leave_if_set(struct translator *t, const struct soft_op *op, size_t flag,
			 soft_handler *run)
{
	t_leave_to(t, host_if_set(&t->code, flag), op, run);
}

/*
 * Check that FP and SIMD instructions may be executed here. Whatever makes them trap leaves the
 * fast loop, so the first of them checks for all.
 */
static void check_allowed(struct translator *t, const struct soft_op *op)
{
	if (!t->fp_allowed)
		leave_if_set(t, op, offsetof(struct soft_cpu, fp_trapped), soft_lone_handler(op));
	t->fp_allowed = true;
}

/* With longer vectors of SVE: leave op to its handler if it has to make the rest of Zn 0. */
static void check_upper(struct translator *t, const struct soft_op *op, unsigned int n)
{
	if (t->jit->scalable)
		leave_if_set(t, op, offsetof(struct soft_cpu, upper) + n, soft_lone_handler(op));
}

void t_call_function(struct translator *t, const struct soft_op *op)
{
	t_flush(t);
	t_forget(t);
	t->flags = NO_FLAGS; /* FCMP sets them */
	t->guess = SOFT_FLAGS_NZCV;
	t_set_flag_slots(t, NO_SLOT, NO_SLOT);
	t_point_to(t, op);
	host_call_vector(&t->code, (soft_vector_function *)(uintptr_t)op->imm, t->block->ops);
	t->op_of = t->block;
}

bool t_put_vector(struct translator *t, const struct soft_op *op, unsigned int width,
		  unsigned int arg)
{
	check_allowed(t, op);
	check_upper(t, op, op->rd);
	if (!t_put_vector_inline(t, op, width, arg))
		t_call_function(t, op);
	return true;
}

bool t_put_vector_immediate(struct translator *t, const struct soft_op *op, unsigned int width,
			    unsigned int arg)
{
	(void)width, (void)arg;
	check_allowed(t, op);
	check_upper(t, op, op->rd);
	host_set_vector(&t->code, op->rd,
			t_distance(t, op) + (int32_t)offsetof(struct soft_op, imm), op->aux);
	return true;
}

/* arg: the bytes of a register, and whether there are two. */
static bool put_access(struct translator *t, const struct soft_op *op, unsigned int arg, bool load,
		       unsigned int form, bool sp)
{
	const unsigned int bytes = arg & ~(unsigned int)T_TWO, count = arg & T_TWO ? 2 : 1;
	unsigned int address;

	address = t_put_address(t, op, sp, form, true);
	leave_if_set(t, op, offsetof(struct soft_cpu, fp_slow), soft_slow_memory);
	if (load)
		check_upper(t, op, op->rd);
	if (load && count == 2)
		check_upper(t, op, op->ra);
	t_put_vector_entry(t, op,
			   load ? offsetof(struct soft_tlb_entry, read)
				: offsetof(struct soft_tlb_entry, write),
			   address, bytes, count * bytes);
	t_put_line(t, op, !load, address, count * bytes);
	if (load)
		t_write_back(t, op, sp, form);
	host_access_vector(&t->code, load, op->rd, address, 0, bytes);
	if (count == 2)
		host_access_vector(&t->code, load, op->ra, address, bytes, bytes);
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
