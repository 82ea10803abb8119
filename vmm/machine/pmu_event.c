// SPDX-License-Identifier: BSD-2-Clause
/*
 * The PMU events of SPE (Arm ARM D14.6): their numbers and names, which version or feature adds
 * each, and counting them for statistics. The machine has no PMU that a guest could read them from.
 */
#include "machine/machine_state.h"

#include <stddef.h>

/* No feature but the version: spe_config.version is never 0. */
#define VERSION_ALONE offsetof(struct spe_config, version)
#define FEATURE(name) offsetof(struct spe_config, name)

static const struct pmu_event {
	const char *name;
	uint16_t number; /* enum spe_pmu_event */
	uint8_t from;	 /* enum spe_version */
	size_t feature;	 /* a bool of struct spe_config */
} pmu_events[MACHINE_PMU_EVENTS] = {
	[MACHINE_SAMPLE_POP] = {"SAMPLE_POP", SPE_PMU_SAMPLE_POP, SPE_V1P0, VERSION_ALONE},
	[MACHINE_SAMPLE_FEED] = {"SAMPLE_FEED", SPE_PMU_SAMPLE_FEED, SPE_V1P0, VERSION_ALONE},
	[MACHINE_SAMPLE_FILTRATE] = {"SAMPLE_FILTRATE", SPE_PMU_SAMPLE_FILTRATE, SPE_V1P0,
				     VERSION_ALONE},
	[MACHINE_SAMPLE_COLLISION] = {"SAMPLE_COLLISION", SPE_PMU_SAMPLE_COLLISION, SPE_V1P0,
				      VERSION_ALONE},
	[MACHINE_SAMPLE_FEED_BR] = {"SAMPLE_FEED_BR", SPE_PMU_SAMPLE_FEED_BR, SPE_V1P2,
				    VERSION_ALONE},
	[MACHINE_SAMPLE_FEED_LD] = {"SAMPLE_FEED_LD", SPE_PMU_SAMPLE_FEED_LD, SPE_V1P2,
				    VERSION_ALONE},
	[MACHINE_SAMPLE_FEED_ST] = {"SAMPLE_FEED_ST", SPE_PMU_SAMPLE_FEED_ST, SPE_V1P2,
				    VERSION_ALONE},
	[MACHINE_SAMPLE_FEED_OP] = {"SAMPLE_FEED_OP", SPE_PMU_SAMPLE_FEED_OP, SPE_V1P2,
				    VERSION_ALONE},
	[MACHINE_SAMPLE_FEED_EVENT] = {"SAMPLE_FEED_EVENT", SPE_PMU_SAMPLE_FEED_EVENT, SPE_V1P2,
				       VERSION_ALONE},
	[MACHINE_SAMPLE_FEED_LAT] = {"SAMPLE_FEED_LAT", SPE_PMU_SAMPLE_FEED_LAT, SPE_V1P2,
				     VERSION_ALONE},
	[MACHINE_SAMPLE_FEED_DS] = {"SAMPLE_FEED_DS", SPE_PMU_SAMPLE_FEED_DS, SPE_V1P4,
				    FEATURE(fds)},
	[MACHINE_SAMPLE_FEED_FP] = {"SAMPLE_FEED_FP", SPE_PMU_SAMPLE_FEED_FP, SPE_V1P0,
				    FEATURE(eft)},
	[MACHINE_SAMPLE_FEED_SIMD] = {"SAMPLE_FEED_SIMD", SPE_PMU_SAMPLE_FEED_SIMD, SPE_V1P0,
				      FEATURE(eft)},
	[MACHINE_SAMPLE_BUFFER_FULL] = {"SAMPLE_BUFFER_FULL", SPE_PMU_SAMPLE_BUFFER_FULL, SPE_V1P4,
					VERSION_ALONE},
};

const char *machine_event_name(enum machine_pmu_event event)
{
	return pmu_events[event].name;
}

bool machine_event_exists(enum machine_pmu_event event, const struct spe_config *config)
{
	const struct pmu_event *e = &pmu_events[event];

	return config->version >= e->from &&
	       (e->feature == VERSION_ALONE || *(const bool *)((const char *)config + e->feature));
}

void machine_count_event(struct machine_vcpu_stats *stats, uint16_t number, uint64_t count)
{
	/* Those before are counted by the unit itself, and added by machine_stats(). */
	for (unsigned int i = MACHINE_SAMPLE_FEED_BR; i < MACHINE_PMU_EVENTS; i++)
		if (pmu_events[i].number == number)
			stats->events[i] += count;
}
