/* SPDX-License-Identifier: BSD-2-Clause */
/* Integers of SVE2 that become longer or narrower: see long.def. */
#include "soft/sve/sve.h"

/* What of an element a lane is given. */
enum part { WHOLE, BOTTOM, TOP };

/* Operands of a lane: elements of 1 << size bytes, made of parts of those of Zn and Zm. */
struct longer {
	unsigned int size;
	enum part n, m;
	bool is_signed; /* how a half is extended */
	unsigned int m_register;
	bool same; /* all elements use half number index of each segment of Zm */
	unsigned int index;
	unsigned int k;
};

static bool top(const struct soft_op *op)
{
	return op->word >> 10 & 1;
}

static enum part half(const struct soft_op *op)
{
	return top(op) ? TOP : BOTTOM;
}

static void apply(unsigned int lane, unsigned int size, union soft_vector *d,
		  const union soft_vector *n, unsigned int k)
{
	struct float_state none = {0, 0};

	soft_lanes_table[lane][size](&none, d, n, n, k, 16u >> size);
}

static union soft_vector part_of(const union soft_vector *v, enum part part, unsigned int size,
				 bool is_signed)
{
	const unsigned int bits = 4u << size;
	union soft_vector up = *v, r = *v;

	if (part == WHOLE)
		return r;
	if (part == BOTTOM)
		apply(SOFT_lane_shl, size, &up, v, bits);
	apply(is_signed ? SOFT_lane_sshr : SOFT_lane_ushr, size, &r, &up, bits);
	return r;
}

static void work(struct soft_cpu *cpu, const struct soft_op *op, const struct longer *l)
{
	struct float_state none = {0, 0};

	for (unsigned int c = 0; c < soft_sve_segments(cpu); c++) {
		union soft_vector *const z = cpu->z[c], r = z[op->rd], all;
		const union soft_vector n = part_of(&z[op->rn], l->n, l->size, l->is_signed);
		union soft_vector m = z[l->m_register];

		if (l->same) {
			soft_fill(&all, l->size, soft_element(&m, l->size - 1, l->index));
			m = all;
		}
		m = part_of(&m, l->m, l->size, l->is_signed);
		soft_sve_lanes(op, l->size)(&none, &r, &n, &m, l->k, 16u >> l->size);
		z[op->rd] = r;
	}
	soft_sve_written(cpu, op->rd);
}

static void three(struct soft_cpu *cpu, const struct soft_op *op, enum part n, enum part m,
		  bool is_signed)
{
	const struct longer l = {.size = soft_sve_size(op),
				 .n = n,
				 .m = m,
				 .is_signed = is_signed,
				 .m_register = op->rm};

	work(cpu, op, &l);
}

void soft_sve_long_signed(struct soft_cpu *cpu, const struct soft_op *op)
{
	three(cpu, op, half(op), half(op), true);
}

void soft_sve_long_unsigned(struct soft_cpu *cpu, const struct soft_op *op)
{
	three(cpu, op, half(op), half(op), false);
}

void soft_sve_long_bottom_top(struct soft_cpu *cpu, const struct soft_op *op)
{
	three(cpu, op, BOTTOM, TOP, true);
}

void soft_sve_long_top_bottom(struct soft_cpu *cpu, const struct soft_op *op)
{
	three(cpu, op, TOP, BOTTOM, true);
}

void soft_sve_wide_signed(struct soft_cpu *cpu, const struct soft_op *op)
{
	three(cpu, op, WHOLE, half(op), true);
}

void soft_sve_wide_unsigned(struct soft_cpu *cpu, const struct soft_op *op)
{
	three(cpu, op, WHOLE, half(op), false);
}

/* The element is the lower half of all that work() fills. */
static void element(struct soft_cpu *cpu, const struct soft_op *op, bool is_signed)
{
	const struct a64_sve2_mul_long_element_s s = a64_get_sve2_mul_long_element_s(op->word);
	const struct a64_sve2_mul_long_element_d d = a64_get_sve2_mul_long_element_d(op->word);
	const bool word = soft_sve_size(op) == 2;
	const struct longer l = {.size = soft_sve_size(op),
				 .n = half(op),
				 .m = BOTTOM,
				 .is_signed = is_signed,
				 .m_register = word ? s.zm3 : d.zm4,
				 .same = true,
				 .index = word ? s.i3h << 1 | s.i3l : d.i2h << 1 | d.i2l};

	work(cpu, op, &l);
}

void soft_sve_long_element_signed(struct soft_cpu *cpu, const struct soft_op *op)
{
	element(cpu, op, true);
}

void soft_sve_long_element_unsigned(struct soft_cpu *cpu, const struct soft_op *op)
{
	element(cpu, op, false);
}

static void shift_long(struct soft_cpu *cpu, const struct soft_op *op, bool is_signed)
{
	const struct soft_sve_shift by = soft_sve_shift(op->word, true);
	const struct longer l = {
		.size = by.size + 1, .n = half(op), .is_signed = is_signed, .k = by.k};

	work(cpu, op, &l);
}

void soft_sve_shift_long_signed(struct soft_cpu *cpu, const struct soft_op *op)
{
	shift_long(cpu, op, true);
}

