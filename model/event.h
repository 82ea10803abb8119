/* SPDX-License-Identifier: BSD-2-Clause */
/* The PMU events that a core of the machine model counts: rows of pmu/event.def. */
#ifndef VSPE_ARM_MODEL_EVENT_H
#define VSPE_ARM_MODEL_EVENT_H

#include <stdbool.h>
#include <stdint.h>

enum model_event {
#define MODEL_EVENT(name) MODEL_##name,
#include "../pmu/event.def"
	MODEL_EVENTS,
};

/* The event's name in the Arm ARM, "L1D_CACHE"; static storage. */
const char *model_event_name(enum model_event event);

/* Does a level 1 miss cause it? Those are all that --model warm counts. */
bool model_event_is_miss(enum model_event event);

/* The event of a number, such as 0x0004; MODEL_EVENTS: it is none of them. */
enum model_event model_event_find(uint16_t number);

#endif
