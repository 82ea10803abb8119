/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Templates of atomic operations, compare and swap, and exclusives, of one register: the effect of
 * the functions of mem/atomic.c for an aligned address in a page that the software TLB has. vCPUs
 * take turns, so plain loads and stores are atomic for all of them. A page with another vCPU's
 * monitor is watched, like one with code.
 */
#include "a64/a64.h"
#include "soft/mem/atomic.h"
#include "soft/run/jit/templates.h"

#if SOFT_JIT

/* Check the base and its page. Returns the base's register. */
static unsigned int put_place(struct translator *t, const struct soft_op *op, bool read, bool write,
			      unsigned int bytes)
{
	const unsigned int address = t_put_base(t, op, op->rn);

	t_put_entry(t, op,
		    write ? offsetof(struct soft_tlb_entry, write)
			  : offsetof(struct soft_tlb_entry, read),
		    address, 0, bytes);
	if (read && write)
		t_put_also_read(t, op);
	t_put_offset(t);
	t_put_line(t, op, write, address, 0);
	return address;
}

/* The target becomes the new value of a slot. */
static void take(struct translator *t, unsigned int slot)
{
	if (slot != SOFT_X_ZERO)
		host_take_target(&t->code, t_define(t, slot));
}

static bool put_atomic(struct translator *t, const struct soft_op *op, unsigned int width,
		       unsigned int arg)
{
	const unsigned int bytes = 1u << a64_get_atomic(op->word).size;
	const unsigned int operand = t_use(t, op->rm);
	const unsigned int address = put_place(t, op, true, true, bytes);

	(void)width;
	host_exchange(&t->code, arg, bytes, operand, address);
	take(t, op->rd);
	return true;
}

static bool put_compare_and_swap(struct translator *t, const struct soft_op *op, unsigned int width,
				 unsigned int arg)
{
	const unsigned int bytes = 1u << a64_get_exclusive(op->word).size;
	const unsigned int expected = t_use(t, op->rm), value = t_use(t, op->rd);
	const unsigned int address = put_place(t, op, true, true, bytes);

	(void)width, (void)arg;
	host_compare_and_swap(&t->code, bytes, expected, value, address);
	take(t, op->rm);
	return true;
}

static bool put_load_exclusive(struct translator *t, const struct soft_op *op, unsigned int width,
			       unsigned int arg)
{
	const unsigned int bytes = 1u << a64_get_exclusive(op->word).size;
	const unsigned int address = put_place(t, op, true, false, bytes);

	(void)width, (void)arg;
	host_load_exclusive(&t->code, bytes, address);
	take(t, op->rd);
	return true;
}

static bool put_store_exclusive(struct translator *t, const struct soft_op *op, unsigned int width,
				unsigned int arg)
{
	const unsigned int bytes = 1u << a64_get_exclusive(op->word).size;
	const unsigned int value = t_use(t, op->rd);
	const unsigned int address = put_place(t, op, false, true, bytes);

	(void)width, (void)arg;
	host_store_exclusive(&t->code, bytes, value, address);
	take(t, op->rm);
	return true;
}

const struct template_row *t_atomic_row(const struct soft_op *op)
{
	static const struct {
		uint16_t id;
		struct template_row row;
	} rows[] = {
		{A64_LDADD, {put_atomic, T_ATOMIC_ADD, 64, false}},
		{A64_LDCLR, {put_atomic, T_ATOMIC_CLEAR, 64, false}},
		{A64_LDEOR, {put_atomic, T_ATOMIC_XOR, 64, false}},
		{A64_LDSET, {put_atomic, T_ATOMIC_SET, 64, false}},
		{A64_SWP, {put_atomic, T_ATOMIC_SWAP, 64, false}},
		{A64_CAS, {put_compare_and_swap, 0, 64, false}},
		{A64_LDXR, {put_load_exclusive, 0, 64, false}},
		{A64_STXR, {put_store_exclusive, 0, 64, false}},
	};
	const struct a64_insn *insn = a64_decode(op->word);

	if (op->imm ==
	    (uintptr_t)soft_op_store_exclusive_may_fail) /* it asks in the order of execution */
		return NULL;
	for (size_t n = 0; insn && n < sizeof(rows) / sizeof(rows[0]); n++) {
		if (rows[n].id == insn->id)
			return &rows[n].row;
	}
	return NULL;
}

#endif
