/* SPDX-License-Identifier: BSD-2-Clause */
/* The names and numbers of the machine model's events: see event.h. */
#include "event.h"

#include <vspe/pmu.h>

static const struct {
	const char *name;
	uint16_t number;
} events[MODEL_EVENTS] = {
#define MODEL_EVENT(name) {#name, PMU_##name},
#include "../pmu/event.def"
};

const char *model_event_name(enum model_event event)
{
	return events[event].name;
}

bool model_event_is_miss(enum model_event event)
{
	switch (event) {
	case MODEL_CPU_CYCLES:
	case MODEL_STALL:
	case MODEL_STALL_FRONTEND:
	case MODEL_STALL_BACKEND:
	case MODEL_STALL_BACKEND_ST:
	case MODEL_L1I_CACHE:
	case MODEL_L1D_CACHE:
	case MODEL_L1D_TLB:
	case MODEL_BR_PRED:
	case MODEL_BR_MIS_PRED:
	case MODEL_BR_MIS_PRED_RETIRED: return false;
	default: return true;
	}
}

enum model_event model_event_find(uint16_t number)
{
	unsigned int event = 0;

	while (event < MODEL_EVENTS && events[event].number != number)
		event++;
	return (enum model_event)event;
}
