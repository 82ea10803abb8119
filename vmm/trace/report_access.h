/* SPDX-License-Identifier: BSD-2-Clause */
/* How report_access.c counts an access to memory. */
#ifndef VSPE_TRACE_REPORT_ACCESS_H
#define VSPE_TRACE_REPORT_ACCESS_H

#include "trace/report_counts.h"

/* A sample, and what else is known of it. */
struct report_taken_sample {
	struct input_origin origin;
	const struct threads_life *life; /* or NULL: the thread is not known */
	enum source_set set;
	const struct sample *sample;
	bool write;
};

/* A store, or an atomic operation: D18.2, bit 0, and AT of the extended loads and stores. */
bool report_is_write(const struct sample *sample);

/* Of a load or a store. */
void report_add_access(struct report *report, const struct report_taken_sample *taken);

#endif
