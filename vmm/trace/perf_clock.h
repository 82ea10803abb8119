/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts SPE's timestamps, which are the timer's, to perf's clock: TIME_CONV of perf.data. */
#ifndef VSPE_TRACE_PERF_CLOCK_H
#define VSPE_TRACE_PERF_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero-initialise. */
struct perf_clock {
	uint64_t shift, mult, zero;
	uint64_t cycles, mask; /* with is_short: the timer has fewer than 64 bits */
	bool there, is_short;
};

/* Read the event, without its header, of at least 24 bytes. */
void perf_clock_read(struct perf_clock *clock, const uint8_t *body, size_t size);
/* The time in nanoseconds. False: the file does not say how. */
bool perf_clock_time(const struct perf_clock *clock, uint64_t timestamp, uint64_t *time);

#endif
