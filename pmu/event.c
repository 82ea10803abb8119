// SPDX-License-Identifier: BSD-2-Clause
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
	uint16_t number;
	uint8_t without; /* enum pmu_source */
} model_events[] = {
#define MODEL_EVENT(name, number, without) {(number), PMU_##without},
#include "event.def"
};

static const struct {
	uint16_t number;
	uint8_t source; /* enum pmu_source */
} events[] = {
#define EVENT(name, number, source) {(number), PMU_##source},
#include "event.def"
};

#define EVENTS	     (sizeof(events) / sizeof(events[0]))
#define MODEL_EVENTS (sizeof(model_events) / sizeof(model_events[0]))

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

enum pmu_source pmu_source(uint16_t number, const struct spe_config *spe, bool model)
{
	const enum pmu_sample sample = pmu_sample_find(number);

	if (sample != PMU_SAMPLES)
		return spe && pmu_sample_exists(sample, spe) ? PMU_TOLD : PMU_SOURCES;
	for (size_t i = 0; i < MODEL_EVENTS; i++)
		if (model_events[i].number == number)
			return model ? PMU_MODEL : (enum pmu_source)model_events[i].without;
	/* Operations that are no instructions are not counted. */
	if (number == PMU_OP_RETIRED && spe && !spe->arch_inst)
		return PMU_SOURCES;
	for (size_t i = 0; i < EVENTS; i++)
		if (events[i].number == number)
			return (enum pmu_source)events[i].source;
	return PMU_SOURCES;
}
