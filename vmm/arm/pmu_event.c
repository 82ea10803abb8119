// SPDX-License-Identifier: BSD-2-Clause
/* The table of PMU events: see pmu_event.h. */
#include "arm/pmu_event.h"

#include <stddef.h>

static const struct {
	const char *name;
	uint16_t number; /* enum spe_pmu_event */
	uint8_t from;	 /* enum spe_version */
	size_t feature;	 /* a bool of struct spe_config; version is never 0 */
} sample_events[PMU_EVENTS] = {
#define SAMPLE_EVENT(name, from, feature) \
	{#name, SPE_PMU_##name, SPE_##from, offsetof(struct spe_config, feature)},
#include "arm/pmu_event.def"
};

static const struct {
	const char *name;
	uint16_t number;
	uint8_t without; /* enum arm_pmu_source */
} model_events[MODEL_EVENTS] = {
#define MODEL_EVENT(name, number, without) {#name, (number), ARM_PMU_##without},
#include "arm/pmu_event.def"
};

static const struct {
	uint16_t number;
	uint8_t source; /* enum arm_pmu_source */
} events[] = {
#define EVENT(name, number, source) {(number), ARM_PMU_##source},
#include "arm/pmu_event.def"
};

#define EVENTS (sizeof(events) / sizeof(events[0]))

const char *pmu_event_name(enum pmu_event event)
{
	return sample_events[event].name;
}

const char *model_event_name(enum model_event event)
{
	return model_events[event].name;
}

bool model_event_is_cycles(enum model_event event)
{
	return event == MODEL_CPU_CYCLES || event == MODEL_STALL || event == MODEL_STALL_FRONTEND ||
	       event == MODEL_STALL_BACKEND || event == MODEL_STALL_BACKEND_ST;
}

bool pmu_event_exists(enum pmu_event event, const struct spe_config *config)
{
	return config->version >= sample_events[event].from &&
	       *((const char *)config + sample_events[event].feature);
}

enum pmu_event pmu_event_find(uint16_t number)
{
	unsigned int event = 0;

	while (event < PMU_EVENTS && sample_events[event].number != number)
		event++;
	return (enum pmu_event)event;
}

enum model_event model_event_find(uint16_t number)
{
	unsigned int event = 0;

	while (event < MODEL_EVENTS && model_events[event].number != number)
		event++;
	return (enum model_event)event;
}

enum arm_pmu_source pmu_event_source(uint16_t number, const struct spe_config *spe, bool model)
{
	const enum pmu_event sample = pmu_event_find(number);
	const enum model_event modelled = model_event_find(number);

	if (sample != PMU_EVENTS)
		return spe && pmu_event_exists(sample, spe) ? ARM_PMU_TOLD : ARM_PMU_SOURCES;
	if (modelled != MODEL_EVENTS)
		return model ? ARM_PMU_MODEL : (enum arm_pmu_source)model_events[modelled].without;
	/* Operations that are no instructions are not counted. */
	if (number == ARM_PMU_OP_RETIRED && spe && !spe->arch_inst)
		return ARM_PMU_SOURCES;
	for (size_t i = 0; i < EVENTS; i++)
		if (events[i].number == number)
			return (enum arm_pmu_source)events[i].source;
	return ARM_PMU_SOURCES;
}
