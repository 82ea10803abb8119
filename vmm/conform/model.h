/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Models: the profiling unit beside implementations of the same text that share no code with it and
 * take no short cuts.
 */
#ifndef VSPE_CONFORM_MODEL_H
#define VSPE_CONFORM_MODEL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct model {
	const char *name;
	/* True if all is as it should be, else why gets lines. *cases is what was compared. */
	bool (*run)(uint64_t *cases, FILE *why);
};

extern const struct model models_interval[], models_filter[], models_record[], models_buffer[],
	models_random[];

/* A source of numbers of the suite's own: the same ones everywhere. */
static inline uint64_t model_random(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0xd1342543de82ef95);

	z = (z ^ (z >> 32)) * UINT64_C(0xdaba0b6eb09322e3);
	z = (z ^ (z >> 32)) * UINT64_C(0xdaba0b6eb09322e3);
	return z ^ (z >> 32);
}

/* The same with few bits set: each in one of 2^rare. */
static inline uint64_t model_random_sparse(uint64_t *state, unsigned int rare)
{
	uint64_t value = model_random(state);

	while (rare-- > 1)
		value &= model_random(state);
	return value;
}

#endif
