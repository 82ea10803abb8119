/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Models: independent implementations of the architecture's text, without short cuts, which a
 * subject's profiling unit and its counters are compared with. They share no code with them.
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
	const char *skipped; /* not NULL: why the subject has nothing to compare; static */
	FILE *why;	     /* gets lines about errors */
};

struct model {
	const char *name;
	/* True if all is correct, or skipped. */
	bool (*run)(struct model_run *run);
	/* Of the subject: a unit; one that samples operations, not just selects them; counters. */
	enum model_needs { MODEL_UNIT, MODEL_SAMPLES, MODEL_COUNTERS } needs;
};

extern const struct model models_interval[], models_filter[], models_record[], models_buffer[],
	models_random[], models_counters[];

/* The suite's generator of numbers: the same everywhere. */
static inline uint64_t model_random(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0xd1342543de82ef95);

	z = (z ^ (z >> 32)) * UINT64_C(0xdaba0b6eb09322e3);
	z = (z ^ (z >> 32)) * UINT64_C(0xdaba0b6eb09322e3);
	return z ^ (z >> 32);
}

/* The same with few bits set, each with a chance of 1 in 2^rare. */
static inline uint64_t model_random_sparse(uint64_t *state, unsigned int rare)
{
	uint64_t value = model_random(state);

	while (rare-- > 1)
		value &= model_random(state);
	return value;
}

#endif