void soft_sve_shift_long_unsigned(struct soft_cpu *cpu, const struct soft_op *op)
{
	shift_long(cpu, op, false);
}

static void pairs_long(struct soft_cpu *cpu, const struct soft_op *op, bool is_signed)
{
	const unsigned int size = soft_sve_size(op);
	struct float_state none = {0, 0};

	for (unsigned int c = 0; c < soft_sve_segments(cpu); c++) {
		union soft_vector *const z = cpu->z[c], r = z[op->rd];
		const union soft_vector active = soft_sve_active(cpu, op->ra, c, size);
		const union soft_vector n = part_of(&z[op->rn], BOTTOM, size, is_signed);
		const union soft_vector m = part_of(&z[op->rn], TOP, size, is_signed);

		soft_sve_lanes(op, size)(&none, &r, &n, &m, 0, 16u >> size);
		soft_sve_merge(&z[op->rd], &r, &active);
	}
	soft_sve_written(cpu, op->rd);
}

void soft_sve_pairs_long_signed(struct soft_cpu *cpu, const struct soft_op *op)
{
	pairs_long(cpu, op, true);
}

void soft_sve_pairs_long_unsigned(struct soft_cpu *cpu, const struct soft_op *op)
{
	pairs_long(cpu, op, false);
}

/*
 * Elements of 1 << size bytes of Zn become halves: the upper ones of those of Zd, whose lower ones
 * stay, or the lower ones, with 0 above.
 */
static void narrow(struct soft_cpu *cpu, const struct soft_op *op, unsigned int size,
		   unsigned int k)
{
	const unsigned int bits = 4u << size;
	struct float_state none = {0, 0};

	for (unsigned int c = 0; c < soft_sve_segments(cpu); c++) {
		union soft_vector *const z = cpu->z[c], r = z[op->rd], low = {.d = {0, 0}},
					 high = low;

		soft_sve_lanes(op, size)(&none, &r, &z[op->rn], &z[op->rm], k, 16u >> size);
		if (top(op)) {
			low = part_of(&z[op->rd], BOTTOM, size, false);
			apply(SOFT_lane_shl, size, &high, &r, bits);
		} else {
			low = part_of(&r, BOTTOM, size, false);
		}
		z[op->rd].d[0] = high.d[0] | low.d[0];
		z[op->rd].d[1] = high.d[1] | low.d[1];
	}
	soft_sve_written(cpu, op->rd);
}

void soft_sve_narrow(struct soft_cpu *cpu, const struct soft_op *op)
{
	narrow(cpu, op, soft_sve_size(op), 0);
}

/* SQXTNB and others have no amount, and a lane that does not use it. */
void soft_sve_narrow_shift(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct soft_sve_shift by = soft_sve_shift(op->word, false);

	narrow(cpu, op, by.size + 1, by.k);
}

/* EORBT: even elements of Zn with odd ones of Zm to even ones of Zd; EORTB: the opposite. */
void soft_sve_xor_interleaved(struct soft_cpu *cpu, const struct soft_op *op)
{
	const unsigned int size = soft_sve_size(op), odd = top(op);

	for (unsigned int c = 0; c < soft_sve_segments(cpu); c++) {
		union soft_vector *const z = cpu->z[c];
		const union soft_vector n = z[op->rn], m = z[op->rm];

		for (unsigned int i = odd; i < 16u >> size; i += 2)
			soft_set_element(&z[op->rd], size, i,
					 soft_element(&n, size, i) ^ soft_element(&m, size, i ^ 1));
	}
	soft_sve_written(cpu, op->rd);
}

/*
 * ADCLB and SBCLB, and, of the odd elements of Zn, ADCLT and SBCLT: they are added to the even ones
 * of Zda with the carry that the odd ones of Zm hold; the odd ones of Zda become the new carry.
 */
void soft_sve_carry_long(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve2_carry_long f = a64_get_sve2_carry_long(op->word);
	const unsigned int size = f.sz ? 3 : 2;
	const uint64_t mask = f.sz ? UINT64_MAX : UINT32_MAX;

	for (unsigned int c = 0; c < soft_sve_segments(cpu); c++) {
		const union soft_vector n = cpu->z[c][f.zn], m = cpu->z[c][f.zm];
		union soft_vector *d = &cpu->z[c][f.zda];

		for (unsigned int i = 0; i < 16u >> size; i += 2) {
			const uint64_t added = soft_element(&n, size, i + f.t) ^ (f.s ? mask : 0);
			const uint64_t carry = soft_element(&m, size, i + 1) & 1;
			const unsigned __int128 sum =
				(unsigned __int128)soft_element(d, size, i) + added + carry;

			soft_set_element(d, size, i, (uint64_t)sum);
			soft_set_element(d, size, i + 1, (uint64_t)(sum >> (8u << size)));
		}
	}
	soft_sve_written(cpu, f.zda);
}

void soft_sve_polynomials_quad(struct soft_cpu *cpu, const struct soft_op *op)
{
	for (unsigned int c = 0; c < soft_sve_segments(cpu); c++) {
		union soft_vector *const z = cpu->z[c];

		soft_multiply_polynomials(&z[op->rd], z[op->rn].d[top(op)], z[op->rm].d[top(op)]);
	}
	soft_sve_written(cpu, op->rd);
}
