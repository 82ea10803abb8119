/* SPDX-License-Identifier: BSD-2-Clause */
/* Advanced SIMD that moves elements, and immediates: see vector.h. */
#include "soft/fp/vector.h"

#include "soft/fp/element.h"
#include "soft/fp/float_number.h"

/* imm5 of the copies: its lowest 1 gives the size of an element, the bits above it the number. */
struct place {
	unsigned int size, index;
};

static struct place place_of(uint32_t imm5)
{
	const unsigned int size = (unsigned int)__builtin_ctz(imm5);

	return (struct place){size, imm5 >> (size + 1)};
}

static struct place place(const struct soft_op *op)
{
	return place_of(a64_get_copy(op->word).imm5);
}

static unsigned int bytes(const struct soft_op *op)
{
	return 8u << (op->word >> 30 & 1);
}

void soft_vector_dup_element(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct place from = place(op);
	union soft_vector all;

	soft_fill(&all, from.size, soft_element(&cpu->v[op->rn], from.size, from.index));
	soft_put_vector(cpu, op->rd, &all, bytes(op));
}

void soft_vector_dup(struct soft_cpu *cpu, const struct soft_op *op)
{
	union soft_vector all;

	soft_fill(&all, place(op).size, cpu->x[op->rn]);
	soft_put_vector(cpu, op->rd, &all, bytes(op));
}

void soft_vector_dup_scalar(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct place from = place_of(a64_get_scalar_copy(op->word).imm5);

	soft_put_scalar(cpu, op->rd, soft_element(&cpu->v[op->rn], from.size, from.index));
}

void soft_vector_smov(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct place from = place(op);
	const uint64_t value =
		soft_sign_extend(soft_element(&cpu->v[op->rn], from.size, from.index), from.size);

	soft_put_x(cpu, op->rd, bytes(op) == 16 ? value : (uint32_t)value);
}

void soft_vector_umov(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct place from = place(op);

	soft_put_x(cpu, op->rd, soft_element(&cpu->v[op->rn], from.size, from.index));
}

void soft_vector_ins(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct place to = place(op);

	soft_set_element(&cpu->v[op->rd], to.size, to.index, cpu->x[op->rn]);
}

void soft_vector_ins_element(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct place to = place(op);
	const unsigned int from = a64_get_copy(op->word).imm4 >> to.size;

	soft_set_element(&cpu->v[op->rd], to.size, to.index,
			 soft_element(&cpu->v[op->rn], to.size, from));
}

/* TBL, TBX: bytes of up to four registers, by number. */
void soft_vector_tbl(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_table_lookup f = a64_get_table_lookup(op->word);
	const union soft_vector index = cpu->v[f.rm];
	union soft_vector r = cpu->v[f.rd];

	for (unsigned int i = 0; i < bytes(op); i++) {
		const unsigned int at = index.b[i];

		if (at < 16 * (f.len + 1))
			r.b[i] = cpu->v[(f.rn + at / 16) % 32].b[at % 16];
		else if (!f.op)
			r.b[i] = 0;
	}
	soft_put_vector(cpu, op->rd, &r, bytes(op));
}

void soft_vector_ext(struct soft_cpu *cpu, const struct soft_op *op)
{
	const unsigned int first = a64_get_extract_vector(op->word).imm4, n = bytes(op);
	union soft_vector r = {0};

	for (unsigned int i = 0; i < n; i++)
		r.b[i] = first + i < n ? cpu->v[op->rn].b[first + i]
				       : cpu->v[op->rm].b[first + i - n];
	soft_put_vector(cpu, op->rd, &r, n);
}

/* Bit 14 chooses the second of ZIP1 and ZIP2, UZP1 and UZP2, TRN1 and TRN2. */
static unsigned int second(const struct soft_op *op)
{
	return op->word >> 14 & 1;
}

void soft_vector_zip(struct soft_cpu *cpu, const struct soft_op *op)
{
	const unsigned int size = a64_get_permute(op->word).size, count = bytes(op) >> size;
	const unsigned int first = second(op) * count / 2;
	union soft_vector r = {0};

	for (unsigned int i = 0; i < count; i++)
		soft_set_element(
			&r, size, i,
			soft_element(&cpu->v[i % 2 ? op->rm : op->rn], size, first + i / 2));
	soft_put_vector(cpu, op->rd, &r, bytes(op));
}

