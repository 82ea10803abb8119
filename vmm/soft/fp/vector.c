/* SPDX-License-Identifier: BSD-2-Clause */
/* The shapes of Advanced SIMD, and of scalar floating-point on one element: see vector.h. */
#include "soft/fp/vector.h"

#include "soft/fp/element.h"

void soft_run_vector(struct soft_cpu *cpu, const struct soft_op *op)
{
	((soft_vector_function *)(uintptr_t)op->imm)(cpu, op);
	cpu->fp_usual = float_is_usual(&cpu->sys.fp);
}

void soft_zero_upper(struct soft_cpu *cpu, unsigned int n)
{
	for (unsigned int c = 1; c < cpu->sys.sve_vl / 16u; c++)
		cpu->z[c][n] = (union soft_vector){.d = {0, 0}};
	cpu->upper[n] = false;
}

void soft_clear_written(struct soft_cpu *cpu, const struct soft_op *op)
{
	uint64_t left = a64_register_sets(a64_decode(op->word), op->word).writes >> 32;

	for (; left; left &= left - 1)
		soft_clear_upper(cpu, (unsigned int)__builtin_ctzll(left));
}

static unsigned int size_of(const struct soft_op *op)
{
	return op->aux & 3;
}

static soft_lanes *lanes_of(const struct soft_op *op, unsigned int size)
{
	return soft_lanes_table[op->aux >> 2][size];
}

/* U chooses between signed and unsigned wherever elements are widened. */
static bool is_signed(const struct soft_op *op)
{
	return !(op->word >> 29 & 1);
}

/* Q, for narrower elements: they are in the upper half of a register. */
static bool upper(const struct soft_op *op)
{
	return op->word >> 30 & 1 && !soft_is_scalar(op->word);
}

static union soft_vector widen(const union soft_vector *v, unsigned int size, bool from_upper,
			       bool sign)
{
	const unsigned int count = 8u >> size, first = from_upper ? count : 0;
	union soft_vector wide = {0};

	for (unsigned int i = 0; i < count; i++) {
		const uint64_t value = soft_element(v, size, first + i);

		soft_set_element(&wide, size + 1, i, sign ? soft_sign_extend(value, size) : value);
	}
	return wide;
}

/* All elements of the result are the element of Vm that an instruction by element names. */
static union soft_vector indexed(const struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_vector_indexed f = a64_get_vector_indexed(op->word);
	const unsigned int size = size_of(op);
	const unsigned int index = (f.h << 2 | f.l << 1 | f.m) >> (size - 1);
	const unsigned int m = size == 1 ? f.rm4 : f.m << 4 | f.rm4;
	union soft_vector all;

	soft_fill(&all, size, soft_element(&cpu->v[m], size, index));
	return all;
}

static void work(struct soft_cpu *cpu, const struct soft_op *op, unsigned int size,
		 const union soft_vector *n, const union soft_vector *m)
{
	union soft_vector r = cpu->v[op->rd];

	lanes_of(op, size)(&cpu->sys.fp, &r, n, m, op->rm, op->ra >> size);
	soft_put_vector(cpu, op->rd, &r, op->ra);
}

void soft_shape_same(struct soft_cpu *cpu, const struct soft_op *op)
{
	work(cpu, op, size_of(op), &cpu->v[op->rn], &cpu->v[op->rm % 32]);
}

void soft_shape_element(struct soft_cpu *cpu, const struct soft_op *op)
{
	const union soft_vector m = indexed(cpu, op);

	work(cpu, op, size_of(op), &cpu->v[op->rn], &m);
}

/* Split the elements of a, followed by those of b, into the even and the odd ones. */
static void split(const union soft_vector *a, const union soft_vector *b, unsigned int size,
		  unsigned int count, union soft_vector *even, union soft_vector *odd)
{
	for (unsigned int i = 0; i < count; i++) {
		const union soft_vector *from = 2 * i < count ? a : b;
		const unsigned int at = 2 * i % count;

		soft_set_element(even, size, i, soft_element(from, size, at));
		soft_set_element(odd, size, i, soft_element(from, size, at + 1));
	}
}

void soft_shape_pair(struct soft_cpu *cpu, const struct soft_op *op)
{
	const unsigned int size = size_of(op);
	union soft_vector even = {0}, odd = {0};

	split(&cpu->v[op->rn], &cpu->v[op->rm], size, (unsigned int)op->ra >> size, &even, &odd);
	work(cpu, op, size, &even, &odd);
}

