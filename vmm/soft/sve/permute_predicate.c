/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Permutes of predicates, which are those of vectors: a bit becomes a byte, so that all bits of an
 * element move together, even those that do not count.
 */
#include "soft/sve/predicate.h"
#include "soft/sve/whole.h"

static union soft_whole whole_of(const struct soft_cpu *cpu, unsigned int p)
{
	union soft_whole whole = {.b = {0}};

	for (unsigned int c = 0; c < soft_sve_segments(cpu); c++)
		whole.segments[c] = soft_sve_active(cpu, p, c, 0);
	return whole;
}

static void put(struct soft_cpu *cpu, unsigned int p, const union soft_whole *whole)
{
	for (unsigned int c = 0; c < soft_sve_segments(cpu); c++)
		cpu->p[p].h[c] = (uint16_t)soft_sve_gather(&whole->segments[c]);
}

/* opc: 0 and 1 ZIP1 and ZIP2, then UZP and TRN. */
void soft_sve_permute_predicate(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve_permute_predicate f = a64_get_sve_permute_predicate(op->word);
	const union soft_whole n = whole_of(cpu, f.pn), m = whole_of(cpu, f.pm);
	union soft_whole r = {.b = {0}};

	soft_sve_pair(&r, &n, &m, (enum soft_sve_pairing)(f.opc >> 1), f.opc & 1, f.size, cpu->vl);
	put(cpu, f.pd, &r);
}

void soft_sve_reverse_predicate(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve_reverse_predicate f = a64_get_sve_reverse_predicate(op->word);
	const union soft_whole n = whole_of(cpu, f.pn);
	union soft_whole r = {.b = {0}};

	soft_sve_reverse_elements(&r, &n, f.size, cpu->vl);
	put(cpu, f.pd, &r);
}

/* Each bit of a half is the lower one of two. */
void soft_sve_unpack_predicate(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve_unpack_predicate f = a64_get_sve_unpack_predicate(op->word);
	const unsigned int count = cpu->vl / 2u;
	const union soft_whole n = whole_of(cpu, f.pn);
	union soft_whole r = {.b = {0}};

	for (unsigned int i = 0; i < count; i++) {
		r.b[2 * i] = n.b[f.h ? count + i : i];
		r.b[2 * i + 1] = 0;
	}
	put(cpu, f.pd, &r);
}
