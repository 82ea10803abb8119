/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Conversions of SVE: see float.def. An element has the larger of both sizes, of which the smaller
 * format is in the lower part, and the rest of a result is 0 or repeats the sign of an integer.
 */
#include "soft/sve/sve.h"

/* Of a row, as sizes: a number, and what it is converted from or to. */
struct formats {
	uint8_t number, other;
};

/* By opc and opc2 */
static const struct formats of_floats[16] = {
	[2] = {2, 3},  /* FCVTXNT */
	[8] = {1, 2},  /* to a half, from a single */
	[9] = {2, 1},  /* the other way */
	[12] = {1, 3}, /* to a half, from a double */
	[13] = {3, 1}, [14] = {2, 3}, [15] = {3, 2},
};

/* Whichever way: the other is an integer. */
static const struct formats of_integers[16] = {
	[5] = {1, 1},  [6] = {1, 2},  [7] = {1, 3},  [10] = {2, 2},
	[12] = {3, 2}, [14] = {2, 3}, [15] = {3, 3},
};

static enum float_size format(unsigned int size)
{
	return (enum float_size)(size ? size - 1 : 0);
}

typedef uint64_t conversion(struct float_state *fp, const struct soft_op *op, struct formats f,
			    uint64_t value);

/* Where the smaller format is in an element. */
enum place { LOWER, UPPER_SOURCE, UPPER_RESULT };

/* All active elements of f's larger size. */
static void convert(struct soft_cpu *cpu, const struct soft_op *op, struct formats f,
		    enum place place, conversion *one)
{
	const unsigned int size = f.number > f.other ? f.number : f.other, half = 4u << size;

	for (unsigned int c = 0; c < soft_sve_segments(cpu); c++) {
		const union soft_vector n = cpu->z[c][op->rn];
		union soft_vector *d = &cpu->z[c][op->rd];

		for (unsigned int i = 0; i < 16u >> size; i++) {
			const uint64_t value = soft_element(&n, size, i);
			uint64_t result;

			if (!(cpu->p[op->ra].h[c] >> (i << size) & 1))
				continue;
			result = one(&cpu->sys.fp, op, f,
				     place == UPPER_SOURCE ? value >> half : value);
			if (place == UPPER_RESULT)
				result = result << half |
					 (soft_element(d, size, i) & ((UINT64_C(1) << half) - 1));
			soft_set_element(d, size, i, result);
		}
	}
	soft_sve_written(cpu, op->rd);
}

static uint64_t rounded(struct float_state *fp, struct formats f, uint64_t value,
			enum float_rounding rounding)
{
	/* FPCR.AHP has no effect here. */
	struct float_state state = {.fpcr = fp->fpcr & ~FPCR_AHP, .fpsr = fp->fpsr};
	const uint64_t result =
		float_convert(&state, format(f.other), format(f.number), value, rounding);

	fp->fpsr = state.fpsr;
	return result;
}

static uint64_t from_float(struct float_state *fp, const struct soft_op *op, struct formats f,
			   uint64_t value)
{
	(void)op;
	return rounded(fp, f, value, float_rounding(fp));
}

static uint64_t from_float_odd(struct float_state *fp, const struct soft_op *op, struct formats f,
			       uint64_t value)
{
	(void)op;
	return rounded(fp, f, value, FLOAT_ODD);
}

void soft_sve_float_convert(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve_fp_convert f = a64_get_sve_fp_convert(op->word);

	convert(cpu, op, of_floats[f.opc << 2 | f.opc2], LOWER, from_float);
}

void soft_sve_float_convert_odd(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct formats from_double = {2, 3};

	convert(cpu, op, from_double, LOWER, from_float_odd);
}

/* FCVTNT and, without opc, FCVTXNT */
void soft_sve_float_to_top(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve2_fp_convert_top f = a64_get_sve2_fp_convert_top(op->word);

	convert(cpu, op, of_floats[f.opc << 2 | f.opc2], UPPER_RESULT,
		f.opc ? from_float : from_float_odd);
}

/* FCVTLT */
void soft_sve_float_from_top(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve2_fp_convert_top f = a64_get_sve2_fp_convert_top(op->word);

	convert(cpu, op, of_floats[f.opc << 2 | f.opc2], UPPER_SOURCE, from_float);
}

static uint64_t from_integer(struct float_state *fp, const struct soft_op *op, struct formats f,
			     uint64_t value)
{
	const bool is_signed = !a64_get_sve_fp_from_int(op->word).u;
	const uint64_t low = f.other == 3 ? value : value & ((UINT64_C(1) << (8u << f.other)) - 1);

	return float_from_fixed(fp, format(f.number),
				is_signed ? soft_sign_extend(value, f.other) : low, 0, is_signed);
}

void soft_sve_float_from_integer(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve_fp_from_int f = a64_get_sve_fp_from_int(op->word);

	convert(cpu, op, of_integers[f.opc << 2 | f.opc2], LOWER, from_integer);
}

static uint64_t to_integer(struct float_state *fp, const struct soft_op *op, struct formats f,
			   uint64_t value)
{
	const bool is_signed = !a64_get_sve_fp_to_int(op->word).u;
	const uint64_t result = float_to_fixed(fp, format(f.number), value, 8u << f.other, 0,
					       is_signed, FLOAT_TO_ZERO);

	return is_signed ? soft_sign_extend(result, f.other) : result;
}

void soft_sve_float_to_integer(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve_fp_to_int f = a64_get_sve_fp_to_int(op->word);

	convert(cpu, op, of_integers[f.opc << 2 | f.opc2], LOWER, to_integer);
}

static uint64_t to_bf16(struct float_state *fp, const struct soft_op *op, struct formats f,
			uint64_t value)
{
	(void)op, (void)f;
	return float_to_bf16(fp, (uint32_t)value);
}

void soft_sve_float_to_bf16(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct formats single = {2, 2};

	convert(cpu, op, single, LOWER, to_bf16);
}

/* BFCVTNT */
void soft_sve_float_to_bf16_top(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct formats single = {2, 2};

	convert(cpu, op, single, UPPER_RESULT, to_bf16);
}
