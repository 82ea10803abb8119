/* SPDX-License-Identifier: BSD-2-Clause */
/* The system counter of a machine on the software CPU, for files that describe it. */
#ifndef VSPE_TIMER_H
#define VSPE_TIMER_H

#include <stdint.h>

/* It counts operations. This many are a second unless the user chooses otherwise. */
#define TIMER_FREQUENCY 1000000000u /* Hz */
#define TIMER_SECOND_NS 1000000000u

/* Convert count from `unit` counts a second to `other` counts a second. */
static inline uint64_t timer_convert(uint64_t count, uint32_t unit, uint32_t other)
{
	return count / unit * other + count % unit * other / unit;
}

static inline uint64_t timer_ns(uint64_t counts, uint32_t counter_hz)
{
	return timer_convert(counts, counter_hz, TIMER_SECOND_NS);
}

static inline uint64_t timer_counts(uint64_t ns, uint32_t counter_hz)
{
	return timer_convert(ns, TIMER_SECOND_NS, counter_hz);
}

/* The counter value that much later than now. It is never now, however slow the counter. */
static inline uint64_t timer_later(uint64_t now, uint64_t ns, uint32_t counter_hz)
{
	const uint64_t counts = timer_counts(ns, counter_hz);

	return now + (counts ? counts : 1);
}

#endif
