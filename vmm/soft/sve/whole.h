/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A vector of SVE in one piece, for what moves elements from segment to segment. Elements are moved
 * as bytes, of 1 << size up to those of a segment.
 */
#ifndef VSPE_SOFT_SVE_WHOLE_H
#define VSPE_SOFT_SVE_WHOLE_H

#include "soft/sve/sve.h"

#include <string.h>

union soft_whole {
	uint8_t b[SOFT_VL_MAX];
	union soft_vector segments[SOFT_SEGMENTS];
};

/* Zn */
static inline union soft_whole soft_sve_whole(const struct soft_cpu *cpu, unsigned int n)
{
	union soft_whole whole = {.b = {0}};

	for (unsigned int c = 0; c < soft_sve_segments(cpu); c++)
		whole.segments[c] = cpu->z[c][n];
	return whole;
}

static inline void soft_sve_put_whole(struct soft_cpu *cpu, unsigned int d,
				      const union soft_whole *whole)
{
	for (unsigned int c = 0; c < soft_sve_segments(cpu); c++)
		cpu->z[c][d] = whole->segments[c];
	soft_sve_written(cpu, d);
}

/* Element i of *d is element j of *from. */
static inline void soft_move_element(union soft_whole *d, unsigned int i,
				     const union soft_whole *from, unsigned int j,
				     unsigned int size)
{
	uint8_t *to = &d->b[i << size];
	const uint8_t *at = &from->b[j << size];

	switch (size) {
	case 0: *to = *at; break;
	case 1: memcpy(to, at, 2); break;
	case 2: memcpy(to, at, 4); break;
	case 3: memcpy(to, at, 8); break;
	default: memcpy(to, at, 16); break;
	}
}

static inline uint64_t soft_whole_element(const union soft_whole *whole, unsigned int size,
					  unsigned int i)
{
	return soft_element(&whole->segments[(i << size) / 16], size, i % (16u >> size));
}

static inline void soft_set_whole_element(union soft_whole *whole, unsigned int size,
					  unsigned int i, uint64_t value)
{
	soft_set_element(&whole->segments[(i << size) / 16], size, i % (16u >> size), value);
}

/*
 * ZIP, UZP and TRN of a pair of vectors of bytes. Twins of elements that are left over at the end,
 * as there may be of 16 bytes, are 0.
 */
enum soft_sve_pairing { SOFT_SVE_ZIP, SOFT_SVE_UZP, SOFT_SVE_TRN };
void soft_sve_pair(union soft_whole *d, const union soft_whole *n, const union soft_whole *m,
		   enum soft_sve_pairing pairing, bool second, unsigned int size,
		   unsigned int bytes);

/* The elements of bytes in the opposite order. */
void soft_sve_reverse_elements(union soft_whole *d, const union soft_whole *n, unsigned int size,
			       unsigned int bytes);

#endif
