/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * PMU events (Arm ARM D14): their names, what each is counted from, and what it needs.
 * The table is event.def.
 */
#ifndef VSPE_PMU_EVENT_H
#define VSPE_PMU_EVENT_H

#include <stdbool.h>
#include <stdint.h>
#include <vspe/pmu.h>

/* What events are counted from. */
enum pmu_source {
	PMU_CYCLES,  /* of operations: PMU_OPERATION_CYCLES each */
	PMU_RETIRED, /* operations but those that generated an exception instead of executing */
	/* By what a retired instruction is: */
	PMU_LOADS,
	PMU_STORES,
	PMU_ACCESSES, /* loads, stores, and what is both, each once */
	PMU_BRANCHES,
	PMU_BRANCHES_IMMEDIATE,
	PMU_RETURNS,
	PMU_BRANCHES_TAKEN,
	PMU_TOLD,  /* each when it happens */
	PMU_MODEL, /* by a model of the machine: the rows of MODEL_EVENT() */
	PMU_SOURCES,
};
#define PMU_FIRST_CLASS PMU_LOADS

/* Cycles that an operation takes, where no machine model says anything else. */
#define PMU_OPERATION_CYCLES 1

/* Those of SPE, in the order in which the unit reports them. */
enum pmu_sample {
#define SAMPLE_EVENT(name, from, feature) PMU_TOLD_##name,
#include "event.def"
	PMU_SAMPLES,
};

/* The event's name in the Arm ARM, "SAMPLE_POP"; static storage. */
const char *pmu_sample_name(enum pmu_sample event);

/* Does a PE with this SPE have the event? */
bool pmu_sample_exists(enum pmu_sample event, const struct spe_config *config);

/* The event of a number, such as 0x4000; PMU_SAMPLES: it is none of them. */
enum pmu_sample pmu_sample_find(uint16_t number);

/*
 * What an executed event is counted from; PMU_MODEL of those of a model, PMU_TOLD of all others.
 */
enum pmu_source pmu_event_source(uint16_t number);

#endif
