/* SPDX-License-Identifier: BSD-2-Clause */
/* Floating-point numbers of SVE, element by element: see float.def. */
#include "soft/fp/float_number.h"
#include "soft/sve/predicate.h"
#include "soft/sve/whole.h"

static bool any_active(const union soft_vector *active)
{
	return active->d[0] | active->d[1];
}

/* Inactive elements become harmless: most rows raise no flag for 0, and the others none for 1. */
static union soft_vector harmless(const struct soft_op *op, unsigned int size,
				  const union soft_vector *v, const union soft_vector *active)
{
	union soft_vector r = {.d = {0, 0}};

	if (op->aux >> 2 == SOFT_lane_fdiv || op->aux >> 2 == SOFT_lane_flogb)
		soft_fill(&r, size, float_one(soft_sve_format(size)));
	soft_sve_merge(&r, v, active);
	return r;
}

static union soft_vector lanes(struct soft_cpu *cpu, const struct soft_op *op, unsigned int size,
			       const union soft_vector *d, const union soft_vector *n,
			       const union soft_vector *m, unsigned int k)
{
	union soft_vector r = *d;

	soft_sve_lanes(op, size)(&cpu->sys.fp, &r, n, m, k, 16u >> size);
	return r;
}

/* Segment c of Zd where Pg is true, from that of d, n and m, of elements of 1 << size bytes. */
static void merge_sized(struct soft_cpu *cpu, const struct soft_op *op, unsigned int size,
			unsigned int c, const union soft_vector *d, const union soft_vector *n,
			const union soft_vector *m)
{
	const union soft_vector active = soft_sve_active(cpu, op->ra, c, size);
	const union soft_vector hd = harmless(op, size, d, &active);
	const union soft_vector hn = harmless(op, size, n, &active);
	const union soft_vector hm = harmless(op, size, m, &active);
	union soft_vector r;

	if (!any_active(&active))
		return;
	r = lanes(cpu, op, size, &hd, &hn, &hm, 0);
	soft_sve_merge(&cpu->z[c][op->rd], &r, &active);
}

static void merge(struct soft_cpu *cpu, const struct soft_op *op, unsigned int c,
		  const union soft_vector *d, const union soft_vector *n,
		  const union soft_vector *m)
{
	merge_sized(cpu, op, soft_sve_size(op), c, d, n, m);
}

void soft_sve_float_same(struct soft_cpu *cpu, const struct soft_op *op)
{
	for (unsigned int c = 0; c < soft_sve_segments(cpu); c++)
		cpu->z[c][op->rd] = lanes(cpu, op, soft_sve_size(op), &cpu->z[c][op->rn],
					  &cpu->z[c][op->rn], &cpu->z[c][op->rm], 0);
	soft_sve_written(cpu, op->rd);
}

/* The same of all segments of registers. */
static void merge_all(struct soft_cpu *cpu, const struct soft_op *op, unsigned int d,
		      unsigned int n, unsigned int m)
{
	for (unsigned int c = 0; c < soft_sve_segments(cpu); c++)
		merge(cpu, op, c, &cpu->z[c][d], &cpu->z[c][n], &cpu->z[c][m]);
	soft_sve_written(cpu, op->rd);
}

void soft_sve_float_pred(struct soft_cpu *cpu, const struct soft_op *op)
{
	merge_all(cpu, op, op->rd, op->rd, op->rn);
}

void soft_sve_float_pred_reversed(struct soft_cpu *cpu, const struct soft_op *op)
{
	merge_all(cpu, op, op->rd, op->rn, op->rd);
}

void soft_sve_float_unary_pred(struct soft_cpu *cpu, const struct soft_op *op)
{
	merge_all(cpu, op, op->rd, op->rn, op->rn);
}

void soft_sve_float_mla(struct soft_cpu *cpu, const struct soft_op *op)
{
	merge_all(cpu, op, op->rd, op->rn, op->rm);
}

/* Za is where FMLA has Zm, and Zm where it has Zn. */
void soft_sve_float_mad(struct soft_cpu *cpu, const struct soft_op *op)
{
	merge_all(cpu, op, op->rm, op->rd, op->rn);
}

/* FADDP and others: neighbours of Zdn become the even elements, those of Zm the odd ones. */
void soft_sve_float_pairs(struct soft_cpu *cpu, const struct soft_op *op)
{
	for (unsigned int c = 0; c < soft_sve_segments(cpu); c++) {
		union soft_vector *const z = cpu->z[c], n, m;

		soft_sve_neighbours(&z[op->rd], &z[op->rn], soft_sve_size(op), &n, &m);
		merge(cpu, op, c, &z[op->rd], &n, &m);
	}
	soft_sve_written(cpu, op->rd);
}

void soft_sve_float_logarithm(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve2_fp_logarithm f = a64_get_sve2_fp_logarithm(op->word);

	for (unsigned int c = 0; c < soft_sve_segments(cpu); c++)
		merge_sized(cpu, op, f.size, c, &cpu->z[c][f.zn], &cpu->z[c][f.zn],
			    &cpu->z[c][f.zn]);
	soft_sve_written(cpu, f.zd);
}

/* 0.5 or 1 to add; 0.5 or 2 to multiply by; 0 or 1 to compare with. */
static union soft_vector constant(const struct soft_op *op)
{
	const struct a64_sve_fp_imm f = a64_get_sve_fp_imm(op->word);
	const uint64_t unit = UINT64_C(1) << float_fraction_bits(soft_sve_format(f.size));
	union soft_vector v;
	uint64_t value = float_one(soft_sve_format(f.size));

