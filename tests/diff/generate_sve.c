/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SVE: vectors and predicates at the start of a case, and accesses whose elements all fall into the
 * scratch memory, or, of first-fault and non-fault loads, partly after its end.
 */
#include "../array.h"
#include "generator.h"
#include <string.h>

static bool mostly(struct generator *g)
{
	return gen_below(g, 8) != 0;
}

/* All true, none, the first so many, random, or sparse. */
static void fill_predicate(struct generator *g, uint8_t *p, unsigned int bytes, bool first_ones)
{
	const unsigned int how = first_ones ? 2 : gen_below(g, 6),
			   ones = gen_below(g, 8 * bytes + 1);

	for (unsigned int bit = 0; bit < 8 * bytes; bit++) {
		const uint64_t random = gen_random64(g);
		const bool values[] = {true,	   false,      bit < ones,
				       random & 1, random & 2, (random & 0xf0) == 0};

		p[bit / 8] = (uint8_t)(p[bit / 8] | values[how] << bit % 8);
	}
}

void gen_sve_state(struct generator *g, struct case_input *input)
{
	struct case_sve *sve = &input->sve;
	const unsigned int vl = case_vl(g->cpu);

	sve->vl = vl;
	for (unsigned int n = 0; n < 32; n++) {
		for (unsigned int at = 0; at < vl; at += 8) {
			const uint64_t z = mostly(g) ? gen_float(g) : gen_value(g);

			memcpy(&sve->z[n][at], &z, sizeof(z));
		}
		memcpy(input->v[n], sve->z[n], sizeof(input->v[n]));
	}
	for (unsigned int n = 0; n < 17; n++)
		fill_predicate(g, sve->p[n], vl / 8, n == 16);
}

enum a64_id gen_sve_row(struct generator *g)
{
	static uint16_t rows[A64_COUNT];
	static unsigned int count;
	const bool found = count != 0;

	for (unsigned int id = 0; id < A64_COUNT && !found; id++)
		if (a64_is_sve(&a64_table[id]) && generate_covers(id, g->cpu))
			rows[count++] = (uint16_t)id;
	return rows[gen_below(g, count)];
}

/*
 * QEMU 7.2 leaves what is above the first 128 bits of a vector as it is in these, which the Arm ARM
 * has 0 after a write of Vn.
 */
bool gen_sve_keeps_upper(enum a64_id id)
{
	static const uint16_t rows[] = {
		A64_LD1_B,
		A64_LD2_B,
		A64_LD3_B,
		A64_LD4_B,
		A64_LD1_H,
		A64_LD2_H,
		A64_LD3_H,
		A64_LD4_H,
		A64_LD1_S,
		A64_LD2_S,
		A64_LD3_S,
		A64_LD4_S,
		A64_LD1_D,
		A64_LD2_D,
		A64_LD3_D,
		A64_LD4_D,
		A64_RAX1,
		A64_EOR3,
		A64_BCAX,
		A64_XAR,
		A64_SMAXP_VECTOR,
		A64_SMINP_VECTOR,
		A64_ADDP_VECTOR,
		A64_UMAXP_VECTOR,
		A64_UMINP_VECTOR,
		A64_FMAXNMP_VECTOR,
		A64_FADDP_VECTOR,
		A64_FMAXP_VECTOR,
		A64_FMINNMP_VECTOR,
		A64_FMINP_VECTOR,
		A64_FMAXNMP_VECTOR_HALF,
		A64_FADDP_VECTOR_HALF,
		A64_FMAXP_VECTOR_HALF,
		A64_FMINNMP_VECTOR_HALF,
		A64_FMINP_VECTOR_HALF,
		A64_REV64_VECTOR,
		A64_REV16_VECTOR,
		A64_SADDLP_VECTOR,
		A64_SADALP_VECTOR,
		A64_REV32_VECTOR,
		A64_UADDLP_VECTOR,
		A64_UADALP_VECTOR,
		A64_SHLL_VECTOR,
		A64_SADDL,
		A64_SADDW,
		A64_SSUBL,
		A64_SSUBW,
		A64_SABAL,
		A64_SABDL,
		A64_SMLAL_VECTOR,
		A64_SQDMLAL_VECTOR,
		A64_SMLSL_VECTOR,
		A64_SQDMLSL_VECTOR,
		A64_SMULL_VECTOR,
		A64_SQDMULL_VECTOR,
		A64_PMULL,
		A64_UADDL,
		A64_UADDW,
		A64_USUBL,
		A64_USUBW,
		A64_UABAL,
		A64_UABDL,
		A64_UMLAL_VECTOR,
		A64_UMLSL_VECTOR,
		A64_UMULL_VECTOR,
		A64_SSHLL,
		A64_USHLL,
		A64_SMLAL_ELEMENT,
		A64_SQDMLAL_ELEMENT,
		A64_SMLSL_ELEMENT,
		A64_SQDMLSL_ELEMENT,
		A64_SMULL_ELEMENT,
		A64_SQDMULL_ELEMENT,
		A64_UMLAL_ELEMENT,
		A64_UMLSL_ELEMENT,
		A64_UMULL_ELEMENT,
		A64_SQDMLAL_SCALAR,
		A64_SQDMLSL_SCALAR,
		A64_SQDMULL_SCALAR,
		A64_SQDMLAL_SCALAR_ELEMENT,
		A64_SQDMLSL_SCALAR_ELEMENT,
		A64_SQDMULL_SCALAR_ELEMENT,
		A64_SM3SS1,
		A64_FCVTL,
	};

	for (unsigned int n = 0; n < ARRAY_SIZE(rows); n++)
		if (rows[n] == id)
			return true;
	return false;
}

