/* SPDX-License-Identifier: BSD-2-Clause */
/* A unit and the functions of the pseudocode, which see the same. */
#ifndef VSPE_CONFORM_FUNCTIONS_PAIR_H
#define VSPE_CONFORM_FUNCTIONS_PAIR_H

#include "conform/functions_op.h"

struct functions_pair {
	struct unit_bench bench;
	struct functions_machine *m;
	struct functions_result *result;
	FILE *why;		/* gets the difference */
	FILE *trace;		/* NULL, or gets each action */
	struct functions_op op; /* the next one that is selected */
	/* What the unit did. */
	uint64_t events[FUNCTIONS_EVENTS];
	uint64_t address;
	uint8_t record[UNIT_RECORD_MAX];
	size_t size; /* 0: no record */
	struct vspe_subject_write next;
	unsigned int serrors;
};

/* Both anew, of a version. False: p->why says why; *skipped may say that no such unit is there. */
bool pair_open(struct functions_pair *p, enum spe_version version, uint64_t seed,
	       const char **skipped);
/* The first member, before which only a unit may have loaded COUNT. False as below. */
bool pair_begin(struct functions_pair *p);
void pair_close(struct functions_pair *p);
/* One action, of 64 random bits, then compare. False: p->why says how they differ. */
bool pair_step(struct functions_pair *p, uint64_t bits);

#endif
