/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the PMU share: each other's entry points. unit.h has the unit itself. */
#ifndef VSPE_PMU_INTERNAL_H
#define VSPE_PMU_INTERNAL_H

#include "event.h"
#include "fields.h"
#include "route.h"
#include "unit.h"

#define CYCLE	    PMU_CYCLE_COUNTER
#define INSTRUCTION PMU_INSTRUCTION_COUNTER

/* The event number in PMEVTYPER<n>_EL0. */
#define EVENT_BITS UINT64_C(0xffff)

/* config.c: what such a PMU counts an event from; PMU_SOURCES: it does not count it. */
enum pmu_source pmu_source_of(const struct pmu *pmu, unsigned int event);

/* ... does the embedder report it by pmu_event()? */
bool pmu_may_be_told(const struct pmu_config *config, unsigned int event);

/* count.c: the bit of a counter in PMCNTENSET_EL0 and its kin. */
unsigned int pmu_flag_of(unsigned int counter);
/* ... which counters count, in the present context. */
void pmu_work_out(struct pmu *pmu);

#endif
