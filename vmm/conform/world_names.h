/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bits of a world by the names of Arm's pages, and in the structure that the library uses; and
 * an outcome as the library would return it.
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
 * The place of a bit in what a subject sees, taken as words of 64 bits. Its members have the same
 * offsets as in libvspe, so that nothing is copied in millions of accesses; subject_libvspe.c
 * checks that.
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

/* Does one feature need the other? */
bool world_needs(unsigned int feature, unsigned int other);
/* Does a PE have the feature by default? */
bool world_usual(unsigned int feature);

/* Print the arguments of `vspe explain` that show an access in this state: one line. */
void world_print_command(const struct sysreg_controls *c, enum sysreg_id reg, bool write,
			 uint8_t rt, FILE *out);

/* The same for an access to a register of the PMU: the state that it depends on, one line. */
void world_print_state(const union world_controls *u, FILE *out);

/* The world of an AArch64 PE with these registers: every bit is known. */
struct world world_of_controls(const union world_controls *u);

#endif