/* Xn, or SP without its lowest bits, = value, without a change of Xm */
static void set_base(struct generator *g, unsigned int n, unsigned int m, uint64_t value)
{
	gen_emit_base(g, n, n == SP ? value & ~UINT64_C(15) : value, m);
}

struct access {
	uint32_t word;
	unsigned int n, m;     /* register numbers at [9:5] and [20:16] */
	unsigned int bytes;    /* of an element in memory */
	unsigned int lane;     /* ... in a register */
	unsigned int elements; /* of a vector */
	unsigned int extent;   /* bytes from the first to the last */
	bool first_fault, no_fault;
};

/* Where the first byte of an access of so many bytes is to be. */
static uint64_t place(struct generator *g, const struct access *a, unsigned int extent)
{
	const bool over = (a->first_fault || a->no_fault) && a->n != SP && gen_below(g, 3) == 0;

	/* No element crosses the end: QEMU 7.2 then loads none. */
	if (over)
		return CASE_SCRATCH + CASE_BYTES -
		       a->bytes * (1 + gen_below(g, extent / a->bytes + 1));
	/* SP, to which an offset is added, loses its lowest bits. */
	return a->n == SP ? gen_address(g, extent + 31, 16) + 16 : gen_address(g, extent, 1);
}

static void contiguous(struct generator *g, struct access *a)
{
	const int64_t imm4 = (int32_t)(a->word << 12) >> 28;
	const int64_t imm9 = (int64_t)((int32_t)(a->word << 10) >> 26) * 8 + (a->word >> 10 & 7);
	const unsigned int vl = case_vl(g->cpu);
	int64_t offset, index = (int64_t)gen_below(g, 200) - 100;

	switch ((enum a64_address)a64_decode(a->word)->address) {
	case A64_ADDR_SVE_OFFSET: offset = imm4 * a->extent; break;
	case A64_ADDR_SVE_BROADCAST:
		offset = (int64_t)(a->word >> 16 & 63) * a->bytes;
		a->extent = a->bytes;
		break;
	case A64_ADDR_SVE_QUAD:
	case A64_ADDR_SVE_OCTO:
		a->extent = a->word >> 21 & 1 ? 32 : 16;
		offset = index * a->bytes;
		break;
	case A64_ADDR_SVE_QUAD_IMM:
	case A64_ADDR_SVE_OCTO_IMM:
		a->extent = a->word >> 21 & 1 ? 32 : 16;
		offset = imm4 * a->extent;
		break;
	case A64_ADDR_SVE_FILL:
		a->extent = vl;
		offset = imm9 * vl;
		break;
	case A64_ADDR_SVE_FILL_PREDICATE:
		a->extent = vl / 8;
		offset = imm9 * (vl / 8);
		break;
	default: offset = a->m == XZR ? 0 : index * a->bytes; break;
	}
	switch ((enum a64_address)a64_decode(a->word)->address) {
	case A64_ADDR_SVE_REGISTER:
	case A64_ADDR_SVE_QUAD:
	case A64_ADDR_SVE_OCTO:
		if (a->n == SP) /* what is left over of an aligned base */
			offset -= offset % 16;
		if (a->m != XZR)
			gen_emit_constant(g, a->m, (uint64_t)(offset / (int64_t)a->bytes));
		break;
	default: break;
	}
	set_base(g, a->n, a->m, place(g, a, a->extent) - (uint64_t)offset);
	/* The base may have lost its lowest bits: if it is SP, all is aligned but small offsets. */
}

