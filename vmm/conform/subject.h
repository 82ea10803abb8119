/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The registers of the suite, SPE's and the PMU's, numbered together. An enum sysreg_id is its own
 * number. And what the suite tests, a subject (<vspe/subject.h>): libvspe, or another
 * implementation.
 */
#ifndef VSPE_CONFORM_SUBJECT_H
#define VSPE_CONFORM_SUBJECT_H

#include <vspe/subject.h>

#include "../../pmu/route.h"
#include "conform/world_names.h"

#define SUBJECT_NONE  SYSREG_COUNT
#define SUBJECT_PMU   (SYSREG_COUNT + 1u) /* plus an enum pmu_register */
#define SUBJECT_COUNT (SUBJECT_PMU + PMU_REGISTERS)

/* An outcome outside of enum sysreg_route_kind. 5 is ASL_NO_OUTCOME. */
#define OUTCOME_CONSTRAINED 6 /* CONSTRAINED UNPREDICTABLE, for an inaccessible counter */
#define OUTCOME_LAST	    OUTCOME_CONSTRAINED

/* Expected outcomes that no subject answers. */
#define EXPECTED_CONSTRAINED (VSPE_SUBJECT_NOT_ROUTED + 1)
#define EXPECTED_NOTHING     (VSPE_SUBJECT_NOT_ROUTED + 2) /* the pseudocode has no outcome */

static inline bool subject_is_pmu(unsigned int reg)
{
	return reg >= SUBJECT_PMU && reg < SUBJECT_COUNT;
}

/*
 * For PMEVCNTR<n>_EL0 and PMEVTYPER<n>_EL0 the register with n 0, which stands for all that share a
 * page, and n; for others the register itself, and 0.
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

/* The Arm ARM's spelling; static storage. NULL: no register. */
const char *subject_name(unsigned int reg);
/*
 * The register with a name, or NONE; "PMEVCNTR<m>_EL0" and "PMEVCNTR_EL0" are the first of these.
 */
unsigned int subject_find(const char *name, size_t length);
/* The register with an encoding, by the library, or SUBJECT_NONE. */
unsigned int subject_of_encoding(uint32_t encoding);
/* Its encoding, by the second statement. UINT32_MAX: no register. */
uint32_t subject_stated_encoding(unsigned int reg);
/* Does it have an MRS, or an MSR, by the second statement? */
bool subject_has(unsigned int reg, bool write);

/* The second statement's outcome. */
struct outcome subject_state(struct world *w, unsigned int reg, bool write);
/* The answer that corresponds to an outcome. */
struct vspe_subject_outcome subject_expected(struct outcome outcome, unsigned int reg, bool write,
					     uint8_t rt);
/* Is a subject's answer an expected one? */
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

/* The subject's function for the register; NULL if it has none. */
typedef void subject_access_fn(void *ctx, const struct vspe_subject_pe *pe,
			       const struct vspe_subject_access *access,
			       struct vspe_subject_outcome *outcome);
subject_access_fn *subject_router(const struct vspe_subject *subject, unsigned int reg);
/* Ask once; the subject must have the function. */
struct vspe_subject_outcome subject_ask(const struct vspe_subject *subject, unsigned int reg,
					const union world_controls *u,
					struct vspe_subject_access access);
/* Why accesses to the register cannot be tested, or NULL; static storage. */
const char *subject_cannot_route(const struct vspe_subject *subject, unsigned int reg);
/* A PE that reaches every register from EL3, with all features that the subject can have. */
union world_controls subject_open_pe(const struct vspe_subject *subject);
/* Set the features that the subject always has, and clear those that it never has. */
void subject_limit(const struct vspe_subject *subject, union world_controls *u);

/* Print it in the words of vspe explain. A subject's answer may be anything. */
void subject_print_outcome(struct vspe_subject_outcome outcome, FILE *out);
/*
 * Print the command that shows the access to a register of SPE, or the state of the PE: one line.
 */
void subject_print_state(const union world_controls *u, unsigned int reg, bool write, uint8_t rt,
			 FILE *out);

/* libvspe, and vspe's router of accesses to the PMU. */
extern const struct vspe_subject subject_libvspe;

#endif
