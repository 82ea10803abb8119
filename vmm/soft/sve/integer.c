/* SPDX-License-Identifier: BSD-2-Clause */
/* Integers of SVE, element by element: see sve.h. */
#include "soft/sve/sve.h"

#define UNPREDICATED UINT32_MAX

/* What an instruction gives its lane, and where the result goes. */
struct work {
	unsigned int size;
	unsigned int pg; /* or UNPREDICATED */
	unsigned int d;
	unsigned int acc; /* what the lane has as Vd */
	unsigned int n, m;
	const union soft_vector *all_n, *all_m; /* in each segment, in place of Zn or Zm; or NULL */
	bool wide;				/* Zm has doublewords, and elements are shifted */
	unsigned int k;
};

/* The amount of a shift, of a doubleword, for each element in it; 64 is too much for all. */
static union soft_vector amounts(const union soft_vector *m, unsigned int size)
{
	union soft_vector r;

	for (unsigned int i = 0; i < 2; i++) {
		union soft_vector all;

		soft_fill(&all, size, m->d[i] < 64 ? m->d[i] : 64);
		r.d[i] = all.d[i];
	}
	return r;
}

/* Saturation sets no flag of FPSR. */
static void work(struct soft_cpu *cpu, const struct soft_op *op, struct work w)
{
	soft_lanes *const lanes = soft_sve_lanes(op, w.size);
	struct float_state none = {0, 0};

	for (unsigned int c = 0; c < soft_sve_segments(cpu); c++) {
		union soft_vector *const z = cpu->z[c], r = z[w.acc], shifts;
		const union soft_vector *n = w.all_n ? w.all_n : &z[w.n];
		const union soft_vector *m = w.all_m ? w.all_m : &z[w.m];

		if (w.wide) {
			shifts = amounts(m, w.size);
			m = &shifts;
		}
		lanes(&none, &r, n, m, w.k, 16u >> w.size);
		if (w.pg != UNPREDICATED) {
			const union soft_vector active = soft_sve_active(cpu, w.pg, c, w.size);

			soft_sve_merge(&z[w.d], &r, &active);
		} else {
			z[w.d] = r;
		}
	}
	soft_sve_written(cpu, w.d);
}

/* Zd = Zn, Zm, with the registers at their usual places. */
static struct work three(const struct soft_op *op)
{
	return (struct work){
		.size = soft_sve_size(op),
		.pg = UNPREDICATED,
		.d = op->rd,
		.acc = op->rd,
		.n = op->rn,
		.m = op->rm,
	};
}

/* Zdn = Zdn, Zm */
static struct work two(const struct soft_op *op)
{
	struct work w = three(op);

	w.n = op->rd;
	w.m = op->rn;
	return w;
}

static struct work predicated(const struct soft_op *op, struct work w)
{
	w.pg = op->ra;
	return w;
}

void soft_sve_same(struct soft_cpu *cpu, const struct soft_op *op)
{
	work(cpu, op, three(op));
}

void soft_sve_same_wide(struct soft_cpu *cpu, const struct soft_op *op)
{
	struct work w = three(op);

	w.wide = true;
	work(cpu, op, w);
}

/* RAX1, which has no size. */
void soft_sve_same_doublewords(struct soft_cpu *cpu, const struct soft_op *op)
{
	struct work w = three(op);

	w.size = 3;
	work(cpu, op, w);
}

/* CDOT */
void soft_sve_same_turned(struct soft_cpu *cpu, const struct soft_op *op)
{
	struct work w = three(op);

	w.k = a64_get_sve2_complex_dot(op->word).rot;
	work(cpu, op, w);
}

void soft_sve_merge_pred(struct soft_cpu *cpu, const struct soft_op *op)
{
	work(cpu, op, predicated(op, two(op)));
}

void soft_sve_merge_reverse(struct soft_cpu *cpu, const struct soft_op *op)
{
	struct work w = predicated(op, two(op));

	w.n = op->rn;
	w.m = op->rd;
	work(cpu, op, w);
}

