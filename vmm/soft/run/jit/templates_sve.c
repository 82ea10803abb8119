/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Templates of SVE, for what loops spend their time in: loads and stores of consecutive elements,
 * lanes, and steps of a counter, with the machine's longest vectors if those are short, and under a
 * predicate that is true for all elements. The last round of a loop, other lengths, and all other
 * instructions are left to the functions that interpret them.
 */
#include "soft/run/jit/templates.h"
#include "soft/sve/memory.h"
#include "soft/sve/predicate.h"

#if SOFT_JIT

/* Whatever makes SVE trap leaves the fast loop, so the first of them checks for all. */
static void check_allowed(struct translator *t, const struct soft_op *op)
{
	if (!t->sve_allowed)
		t_leave_to(t, host_if_set(&t->code, offsetof(struct soft_cpu, sve_trapped)), op,
			   soft_lone_handler(op));
	t->sve_allowed = true;
}

/* ... and so does what changes the length. */
static void check_length(struct translator *t, const struct soft_op *op)
{
	if (!t->sve_length)
		t_leave_to(t,
			   host_unless_bits(&t->code, offsetof(struct soft_cpu, vl), UINT16_MAX,
					    t->jit->vl),
			   op, soft_lone_handler(op));
	t->sve_length = true;
}

/* Leave op unless all elements of 1 << size bytes are active. */
static void check_all_active(struct translator *t, const struct soft_op *op, unsigned int size)
{
	const size_t predicate =
		offsetof(struct soft_cpu, p) + op->ra * sizeof(union soft_predicate);
	const uint32_t all = (uint32_t)soft_sve_first(t->jit->vl, size).d[0];

	t_leave_to(t, host_unless_bits(&t->code, predicate, all, all), op, soft_lone_handler(op));
}

static void put_written(struct translator *t, unsigned int d)
{
	if (t->jit->vl > 16)
		host_set_flag(&t->code, offsetof(struct soft_cpu, upper) + d);
}

/* INCB and the like: Rdn and a constant, if the length is known. */
static bool put_count_add(struct translator *t, const struct soft_op *op)
{
	const struct a64_sve_count_add f = a64_get_sve_count_add(op->word);
	const int32_t count =
		(int32_t)(soft_sve_pattern(t->jit->vl, f.pattern, f.size) * (f.imm4 + 1));
	unsigned int reg;

	if (f.rd == 31)
		return false;
	check_allowed(t, op);
	check_length(t, op);
	reg = t_use(t, f.rd);
	(void)t_define(t, f.rd); /* in the same register */
	host_add(&t->code, reg, f.d ? -count : count);
	return true;
}

/* Which registers a function combines, by the segment. */
enum reg { D, N, M };
struct shape {
	soft_vector_function *function;
	uint8_t acc, n, m; /* enum reg */
	bool predicated, is_float;
};

static const struct shape *shape_of(const struct soft_op *op)
{
	static const struct shape shapes[] = {
		{soft_sve_same, D, N, M, false, false},
		{soft_sve_merge_pred, D, D, N, true, false},
		{soft_sve_merge_reverse, D, N, D, true, false},
		{soft_sve_merge_three, D, N, M, true, false},
		{soft_sve_float_same, D, N, M, false, true},
		{soft_sve_float_pred, D, D, N, true, true},
		{soft_sve_float_pred_reversed, D, N, D, true, true},
		{soft_sve_float_mla, D, N, M, true, true},
		{soft_sve_float_mad, M, D, N, true, true},
	};

	for (size_t n = 0; n < sizeof(shapes) / sizeof(shapes[0]); n++) {
		if (shapes[n].function == (soft_vector_function *)(uintptr_t)op->imm)
			return &shapes[n];
	}
	return NULL;
}

static bool put_lanes(struct translator *t, const struct soft_op *op)
{
	const struct shape *shape = shape_of(op);
	const uint8_t registers[] = {[D] = op->rd, [N] = op->rn, [M] = op->rm};
	struct t_segments s;

	if (!shape)
		return false;
	s = (struct t_segments){
		.lane = op->aux >> 2,
		.size = soft_sve_size(op),
		.count = t->jit->vl / 16u,
		.d = op->rd,
		.acc = registers[shape->acc],
		.n = registers[shape->n],
		.m = registers[shape->m],
		.is_float = shape->is_float,
	};
	if (!t_has_segments(t, &s))
		return false;
	check_allowed(t, op);
	check_length(t, op);
	if (shape->predicated)
		check_all_active(t, op, s.size);
	t_put_segments(t, op, &s);
	put_written(t, op->rd);
	return true;
}

bool t_put_sve(struct translator *t, const struct soft_op *op, unsigned int width, unsigned int arg)
{
	soft_vector_function *const function = (soft_vector_function *)(uintptr_t)op->imm;

	(void)width, (void)arg;
	if (t->jit->vl &&
	    (function == soft_sve_count_add ? put_count_add(t, op) : put_lanes(t, op)))
		return true;
	check_allowed(t, op);
	t_call_function(t, op);
	return true;
}

/* The address of elements, or of a whole register, that follow each other; its register. */
static unsigned int put_address(struct translator *t, const struct soft_op *op,
				const struct soft_sve_access *a)
{
	const unsigned int base = t_put_base(t, op, op->rn == 31 ? SOFT_X_SP : op->rn);

	if (a->address == A64_ADDR_SVE_REGISTER)
		return t_put_indexed(t, base, t_use(t, op->rm), a->memory);
	return t_put_displaced(t, base,
			       (int32_t)a64_contiguous_offset((enum a64_address)a->address,
							      op->word, 1u << a->memory, t->jit->vl,
							      0));
}

/* arg: is it a load? --model warm has the handler, which shows the model each line. */
static bool put_access(struct translator *t, const struct soft_op *op, unsigned int width,
		       unsigned int arg)
{
	const struct soft_sve_access a = soft_sve_access_of(op);
	const bool whole = a.address == A64_ADDR_SVE_FILL;
	unsigned int address;

	(void)width;
	if (!t->jit->vl || t->warm)
		return false;
	check_allowed(t, op);
	check_length(t, op);
	t_leave_to(t, host_if_set(&t->code, offsetof(struct soft_cpu, all_aligned)), op,
		   soft_lone_handler(op));
	if (!whole)
		check_all_active(t, op, a.element);
	address = put_address(t, op, &a);
	t_put_vector_entry(t, op,
			   arg ? offsetof(struct soft_tlb_entry, read)
			       : offsetof(struct soft_tlb_entry, write),
			   address, whole ? 16 : 1u << a.memory, t->jit->vl);
	for (unsigned int c = 0; c < t->jit->vl / 16u; c++)
		host_access_vector(&t->code, arg, T_SEGMENT(op->rd, c), address, 16 * c, 16);
	if (arg)
		put_written(t, op->rd);
	return true;
}

const struct template_row *t_sve_row(const struct soft_op *op)
{
	static const struct template_row store = {put_access, false, 64, false},
					 load = {put_access, true, 64, false};
	soft_function *const function = (soft_function *)(uintptr_t)op->imm;
	const struct soft_sve_access a = soft_sve_access_of(op);

	if (function == soft_sve_fill || function == soft_sve_spill)
		return function == soft_sve_fill ? &load : &store;
	if ((function != soft_sve_load && function != soft_sve_store) || a.count != 1 ||
	    a.memory != a.element)
		return NULL;
	if (a.address != A64_ADDR_SVE_OFFSET &&
	    (a.address != A64_ADDR_SVE_REGISTER || op->rm == 31))
		return NULL;
	return function == soft_sve_load ? &load : &store;
}

#endif
