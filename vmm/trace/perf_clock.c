/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perf's clock: see perf_clock.h. The kernel describes it at time_zero and time_cycles in
 * include/uapi/linux/perf_event.h.
 */
#include "trace/perf_clock.h"

#include "trace/perf_format.h"

#define SHORT_EVENT 24u /* its size before Linux 5.10 */
#define EVENT	    42u

void perf_clock_read(struct perf_clock *clock, const uint8_t *body, size_t size)
{
	*clock = (struct perf_clock){.shift = perf_format_get_u64(body) & 63,
				     .mult = perf_format_get_u64(body + 8),
				     .zero = perf_format_get_u64(body + 16),
				     .there = size >= SHORT_EVENT};
	if (size < EVENT)
		return;
	clock->cycles = perf_format_get_u64(body + 24);
	clock->mask = perf_format_get_u64(body + 32);
	clock->there = body[40];
	clock->is_short = body[41];
}

bool perf_clock_time(const struct perf_clock *clock, uint64_t timestamp, uint64_t *time)
{
	uint64_t cycles = timestamp, quotient, rest;

	if (!clock->there)
		return false;
	if (clock->is_short)
		cycles = clock->cycles + ((cycles - clock->cycles) & clock->mask);
	quotient = cycles >> clock->shift;
	rest = cycles & ((UINT64_C(1) << clock->shift) - 1);
	*time = clock->zero + quotient * clock->mult + ((rest * clock->mult) >> clock->shift);
	return true;
}