void soft_sve_merge_wide(struct soft_cpu *cpu, const struct soft_op *op)
{
	struct work w = predicated(op, two(op));

	w.wide = true;
	work(cpu, op, w);
}

void soft_sve_merge_three(struct soft_cpu *cpu, const struct soft_op *op)
{
	work(cpu, op, predicated(op, three(op)));
}

void soft_sve_merge_three_first(struct soft_cpu *cpu, const struct soft_op *op)
{
	struct work w = predicated(op, three(op));

	w.acc = op->rn;
	w.n = op->rd;
	work(cpu, op, w);
}

static void shift(struct soft_cpu *cpu, const struct soft_op *op, struct work w,
		  struct soft_sve_shift by)
{
	w.size = by.size;
	w.k = by.k;
	work(cpu, op, w);
}

void soft_sve_shift_right_imm(struct soft_cpu *cpu, const struct soft_op *op)
{
	shift(cpu, op, three(op), soft_sve_shift(op->word, false));
}

void soft_sve_shift_left_imm(struct soft_cpu *cpu, const struct soft_op *op)
{
	shift(cpu, op, three(op), soft_sve_shift(op->word, true));
}

/* XAR */
void soft_sve_rotate_imm(struct soft_cpu *cpu, const struct soft_op *op)
{
	shift(cpu, op, two(op), soft_sve_shift(op->word, false));
}

static void shift_pred(struct soft_cpu *cpu, const struct soft_op *op, bool left)
{
	const struct a64_sve_shift_imm_pred f = a64_get_sve_shift_imm_pred(op->word);
	struct work w = predicated(op, three(op));

	w.n = op->rd;
	shift(cpu, op, w, soft_sve_shift_of(f.tszh << 2 | f.tszl, f.imm3, left));
}

void soft_sve_shift_right_imm_pred(struct soft_cpu *cpu, const struct soft_op *op)
{
	shift_pred(cpu, op, false);
}

void soft_sve_shift_left_imm_pred(struct soft_cpu *cpu, const struct soft_op *op)
{
	shift_pred(cpu, op, true);
}

/* Zdn = Zdn, value; or reversed */
static void immediate(struct soft_cpu *cpu, const struct soft_op *op, unsigned int size,
		      uint64_t value, bool reverse)
{
	struct work w = three(op);
	union soft_vector all;

	soft_fill(&all, size, value);
	w.size = size;
	w.n = w.m = op->rd;
	*(reverse ? &w.all_n : &w.all_m) = &all;
	work(cpu, op, w);
}

void soft_sve_logical_imm(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve_logical_imm f = a64_get_sve_logical_imm(op->word);
	uint64_t mask = 0;

	(void)a64_logical_immediate(true, f.n, f.immr, f.imms, &mask);
	immediate(cpu, op, 3, mask, false);
}

static uint64_t addend(const struct soft_op *op)
{
	const struct a64_sve_add_imm f = a64_get_sve_add_imm(op->word);

	return (uint64_t)f.imm8 << 8 * f.sh;
}

void soft_sve_add_imm(struct soft_cpu *cpu, const struct soft_op *op)
{
	immediate(cpu, op, soft_sve_size(op), addend(op), false);
}

void soft_sve_add_imm_reverse(struct soft_cpu *cpu, const struct soft_op *op)
{
	immediate(cpu, op, soft_sve_size(op), addend(op), true);
}

void soft_sve_unsigned_imm(struct soft_cpu *cpu, const struct soft_op *op)
{
	immediate(cpu, op, soft_sve_size(op), op->word >> 5 & 0xff, false);
}

void soft_sve_signed_imm(struct soft_cpu *cpu, const struct soft_op *op)
{
	const int8_t value = (int8_t)(op->word >> 5 & 0xff);

	immediate(cpu, op, soft_sve_size(op), (uint64_t)value, false);
}

