/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bits of a world by the names of Arm's pages, and in the structure that the library looks at;
 * and an outcome as the library would give it.
 */
#ifndef VSPE_CONFORM_WORLD_NAMES_H
#define VSPE_CONFORM_WORLD_NAMES_H

#include <stdio.h>
#include <vspe/subject.h>

#include "../../pmu/route.h"
#include "conform/statement.h"

/* A field of a register by its name in the pages, or EDSCR.SDD. */
struct world_field {
	const char *reg, *name;
	uint16_t first; /* enum world_bit */
	uint8_t lsb, width;
	uint16_t offset; /* of the register in union world_controls; none of EDSCR */
};

const struct world_field *world_find_field(const char *reg, size_t reg_length, const char *name,
					   size_t name_length);
/* "FEAT_SPE_FnE": its bit, or -1. */
int world_find_feature(const char *name, size_t length);
/* "EL2" or "EL3" of HaveEL(): its bit, or -1. */
int world_find_level(const char *name, size_t length);

/*
 * Where a bit lies in what a subject looks at, taken as words of 64 bits. Its members are where
 * libvspe has its own, so that nothing is copied for the millions of accesses that it is asked for:
 * subject_libvspe.c sees to that.
 */
#define WORLD_WORDS (sizeof(struct vspe_subject_pe) / sizeof(uint64_t))
union world_controls {
	struct vspe_subject_pe pe;
	struct {
		struct sysreg_controls c;
		struct pmu_controls pmu;
	};
	uint64_t words[WORLD_WORDS];
};
struct world_place {
	size_t word;
	uint64_t mask;
};
struct world_place world_place(unsigned int bit);

/* Does the first need the second? Both are features. */
bool world_needs(unsigned int feature, unsigned int other);
/* Has a PE the feature when nobody says otherwise? */
bool world_usual(unsigned int feature);

/* What `vspe explain` takes to show an access in this state: one line. */
void world_print_command(const struct sysreg_controls *c, enum sysreg_id reg, bool write,
			 uint8_t rt, FILE *out);

/* The same of an access to a register of the PMU: what it depends on, one line. */
void world_print_state(const union world_controls *u, FILE *out);

/* The world in which a PE of AArch64 is that has these registers: every bit is known. */
struct world world_of_controls(const union world_controls *u);

#endif
