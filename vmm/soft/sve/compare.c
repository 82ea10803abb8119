/* SPDX-License-Identifier: BSD-2-Clause */
/* Comparisons of integers of SVE. */
#include "soft/sve/predicate.h"

/* Pd = *r where Pg is true; Pg and Pd are at the same place in all comparisons. */
static void put(struct soft_cpu *cpu, const struct soft_op *op, union soft_predicate *r)
{
	const union soft_predicate g = soft_sve_predicate(cpu, op->ra, soft_sve_size(op));

	for (unsigned int i = 0; i < SOFT_PREDICATE_WORDS; i++)
		r->d[i] &= g.d[i];
	soft_sve_test(cpu, &g, r);
	soft_sve_put_predicate(cpu, op->rd & 15, r);
}

/* The row has a lane for one of a condition and its opposite: inverted is of the other. */
static void compare(struct soft_cpu *cpu, const struct soft_op *op, const union soft_vector *all_m,
		    bool inverted)
{
	const unsigned int size = soft_sve_size(op);
	const uint16_t other = inverted ? UINT16_MAX : 0;
	struct float_state none = {0, 0};
	union soft_predicate r = {.d = {0}};

	for (unsigned int c = 0; c < soft_sve_segments(cpu); c++) {
		const union soft_vector *z = cpu->z[c];
		union soft_vector v = {.d = {0, 0}};

		soft_sve_lanes(op, size)(&none, &v, &z[op->rn], all_m ? all_m : &z[op->rm], 0,
					 16u >> size);
		r.h[c] = (uint16_t)(soft_sve_gather(&v) ^ other);
	}
	put(cpu, op, &r);
}

void soft_sve_compare(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve_compare f = a64_get_sve_compare(op->word);

	compare(cpu, op, NULL, f.lt && f.ne);
}

void soft_sve_compare_imm7(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve_compare_imm7 f = a64_get_sve_compare_imm7(op->word);
	union soft_vector m;

	soft_fill(&m, f.size, f.imm7);
	compare(cpu, op, &m, f.lt);
}

void soft_sve_compare_imm5(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve_compare_imm5 f = a64_get_sve_compare_imm5(op->word);
	union soft_vector m;

	soft_fill(&m, f.size, (uint64_t)(int64_t)f.imm5);
	compare(cpu, op, &m, f.op ? f.ne : f.o2);
}

/* n and m as unsigned numbers of the same order */
static bool meets(const struct a64_sve_compare *f, uint64_t n, uint64_t m)
{
	if (!f->op && !f->o2)
		return (n == m) != f->ne;
	if (f->lt)
		return f->ne ? n <= m : n < m;
	return f->ne ? n > m : n >= m;
}

void soft_sve_compare_wide(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve_compare f = a64_get_sve_compare(op->word);
	const uint64_t sign = f.op ? 0 : UINT64_C(1) << 63;
	union soft_predicate r = {.d = {0}};

	for (unsigned int c = 0; c < soft_sve_segments(cpu); c++)
		for (unsigned int i = 0; i < 16u >> f.size; i++) {
			uint64_t n = soft_element(&cpu->z[c][f.zn], f.size, i);

			if (!f.op)
				n = soft_sign_extend(n, f.size);
			if (meets(&f, n ^ sign, cpu->z[c][f.zm].d[(i << f.size) / 8] ^ sign))
				r.h[c] = (uint16_t)(r.h[c] | 1u << (i << f.size));
		}
	put(cpu, op, &r);
}
