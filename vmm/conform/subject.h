/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The registers that the suite is about, by one number: those of SPE and those of the PMU. An enum
 * sysreg_id is its own number. And what the suite tests, a subject (<vspe/subject.h>): libvspe, or
 * what others have.
 */
#ifndef VSPE_CONFORM_SUBJECT_H
#define VSPE_CONFORM_SUBJECT_H

#include <vspe/subject.h>

#include "../../pmu/route.h"
#include "conform/world_names.h"

#define SUBJECT_NONE  SYSREG_COUNT
#define SUBJECT_PMU   (SYSREG_COUNT + 1u) /* plus an enum pmu_register */
#define SUBJECT_COUNT (SUBJECT_PMU + PMU_REGISTERS)

/* An outcome that is no enum sysreg_route_kind. 5 is ASL_NO_OUTCOME. */
#define OUTCOME_CONSTRAINED 6 /* CONSTRAINED UNPREDICTABLE, of a counter that is not accessible */
#define OUTCOME_LAST	    OUTCOME_CONSTRAINED

/* Kinds of what is expected that no subject answers. */
#define EXPECTED_CONSTRAINED (VSPE_SUBJECT_NOT_ROUTED + 1)
#define EXPECTED_NOTHING     (VSPE_SUBJECT_NOT_ROUTED + 2) /* the pseudocode has no outcome */

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
	if (reg >= SUBJECT_PMU + PMU_PMEVTYPER0_EL0 && reg < SUBJECT_COUNT)
		return SUBJECT_PMU + PMU_PMEVTYPER0_EL0;
	if (reg >= SUBJECT_PMU + PMU_PMEVCNTR0_EL0 && reg < SUBJECT_COUNT)
		return SUBJECT_PMU + PMU_PMEVCNTR0_EL0;
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
/* Its encoding, as the second statement has it. UINT32_MAX: no register. */
uint32_t subject_stated_encoding(unsigned int reg);
/* Has it an MRS, or an MSR, by the second statement. */
bool subject_has(unsigned int reg, bool write);

/* The second statement's outcome. */
struct outcome subject_state(struct world *w, unsigned int reg, bool write);
/* The answer that an outcome means. */
struct vspe_subject_outcome subject_expected(struct outcome outcome, unsigned int reg, bool write,
					     uint8_t rt);
/* Is a subject's answer one that is expected? */
static inline bool subject_agrees(const struct vspe_subject_outcome *got,
				  const struct vspe_subject_outcome *expected)
{
	if (expected->kind == EXPECTED_CONSTRAINED)
		return got->kind == VSPE_SUBJECT_UNDEFINED || got->kind == VSPE_SUBJECT_RAZ_WI ||
		       (got->kind == VSPE_SUBJECT_TRAP && got->target_el == 2);
	if (got->kind != expected->kind)
		return false;
	if (got->kind == VSPE_SUBJECT_TRAP)
		return got->target_el == expected->target_el && got->ec == expected->ec &&
		       got->iss == expected->iss;
	if (got->kind == VSPE_SUBJECT_DIRECT)
		return got->encoding == expected->encoding;
	return got->kind != VSPE_SUBJECT_MEMORY || got->offset == expected->offset;
}

/* The function that answers for the register; NULL if the subject has none. */
typedef void subject_access_fn(void *ctx, const struct vspe_subject_pe *pe,
			       const struct vspe_subject_access *access,
			       struct vspe_subject_outcome *outcome);
subject_access_fn *subject_router(const struct vspe_subject *subject, unsigned int reg);
/* A single answer; the subject has the function. */
struct vspe_subject_outcome subject_ask(const struct vspe_subject *subject, unsigned int reg,
					const union world_controls *u,
					struct vspe_subject_access access);
/* Why accesses to the register cannot be tried, or NULL; static storage. */
const char *subject_cannot_route(const struct vspe_subject *subject, unsigned int reg);
/* A PE that reaches every register from EL3, and has all that the subject does not lack. */
union world_controls subject_open_pe(const struct vspe_subject *subject);
/* Features that the subject always has, and without those that it never has. */
void subject_limit(const struct vspe_subject *subject, union world_controls *u);

/* In the words of vspe explain. What a subject answered may be anything. */
void subject_print_outcome(struct vspe_subject_outcome outcome, FILE *out);
/* The command that shows the access of a register of SPE, or the state of the PE: one line. */
void subject_print_state(const union world_controls *u, unsigned int reg, bool write, uint8_t rt,
			 FILE *out);

/* libvspe, and who routes accesses to the PMU in vspe. */
extern const struct vspe_subject subject_libvspe;

#endif
