/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compares the software CPU with an accessor of a page of Arm's. As explore() does, it evaluates
 * the page with nothing known and tries both values of each bit that is queried. These are
 * contexts: what the page says holds for all values of the other bits. Each is asked of the CPU
 * with all of those at 0, with all at 1, with six arbitrary values, and with each that the page
 * asks elsewhere alone at 1 and alone at 0.
 */
#ifndef VSPE_CONFORM_CPU_EXPLORE_H
#define VSPE_CONFORM_CPU_EXPLORE_H

#include <stdatomic.h>

#include "conform/page.h"

/* With how many values of all the other bits together. */
#define CPU_EXPLORE_TIMES 8
/* An accessor with more contexts at a level is refused, as it would run for hours. */
#define CPU_EXPLORE_CONTEXTS 100000u

struct cpu_exploration {
	uint64_t contexts, asked, different;
	uint64_t impossible; /* contexts in which a bit that the page asks cannot be written */
	bool too_many;	     /* contexts: the rest was left out */
	char lacks[64];	     /* a name that the page asks and no row of world.def has, or "" */
	struct outcome want; /* the first difference: what the page says, ... */
	char want_name[32];
	struct cpu_answer got; /* ... what the CPU does, ... */
	char got_name[32];
	char state[400]; /* ... and where: what the page asked */
};

/* The accessor has a name and a program. done may be NULL. */
void cpu_explore(const struct cpu_subject *cpu, const struct page_accessor *accessor, uint8_t el,
		 atomic_ullong *done, struct cpu_exploration *result);
/* Print an outcome. */
void cpu_print_outcome(const struct outcome *outcome, const char *name, FILE *out);

#endif
