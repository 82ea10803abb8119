/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Models: a subject's profiling unit beside implementations of the same text that share no code
 * with it and take no short cuts.
 */
#ifndef VSPE_CONFORM_MODEL_H
#define VSPE_CONFORM_MODEL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <vspe/subject.h>

/* One run of a model. */
struct model_run {
	const struct vspe_subject *subject;
	uint64_t cases;	     /* what was compared */
	const char *skipped; /* not NULL: the subject has nothing to compare; static storage */
	FILE *why;	     /* gets lines about what is wrong */
};

struct model {
	const char *name;
	/* True if all is as it should be, or skipped. */
	bool (*run)(struct model_run *run);
	bool samples; /* operations are sampled, not just selected */
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
