/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The registers that the suite is about, by one number: those of SPE, which libvspe routes, and
 * those of the PMU, which vmm/arm/pmu_route.c does. An enum sysreg_id is its own number.
 */
#ifndef VSPE_CONFORM_SUBJECT_H
#define VSPE_CONFORM_SUBJECT_H

#include "arm/pmu_route.h"
#include "conform/world_names.h"

#define SUBJECT_NONE  SYSREG_COUNT
#define SUBJECT_PMU   (SYSREG_COUNT + 1u) /* plus an enum arm_pmu_register */
#define SUBJECT_COUNT (SUBJECT_PMU + ARM_PMU_REGISTERS)

/* Outcomes that are no enum sysreg_route_kind. 4 is ASL_NO_OUTCOME. */
#define OUTCOME_RAZ_WI	    5 /* reads as zero, ignores what is written */
#define OUTCOME_CONSTRAINED 6 /* CONSTRAINED UNPREDICTABLE, of a counter that is not accessible */
#define OUTCOME_LAST	    OUTCOME_CONSTRAINED

static inline bool subject_is_pmu(unsigned int reg)
{
	return reg >= SUBJECT_PMU && reg < SUBJECT_COUNT;
}

/*
 * Of PMEVCNTR<n>_EL0 and PMEVTYPER<n>_EL0 the one with n 0, which stands for all where there is one
 * page; of others the register itself. And n; of others 0.
 */
static inline unsigned int subject_first(unsigned int reg)
{
	if (reg >= SUBJECT_PMU + ARM_PMEVTYPER0_EL0 && reg < SUBJECT_COUNT)
		return SUBJECT_PMU + ARM_PMEVTYPER0_EL0;
	if (reg >= SUBJECT_PMU + ARM_PMEVCNTR0_EL0 && reg < SUBJECT_COUNT)
		return SUBJECT_PMU + ARM_PMEVCNTR0_EL0;
	return reg;
}

static inline unsigned int subject_index(unsigned int reg)
{
	return reg - subject_first(reg);
}

/* As the Arm ARM spells it; static storage. NULL: no register. */
const char *subject_name(unsigned int reg);
/* The register of a name, "PMEVCNTR<m>_EL0" and "PMEVCNTR_EL0" for the first of these; or NONE. */
unsigned int subject_find(const char *name, size_t length);
/* The register of an encoding, as the library has it, or SUBJECT_NONE. */
unsigned int subject_of_encoding(uint32_t encoding);
/* Its encoding: the library's, and as the second statement has it. */
uint32_t subject_encoding(unsigned int reg);
uint32_t subject_stated_encoding(unsigned int reg);
/* Has it an MRS, or an MSR, by the second statement; by the library. */
bool subject_has(unsigned int reg, bool write);
bool subject_library_has(unsigned int reg, bool write);

/* The second statement's outcome. */
struct outcome subject_state(struct world *w, unsigned int reg, bool write);
/* The library's, as a route whose reg is such a number. */
struct sysreg_route subject_route(const union world_controls *u, unsigned int reg, bool write,
				  uint8_t rt);
/* The route that an outcome means. */
struct sysreg_route subject_expected(struct outcome outcome, unsigned int reg, bool write,
				     uint8_t rt);
/* Is the library's answer one that is expected? */
bool subject_agrees(struct sysreg_route got, struct sysreg_route expected);

/* In the words of vspe explain. */
void subject_print_route(struct sysreg_route route, FILE *out);
/* The state of the PE, and the command that shows the access where there is one: one line. */
void subject_print_state(const union world_controls *u, unsigned int reg, bool write, uint8_t rt,
			 FILE *out);

#endif