void soft_vector_uzp(struct soft_cpu *cpu, const struct soft_op *op)
{
	const unsigned int size = a64_get_permute(op->word).size, count = bytes(op) >> size;
	union soft_vector r = {0};

	for (unsigned int i = 0; i < count; i++)
		soft_set_element(&r, size, i,
				 soft_element(&cpu->v[2 * i < count ? op->rn : op->rm], size,
					      2 * i % count + second(op)));
	soft_put_vector(cpu, op->rd, &r, bytes(op));
}

void soft_vector_trn(struct soft_cpu *cpu, const struct soft_op *op)
{
	const unsigned int size = a64_get_permute(op->word).size, count = bytes(op) >> size;
	union soft_vector r = {0};

	for (unsigned int i = 0; i < count; i++)
		soft_set_element(&r, size, i,
				 soft_element(&cpu->v[i % 2 ? op->rm : op->rn], size,
					      (i & ~1u) + second(op)));
	soft_put_vector(cpu, op->rd, &r, bytes(op));
}

/* REV64, REV32, REV16: elements change places in containers of 64, 32 and 16 bits. */
void soft_vector_rev(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_vector_two f = a64_get_vector_two(op->word);
	const unsigned int container = f.opcode ? 1 : f.u ? 2 : 3;
	const unsigned int swap = (1u << (container - f.size)) - 1;
	union soft_vector r = {0};

	for (unsigned int i = 0; i < bytes(op) >> f.size; i++)
		soft_set_element(&r, f.size, i, soft_element(&cpu->v[op->rn], f.size, i ^ swap));
	soft_put_vector(cpu, op->rd, &r, bytes(op));
}

/* a:b:c:d:e:f:g:h */
static uint64_t imm8(uint32_t word)
{
	const struct a64_modified f = a64_get_modified(word);

	return f.abc << 5 | f.defgh;
}

uint64_t soft_float_immediate(enum float_size size, unsigned int imm)
{
	const unsigned int fraction = float_fraction_bits(size);
	const unsigned int exponent = float_exponent_bits(size);
	const uint64_t sign = imm >> 7, low = imm >> 6 & 1;
	/* NOT(b), b repeated, c, d */
	const uint64_t repeated = low ? (UINT64_C(1) << (exponent - 3)) - 1 : 0;
	const uint64_t field = (low ^ 1) << (exponent - 1) | repeated << 2 | (imm >> 4 & 3);

	return sign << (exponent + fraction) | field << fraction |
	       (uint64_t)(imm & 15) << (fraction - 4);
}

/* A byte of ones for each 1 bit. */
static uint64_t bytes_of_bits(uint64_t bits)
{
	uint64_t mask = 0;

	for (unsigned int i = 0; i < 8; i++)
		mask |= bits >> i & 1 ? UINT64_C(0xff) << 8 * i : 0;
	return mask;
}

uint64_t soft_vector_immediate(uint32_t word)
{
	const struct a64_modified f = a64_get_modified(word);
	const uint64_t value = imm8(word);
	const unsigned int shift = 8 * (f.cmode >> 1 & 3);
	union soft_vector v;

	if (word & UINT32_C(1) << 11) { /* FMOV of half precision */
		soft_fill(&v, 1, soft_float_immediate(FLOAT_HALF, (unsigned int)value));
		return v.d[0];
	}
	switch (f.cmode >> 1) {
	case 0:
	case 1:
	case 2:
	case 3: soft_fill(&v, 2, value << shift); break;
	case 4:
	case 5: soft_fill(&v, 1, value << (shift & 8)); break;
	case 6: soft_fill(&v, 2, f.cmode & 1 ? value << 16 | 0xffff : value << 8 | 0xff); break;
	default:
		if (f.cmode & 1 && f.op)
			return soft_float_immediate(FLOAT_DOUBLE, (unsigned int)value);
		if (f.cmode & 1)
			soft_fill(&v, 2, soft_float_immediate(FLOAT_SINGLE, (unsigned int)value));
		else if (f.op)
			return bytes_of_bits(value);
		else
			soft_fill(&v, 0, value);
	}
	return v.d[0];
}

static void combine(struct soft_cpu *cpu, const struct soft_op *op, bool clear)
{
	const uint64_t imm = soft_vector_immediate(op->word);
	union soft_vector r = cpu->v[op->rd];

	for (unsigned int i = 0; i < 2; i++)
		r.d[i] = clear ? r.d[i] & ~imm : r.d[i] | imm;
	soft_put_vector(cpu, op->rd, &r, bytes(op));
}

void soft_vector_orr_imm(struct soft_cpu *cpu, const struct soft_op *op)
{
	combine(cpu, op, false);
}

void soft_vector_bic_imm(struct soft_cpu *cpu, const struct soft_op *op)
{
	combine(cpu, op, true);
}