void soft_shape_pair_scalar(struct soft_cpu *cpu, const struct soft_op *op)
{
	const unsigned int size = size_of(op);
	const union soft_vector *n = &cpu->v[op->rn];
	union soft_vector second = {0};

	soft_set_element(&second, size, 0, soft_element(n, size, 1));
	work(cpu, op, size, n, &second);
}

void soft_shape_pair_long(struct soft_cpu *cpu, const struct soft_op *op)
{
	const unsigned int size = size_of(op), count = (unsigned int)op->ra >> (size + 1);
	const union soft_vector *n = &cpu->v[op->rn];
	union soft_vector even = {0}, odd = {0};

	for (unsigned int i = 0; i < count; i++) {
		uint64_t a = soft_element(n, size, 2 * i), b = soft_element(n, size, 2 * i + 1);

		if (is_signed(op)) {
			a = soft_sign_extend(a, size);
			b = soft_sign_extend(b, size);
		}
		soft_set_element(&even, size + 1, i, a);
		soft_set_element(&odd, size + 1, i, b);
	}
	work(cpu, op, size + 1, &even, &odd);
}

static void work_long(struct soft_cpu *cpu, const struct soft_op *op, const union soft_vector *m)
{
	const unsigned int size = size_of(op);
	const union soft_vector wide_n = widen(&cpu->v[op->rn], size, upper(op), is_signed(op));
	const union soft_vector wide_m = widen(m, size, upper(op), is_signed(op));

	work(cpu, op, size + 1, &wide_n, &wide_m);
}

void soft_shape_long(struct soft_cpu *cpu, const struct soft_op *op)
{
	work_long(cpu, op, &cpu->v[op->rm % 32]);
}

void soft_shape_long_element(struct soft_cpu *cpu, const struct soft_op *op)
{
	const union soft_vector m = indexed(cpu, op);

	work_long(cpu, op, &m);
}

void soft_shape_wide(struct soft_cpu *cpu, const struct soft_op *op)
{
	const unsigned int size = size_of(op);
	const union soft_vector m = widen(&cpu->v[op->rm], size, upper(op), is_signed(op));

	work(cpu, op, size + 1, &cpu->v[op->rn], &m);
}

/* ra: 8, or the bytes of one narrow element. */
void soft_shape_narrow(struct soft_cpu *cpu, const struct soft_op *op)
{
	const unsigned int size = size_of(op), count = (unsigned int)op->ra >> size;
	union soft_vector r = {0}, narrow = {0};

	lanes_of(op, size + 1)(&cpu->sys.fp, &r, &cpu->v[op->rn], &cpu->v[op->rm % 32], op->rm,
			       count);
	for (unsigned int i = 0; i < count; i++)
		soft_set_element(&narrow, size, i, soft_element(&r, size + 1, i));
	if (upper(op))
		cpu->v[op->rd].d[1] = narrow.d[0];
	else
		soft_put_vector(cpu, op->rd, &narrow, op->ra);
}

/* ra: the bytes of Vn. */
void soft_shape_across(struct soft_cpu *cpu, const struct soft_op *op)
{
	const unsigned int size = size_of(op);
	const union soft_vector *n = &cpu->v[op->rn];
	union soft_vector sum = *n, next = {0};

	for (unsigned int i = 1; i < (unsigned int)op->ra >> size; i++) {
		const union soft_vector before = sum;

		soft_set_element(&next, size, 0, soft_element(n, size, i));
		lanes_of(op, size)(&cpu->sys.fp, &sum, &before, &next, 0, 1);
	}
	soft_put_vector(cpu, op->rd, &sum, 1u << size);
}

void soft_shape_across_long(struct soft_cpu *cpu, const struct soft_op *op)
{
	const unsigned int size = size_of(op);
	union soft_vector sum = {.d = {0, 0}};

	for (unsigned int i = 0; i < (unsigned int)op->ra >> size; i++) {
		const uint64_t value = soft_element(&cpu->v[op->rn], size, i);

		sum.d[0] += is_signed(op) ? soft_sign_extend(value, size) : value;
	}
	soft_put_vector(cpu, op->rd, &sum, 2u << size);
}

void soft_shape_across_float(struct soft_cpu *cpu, const struct soft_op *op)
{
	const unsigned int size = size_of(op);
	union soft_vector r = cpu->v[op->rn], even = {0}, odd = {0};

	for (unsigned int count = (unsigned int)op->ra >> size; count > 1; count /= 2) {
		split(&r, &r, size, count, &even, &odd);
		lanes_of(op, size)(&cpu->sys.fp, &r, &even, &odd, 0, count / 2);
	}
	soft_put_vector(cpu, op->rd, &r, 1u << size);
}
