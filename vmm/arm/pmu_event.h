/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The PMU events of SPE (Arm ARM D14.6): their numbers and names, and which version or feature adds
 * each. For what counts them, and for what says how many there were.
 */
#ifndef VSPE_ARM_PMU_EVENT_H
#define VSPE_ARM_PMU_EVENT_H

#include <stdbool.h>
#include <stdint.h>
#include <vspe/spe.h>

/* In the order in which they are told. The unit itself counts those before PMU_SAMPLE_FEED_BR. */
enum pmu_event {
	PMU_SAMPLE_POP,
	PMU_SAMPLE_FEED,
	PMU_SAMPLE_FILTRATE,
	PMU_SAMPLE_COLLISION,
	PMU_SAMPLE_FEED_BR,
	PMU_SAMPLE_FEED_LD,
	PMU_SAMPLE_FEED_ST,
	PMU_SAMPLE_FEED_OP,
	PMU_SAMPLE_FEED_EVENT,
	PMU_SAMPLE_FEED_LAT,
	PMU_SAMPLE_FEED_DS,
	PMU_SAMPLE_FEED_FP,
	PMU_SAMPLE_FEED_SIMD,
	PMU_SAMPLE_BUFFER_FULL,
	PMU_EVENTS,
};

/* The event's name in the Arm ARM, "SAMPLE_POP"; static storage. */
const char *pmu_event_name(enum pmu_event event);

/* Does a PE with this SPE have the event? */
bool pmu_event_exists(enum pmu_event event, const struct spe_config *config);

/* The event of a number, such as 0x4000 (enum spe_pmu_event), or PMU_EVENTS. */
enum pmu_event pmu_event_find(uint16_t number);

#endif
