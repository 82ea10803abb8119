// SPDX-License-Identifier: BSD-2-Clause
/* The PMU events of SPE: see pmu_event.h. */
#include "arm/pmu_event.h"

#include <stddef.h>

/* No feature but the version: spe_config.version is never 0. */
#define VERSION_ALONE offsetof(struct spe_config, version)
#define FEATURE(name) offsetof(struct spe_config, name)

static const struct {
	const char *name;
	uint16_t number; /* enum spe_pmu_event */
	uint8_t from;	 /* enum spe_version */
	size_t feature;	 /* a bool of struct spe_config */
} pmu_events[PMU_EVENTS] = {
	[PMU_SAMPLE_POP] = {"SAMPLE_POP", SPE_PMU_SAMPLE_POP, SPE_V1P0, VERSION_ALONE},
	[PMU_SAMPLE_FEED] = {"SAMPLE_FEED", SPE_PMU_SAMPLE_FEED, SPE_V1P0, VERSION_ALONE},
	[PMU_SAMPLE_FILTRATE] = {"SAMPLE_FILTRATE", SPE_PMU_SAMPLE_FILTRATE, SPE_V1P0,
				 VERSION_ALONE},
	[PMU_SAMPLE_COLLISION] = {"SAMPLE_COLLISION", SPE_PMU_SAMPLE_COLLISION, SPE_V1P0,
				  VERSION_ALONE},
	[PMU_SAMPLE_FEED_BR] = {"SAMPLE_FEED_BR", SPE_PMU_SAMPLE_FEED_BR, SPE_V1P2, VERSION_ALONE},
	[PMU_SAMPLE_FEED_LD] = {"SAMPLE_FEED_LD", SPE_PMU_SAMPLE_FEED_LD, SPE_V1P2, VERSION_ALONE},
	[PMU_SAMPLE_FEED_ST] = {"SAMPLE_FEED_ST", SPE_PMU_SAMPLE_FEED_ST, SPE_V1P2, VERSION_ALONE},
	[PMU_SAMPLE_FEED_OP] = {"SAMPLE_FEED_OP", SPE_PMU_SAMPLE_FEED_OP, SPE_V1P2, VERSION_ALONE},
	[PMU_SAMPLE_FEED_EVENT] = {"SAMPLE_FEED_EVENT", SPE_PMU_SAMPLE_FEED_EVENT, SPE_V1P2,
				   VERSION_ALONE},
	[PMU_SAMPLE_FEED_LAT] = {"SAMPLE_FEED_LAT", SPE_PMU_SAMPLE_FEED_LAT, SPE_V1P2,
				 VERSION_ALONE},
	[PMU_SAMPLE_FEED_DS] = {"SAMPLE_FEED_DS", SPE_PMU_SAMPLE_FEED_DS, SPE_V1P4, FEATURE(fds)},
	[PMU_SAMPLE_FEED_FP] = {"SAMPLE_FEED_FP", SPE_PMU_SAMPLE_FEED_FP, SPE_V1P0, FEATURE(eft)},
	[PMU_SAMPLE_FEED_SIMD] = {"SAMPLE_FEED_SIMD", SPE_PMU_SAMPLE_FEED_SIMD, SPE_V1P0,
				  FEATURE(eft)},
	[PMU_SAMPLE_BUFFER_FULL] = {"SAMPLE_BUFFER_FULL", SPE_PMU_SAMPLE_BUFFER_FULL, SPE_V1P4,
				    VERSION_ALONE},
};

const char *pmu_event_name(enum pmu_event event)
{
	return pmu_events[event].name;
}

bool pmu_event_exists(enum pmu_event event, const struct spe_config *config)
{
	const size_t feature = pmu_events[event].feature;

	return config->version >= pmu_events[event].from &&
	       (feature == VERSION_ALONE || *(const bool *)((const char *)config + feature));
}

enum pmu_event pmu_event_find(uint16_t number)
{
	unsigned int event = 0;

	while (event < PMU_EVENTS && pmu_events[event].number != number)
		event++;
	return (enum pmu_event)event;
}
