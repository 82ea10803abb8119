/* SPDX-License-Identifier: BSD-2-Clause */
/* Complex numbers of SVE2 whose parts are integers: see long.def. float_sum.c has the others. */
#include "soft/sve/sve.h"

/* *plus, or *minus where negative has a bit: 0 of the even elements, 1 of the odd ones. */
static void choose(union soft_vector *d, const union soft_vector *plus,
		   const union soft_vector *minus, unsigned int size, unsigned int negative)
{
	for (unsigned int i = 0; i < 16u >> size; i++)
		soft_set_element(d, size, i,
				 soft_element(negative >> (i & 1) & 1 ? minus : plus, size, i));
}

/* Zdn + Zm that is turned by 90 degrees, or by 270. */
static void add(struct soft_cpu *cpu, const struct soft_op *op, unsigned int plus_lane,
		unsigned int minus_lane)
{
	const struct a64_sve2_complex_add f = a64_get_sve2_complex_add(op->word);
	const unsigned int count = 16u >> f.size;
	struct float_state none = {0, 0};

	for (unsigned int c = 0; c < soft_sve_segments(cpu); c++) {
		const union soft_vector n = cpu->z[c][f.zdn], m = cpu->z[c][f.zm];
		union soft_vector turned, plus, minus;

		for (unsigned int i = 0; i < count; i++)
			soft_set_element(&turned, f.size, i, soft_element(&m, f.size, i ^ 1));
		plus = minus = n;
		soft_lanes_table[plus_lane][f.size](&none, &plus, &n, &turned, 0, count);
		soft_lanes_table[minus_lane][f.size](&none, &minus, &n, &turned, 0, count);
		choose(&cpu->z[c][f.zdn], &plus, &minus, f.size, f.rot ? 2 : 1);
	}
	soft_sve_written(cpu, f.zdn);
}

void soft_sve_complex_add(struct soft_cpu *cpu, const struct soft_op *op)
{
	add(cpu, op, SOFT_lane_add, SOFT_lane_sub);
}

void soft_sve_complex_add_saturated(struct soft_cpu *cpu, const struct soft_op *op)
{
	add(cpu, op, SOFT_lane_sqadd, SOFT_lane_sqsub);
}

/*
 * A product's half, as FCMLA has it: of the real part of Zn if turns, in quarters of a circle, is
 * even, else of the imaginary one. same: all pairs of a segment use that of Zm which begins with
 * element pair.
 */
struct product {
	unsigned int size, turns, m;
	bool same;
	unsigned int pair;
};

static void multiply_add(struct soft_cpu *cpu, const struct soft_op *op, const struct product *p,
			 bool saturated)
{
	static const uint8_t negative[] = {0, 1, 3, 2}; /* by turns, for choose() */
	const unsigned int count = 16u >> p->size, odd = p->turns & 1;
	const unsigned int plus_lane = saturated ? SOFT_lane_sqrdmlah : SOFT_lane_mla;
	const unsigned int minus_lane = saturated ? SOFT_lane_sqrdmlsh : SOFT_lane_mls;
	struct float_state none = {0, 0};

	for (unsigned int c = 0; c < soft_sve_segments(cpu); c++) {
		union soft_vector *d = &cpu->z[c][op->rd], n, m, plus = *d, minus = *d;

		for (unsigned int i = 0; i < count; i++) {
			const unsigned int first = i & ~1u, other = (i & 1) ^ odd;

			soft_set_element(&n, p->size, i,
					 soft_element(&cpu->z[c][op->rn], p->size, first + odd));
			soft_set_element(&m, p->size, i,
					 soft_element(&cpu->z[c][p->m], p->size,
						      (p->same ? p->pair : first) + other));
		}
		soft_lanes_table[plus_lane][p->size](&none, &plus, &n, &m, 0, count);
		soft_lanes_table[minus_lane][p->size](&none, &minus, &n, &m, 0, count);
		choose(d, &plus, &minus, p->size, negative[p->turns]);
	}
	soft_sve_written(cpu, op->rd);
}

static struct product whole(const struct soft_op *op)
{
	const struct a64_sve2_complex_mla f = a64_get_sve2_complex_mla(op->word);

	return (struct product){.size = f.size, .turns = f.rot, .m = f.zm};
}

static struct product element(const struct soft_op *op)
{
	const struct a64_sve2_complex_element_mla_h h =
		a64_get_sve2_complex_element_mla_h(op->word);
	const struct a64_sve2_complex_element_mla_s s =
		a64_get_sve2_complex_element_mla_s(op->word);
	const bool halves = soft_sve_size(op) == 2;

	return (struct product){
		.size = halves ? 1 : 2,
		.turns = h.rot,
		.m = halves ? h.zm3 : s.zm4,
		.same = true,
		.pair = 2 * (halves ? h.i2 : s.i1),
	};
}

void soft_sve_complex_mla(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct product p = whole(op);

	multiply_add(cpu, op, &p, false);
}

void soft_sve_complex_mla_saturated(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct product p = whole(op);

	multiply_add(cpu, op, &p, true);
}

void soft_sve_complex_mla_element(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct product p = element(op);

	multiply_add(cpu, op, &p, false);
}

void soft_sve_complex_mla_element_saturated(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct product p = element(op);

	multiply_add(cpu, op, &p, true);
}
