/* SPDX-License-Identifier: BSD-2-Clause */
/* See model_counts.h. */
#include "arm/model_counts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void model_counts_keep_misses(struct model_core *core)
{
	for (unsigned int event = 0; event < MODEL_EVENTS; event++)
		if (!model_event_is_miss((enum model_event)event))
			core->counts[event] = 0;
	core->operations = 0;
}

void model_counts_add(const struct model *model, uint64_t *counts)
{
	for (uint32_t n = 0; n < model->count; n++) {
		const struct model_core *core = &model->cores[n];

		for (unsigned int event = 0; event < MODEL_EVENTS; event++)
			counts[event] += core->counts[event];
		counts[MODEL_EVENTS] += core->operations;
	}
}

static bool is_full(const char *mode)
{
	return strcmp(mode, "full") == 0;
}

static bool is_told(const char *mode, unsigned int event)
{
	return is_full(mode) || model_event_is_miss((enum model_event)event);
}

void model_counts_tell(const uint64_t *counts, const char *mode, void *ctx,
		       void (*tell)(void *ctx, const char *name, uint64_t value))
{
	if (is_full(mode))
		tell(ctx, "modelled_operations", counts[MODEL_EVENTS]);
	for (unsigned int event = 0; event < MODEL_EVENTS; event++)
		if (is_told(mode, event))
			tell(ctx, model_event_name((enum model_event)event), counts[event]);
}

void model_counts_line(const uint64_t *counts, const char *mode, char *line, size_t size)
{
	size_t at = (size_t)snprintf(line, size,
				     "model %s: events, latencies and data sources of records are "
				     "modelled, and of ",
				     mode);

	at += is_full(mode) ? (size_t)snprintf(line + at, size - at,
					       "%" PRIu64 " operations:", counts[MODEL_EVENTS])
			    : (size_t)snprintf(line + at, size - at, "all operations:");
	for (unsigned int event = 0; event < MODEL_EVENTS && at < size; event++)
		if (is_told(mode, event))
			at += (size_t)snprintf(line + at, size - at, " %s %" PRIu64,
					       model_event_name((enum model_event)event),
					       counts[event]);
}