/*
 * The element of each segment of Zm, as all its elements; one by one, as Zd may be Zm. What is no
 * rotation of CDOT is not used.
 */
static void element(struct soft_cpu *cpu, const struct soft_op *op, unsigned int size,
		    unsigned int m, unsigned int index)
{
	const unsigned int turns = a64_get_sve2_complex_dot(op->word).rot;
	struct float_state none = {0, 0};

	for (unsigned int c = 0; c < soft_sve_segments(cpu); c++) {
		union soft_vector *const z = cpu->z[c], r = z[op->rd], all;

		soft_fill(&all, size, soft_element(&z[m], size, index));
		soft_sve_lanes(op, size)(&none, &r, &z[op->rn], &all, turns, 16u >> size);
		z[op->rd] = r;
	}
	soft_sve_written(cpu, op->rd);
}

void soft_sve_by_element(struct soft_cpu *cpu, const struct soft_op *op)
{
	unsigned int size, m;
	const unsigned int index = soft_sve_indexed(op->word, &size, &m);

	element(cpu, op, size, m, index);
}

/* ADDP and others: neighbours of Zdn become the even elements, those of Zm the odd ones. */
void soft_sve_merge_pairs(struct soft_cpu *cpu, const struct soft_op *op)
{
	const unsigned int size = soft_sve_size(op);
	struct float_state none = {0, 0};

	for (unsigned int c = 0; c < soft_sve_segments(cpu); c++) {
		const union soft_vector active = soft_sve_active(cpu, op->ra, c, size);
		union soft_vector *const z = cpu->z[c], n, m, r = z[op->rd];

		soft_sve_neighbours(&z[op->rd], &z[op->rn], size, &n, &m);
		soft_sve_lanes(op, size)(&none, &r, &n, &m, 0, 16u >> size);
		soft_sve_merge(&z[op->rd], &r, &active);
	}
	soft_sve_written(cpu, op->rd);
}

void soft_sve_matrix(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve_matrix f = a64_get_sve_matrix(op->word);

	for (unsigned int c = 0; c < soft_sve_segments(cpu); c++) {
		union soft_vector *const z = cpu->z[c];

		soft_multiply_matrices(&z[f.zda], &z[f.zn], &z[f.zm], f.uns >> 1, f.uns & 1);
	}
	soft_sve_written(cpu, op->rd);
}

/* opc: offsets are 32 bits of a doubleword, signed or unsigned, words or doublewords. */
void soft_sve_address(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve_address f = a64_get_sve_address(op->word);

	for (unsigned int c = 0; c < soft_sve_segments(cpu); c++) {
		union soft_vector *const z = cpu->z[c];

		for (unsigned int i = 0; i < 4 && f.opc == 2; i++)
			z[f.zd].s[i] = z[f.zn].s[i] + (z[f.zm].s[i] << f.msz);
		for (unsigned int i = 0; i < 2 && f.opc != 2; i++) {
			const uint64_t offset = z[f.zm].d[i];

			z[f.zd].d[i] = z[f.zn].d[i] + ((f.opc == 0   ? soft_sign_extend(offset, 2)
							: f.opc == 1 ? (uint32_t)offset
								     : offset)
						       << f.msz);
		}
	}
	soft_sve_written(cpu, f.zd);
}

static void put_index(struct soft_cpu *cpu, const struct soft_op *op, uint64_t start, uint64_t step)
{
	const unsigned int size = soft_sve_size(op), count = 16u >> size;

	for (unsigned int c = 0; c < soft_sve_segments(cpu); c++)
		for (unsigned int i = 0; i < count; i++, start += step)
			soft_set_element(&cpu->z[c][op->rd], size, i, start);
	soft_sve_written(cpu, op->rd);
}

