/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every combination of everything that an access depends on, compared with what a subject answers.
 *
 * A reference (the second statement, or a page of Arm's) is evaluated with nothing known; whenever
 * it asks for a bit, both values are tried. Where it needs no more, its answer holds for all values
 * of the bits it has not asked for, and the subject is called with every one of those that the
 * reference asks for elsewhere. Bits that no evaluation asks for take arbitrary values: they must
 * not matter. Features are among them, also those that have no name yet. In AArch32 state each
 * answer has to be UNDEFINED. A few accesses to the PMU depend on so many bits (which counter is
 * selected, how many EL2 leaves, which of them EL0 has) that of the bits not asked for 16
 * arbitrary values are taken for each answer.
 */
#ifndef VSPE_CONFORM_EXPLORE_H
#define VSPE_CONFORM_EXPLORE_H

#include <stdatomic.h>

#include "conform/subject.h"

struct reference {
	/* The outcome of the access; counts only if w->asked stays -1. */
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
	uint64_t impossible;   /* left out: no PE of the subject's can be in that state */
	uint64_t aarch32;      /* asked in AArch32 state besides */
	uint64_t different;
	unsigned int bits;		  /* that the outcome depends on */
	uint64_t kinds[OUTCOME_LAST + 1]; /* how often each was expected */
	bool sampled;			  /* not all values of the bits that were not asked for */
	bool too_wide; /* more bits than EXPLORE_BITS_MAX: nothing was compared */
	struct difference first;
};

/* A page that asks for more bits than this is refused rather than run for hours. */
#define EXPLORE_BITS_MAX 34
/* Of a register of the PMU. Beyond EXPLORE_BITS_ALL not all combinations are tried. */
#define EXPLORE_BITS_PMU    60
#define EXPLORE_BITS_ALL    26
#define EXPLORE_BITS_SAMPLE 4

/*
 * Compare for one register (a number of subject.h), direction and EL. The subject has to have the
 * function that is called. done, which may be NULL, is raised by what was compared, for a display
 * of progress.
 */
void explore(const struct vspe_subject *subject, const struct reference *reference,
	     unsigned int reg, bool write, uint8_t el, atomic_ullong *done,
	     struct exploration *result);

/* The second statement as a reference. */
extern const struct reference reference_statement;

#endif
