/* SPDX-License-Identifier: BSD-2-Clause */
/* Products of narrow numbers that are added to wider ones: FEAT_FHM, and FEAT_I8MM's matrices. */
#include "soft/fp/element.h"
#include "soft/fp/vector.h"

/* FMLAL, FMLSL and, of the upper halves of Vn and Vm, FMLAL2 and FMLSL2; element: -1, all of Vm. */
static void multiply_add(struct soft_cpu *cpu, const struct soft_op *op, unsigned int m,
			 bool subtract, bool second, int element)
{
	const unsigned int count = op->word >> 30 & 1 ? 4 : 2, first = second ? count : 0;
	struct float_state *fp = &cpu->sys.fp;
	union soft_vector r = {0};

	for (unsigned int i = 0; i < count; i++) {
		const unsigned int at = element < 0 ? first + i : (unsigned int)element;
		uint64_t n = cpu->v[op->rn].h[first + i];

		if (subtract)
			n = float_negate(fp, FLOAT_HALF, n);
		r.s[i] = (uint32_t)float_multiply_add(fp, FLOAT_SINGLE, cpu->v[op->rd].s[i],
						      float_widen_half(fp, n),
						      float_widen_half(fp, cpu->v[m].h[at]));
	}
	soft_put_vector(cpu, op->rd, &r, 4 * count);
}

/* The upper bit of size means FMLSL, U the upper halves. */
void soft_vector_multiply_add_long(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_vector_three f = a64_get_vector_three(op->word);

	multiply_add(cpu, op, f.rm, f.size >> 1, f.u, -1);
}

void soft_vector_multiply_add_long_element(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_vector_indexed f = a64_get_vector_indexed(op->word);

	multiply_add(cpu, op, f.rm4, f.opcode >> 2 & 1, f.u, (int)(f.h << 2 | f.l << 1 | f.m));
}

static int64_t number(uint8_t byte, bool is_unsigned)
{
	return is_unsigned ? byte : (int8_t)byte;
}

void soft_multiply_matrices(union soft_vector *d, const union soft_vector *n,
			    const union soft_vector *m, bool n_unsigned, bool m_unsigned)
{
	union soft_vector r = *d;

	for (unsigned int i = 0; i < 4; i++) {
		int64_t sum = 0;

		for (unsigned int k = 0; k < 8; k++)
			sum += number(n->b[i / 2 * 8 + k], n_unsigned) *
			       number(m->b[i % 2 * 8 + k], m_unsigned);
		r.s[i] += (uint32_t)sum;
	}
	*d = r;
}

void soft_vector_matrix_multiply(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_vector_three_extra f = a64_get_vector_three_extra(op->word);

	soft_multiply_matrices(&cpu->v[f.rd], &cpu->v[f.rn], &cpu->v[f.rm], f.u || f.opcode & 1,
			       f.u);
}
