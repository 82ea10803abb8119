/* SPDX-License-Identifier: BSD-2-Clause */
/* Elements of SVE2 that are searched for and counted. */
#include "soft/sve/predicate.h"
#include "soft/sve/whole.h"

/* Has a segment an element with this value? */
static bool has(const union soft_vector *m, unsigned int size, uint64_t value)
{
	for (unsigned int i = 0; i < 16u >> size; i++)
		if (soft_element(m, size, i) == value)
			return true;
	return false;
}

/* MATCH, NMATCH: each active element of Zn, among all of the same segment of Zm. */
void soft_sve_match(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve2_match f = a64_get_sve2_match(op->word);
	const union soft_predicate g = soft_sve_predicate(cpu, f.pg, f.size);
	union soft_predicate r = {.d = {0}};

	for (unsigned int c = 0; c < soft_sve_segments(cpu); c++)
		for (unsigned int i = 0; i < 16u >> f.size; i++) {
			const uint64_t value = soft_element(&cpu->z[c][f.zn], f.size, i);

			if (g.h[c] >> (i << f.size) & 1 &&
			    has(&cpu->z[c][f.zm], f.size, value) != f.op)
				r.h[c] = (uint16_t)(r.h[c] | 1u << (i << f.size));
		}
	soft_sve_test(cpu, &g, &r);
	soft_sve_put_predicate(cpu, f.pd, &r);
}

/* HISTCNT: of each active element of Zn, how many up to its place in Zm are active and equal. */
void soft_sve_histogram(struct soft_cpu *cpu, const struct soft_op *op)
{
	const struct a64_sve2_histogram f = a64_get_sve2_histogram(op->word);
	const union soft_predicate g = soft_sve_predicate(cpu, f.pg, f.size);
	const union soft_whole n = soft_sve_whole(cpu, f.zn), m = soft_sve_whole(cpu, f.zm);
	union soft_whole r = {.b = {0}};

	for (unsigned int e = 0; e < (unsigned int)cpu->vl >> f.size; e++) {
		const uint64_t value = soft_whole_element(&n, f.size, e);
		uint64_t count = 0;

		if (!soft_sve_bit(&g, (int)(e << f.size)))
			continue;
		for (unsigned int i = 0; i <= e; i++)
			count += soft_sve_bit(&g, (int)(i << f.size)) &&
				 soft_whole_element(&m, f.size, i) == value;
		soft_set_whole_element(&r, f.size, e, count);
	}
	soft_sve_put_whole(cpu, f.zd, &r);
}

/* HISTSEG: of each byte of Zn, how many of the same segment of Zm are equal. */
void soft_sve_histogram_segment(struct soft_cpu *cpu, const struct soft_op *op)
{
	for (unsigned int c = 0; c < soft_sve_segments(cpu); c++) {
		const union soft_vector n = cpu->z[c][op->rn], m = cpu->z[c][op->rm];

		for (unsigned int i = 0; i < 16; i++) {
			unsigned int count = 0;

			for (unsigned int k = 0; k < 16; k++)
				count += m.b[k] == n.b[i];
			cpu->z[c][op->rd].b[i] = (uint8_t)count;
		}
	}
	soft_sve_written(cpu, op->rd);
}
