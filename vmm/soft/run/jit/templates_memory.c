/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Templates of loads and stores of general registers: the effect of the handlers of ops.c if the
 * software TLB has the page, in the same order, and the slow path for all else.
 */
#include "soft/run/jit/templates.h"

#if SOFT_JIT

/* The form of the operation of a row, enum soft_form, and whether its base is SP. */
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

static void put_lookup(struct translator *t, const struct soft_op *op, size_t side,
		       unsigned int address, unsigned int offset, unsigned int bytes)
{
	t_put_entry(t, op, side, address, offset, bytes);
	t_put_offset(t);
}

void t_write_back(struct translator *t, const struct soft_op *op, bool sp, unsigned int form)
{
	unsigned int base;

	if (form != SOFT_FORM_PRE && form != SOFT_FORM_POST)
		return;
	base = t_define(t, sp ? SOFT_X_SP : op->rn);
	if (form == SOFT_FORM_PRE)
		host_take_target(&t->code, base);
	else
		t_add_imm(t, op, base);
}

bool t_put_load(struct translator *t, const struct soft_op *op, unsigned int width,
		unsigned int arg)
{
	bool sp;
	const unsigned int form = form_of(op, &sp);
	unsigned int address;

	address = t_put_address(t, op, sp, form, true);
	t_put_entry(t, op, offsetof(struct soft_tlb_entry, read), address, 0, T_ACCESS_BYTES(arg));
	if (t->jit->flat)
		t_put_expected_offset(t);
	else
		t_put_offset(t);
	t_put_line(t, op, false, address, 0);
	t_write_back(t, op, sp, form);
	host_access(&t->code, true, arg, width, t_define(t, op->rd), address, 0);
	return true;
}

bool t_put_store(struct translator *t, const struct soft_op *op, unsigned int width,
		 unsigned int arg)
{
	bool sp;
	const unsigned int form = form_of(op, &sp);
	const unsigned int value = t_use(t, op->rd);
	unsigned int address;

	address = t_put_address(t, op, sp, form, true);
	put_lookup(t, op, offsetof(struct soft_tlb_entry, write), address, 0, T_ACCESS_BYTES(arg));
	t_put_line(t, op, true, address, 0);
	host_access(&t->code, false, arg, width, value, address, 0);
	t_write_back(t, op, sp, form);
	return true;
}

bool t_put_load_pair(struct translator *t, const struct soft_op *op, unsigned int width,
		     unsigned int arg)
{
	const unsigned int bytes = T_ACCESS_BYTES(arg);
	bool sp;
	const unsigned int form = pair_form_of(op, &sp);
	unsigned int address;

	address = t_put_address(t, op, sp, form, op->rd != op->rn);
	put_lookup(t, op, offsetof(struct soft_tlb_entry, read), address, bytes, bytes);
	t_put_line(t, op, false, address, 2 * bytes);
	t_write_back(t, op, sp, form);
	host_access(&t->code, true, arg, width, t_define(t, op->rd), address, 0);
	host_access(&t->code, true, arg, width, t_define(t, op->ra), address, bytes);
	return true;
}

bool t_put_store_pair(struct translator *t, const struct soft_op *op, unsigned int width,
		      unsigned int arg)
{
	const unsigned int bytes = T_ACCESS_BYTES(arg);
	bool sp;
	const unsigned int form = pair_form_of(op, &sp);
	const unsigned int first = t_use(t, op->rd), second = t_use(t, op->ra);
	unsigned int address;

	address = t_put_address(t, op, sp, form, true);
	put_lookup(t, op, offsetof(struct soft_tlb_entry, write), address, bytes, bytes);
	t_put_line(t, op, true, address, 2 * bytes);
	host_access(&t->code, false, arg, width, first, address, 0);
	host_access(&t->code, false, arg, width, second, address, bytes);
	t_write_back(t, op, sp, form);
	return true;
}

#endif
