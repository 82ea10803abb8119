/* SPDX-License-Identifier: BSD-2-Clause */
/* Floating-point instructions that do not work on one element: see vector.h. */
#include "soft/fp/vector.h"

#include "a64/a64.h"
#include "soft/flags.h"
#include "soft/fp/element.h"

/* ftype: 0 single, 1 double, 3 half. */
static enum float_size size_of_ftype(unsigned int ftype)
{
	static const uint8_t sizes[] = {FLOAT_SINGLE, FLOAT_DOUBLE, FLOAT_HALF, FLOAT_HALF};

	return (enum float_size)sizes[ftype];
}

static enum float_size size_of(const struct soft_op *op)
{
	return size_of_ftype(op->word >> 22 & 3);
}

static uint64_t read(const struct soft_cpu *cpu, unsigned int v, enum float_size size)
{
	return soft_element(&cpu->v[v], size + 1u, 0);
}

/* FMADD, FMSUB, FNMADD, FNMSUB */
void soft_vector_float_multiply_add(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_fp_three_sources f = a64_get_fp_three_sources(op->word);
	const enum float_size size = size_of(op);
	uint64_t n = read(cpu, f.rn, size), a = read(cpu, f.ra, size);

	if (f.o0 != f.o1)
		n = float_negate(&cpu->sys.fp, size, n);
	if (f.o1)
		a = float_negate(&cpu->sys.fp, size, a);
	soft_put_scalar(cpu, f.rd,
			float_multiply_add(&cpu->sys.fp, size, a, n, read(cpu, f.rm, size)));
}

/* FCMP, FCMPE; bit 3 of opc is for a comparison with zero */
void soft_vector_float_compare(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_fp_compare f = a64_get_fp_compare(op->word);
	const enum float_size size = size_of(op);

	soft_set_flags(cpu, float_compare(&cpu->sys.fp, size, read(cpu, f.rn, size),
					  f.opc & 1 ? 0 : read(cpu, f.rm, size), f.opc & 2));
}

/* FCCMP, FCCMPE */
void soft_vector_float_compare_conditional(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_fp_cond_compare f = a64_get_fp_cond_compare(op->word);
	const enum float_size size = size_of(op);

	if (a64_condition_holds(f.cond, soft_flags(cpu)))
		soft_set_flags(cpu, float_compare(&cpu->sys.fp, size, read(cpu, f.rn, size),
						  read(cpu, f.rm, size), f.op));
	else
		soft_set_flags(cpu, f.nzcv_if_not);
}

void soft_vector_float_select(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_fp_select f = a64_get_fp_select(op->word);

	soft_put_scalar(
		cpu, f.rd,
		read(cpu, a64_condition_holds(f.cond, soft_flags(cpu)) ? f.rn : f.rm, size_of(op)));
}

/* FCVT: opc as ftype */
void soft_vector_float_convert(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_fp_convert f = a64_get_fp_convert(op->word);

	soft_put_scalar(cpu, f.rd,
			float_convert(&cpu->sys.fp, size_of(op), size_of_ftype(f.opc),
				      read(cpu, f.rn, size_of(op)), float_rounding(&cpu->sys.fp)));
}

/* The bits after the point, for FCVTZS, SCVTF and their kin with an immediate. */
static unsigned int fraction_of(const struct soft_op *op)
{
	return op->word >> 21 & 1 ? 0 : 64 - a64_get_fp_fixed(op->word).scale;
}

/* FCVT[NPMZA][SU]: rmode, but opcode 4 and 5 round ties away. */
void soft_vector_float_to_x(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_fp_integer f = a64_get_fp_integer(op->word);
	const enum float_size size = size_of(op);
	const enum float_rounding rounding =
		f.opcode & 4 ? FLOAT_NEAREST_AWAY : (enum float_rounding)f.rmode;

	soft_put_x(cpu, f.rd,
		   float_to_fixed(&cpu->sys.fp, size, read(cpu, f.rn, size), f.sf ? 64 : 32,
				  fraction_of(op), !(f.opcode & 1), rounding));
}

/* FJCVTZS: Z is set if the result is exact. */
void soft_vector_float_to_javascript(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_fp_integer f = a64_get_fp_integer(op->word);
	bool exact;

	soft_put_x(cpu, f.rd, float_to_javascript(&cpu->sys.fp, cpu->v[f.rn].d[0], &exact));
	soft_set_flags(cpu, soft_pack_nzcv(false, exact, false, false));
}

/* SCVTF, UCVTF */
void soft_vector_float_from_x(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_fp_integer f = a64_get_fp_integer(op->word);
	const bool is_signed = !(f.opcode & 1);
	uint64_t value = cpu->x[f.rn];

	if (!f.sf)
		value = is_signed ? (uint64_t)(int64_t)(int32_t)value : (uint32_t)value;
	soft_put_scalar(
		cpu, f.rd,
		float_from_fixed(&cpu->sys.fp, size_of(op), value, fraction_of(op), is_signed));
}

/* FMOV to a general-purpose register; ftype 2: the upper half of Vn. */
void soft_vector_float_move_to_x(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_fp_integer f = a64_get_fp_integer(op->word);

	soft_put_x(cpu, f.rd, f.ftype == 2 ? cpu->v[f.rn].d[1] : read(cpu, f.rn, size_of(op)));
}

void soft_vector_float_move_from_x(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_fp_integer f = a64_get_fp_integer(op->word);
	const uint64_t value = cpu->x[f.rn];

	if (f.ftype == 2)
		cpu->v[f.rd].d[1] = value;
	else
		soft_put_scalar(cpu, f.rd,
				size_of(op) == FLOAT_HALF     ? (uint16_t)value
				: size_of(op) == FLOAT_SINGLE ? (uint32_t)value
							      : value);
}

/*
 * FCVTN, FCVTXN and their upper halves; size is that of the result. FCVTXN has U, and a scalar
 * form.
 */
void soft_vector_float_narrow(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_vector_two f = a64_get_vector_two(op->word);
	const unsigned int size = 1 + (f.size & 1),
			   count = soft_is_scalar(op->word) ? 1 : 8u >> size;
	const enum float_rounding rounding = f.u ? FLOAT_ODD : float_rounding(&cpu->sys.fp);
	union soft_vector r = {0};

	for (unsigned int i = 0; i < count; i++)
		soft_set_element(&r, size, i,
				 float_convert(&cpu->sys.fp, (enum float_size)size,
					       (enum float_size)(size - 1),
					       soft_element(&cpu->v[f.rn], size + 1, i), rounding));
	if (f.q && !soft_is_scalar(op->word))
		cpu->v[f.rd].d[1] = r.d[0];
	else
		soft_put_vector(cpu, f.rd, &r, 8);
}

/* FCVTL, FCVTL2 */
void soft_vector_float_lengthen(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_vector_two f = a64_get_vector_two(op->word);
	const unsigned int size = 1 + (f.size & 1), count = 8u >> size;
	union soft_vector r = {0};

	for (unsigned int i = 0; i < count; i++)
		soft_set_element(&r, size + 1, i,
				 float_convert(&cpu->sys.fp, (enum float_size)(size - 1),
					       (enum float_size)size,
					       soft_element(&cpu->v[f.rn], size, i + f.q * count),
					       float_rounding(&cpu->sys.fp)));
	soft_put_vector(cpu, f.rd, &r, 16);
}
