/* SPDX-License-Identifier: BSD-2-Clause */
/* What the two halves of vspe bench share: guest kernels (bench.c) and library calls
 * (bench_calls.c). */
#ifndef VSPE_CLI_BENCH_H
#define VSPE_CLI_BENCH_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>

struct bench_spread {
	double median, min, max;
};

/* Seconds of a clock that never goes back. */
double bench_now(void);
/* n values, at most 100 of which are looked at. */
struct bench_spread bench_spread(const double *values, unsigned int n);
json_object *bench_spread_json(struct bench_spread s);

/* Time libvspe's calls; into report["calls"], or as text when report is NULL. */
void bench_calls(unsigned int rounds, json_object *report);

#endif
