/* SPDX-License-Identifier: BSD-2-Clause */
/* Complex numbers, FEAT_FCMA: pairs of elements, the real part in the even one. */
#include "soft/fp/element.h"
#include "soft/fp/vector.h"

static unsigned int bytes(const struct soft_op *op)
{
	return 8u << (op->word >> 30 & 1);
}

static uint64_t negate_if(struct soft_cpu *cpu, unsigned int size, uint64_t value, bool negative)
{
	return negative ? float_negate(&cpu->sys.fp, (enum float_size)(size - 1), value) : value;
}

/* FCADD: Vm is turned by 90 degrees, or by 270. */
void soft_vector_complex_add(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_vector_three_extra f = a64_get_vector_three_extra(op->word);
	const union soft_vector *n = &cpu->v[f.rn], *m = &cpu->v[f.rm];
	const enum float_size format = (enum float_size)(f.size - 1);
	const bool by_270 = f.opcode >> 1 & 1;
	union soft_vector r = {0};

	for (unsigned int i = 0; i < bytes(op) >> f.size; i++) {
		/* The real part is combined with the imaginary one, and the other way round. */
		const uint64_t turned =
			negate_if(cpu, f.size, soft_element(m, f.size, i ^ 1), by_270 == (i & 1));

		soft_set_element(
			&r, f.size, i,
			float_add(&cpu->sys.fp, format, soft_element(n, f.size, i), turned));
	}
	soft_put_vector(cpu, f.rd, &r, bytes(op));
}

/*
 * FCMLA: a rotation by 0, 90, 180 or 270 degrees for turns 0 to 3. Each is half of a
 * multiplication: by the real part of Vn if turns is even, by the imaginary one if it is odd. same:
 * all elements use the pair of Vm that begins with element pair.
 */
static void multiply_add(struct soft_cpu *cpu, const struct soft_op *op, unsigned int size,
			 const union soft_vector *m, unsigned int turns, bool same,
			 unsigned int pair)
{
	const union soft_vector *n = &cpu->v[op->rn], *d = &cpu->v[op->rd];
	const unsigned int odd = turns & 1;
	union soft_vector r = {0};

	for (unsigned int i = 0; i < bytes(op) >> size; i++) {
		const unsigned int imaginary = i & 1, first = i & ~1u;
		const uint64_t factor = soft_element(n, size, first + odd);
		const bool negative = turns == 2 || turns == (imaginary ? 3 : 1);
		const uint64_t other =
			soft_element(m, size, (same ? pair : first) + (imaginary ^ odd));

		soft_set_element(&r, size, i,
				 float_multiply_add(&cpu->sys.fp, (enum float_size)(size - 1),
						    soft_element(d, size, i), factor,
						    negate_if(cpu, size, other, negative)));
	}
	soft_put_vector(cpu, op->rd, &r, bytes(op));
}

void soft_vector_complex_multiply_add(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_vector_three_extra f = a64_get_vector_three_extra(op->word);

	multiply_add(cpu, op, f.size, &cpu->v[f.rm], f.opcode & 3, false, 0);
}

void soft_vector_complex_multiply_add_element(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_vector_indexed f = a64_get_vector_indexed(op->word);
	const unsigned int index = f.size == 1 ? f.h << 1 | f.l : f.h;

	multiply_add(cpu, op, f.size, &cpu->v[f.m << 4 | f.rm4], f.opcode >> 1 & 3, true,
		     2 * index);
}
