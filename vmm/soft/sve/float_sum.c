/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums of products of SVE: complex numbers, BFloat16 numbers, matrices. See float.def. */
#include "soft/mem/memory.h"
#include "soft/sve/memory.h"
#include "soft/sve/sve.h"

/*
 * FCADD: Zm is turned by 90 degrees, or by 270. Of a pair of elements the even one is the real
 * part; each has its own bit of Pg.
 */
void soft_sve_float_complex_add(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve_complex_add f = a64_get_sve_complex_add(op->word);
	const enum float_size format = soft_sve_format(f.size);
	struct float_state *fp = &cpu->sys.fp;

	for (unsigned int c = 0; c < soft_sve_segments(cpu); c++) {
		const union soft_vector n = cpu->z[c][f.zdn], m = cpu->z[c][f.zm];

		for (unsigned int i = 0; i < 16u >> f.size; i++) {
			uint64_t turned = soft_element(&m, f.size, i ^ 1);

			if (!(cpu->p[f.pg].h[c] >> (i << f.size) & 1))
				continue;
			if (f.rot == (i & 1))
				turned = float_negate(fp, format, turned);
			soft_set_element(
				&cpu->z[c][f.zdn], f.size, i,
				float_add(fp, format, soft_element(&n, f.size, i), turned));
		}
	}
	soft_sve_written(cpu, f.zdn);
}

/* What FCMLA does; turns are quarters of a circle, active has a bit for each byte. */
struct complex {
	unsigned int size, turns;
	unsigned int m;	   /* Zm */
	bool same;	   /* all pairs of a segment use that one of Zm */
	unsigned int pair; /* ... that begins with this element */
};

static void complex_mla(struct soft_cpu *cpu, const struct soft_op *op, const struct complex *f,
			unsigned int c, unsigned int active)
{
	const enum float_size format = soft_sve_format(f->size);
	const union soft_vector n = cpu->z[c][op->rn], m = cpu->z[c][f->m];
	union soft_vector *d = &cpu->z[c][op->rd];
	const unsigned int odd = f->turns & 1;

	for (unsigned int i = 0; i < 16u >> f->size; i++) {
		const unsigned int imaginary = i & 1, first = i & ~1u;
		const bool negative = f->turns == 2 || f->turns == (imaginary ? 3 : 1);
		uint64_t other =
			soft_element(&m, f->size, (f->same ? f->pair : first) + (imaginary ^ odd));

		if (!(active >> (i << f->size) & 1))
			continue;
		if (negative)
			other = float_negate(&cpu->sys.fp, format, other);
		soft_set_element(d, f->size, i,
				 float_multiply_add(&cpu->sys.fp, format,
						    soft_element(d, f->size, i),
						    soft_element(&n, f->size, first + odd), other));
	}
}

void soft_sve_float_complex_mla(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve_complex_mla f = a64_get_sve_complex_mla(op->word);
	const struct complex complex = {.size = f.size, .turns = f.rot, .m = f.zm};

	for (unsigned int c = 0; c < soft_sve_segments(cpu); c++)
		complex_mla(cpu, op, &complex, c, cpu->p[f.pg].h[c]);
	soft_sve_written(cpu, f.zda);
}

void soft_sve_float_complex_mla_element(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve_complex_mla_element_h h = a64_get_sve_complex_mla_element_h(op->word);
	const struct a64_sve_complex_mla_element_s s = a64_get_sve_complex_mla_element_s(op->word);
	const bool half = soft_sve_size(op) == 2;
	const struct complex complex = {
		.size = half ? 1 : 2,
		.turns = h.rot,
		.m = half ? h.zm3 : s.zm4,
		.same = true,
		.pair = 2 * (half ? h.i2 : s.i1),
	};

	for (unsigned int c = 0; c < soft_sve_segments(cpu); c++)
		complex_mla(cpu, op, &complex, c, 0xffff);
	soft_sve_written(cpu, h.zda);
}

/* BFDOT; element: -1, all of Zm, or a pair of each of its segments. */
static void bf16_dot(struct soft_cpu *cpu, const struct soft_op *op, unsigned int m, int element)
{
	for (unsigned int c = 0; c < soft_sve_segments(cpu); c++) {
		const union soft_vector n = cpu->z[c][op->rn], other = cpu->z[c][m];
		union soft_vector *d = &cpu->z[c][op->rd];

		for (unsigned int i = 0; i < 4; i++)
			d->s[i] = float_bf16_dot(
				d->s[i], &n.h[2 * i],
				&other.h[2 * (element < 0 ? i : (unsigned int)element)]);
	}
	soft_sve_written(cpu, op->rd);
}

void soft_sve_float_bf16_dot(struct soft_cpu *cpu, const struct soft_op *op)
{
	bf16_dot(cpu, op, op->rm, -1);
}

void soft_sve_float_bf16_dot_element(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve_bf16_dot_element f = a64_get_sve_bf16_dot_element(op->word);

	bf16_dot(cpu, op, f.zm3, (int)f.i2);
}

/* BFMLALB and, of the odd elements, BFMLALT; element: -1, all of Zm. */
static void bf16_mla(struct soft_cpu *cpu, const struct soft_op *op, unsigned int odd,
		     unsigned int m, int element)
{
	for (unsigned int c = 0; c < soft_sve_segments(cpu); c++) {
		const union soft_vector n = cpu->z[c][op->rn], other = cpu->z[c][m];
		union soft_vector *d = &cpu->z[c][op->rd];

		for (unsigned int i = 0; i < 4; i++) {
			const unsigned int at = element < 0 ? 2 * i + odd : (unsigned int)element;

			d->s[i] = (uint32_t)float_multiply_add(&cpu->sys.fp, FLOAT_SINGLE, d->s[i],
							       float_from_bf16(n.h[2 * i + odd]),
							       float_from_bf16(other.h[at]));
		}
	}
	soft_sve_written(cpu, op->rd);
}

