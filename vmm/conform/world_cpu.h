/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the software CPU's accesses depend on, by the names of Arm's pages: the CPU_* rows of
 * world.def, and those rows that SPE's accesses depend on, too.
 */
#ifndef VSPE_CONFORM_WORLD_CPU_H
#define VSPE_CONFORM_WORLD_CPU_H

#include "conform/world.h"

struct world_cpu_bit {
	enum { WORLD_CPU_NONE, WORLD_CPU_ZERO, WORLD_CPU_ONE, WORLD_CPU_BIT } kind;
	uint16_t first; /* WORLD_CPU_BIT: the lowest, an enum world_bit */
	uint8_t width;
};

/* "FEAT_X": a bit, or whether the CPU always has it; of an unknown name: never. */
struct world_cpu_bit world_cpu_feature(const char *name, size_t length);
/* "EL2" of HaveEL(). */
struct world_cpu_bit world_cpu_level(const char *name, size_t length);
/* A field of a register. WORLD_CPU_NONE: there is no row. */
struct world_cpu_bit world_cpu_find(const char *reg, size_t reg_length, const char *name,
				    size_t length);
/* A number, the result of a function, what the CPU does by a choice; or -1. */
int world_cpu_number(const char *name, size_t length);
int world_cpu_call(const char *name, size_t length);
int world_cpu_choice(const char *text, size_t length);

/* The register that reads for another where the CPU decides it only then; or the name itself. */
const char *world_cpu_same(const char *name);

/* The rows of fields by number, or NULL. */
struct world_cpu_row {
	const char *reg, *name;
	uint16_t first;
	uint8_t lsb, host, width; /* host: the lsb with HCR_EL2.E2H */
};
const struct world_cpu_row *world_cpu_row(unsigned int n);
/* The features that the CPU may have or not, by number; name NULL: there are no more. */
struct world_cpu_choice {
	const char *name; /* without FEAT_; "EL2", "EL3" */
	uint16_t bit;
};
struct world_cpu_choice world_cpu_optional(unsigned int n);

/* A bit has got its value: give it to those that always have the same. */
void world_cpu_set(struct world *w, unsigned int bit, bool known, bool value);
/* Can the CPU be in that state? Asks as it needs. */
bool world_cpu_possible(struct world *w);
/* Is a known feature there without one that it needs, also known? */
bool world_cpu_contradicts(const struct world *w);

#endif
