/* SPDX-License-Identifier: BSD-2-Clause */
/* Stretches of time of a report: see report_counts.h. */
#include "trace/report_counts.h"

uint64_t report_span_add(struct report_span *span, uint64_t time,
			 void (*widen)(void *ctx, const struct report_span *span), void *ctx)
{
	uint64_t number = time >> span->shift, first, last;

	if (!span->any) {
		span->any = true;
		span->first = span->last = number;
	}
	for (;;) {
		first = number < span->first ? number : span->first;
		last = number > span->last ? number : span->last;
		if (last - first < REPORT_TIME_BUCKETS)
			break;
		widen(ctx, span);
		span->shift++;
		span->first >>= 1;
		span->last >>= 1;
		number = time >> span->shift;
	}
	span->first = first;
	span->last = last;
	return number;
}
