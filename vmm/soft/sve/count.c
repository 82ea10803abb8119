/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts of elements of SVE, and what is added to or subtracted from registers. */
#include "soft/sve/predicate.h"

unsigned int soft_sve_pattern(unsigned int vl, unsigned int pattern, unsigned int size)
{
	const unsigned int all = vl >> size;
	unsigned int count;

	switch (pattern) {
	case 0: return all ? 1u << (31 - __builtin_clz(all)) : 0; /* POW2 */
	case 29: return all - all % 4;				  /* MUL4 */
	case 30: return all - all % 3;				  /* MUL3 */
	case 31: return all;					  /* ALL */
	default: break;
	}
	/* VL1 to VL8, VL16 to VL256 */
	if (pattern > 13)
		return 0;
	count = pattern <= 8 ? pattern : 16u << (pattern - 9);
	return count <= all ? count : 0;
}

static uint64_t saturate(__int128 value, unsigned int width, bool is_unsigned)
{
	const __int128 least = is_unsigned ? 0 : -((__int128)1 << (width - 1));
	const __int128 most = ((__int128)1 << (is_unsigned ? width : width - 1)) - 1;

	return (uint64_t)(value < least ? least : value > most ? most : value);
}

/* value has 1 << size bytes */
static uint64_t add_saturated(uint64_t value, unsigned int size, int64_t by, bool is_unsigned)
{
	const __int128 wide =
		is_unsigned ? (__int128)value : (__int128)(int64_t)soft_sign_extend(value, size);

	return saturate(wide + by, 8u << size, is_unsigned);
}

/* INC and DEC of a vector, saturated or not */
static void add_to_vector(struct soft_cpu *cpu, unsigned int d, unsigned int size, int64_t by)
{
	for (unsigned int c = 0; c < soft_sve_segments(cpu); c++) {
		union soft_vector *z = &cpu->z[c][d];

		for (unsigned int i = 0; i < 16u >> size; i++)
			soft_set_element(z, size, i, soft_element(z, size, i) + (uint64_t)by);
	}
	soft_sve_written(cpu, d);
}

static void add_to_vector_saturated(struct soft_cpu *cpu, unsigned int d, unsigned int size,
				    int64_t by, bool is_unsigned)
{
	for (unsigned int c = 0; c < soft_sve_segments(cpu); c++) {
		union soft_vector *z = &cpu->z[c][d];

		for (unsigned int i = 0; i < 16u >> size; i++)
			soft_set_element(
				z, size, i,
				add_saturated(soft_element(z, size, i), size, by, is_unsigned));
	}
	soft_sve_written(cpu, d);
}

/* Rd of 32 or 64 bits: a result of 32 is extended as its sign says. */
static void add_to_register(struct soft_cpu *cpu, unsigned int d, bool sf, int64_t by,
			    bool is_unsigned)
{
	const uint64_t value = sf ? cpu->x[d] : (uint32_t)cpu->x[d];

	soft_put_x(cpu, d, add_saturated(value, sf ? 3 : 2, by, is_unsigned));
}

static int64_t negate_if(bool negative, uint64_t value)
{
	return negative ? -(int64_t)value : (int64_t)value;
}

/* The elements of a pattern, by the factor; all of these instructions have them at one place. */
static uint64_t counted(const struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve_count f = a64_get_sve_count(op->word);

	return (uint64_t)soft_sve_pattern(cpu->vl, f.pattern, f.size) * (f.imm4 + 1);
}

void soft_sve_count(struct soft_cpu *cpu, const struct soft_op *op)
{
	soft_put_x(cpu, op->rd, counted(cpu, op));
}

void soft_sve_count_add(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve_count_add f = a64_get_sve_count_add(op->word);

	soft_put_x(cpu, f.rd, cpu->x[f.rd] + (uint64_t)negate_if(f.d, counted(cpu, op)));
}

void soft_sve_count_sat(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve_count_sat f = a64_get_sve_count_sat(op->word);

	add_to_register(cpu, f.rd, f.sf, negate_if(f.d, counted(cpu, op)), f.u);
}

void soft_sve_count_vector(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve_count_vector f = a64_get_sve_count_vector(op->word);

	add_to_vector(cpu, f.zdn, f.size, negate_if(f.d, counted(cpu, op)));
}

void soft_sve_count_vector_sat(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve_count_vector_sat f = a64_get_sve_count_vector_sat(op->word);

	add_to_vector_saturated(cpu, f.zdn, f.size, negate_if(f.d, counted(cpu, op)), f.u);
}

void soft_sve_predicate_count(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve_predicate_count f = a64_get_sve_predicate_count(op->word);
	union soft_predicate p = soft_sve_predicate(cpu, f.pn, f.size);

	for (unsigned int i = 0; i < SOFT_PREDICATE_WORDS; i++)
		p.d[i] &= cpu->p[f.pg].d[i];
	soft_put_x(cpu, f.rd, soft_sve_count_bits(&p));
}

/* The true elements of Pm, which has its place in common too. */
static uint64_t counted_true(const struct soft_cpu *cpu, const struct soft_op *op)
{
	const union soft_predicate p =
		soft_sve_predicate(cpu, op->word >> 5 & 15, soft_sve_size(op));

	return soft_sve_count_bits(&p);
}

void soft_sve_count_predicate_add(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve_count_predicate_add f = a64_get_sve_count_predicate_add(op->word);

	soft_put_x(cpu, f.rd, cpu->x[f.rd] + (uint64_t)negate_if(f.d, counted_true(cpu, op)));
}

void soft_sve_count_predicate_sat(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve_count_predicate_sat f = a64_get_sve_count_predicate_sat(op->word);

	add_to_register(cpu, f.rd, f.sf, negate_if(f.d, counted_true(cpu, op)), f.u);
}

/* sat is 0 for what saturates; else u says if it is DECP. */
void soft_sve_count_predicate_vector(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve_count_predicate_vector f =
		a64_get_sve_count_predicate_vector(op->word);
	const uint64_t count = counted_true(cpu, op);

	if (f.sat)
		add_to_vector(cpu, f.zdn, f.size, negate_if(f.u, count));
	else
		add_to_vector_saturated(cpu, f.zdn, f.size, negate_if(f.d, count), f.u);
}

/* The number has no sign, even where elements have. */
void soft_sve_add_imm_sat(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve_add_imm f = a64_get_sve_add_imm(op->word);

	add_to_vector_saturated(cpu, f.zdn, f.size,
				negate_if(f.opc >> 1 & 1, (uint64_t)f.imm8 << 8 * f.sh), f.opc & 1);
}
