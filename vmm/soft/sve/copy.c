/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies of SVE: of vectors, and of one value to all elements or the active ones. */
#include "soft/sve/whole.h"

void soft_sve_select(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve_select f = a64_get_sve_select(op->word);

	for (unsigned int c = 0; c < soft_sve_segments(cpu); c++) {
		const union soft_vector active = soft_sve_active(cpu, f.pg, c, f.size);
		union soft_vector r = cpu->z[c][f.zm];

		soft_sve_merge(&r, &cpu->z[c][f.zn], &active);
		cpu->z[c][f.zd] = r;
	}
	soft_sve_written(cpu, f.zd);
}

/* The instruction that it is a prefix of may see it as a move, and does here. */
void soft_sve_movprfx(struct soft_cpu *cpu, const struct soft_op *op)
{
	for (unsigned int c = 0; c < soft_sve_segments(cpu); c++)
		cpu->z[c][op->rd] = cpu->z[c][op->rn];
	soft_sve_written(cpu, op->rd);
}

void soft_sve_movprfx_pred(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve_movprfx_pred f = a64_get_sve_movprfx_pred(op->word);

	for (unsigned int c = 0; c < soft_sve_segments(cpu); c++) {
		const union soft_vector active = soft_sve_active(cpu, f.pg, c, f.size);
		union soft_vector r = {.d = {0, 0}};

		if (f.m)
			r = cpu->z[c][f.zd];
		soft_sve_merge(&r, &cpu->z[c][f.zn], &active);
		cpu->z[c][f.zd] = r;
	}
	soft_sve_written(cpu, f.zd);
}

void soft_sve_mask_imm(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve_mask_imm f = a64_get_sve_mask_imm(op->word);
	uint64_t mask = 0;

	(void)a64_logical_immediate(true, f.n, f.immr, f.imms, &mask);
	soft_sve_put_all(cpu, f.zd, 3, mask);
}

void soft_sve_dup(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve_dup f = a64_get_sve_dup(op->word);

	soft_sve_put_all(cpu, f.zd, f.size, cpu->x[f.rn == 31 ? SOFT_X_SP : f.rn]);
}

void soft_sve_dup_imm(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve_dup_imm f = a64_get_sve_dup_imm(op->word);

	soft_sve_put_all(cpu, f.zd, f.size, (uint64_t)((int64_t)f.imm8 * (f.sh ? 256 : 1)));
}

/* The lowest 1 of tsz gives the size, up to 16 bytes, the bits above it and imm2 the number. */
void soft_sve_dup_element(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve_dup_element f = a64_get_sve_dup_element(op->word);
	const unsigned int size = (unsigned int)__builtin_ctz(f.tsz | 16);
	const unsigned int index = (f.imm2 << 5 | f.tsz) >> (size + 1);
	const unsigned int count = (unsigned int)cpu->vl >> size;
	const union soft_whole n = soft_sve_whole(cpu, f.zn);
	union soft_whole r = {.b = {0}};

	for (unsigned int i = 0; i < count && index < count; i++)
		soft_move_element(&r, i, &n, index, size);
	soft_sve_put_whole(cpu, f.zd, &r);
}

/* The active elements; the others become 0, or with merging stay as they are. */
static void copy(struct soft_cpu *cpu, const struct soft_op *op, unsigned int pg, bool merging,
		 uint64_t value)
{
	const unsigned int size = soft_sve_size(op);
	union soft_vector all;

	soft_fill(&all, size, value);
	for (unsigned int c = 0; c < soft_sve_segments(cpu); c++) {
		const union soft_vector active = soft_sve_active(cpu, pg, c, size);
		union soft_vector *d = &cpu->z[c][op->rd];

		if (!merging)
			*d = (union soft_vector){.d = {0, 0}};
		soft_sve_merge(d, &all, &active);
	}
	soft_sve_written(cpu, op->rd);
}

void soft_sve_copy(struct soft_cpu *cpu, const struct soft_op *op)
{
	copy(cpu, op, op->ra, true, cpu->x[op->rn == 31 ? SOFT_X_SP : op->rn]);
}

void soft_sve_copy_scalar(struct soft_cpu *cpu, const struct soft_op *op)
{
	copy(cpu, op, op->ra, true, cpu->v[op->rn].d[0]);
}

void soft_sve_copy_imm(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve_copy_imm f = a64_get_sve_copy_imm(op->word);

	copy(cpu, op, f.pg, f.m, (uint64_t)((int64_t)f.imm8 * (f.sh ? 256 : 1)));
}

void soft_sve_float_copy(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve_copy_fp f = a64_get_sve_copy_fp(op->word);

	copy(cpu, op, f.pg, true, soft_float_immediate(soft_sve_format(f.size), f.imm8));
}

void soft_sve_float_dup(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve_dup_fp f = a64_get_sve_dup_fp(op->word);

	soft_sve_put_all(cpu, f.zd, f.size, soft_float_immediate(soft_sve_format(f.size), f.imm8));
}
