/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * PMU events (Arm ARM D14): their numbers and names, what each is counted from, and what it needs.
 * The table is pmu_event.def.
 */
#ifndef VSPE_ARM_PMU_EVENT_H
#define VSPE_ARM_PMU_EVENT_H

#include <stdbool.h>
#include <stdint.h>
#include <vspe/spe.h>

/* What events are counted from. */
enum arm_pmu_source {
	ARM_PMU_CYCLES,	 /* of operations: ARM_PMU_OPERATION_CYCLES each */
	ARM_PMU_RETIRED, /* operations but those that generated an exception instead of executing */
	/* By what a retired instruction is: */
	ARM_PMU_LOADS,
	ARM_PMU_STORES,
	ARM_PMU_ACCESSES, /* loads, stores, and what is both, each once */
	ARM_PMU_BRANCHES,
	ARM_PMU_BRANCHES_IMMEDIATE,
	ARM_PMU_RETURNS,
	ARM_PMU_BRANCHES_TAKEN,
	ARM_PMU_TOLD,  /* each when it happens */
	ARM_PMU_MODEL, /* by the machine model: enum model_event */
	ARM_PMU_SOURCES,
};
#define ARM_PMU_FIRST_CLASS ARM_PMU_LOADS

/* Cycles that an operation takes, where no machine model says anything else. */
#define ARM_PMU_OPERATION_CYCLES 1

enum arm_pmu_number {
#define EVENT(name, number, source)	   ARM_PMU_##name = (number),
#define MODEL_EVENT(name, number, without) ARM_PMU_##name = (number),
#define SAMPLE_EVENT(name, from, feature)  ARM_PMU_##name = SPE_PMU_##name,
#include "arm/pmu_event.def"
};

/* Those of SPE, in the order in which they are told. */
enum pmu_event {
#define SAMPLE_EVENT(name, from, feature) PMU_##name,
#include "arm/pmu_event.def"
	PMU_EVENTS,
};

/* Those that a core of the machine model counts. */
enum model_event {
#define MODEL_EVENT(name, number, without) MODEL_##name,
#include "arm/pmu_event.def"
	MODEL_EVENTS,
};

/* The event's name in the Arm ARM, "SAMPLE_POP", "L1D_CACHE"; static storage. */
const char *pmu_event_name(enum pmu_event event);
const char *model_event_name(enum model_event event);

/* Is it counted in cycles? */
bool model_event_is_cycles(enum model_event event);

/* Does a PE with this SPE have the event? */
bool pmu_event_exists(enum pmu_event event, const struct spe_config *config);

/* The event of a number, such as 0x4000 or 0x0004; PMU_EVENTS, MODEL_EVENTS: it is none of them. */
enum pmu_event pmu_event_find(uint16_t number);
enum model_event model_event_find(uint16_t number);

/*
 * What a PE counts the event of a number from: one with this SPE, or none if that is NULL; model:
 * all that it executes is shown to a machine model. ARM_PMU_SOURCES: it does not have the event.
 */
enum arm_pmu_source pmu_event_source(uint16_t number, const struct spe_config *spe, bool model);

#endif
