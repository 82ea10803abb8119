/* SPDX-License-Identifier: BSD-2-Clause */
/* FEAT_BF16: conversions, and products of BFloat16 numbers that are added to single ones. */
#include "soft/fp/element.h"
#include "soft/fp/vector.h"

void soft_vector_bf16_convert(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_fp_one_source f = a64_get_fp_one_source(op->word);

	soft_put_scalar(cpu, f.rd, float_to_bf16(&cpu->sys.fp, cpu->v[f.rn].s[0]));
}

/* BFCVTN; BFCVTN2 leaves the lower half. */
void soft_vector_bf16_narrow(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_vector_two f = a64_get_vector_two(op->word);
	const union soft_vector n = cpu->v[f.rn];
	union soft_vector r = {0};

	if (f.q)
		r = cpu->v[f.rd];
	for (unsigned int i = 0; i < 4; i++)
		r.h[(f.q ? 4 : 0) + i] = float_to_bf16(&cpu->sys.fp, n.s[i]);
	cpu->v[f.rd] = r;
}

/* BFMLALB and, of the odd elements, BFMLALT, as Q says; element: -1, all of Vm. */
static void multiply_add(struct soft_cpu *cpu, const struct soft_op *op, unsigned int m,
			 int element)
{
	const unsigned int odd = op->word >> 30 & 1;
	union soft_vector *d = &cpu->v[op->rd];
	const union soft_vector n = cpu->v[op->rn], other = cpu->v[m];

	for (unsigned int i = 0; i < 4; i++) {
		const unsigned int at = element < 0 ? 2 * i + odd : (unsigned int)element;

		d->s[i] = (uint32_t)float_multiply_add(&cpu->sys.fp, FLOAT_SINGLE, d->s[i],
						       float_from_bf16(n.h[2 * i + odd]),
						       float_from_bf16(other.h[at]));
	}
}

void soft_vector_bf16_multiply_add_long(struct soft_cpu *cpu, const struct soft_op *op)
{
	multiply_add(cpu, op, a64_get_vector_three_extra(op->word).rm, -1);
}

void soft_vector_bf16_multiply_add_long_element(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_vector_indexed f = a64_get_vector_indexed(op->word);

	multiply_add(cpu, op, f.rm4, (int)(f.h << 2 | f.l << 1 | f.m));
}

/* BFDOT; element: -1, all of Vm, or a pair of it. */
static void dot(struct soft_cpu *cpu, const struct soft_op *op, unsigned int m, int element)
{
	const unsigned int count = op->word >> 30 & 1 ? 4 : 2;
	const union soft_vector n = cpu->v[op->rn], other = cpu->v[m];
	union soft_vector r = {0};

	for (unsigned int i = 0; i < count; i++)
		r.s[i] = float_bf16_dot(cpu->v[op->rd].s[i], &n.h[2 * i],
					&other.h[element < 0 ? 2 * i : 2 * (unsigned int)element]);
	cpu->v[op->rd] = r;
}

void soft_vector_bf16_dot(struct soft_cpu *cpu, const struct soft_op *op)
{
	dot(cpu, op, a64_get_vector_three_extra(op->word).rm, -1);
}

void soft_vector_bf16_dot_element(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_vector_indexed f = a64_get_vector_indexed(op->word);

	dot(cpu, op, (unsigned int)(f.m << 4 | f.rm4), (int)(f.h << 1 | f.l));
}

/* BFMMLA: 2 by 4 times 4 by 2; Vm has its matrix in columns. */
void soft_vector_bf16_matrix_multiply(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_vector_three_extra f = a64_get_vector_three_extra(op->word);
	const union soft_vector n = cpu->v[f.rn], m = cpu->v[f.rm];

	for (unsigned int i = 0; i < 4; i++) {
		const uint16_t *row = &n.h[i / 2 * 4], *column = &m.h[i % 2 * 4];
		uint32_t sum = float_bf16_dot(cpu->v[f.rd].s[i], row, column);

		cpu->v[f.rd].s[i] = float_bf16_dot(sum, row + 2, column + 2);
	}
}