void soft_sve_float_bf16_mla(struct soft_cpu *cpu, const struct soft_op *op)
{
	bf16_mla(cpu, op, a64_get_sve_bf16_mla(op->word).t, op->rm, -1);
}

void soft_sve_float_bf16_mla_element(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve_bf16_mla_element f = a64_get_sve_bf16_mla_element(op->word);

	bf16_mla(cpu, op, f.t, f.zm3, (int)(f.i3h << 1 | f.i3l));
}

/*
 * FMLALB, FMLSLB and, of the odd elements, FMLALT and FMLSLT, whose fields are at the same places
 * in both forms; element: -1, all of Zm.
 */
static void half_mla(struct soft_cpu *cpu, const struct soft_op *op, unsigned int m, int element)
{
	const struct a64_sve2_fp_mla_long f = a64_get_sve2_fp_mla_long(op->word);
	struct float_state *fp = &cpu->sys.fp;

	for (unsigned int c = 0; c < soft_sve_segments(cpu); c++) {
		const union soft_vector n = cpu->z[c][f.zn], other = cpu->z[c][m];
		union soft_vector *d = &cpu->z[c][f.zda];

		for (unsigned int i = 0; i < 4; i++) {
			const unsigned int at = element < 0 ? 2 * i + f.t : (unsigned int)element;
			uint64_t factor = n.h[2 * i + f.t];

			if (f.op)
				factor = float_negate(fp, FLOAT_HALF, factor);
			d->s[i] = (uint32_t)float_multiply_add(fp, FLOAT_SINGLE, d->s[i],
							       float_widen_half(fp, factor),
							       float_widen_half(fp, other.h[at]));
		}
	}
	soft_sve_written(cpu, f.zda);
}

void soft_sve_float_mla_long(struct soft_cpu *cpu, const struct soft_op *op)
{
	half_mla(cpu, op, op->rm, -1);
}

void soft_sve_float_mla_long_element(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve2_fp_mla_long_element f = a64_get_sve2_fp_mla_long_element(op->word);

	half_mla(cpu, op, f.zm3, (int)(f.i3h << 1 | f.i3l));
}

/* BFMMLA, of each segment: 2 by 4 times 4 by 2; Zm has its matrix in columns. */
void soft_sve_float_bf16_matrix(struct soft_cpu *cpu, const struct soft_op *op)
{
	for (unsigned int c = 0; c < soft_sve_segments(cpu); c++) {
		const union soft_vector n = cpu->z[c][op->rn], m = cpu->z[c][op->rm];
		union soft_vector *d = &cpu->z[c][op->rd];

		for (unsigned int i = 0; i < 4; i++) {
			const uint16_t *row = &n.h[i / 2 * 4], *column = &m.h[i % 2 * 4];
			const uint32_t sum = float_bf16_dot(d->s[i], row, column);

			d->s[i] = float_bf16_dot(sum, row + 2, column + 2);
		}
	}
	soft_sve_written(cpu, op->rd);
}

/* An element of a product of 2 by 2 matrices: products and their sum are rounded one by one. */
static uint64_t matrix_sum(struct float_state *fp, enum float_size format, uint64_t d,
			   const uint64_t n[2], const uint64_t m[2])
{
	const uint64_t first = float_multiply(fp, format, n[0], m[0]);
	const uint64_t second = float_multiply(fp, format, n[1], m[1]);

	return float_add(fp, format, d, float_add(fp, format, first, second));
}

void soft_sve_float_matrix(struct soft_cpu *cpu, const struct soft_op *op)
{
	for (unsigned int c = 0; c < soft_sve_segments(cpu); c++) {
		const union soft_vector n = cpu->z[c][op->rn], m = cpu->z[c][op->rm];
		union soft_vector *d = &cpu->z[c][op->rd];

		for (unsigned int i = 0; i < 4; i++) {
			const uint32_t *row = &n.s[i / 2 * 2], *column = &m.s[i % 2 * 2];

			d->s[i] = (uint32_t)matrix_sum(&cpu->sys.fp, FLOAT_SINGLE, d->s[i],
						       (uint64_t[]){row[0], row[1]},
						       (uint64_t[]){column[0], column[1]});
		}
	}
	soft_sve_written(cpu, op->rd);
}

/* FMMLA of double precision, of each two segments; those that are left become 0. */
bool soft_sve_matrix_double(struct soft_cpu *cpu, const struct soft_op *op)
{
	const unsigned int segments = soft_sve_segments(cpu) & ~1u;

	if (!soft_sve_allowed(cpu) || !soft_sve_long(cpu, 32))
		return false;
	for (unsigned int c = 0; c < segments; c += 2) {
		const union soft_vector n[2] = {cpu->z[c][op->rn], cpu->z[c + 1][op->rn]};
		const union soft_vector m[2] = {cpu->z[c][op->rm], cpu->z[c + 1][op->rm]};

		for (unsigned int i = 0; i < 4; i++) {
			uint64_t *d = &cpu->z[c + i / 2][op->rd].d[i % 2];

			*d = matrix_sum(&cpu->sys.fp, FLOAT_DOUBLE, *d, n[i / 2].d, m[i % 2].d);
		}
	}
	if (segments < soft_sve_segments(cpu))
		cpu->z[segments][op->rd] = (union soft_vector){.d = {0, 0}};
	soft_sve_written(cpu, op->rd);
	return true;
}