/* Zn.T = start, start + step, ... */
static void emit_index(struct generator *g, const struct access *a, unsigned int z, uint64_t start,
		       uint64_t step)
{
	const unsigned int x = gen_other_register(g, a->n, a->n),
			   y = gen_other_register(g, a->n, x);

	gen_emit_constant(g, x, start);
	gen_emit_constant(g, y, step);
	gen_emit(g, gen_fixed(A64_INDEX_Z_RR) | gen_field(a->lane == 8 ? 3 : 2, 22, 2) |
			    gen_field(y, 16, 5) | gen_field(x, 5, 5) | z);
}

static void gather(struct generator *g, const struct access *a)
{
	const enum a64_address address = (enum a64_address)a64_decode(a->word)->address;
	const bool scaled = address == A64_ADDR_SVE_GATHER_SCALED ||
			    address == A64_ADDR_SVE_GATHER_EXTENDED_SCALED ||
			    address == A64_ADDR_SVE_SCATTER_EXTENDED_SCALED;
	const unsigned int scale = scaled ? a->bytes : 1;
	const unsigned int most = 4096 / (a->elements * scale);
	const unsigned int step = gen_below(g, most + 1), start = gen_below(g, 1000);
	const unsigned int span = step * (a->elements - 1) * scale + a->bytes;
	/* From the last one on: all offsets are positive. The first one must not fault. */
	const bool down = !a->first_fault && gen_below(g, 2);
	const unsigned int first = down ? start + step * (a->elements - 1) : start;
	const uint64_t to = down ? -(uint64_t)step : step;

	if (address == A64_ADDR_SVE_GATHER_IMM) {
		const uint64_t imm = (uint64_t)(a->word >> 16 & 31) * a->bytes;

		emit_index(g, a, a->n, place(g, a, span) - imm + (down ? span - a->bytes : 0), to);
		return;
	}
	if (address == A64_ADDR_SVE_GATHER_VECTOR) {
		/* All of a word's address has to be in its element, without Xm. */
		const uint64_t any = a->lane == 8 ? gen_value(g) : gen_below(g, 4096);
		const uint64_t offset = a->m == XZR ? 0 : any;

		emit_index(g, a, a->n, place(g, a, span) - offset + (down ? span - a->bytes : 0),
			   to);
		if (a->m != XZR)
			gen_emit_constant(g, a->m, offset);
		return;
	}
	emit_index(g, a, a->m, first, to);
	set_base(g, a->n, a->m, place(g, a, span + 16) - (uint64_t)start * scale);
}

void gen_emit_sve_access(struct generator *g, enum a64_id id)
{
	const struct a64_insn *insn = &a64_table[id];
	const bool gathers =
		insn->operation == A64_OP_GATHER_SVE || insn->operation == A64_OP_SCATTER_SVE;
	struct access a;

	if (gathers && !a64_table[A64_INDEX_Z_RR].executed)
		return;
	do
		a.word = gen_word(g, id);
	while ((a.word >> 16 & 31) == (a.word >> 5 & 31) && !gathers);
	a.n = a.word >> 5 & 31;
	a.m = a.word >> 16 & 31;
	a.bytes = a64_bytes_of(insn->bytes, a.word);
	a.lane = a64_bytes_of(insn->lane, a.word);
	if (a.lane < a.bytes)
		a.lane = a.bytes;
	a.elements = case_vl(g->cpu) / a.lane;
	a.extent = a.elements * a.bytes * (insn->count ? insn->count : 1);
	a.first_fault = !strncmp(a64_name(insn), "LDFF", 4);
	a.no_fault = !strncmp(a64_name(insn), "LDNF", 4);
	/*
	 * So that the first one is what does not fault. QEMU 7.2 confuses the bits of a predicate
	 * whose first true one is not among the lowest eight, of non-fault loads too.
	 */
	if (a.first_fault || a.no_fault)
		gen_emit(g, gen_fixed(A64_PTRUE_P_S) | gen_field(gen_random64(g), 22, 2) |
				    gen_field(gen_below(g, 2) ? 31 : gen_below(g, 14), 5, 5) |
				    (a.word >> 10 & 7));
	if (gathers)
		gather(g, &a);
	else
		contiguous(g, &a);
	gen_emit(g, a.word);
}
