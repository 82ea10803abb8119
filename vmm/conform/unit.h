/* SPDX-License-Identifier: BSD-2-Clause */
/* A profiling unit for the models: at Non-secure EL1 of a PE that has only EL1 and EL0. */
#ifndef VSPE_CONFORM_UNIT_H
#define VSPE_CONFORM_UNIT_H

#include <vspe/spe.h>

#define UNIT_RECORD_MAX 2048u

/* PMU events that the filters decide on. */
#define UNIT_PMU_EVENTS 10
extern const uint16_t unit_pmu_events[UNIT_PMU_EVENTS];

struct unit_bench {
	struct spe_unit unit;
	struct spe_config config;
	struct spe_host host;
	struct sysreg_controls controls;
	uint8_t record[UNIT_RECORD_MAX]; /* the last one written */
	size_t record_size;
	uint64_t writes;
	uint64_t pmu[UNIT_PMU_EVENTS]; /* how often, in the order of unit_pmu_events */
	uint64_t state;		       /* of unit_random() */
};

/* Defaults of a version, still to be changed; then unit_start(). */
void unit_prepare(struct unit_bench *bench, enum spe_version version);
/* 0, or what spe_init() says. Profiling is enabled afterwards. interval is PMSIRR_EL1's. */
int unit_start(struct unit_bench *bench, uint64_t pmsirr);
/* Let members pass up to the next selection, which has to be sampled. False if it is none. */
bool unit_select(struct unit_bench *bench);
/* spe_host.random of a unit that shares its numbers with a reference: ctx is a uint64_t. */
uint8_t unit_random(uint64_t *state);

#endif
