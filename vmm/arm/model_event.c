// SPDX-License-Identifier: BSD-2-Clause
/* The names and numbers of the machine model's events: see model_event.h. */
#include "arm/model_event.h"

#include <vspe/pmu.h>

static const struct {
	const char *name;
	uint16_t number;
} events[MODEL_EVENTS] = {
#define MODEL_EVENT(name) {#name, PMU_##name},
#include "pmu/event.def"
};

const char *model_event_name(enum model_event event)
{
	return events[event].name;
}

bool model_event_is_cycles(enum model_event event)
{
	return event == MODEL_CPU_CYCLES || event == MODEL_STALL || event == MODEL_STALL_FRONTEND ||
	       event == MODEL_STALL_BACKEND || event == MODEL_STALL_BACKEND_ST;
}

enum model_event model_event_find(uint16_t number)
{
	unsigned int event = 0;

	while (event < MODEL_EVENTS && events[event].number != number)
		event++;
	return (enum model_event)event;
}