	if (f.opc >= 4)
		value = f.i1 ? value : 0;
	else if (f.opc == 2)
		value = f.i1 ? value + unit : value - unit;
	else
		value = f.i1 ? value : value - unit;
	soft_fill(&v, f.size, value);
	return v;
}

void soft_sve_float_imm(struct soft_cpu *cpu, const struct soft_op *op)
{
	const union soft_vector m = constant(op);

	for (unsigned int c = 0; c < soft_sve_segments(cpu); c++)
		merge(cpu, op, c, &cpu->z[c][op->rd], &cpu->z[c][op->rd], &m);
	soft_sve_written(cpu, op->rd);
}

void soft_sve_float_imm_reversed(struct soft_cpu *cpu, const struct soft_op *op)
{
	const union soft_vector n = constant(op);

	for (unsigned int c = 0; c < soft_sve_segments(cpu); c++)
		merge(cpu, op, c, &cpu->z[c][op->rd], &n, &cpu->z[c][op->rd]);
	soft_sve_written(cpu, op->rd);
}

void soft_sve_float_element(struct soft_cpu *cpu, const struct soft_op *op)
{
	unsigned int size, m;
	const unsigned int index = soft_sve_indexed(op->word, &size, &m);

	for (unsigned int c = 0; c < soft_sve_segments(cpu); c++) {
		union soft_vector all;

		soft_fill(&all, size, soft_element(&cpu->z[c][m], size, index));
		cpu->z[c][op->rd] =
			lanes(cpu, op, size, &cpu->z[c][op->rd], &cpu->z[c][op->rn], &all, 0);
	}
	soft_sve_written(cpu, op->rd);
}

void soft_sve_float_coefficient(struct soft_cpu *cpu, const struct soft_op *op)
{
	const unsigned int number = a64_get_sve_fp_coefficient(op->word).imm3;

	for (unsigned int c = 0; c < soft_sve_segments(cpu); c++) {
		const union soft_vector n = cpu->z[c][op->rd];

		cpu->z[c][op->rd] =
			lanes(cpu, op, soft_sve_size(op), &n, &n, &cpu->z[c][op->rn], number);
	}
	soft_sve_written(cpu, op->rd);
}

void soft_sve_float_compare(struct soft_cpu *cpu, const struct soft_op *op)
{
	const unsigned int size = soft_sve_size(op);
	const union soft_predicate g = soft_sve_predicate(cpu, op->ra, size);

	for (unsigned int c = 0; c < soft_sve_segments(cpu); c++) {
		const union soft_vector active = soft_sve_active(cpu, op->ra, c, size);
		const union soft_vector n = harmless(op, size, &cpu->z[c][op->rn], &active);
		const union soft_vector m = harmless(op, size, &cpu->z[c][op->rm], &active);
		const union soft_vector r = lanes(cpu, op, size, &n, &n, &m, 0);

		cpu->p[op->rd & 15].h[c] = (uint16_t)(soft_sve_gather(&r) & g.h[c]);
	}
}

/* What changes no result, by opc of the row. */
static uint64_t identity(unsigned int opc, enum float_size format)
{
	switch (opc) {
	case 0: return 0;
	case 6: return float_infinity(format, true);
	case 7: return float_infinity(format, false);
	default: return float_default_nan(format);
	}
}

/* The elements of half of r with those of the other half: neighbours first. */
static void fold(struct soft_cpu *cpu, const struct soft_op *op, unsigned int size,
		 union soft_whole *r, unsigned int count)
{
	for (unsigned int i = 0; i < count / 2; i++) {
		union soft_vector n = {.d = {soft_whole_element(r, size, 2 * i), 0}};
		const union soft_vector m = {.d = {soft_whole_element(r, size, 2 * i + 1), 0}};

		soft_sve_lanes(op, size)(&cpu->sys.fp, &n, &n, &m, 0, 1);
		soft_set_whole_element(r, size, i, soft_element(&n, size, 0));
	}
}

void soft_sve_float_reduce(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve_fp_reduce f = a64_get_sve_fp_reduce(op->word);
	union soft_whole r;
	unsigned int segments = 1;

	while (segments < soft_sve_segments(cpu))
		segments *= 2;
	for (unsigned int c = 0; c < segments; c++) {
		soft_fill(&r.segments[c], f.size, identity(f.opc, soft_sve_format(f.size)));
		if (c < soft_sve_segments(cpu)) {
			const union soft_vector active = soft_sve_active(cpu, f.pg, c, f.size);

			soft_sve_merge(&r.segments[c], &cpu->z[c][f.zn], &active);
		}
	}
	for (unsigned int count = segments * 16 >> f.size; count > 1; count /= 2)
		fold(cpu, op, f.size, &r, count);
	soft_put_scalar(cpu, f.vd, soft_whole_element(&r, f.size, 0));
	soft_clear_upper(cpu, f.vd);
}

void soft_sve_float_accumulate(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve_fp_accumulate f = a64_get_sve_fp_accumulate(op->word);
	uint64_t sum = soft_element(&cpu->v[f.vdn], f.size, 0);

	for (unsigned int c = 0; c < soft_sve_segments(cpu); c++) {
		for (unsigned int i = 0; i < 16u >> f.size; i++) {
			if (cpu->p[f.pg].h[c] >> (i << f.size) & 1)
				sum = float_add(&cpu->sys.fp, soft_sve_format(f.size), sum,
						soft_element(&cpu->z[c][f.zm], f.size, i));
		}
	}
	soft_put_scalar(cpu, f.vdn, sum);
	soft_clear_upper(cpu, f.vdn);
}
