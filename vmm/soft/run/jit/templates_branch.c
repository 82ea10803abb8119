/* SPDX-License-Identifier: BSD-2-Clause */
/* Templates of unconditional branches, of reads of system registers, and of NOP. */
#include "soft/run/jit/templates.h"

#if SOFT_JIT

/* Rd = the immediate: the return address. */
static void link_register(struct translator *t, const struct soft_op *op)
{
	host_load_field(&t->code, t_define(t, op->rd),
			t_distance(t, op) + (int32_t)offsetof(struct soft_op, imm));
}

/* Call a function that tells the model of op. */
static void tell(struct translator *t, const struct soft_op *op, soft_vector_function *function)
{
	t_flush(t);
	t_forget(t);
	t_point_to(t, op);
	host_call_vector(&t->code, function, t->block->ops);
	t->op_of = t->block;
}

bool t_put_branch(struct translator *t, const struct soft_op *op, unsigned int width,
		  unsigned int arg)
{
	(void)width;
	if (arg)
		link_register(t, op);
	if (arg && t->warm)
		tell(t, op, soft_warm_called);
	else if (t->warm && a64_flow(soft_decode(op->word)) == A64_FLOW_CONDITIONAL) /* AL, NV */
		host_train(&t->code, soft_op_pc(op), true);
	t_end(t, op + 1);
	return true;
}

bool t_put_jump(struct translator *t, const struct soft_op *op, unsigned int width,
		unsigned int arg)
{
	(void)width;
	host_set_target(&t->code, t_use(t, op->rn));
	if (arg)
		link_register(t, op);
	t_flush(t);
	if (t->warm) {
		host_set_pc(&t->code);
		tell(t, op,
		     a64_flow(soft_decode(op->word)) == A64_FLOW_RETURN ? soft_warm_return
									: soft_warm_jump);
		host_get_pc(&t->code);
	}
	t_jump(t, op);
	return true;
}

bool t_put_read_system(struct translator *t, const struct soft_op *op, unsigned int width,
		       unsigned int arg)
{
	uint8_t *repeats = host_if_set(&t->code, offsetof(struct soft_cpu, repeats) + op->aux);

	(void)width, (void)arg;
	if (!jit_full(&t->code))
		host_invert(repeats);
	t_leave_to(t, repeats, op, soft_lone_handler(op));
	host_load_value(&t->code, t_define(t, op->rd),
			offsetof(struct soft_cpu, repeat_values) + 8 * (size_t)op->aux);
	return true;
}

bool t_put_nothing(struct translator *t, const struct soft_op *op, unsigned int width,
		   unsigned int arg)
{
	(void)t, (void)op, (void)width, (void)arg;
	return true;
}

#endif
