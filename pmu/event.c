/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of PMU events: see event.h. */
#include "event.h"

#include <stddef.h>

static const struct {
	const char *name;
	uint16_t number; /* enum spe_pmu_event */
	uint8_t from;	 /* enum spe_version */
	size_t feature;	 /* a bool of struct spe_config; version is never 0 */
} sample_events[PMU_SAMPLES] = {
#define SAMPLE_EVENT(name, from, feature) \
	{#name, SPE_PMU_##name, SPE_##from, offsetof(struct spe_config, feature)},
#include "event.def"
};

static const struct {
	uint16_t number; /* enum pmu_number */
	uint8_t source;	 /* enum pmu_source */
} events[] = {
#define EVENT(name, source) {PMU_##name, PMU_##source},
#define MODEL_EVENT(name)   {PMU_##name, PMU_MODEL},
#include "event.def"
};

const char *pmu_sample_name(enum pmu_sample event)
{
	return sample_events[event].name;
}

bool pmu_sample_exists(enum pmu_sample event, const struct spe_config *config)
{
	return config->version >= sample_events[event].from &&
	       *((const char *)config + sample_events[event].feature);
}

enum pmu_sample pmu_sample_find(uint16_t number)
{
	unsigned int event = 0;

	while (event < PMU_SAMPLES && sample_events[event].number != number)
		event++;
	return (enum pmu_sample)event;
}

enum pmu_source pmu_event_source(uint16_t number)
{
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		if (events[i].number == number)
			return (enum pmu_source)events[i].source;
	return PMU_TOLD;
}
