/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compares a subject's answers with a reference for every combination of all that an access depends
 * on.
 *
 * The reference (the second statement, or a page of Arm's) is evaluated with nothing known.
 * Whenever it queries a bit, both values are tried. When it reaches an answer, that holds for all
 * values of the bits it has not queried. The subject is called with every value of those of them
 * that the reference queries elsewhere. Bits that no evaluation queries take arbitrary values,
 * because they must not matter. Features are among them, also those without a name yet. In AArch32
 * state each answer must be UNDEFINED. A few accesses to the PMU depend on very many bits (which
 * counter is selected, how many EL2 leaves, which of them EL0 has). For them each answer is tried
 * with 16 arbitrary values of the bits that were not queried.
 */
#ifndef VSPE_CONFORM_EXPLORE_H
#define VSPE_CONFORM_EXPLORE_H

#include <stdatomic.h>

#include "conform/subject.h"

struct reference {
	/* The outcome of the access; only valid if w->asked stays -1. */
	struct outcome (*decide)(const void *ctx, struct world *w, unsigned int reg, bool write);
	const void *ctx;
};

/* The first combination in which the two differ. */
struct difference {
	union world_controls controls;
	uint8_t rt;
	struct vspe_subject_outcome got, expected;
};

struct exploration {
	uint64_t combinations; /* compared */
	uint64_t impossible;   /* left out: the subject has no PE in that state */
	uint64_t aarch32;      /* additional ones in AArch32 state */
	uint64_t different;
	unsigned int bits;		  /* that the outcome depends on */
	uint64_t kinds[OUTCOME_LAST + 1]; /* how often each was expected */
	bool sampled;			  /* not all values of the bits that were not queried */
	bool too_wide;			  /* more bits than EXPLORE_BITS_MAX: not compared */
	struct difference first;
};

/* A page that depends on more bits than this is refused, as it would run for hours. */
#define EXPLORE_BITS_MAX 34
/* The same for a register of the PMU. Beyond EXPLORE_BITS_ALL only some combinations are tried. */
#define EXPLORE_BITS_PMU    60
#define EXPLORE_BITS_ALL    26
#define EXPLORE_BITS_SAMPLE 4

/*
 * Compare for one register (a number of subject.h), direction and EL. The subject must have the
 * function for it. done, which may be NULL, counts what was compared, for a progress display.
 */
void explore(const struct vspe_subject *subject, const struct reference *reference,
	     unsigned int reg, bool write, uint8_t el, atomic_ullong *done,
	     struct exploration *result);

/* The second statement as a reference. */
extern const struct reference reference_statement;

#endif
