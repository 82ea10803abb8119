/* SPDX-License-Identifier: BSD-2-Clause */
/* Integers of SVE, element by element: see sve.h. */
#include "soft/sve/sve.h"

static void work(struct soft_cpu *cpu, const struct soft_op *op, union soft_vector *r,
		 const union soft_vector *n, const union soft_vector *m)
{
	const unsigned int size = soft_sve_size(op);

	soft_sve_lanes(op, size)(&cpu->sys.fp, r, n, m, 0, 16u >> size);
}

void soft_sve_same(struct soft_cpu *cpu, const struct soft_op *op)
{
	for (unsigned int c = 0; c < soft_sve_segments(cpu); c++) {
		union soft_vector r = cpu->z[c][op->rd];

		work(cpu, op, &r, &cpu->z[c][op->rn], &cpu->z[c][op->rm]);
		cpu->z[c][op->rd] = r;
	}
	soft_sve_written(cpu, op->rd);
}

void soft_sve_merge_pred(struct soft_cpu *cpu, const struct soft_op *op)
{
	for (unsigned int c = 0; c < soft_sve_segments(cpu); c++) {
		union soft_vector *d = &cpu->z[c][op->rd], r = *d;
		const union soft_vector active = soft_sve_active(cpu, op->ra, c, soft_sve_size(op));

		work(cpu, op, &r, d, &cpu->z[c][op->rn]);
		soft_sve_merge(d, &r, &active);
	}
	soft_sve_written(cpu, op->rd);
}
