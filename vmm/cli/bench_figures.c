/* SPDX-License-Identifier: BSD-2-Clause */
/* What both halves of vspe bench need for their figures: clocks, and the spread of values. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/bench.h"
#include "cli/json.h"

static double seconds_of(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

double bench_now(void)
{
	return seconds_of(CLOCK_MONOTONIC);
}

double bench_cpu_now(void)
{
	return seconds_of(CLOCK_THREAD_CPUTIME_ID);
}

static int compare_double(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

struct bench_spread bench_spread(const double *values, unsigned int n)
{
	double sorted[BENCH_MAX_ROUNDS * 4];

	if (n > BENCH_MAX_ROUNDS * 4)
		n = BENCH_MAX_ROUNDS * 4;
	memcpy(sorted, values, n * sizeof(*values));
	qsort(sorted, n, sizeof(*sorted), compare_double);
	return (struct bench_spread){
		.median = n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2,
		.min = sorted[0],
		.max = sorted[n - 1],
	};
}

json_object *bench_spread_json(struct bench_spread s)
{
	json_object *o = json_object_new_object();

	json_add(o, "median", json_object_new_double(s.median));
	json_add(o, "min", json_object_new_double(s.min));
	json_add(o, "max", json_object_new_double(s.max));
	return o;
}
