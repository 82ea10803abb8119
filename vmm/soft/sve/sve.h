/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SVE: what its functions share. Each executes one row of sve.table or sve2.table, or several that
 * differ in what they do with an element: for SOFT_sve, in soft_op.imm. They may assume that SVE is
 * not trapped.
 *
 * Segment c of Zn, its bytes 16 * c to 16 * c + 15, is soft_cpu.z[c][n]. An operation
 * on elements of one number goes through the segments and uses lanes.def on each, as Advanced SIMD
 * does. The predicate of a segment is 16 bits, of which the lowest of an element counts.
 *
 * Worked example, ADD Z0.S, P1/M, Z0.S, Z2.S with vectors of 256 bits and P1 0x00000011: segment 0
 * has elements 0 and 1 active, soft_sve_active() is 16 bytes of which the first 8 are 0xff, and the
 * sum of all four elements is merged into z[0][0] under them. P1 has no bit for segment 1, so that
 * z[1][0] stays as it is.
 */
#ifndef VSPE_SOFT_SVE_H
#define VSPE_SOFT_SVE_H

#include "soft/fp/element.h"
#include "soft/fp/vector.h"

/* Functions, by name: integer.def, long.def, predicate.def, permute.def, float.def. */
#define FUNCTION(name) SOFT_sve_##name,
enum soft_sve_function {
#include "soft/sve/functions.def"
};
#define FUNCTION(name) soft_vector_function soft_sve_##name;
#include "soft/sve/functions.def"

/* op->aux: a row of lanes.def or 0, and the field size. */
static inline unsigned int soft_sve_size(const struct soft_op *op)
{
	return op->aux & 3;
}

/* The format of numbers of 1 << size bytes, from 1 on. */
static inline enum float_size soft_sve_format(unsigned int size)
{
	return (enum float_size)(size - 1);
}

static inline soft_lanes *soft_sve_lanes(const struct soft_op *op, unsigned int size)
{
	return soft_lanes_table[op->aux >> 2][size];
}

/* The segments that a vector has here: 1 to SOFT_SEGMENTS. */
static inline unsigned int soft_sve_segments(const struct soft_cpu *cpu)
{
	return cpu->vl / 16u;
}

/* Of 8 bits of a predicate: 0xff in the bytes of each active element of 1 << size bytes. */
static inline uint64_t soft_sve_spread(uint64_t bits, unsigned int size)
{
	static const uint8_t lowest[] = {0xff, 0x55, 0x11, 0x01}, all[] = {1, 3, 15, 255};
	const uint64_t ones = UINT64_C(0x0101010101010101);
	const uint64_t each =
		(bits & lowest[size]) * all[size] * ones & UINT64_C(0x8040201008040201);

	return ((each + 0x7f * ones) >> 7 & ones) * 0xff;
}

/* The bytes of segment c's elements of 1 << size bytes: 0xff where Pp is true. */
static inline union soft_vector soft_sve_active(const struct soft_cpu *cpu, unsigned int p,
						unsigned int c, unsigned int size)
{
	const unsigned int bits = cpu->p[p].h[c];

	return (union soft_vector){
		.d = {soft_sve_spread(bits & 0xff, size), soft_sve_spread(bits >> 8, size)}};
}

/* Bytes of *r where mask has ones, those of *d elsewhere. */
static inline void soft_sve_merge(union soft_vector *d, const union soft_vector *r,
				  const union soft_vector *mask)
{
	for (unsigned int n = 0; n < 2; n++)
		d->d[n] = (r->d[n] & mask->d[n]) | (d->d[n] & ~mask->d[n]);
}

/* Element e of Zn, of 1 << size bytes. */
static inline uint64_t soft_sve_element(const struct soft_cpu *cpu, unsigned int n,
					unsigned int size, unsigned int e)
{
	return soft_element(&cpu->z[(e << size) / 16][n], size, e % (16u >> size));
}

static inline void soft_sve_set_element(struct soft_cpu *cpu, unsigned int n, unsigned int size,
					unsigned int e, uint64_t value)
{
	soft_set_element(&cpu->z[(e << size) / 16][n], size, e % (16u >> size), value);
}

/* Zd was written: of what is above its first segment, that it may not be 0. */
static inline void soft_sve_written(struct soft_cpu *cpu, unsigned int d)
{
	if (cpu->vl > 16)
		cpu->upper[d] = true;
}

/* All elements of Zd, of 1 << size bytes, become value. */
static inline void soft_sve_put_all(struct soft_cpu *cpu, unsigned int d, unsigned int size,
				    uint64_t value)
{
	union soft_vector all;

	soft_fill(&all, size, value);
	for (unsigned int c = 0; c < soft_sve_segments(cpu); c++)
		cpu->z[c][d] = all;
	soft_sve_written(cpu, d);
}

/*
 * The element of each segment of Zm that an instruction by element names, of 1 << *size bytes. The
 * number of a half has its highest bit where others have that of their size.
 */
static inline unsigned int soft_sve_indexed(uint32_t word, unsigned int *size, unsigned int *m)
{
	const struct a64_sve_fp_mla_element_h h = a64_get_sve_fp_mla_element_h(word);
	const struct a64_sve_fp_mla_element_d d = a64_get_sve_fp_mla_element_d(word);

	*size = word >> 23 & 1 ? word >> 22 & 3 : 1;
	*m = *size == 3 ? d.zm4 : h.zm3;
	if (*size == 3)
		return d.i1;
	return *size == 1 ? h.i3h << 2 | h.i3l : h.i3l;
}

/* A shift by an immediate: of elements of 1 << size bytes, by k. */
struct soft_sve_shift {
	unsigned int size, k;
};

/* tsz:imm3 is 2 * esize - k for a shift to the right by k, esize + k for one to the left. */
static inline struct soft_sve_shift soft_sve_shift_of(unsigned int tsz, unsigned int imm3,
						      bool left)
{
	const unsigned int size = 31u - (unsigned int)__builtin_clz(tsz | 1), esize = 8u << size;
	const unsigned int value = tsz << 3 | imm3;

	return (struct soft_sve_shift){size, left ? value - esize : 2 * esize - value};
}

/* ... at the places of unpredicated instructions. */
static inline struct soft_sve_shift soft_sve_shift(uint32_t word, bool left)
{
	const struct a64_sve_shift_imm f = a64_get_sve_shift_imm(word);

	return soft_sve_shift_of(f.tszh << 2 | f.tszl, f.imm3, left);
}

/* Pairs of neighbours, apart: those of *n at even places of both results, those of *m at odd. */
static inline void soft_sve_neighbours(const union soft_vector *n, const union soft_vector *m,
				       unsigned int size, union soft_vector *first,
				       union soft_vector *second)
{
	*first = *second = *n;
	for (unsigned int i = 0; i < 16u >> size; i++) {
		const union soft_vector *from = i & 1 ? m : n;

		soft_set_element(first, size, i, soft_element(from, size, i & ~1u));
		soft_set_element(second, size, i, soft_element(from, size, i | 1));
	}
}

#endif