void soft_sve_index_imm(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve_index_imm f = a64_get_sve_index_imm(op->word);

	put_index(cpu, op, (uint64_t)(int64_t)f.imm5, (uint64_t)(int64_t)f.imm5b);
}

void soft_sve_index_start(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve_index_start f = a64_get_sve_index_start(op->word);

	put_index(cpu, op, cpu->x[f.rn], (uint64_t)(int64_t)f.imm5);
}

void soft_sve_index_step(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve_index_step f = a64_get_sve_index_step(op->word);

	put_index(cpu, op, (uint64_t)(int64_t)f.imm5, cpu->x[f.rm]);
}

void soft_sve_index(struct soft_cpu *cpu, const struct soft_op *op)
{
	put_index(cpu, op, cpu->x[op->rn], cpu->x[op->rm]);
}

void soft_sve_add_length(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve_add_length f = a64_get_sve_add_length(op->word);
	const int length = f.op ? cpu->vl / 8 : cpu->vl;
	const uint64_t base = cpu->x[f.xn == 31 ? SOFT_X_SP : f.xn];

	cpu->x[f.rd == 31 ? SOFT_X_SP : f.rd] = base + (uint64_t)(int64_t)(f.imm6 * length);
}

void soft_sve_read_length(struct soft_cpu *cpu, const struct soft_op *op)
{
	soft_put_x(cpu, op->rd,
		   (uint64_t)(int64_t)(a64_get_sve_read_length(op->word).imm6 * cpu->vl));
}

/* What inactive elements are in place of: the value that changes no result. */
static uint64_t identity(unsigned int opc, unsigned int size)
{
	const uint64_t lowest = UINT64_C(1) << ((8u << size) - 1);

	switch (opc) {
	case 8: return lowest;	    /* SMAXV */
	case 10: return lowest - 1; /* SMINV */
	case 11:		    /* UMINV */
	case 26: return UINT64_MAX; /* ANDV */
	default: return 0;
	}
}

/* The segments are reduced to one, and this to its lower half, until that is an element. */
void soft_sve_reduce(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve_reduce f = a64_get_sve_reduce(op->word);
	soft_lanes *const lanes = soft_sve_lanes(op, f.size);
	struct float_state none = {0, 0};
	union soft_vector sum, other;

	soft_fill(&sum, f.size, identity(f.opc, f.size));
	other = sum;
	for (unsigned int c = 0; c < soft_sve_segments(cpu); c++) {
		const union soft_vector active = soft_sve_active(cpu, f.pg, c, f.size), n = sum;
		union soft_vector m = other;

		soft_sve_merge(&m, &cpu->z[c][f.zn], &active);
		lanes(&none, &sum, &n, &m, 0, 16u >> f.size);
	}
	for (unsigned int bytes = 8; bytes >= 1u << f.size; bytes /= 2) {
		const union soft_vector n = sum;

		for (unsigned int i = 0; i < bytes; i++)
			other.b[i] = n.b[i + bytes];
		lanes(&none, &sum, &n, &other, 0, 16u >> f.size);
	}
	soft_put_scalar(cpu, f.vd, soft_element(&sum, f.size, 0));
	soft_clear_upper(cpu, f.vd);
}

void soft_sve_reduce_sum(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve_reduce f = a64_get_sve_reduce(op->word);
	uint64_t sum = 0;

	for (unsigned int c = 0; c < soft_sve_segments(cpu); c++) {
		const union soft_vector active = soft_sve_active(cpu, f.pg, c, f.size);
		union soft_vector n = {.d = {0, 0}};

		soft_sve_merge(&n, &cpu->z[c][f.zn], &active);
		for (unsigned int i = 0; i < 16u >> f.size; i++) {
			const uint64_t value = soft_element(&n, f.size, i);

			sum += f.opc ? value : soft_sign_extend(value, f.size);
		}
	}
	soft_put_scalar(cpu, f.vd, sum);
	soft_clear_upper(cpu, f.vd);
}
