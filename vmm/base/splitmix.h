/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A sequence of 64-bit numbers, in which each seed begins elsewhere: SplitMix64 (Steele, Lea and
 * Flood, OOPSLA 2014). The numbers are no secret, and must not be: the same command gives a guest
 * the same random numbers.
 */
#ifndef VSPE_BASE_SPLITMIX_H
#define VSPE_BASE_SPLITMIX_H

#include <stdint.h>

#define SPLITMIX_STEP UINT64_C(0x9e3779b97f4a7c15)

/* The next number; at first *state is the seed. */
static inline uint64_t splitmix_next(uint64_t *state)
{
	uint64_t z = *state += SPLITMIX_STEP;

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

#endif
