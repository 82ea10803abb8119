/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Predicates of SVE as numbers of 64 bits, a bit for each byte of a vector. What works on one of
 * them works on all SOFT_VL_MAX / 64; bits above those of the vector length are 0 in what is read
 * here, and stay as they are in what is written.
 */
#ifndef VSPE_SOFT_SVE_PREDICATE_H
#define VSPE_SOFT_SVE_PREDICATE_H

#include "soft/flags.h"
#include "soft/sve/sve.h"

#define SOFT_PREDICATE_WORDS (SOFT_VL_MAX / 64)

/* Of each element of 1 << size bytes below count bytes: its lowest bit. */
static inline union soft_predicate soft_sve_first(unsigned int count, unsigned int size)
{
	static const uint64_t lowest[] = {UINT64_MAX, UINT64_C(0x5555555555555555),
					  UINT64_C(0x1111111111111111),
					  UINT64_C(0x0101010101010101)};
	union soft_predicate r;

	for (unsigned int i = 0; i < SOFT_PREDICATE_WORDS; i++) {
		const unsigned int left = count > 64 * i ? count - 64 * i : 0;

		r.d[i] = left < 64 ? lowest[size] & ((UINT64_C(1) << left) - 1) : lowest[size];
	}
	return r;
}

static inline union soft_predicate soft_sve_all(const struct soft_cpu *cpu, unsigned int size)
{
	return soft_sve_first(cpu->vl, size);
}

/* Pp, its bits that count for elements of 1 << size bytes. */
static inline union soft_predicate soft_sve_predicate(const struct soft_cpu *cpu, unsigned int p,
						      unsigned int size)
{
	union soft_predicate r = soft_sve_all(cpu, size);

	for (unsigned int i = 0; i < SOFT_PREDICATE_WORDS; i++)
		r.d[i] &= cpu->p[p].d[i];
	return r;
}

static inline void soft_sve_put_predicate(struct soft_cpu *cpu, unsigned int p,
					  const union soft_predicate *r)
{
	for (unsigned int c = 0; c < soft_sve_segments(cpu); c++)
		cpu->p[p].h[c] = r->h[c];
}

/* The number of the lowest and the highest bit, or -1. */
static inline int soft_sve_lowest(const union soft_predicate *p)
{
	for (unsigned int i = 0; i < SOFT_PREDICATE_WORDS; i++)
		if (p->d[i])
			return (int)(64 * i) + __builtin_ctzll(p->d[i]);
	return -1;
}

static inline int soft_sve_highest(const union soft_predicate *p)
{
	for (unsigned int i = SOFT_PREDICATE_WORDS; i-- > 0;)
		if (p->d[i])
			return (int)(64 * i) + 63 - __builtin_clzll(p->d[i]);
	return -1;
}

static inline bool soft_sve_bit(const union soft_predicate *p, int bit)
{
	return bit >= 0 && p->d[bit / 64] >> bit % 64 & 1;
}

static inline unsigned int soft_sve_count_bits(const union soft_predicate *p)
{
	unsigned int count = 0;

	for (unsigned int i = 0; i < SOFT_PREDICATE_WORDS; i++)
		count += (unsigned int)__builtin_popcountll(p->d[i]);
	return count;
}

/* PredTest(): the flags say of the active elements if the first, none and not the last is true. */
static inline void soft_sve_test(struct soft_cpu *cpu, const union soft_predicate *active,
				 const union soft_predicate *r)
{
	uint64_t any = 0;

	for (unsigned int i = 0; i < SOFT_PREDICATE_WORDS; i++)
		any |= active->d[i] & r->d[i];
	soft_set_flags(cpu, soft_pack_nzcv(soft_sve_bit(r, soft_sve_lowest(active)), !any,
					   !soft_sve_bit(r, soft_sve_highest(active)), false));
}

/* A bit for each byte of a segment that has ones, as of soft_sve_active(). */
static inline unsigned int soft_sve_gather(const union soft_vector *v)
{
	const uint64_t ones = UINT64_C(0x0101010101010101), by = UINT64_C(0x0102040810204080);

	return (unsigned int)((v->d[0] & ones) * by >> 56 | ((v->d[1] & ones) * by >> 56) << 8);
}

/* How many elements a pattern names (DecodePredCount()). */
unsigned int soft_sve_pattern(unsigned int vl, unsigned int pattern, unsigned int size);

#endif
