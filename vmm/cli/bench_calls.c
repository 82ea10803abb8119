/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The half of vspe bench that times libvspe's calls, in one thread of this process: in turns
 * through the library linked into vspe and through libvspe.so.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/bench.h"
#include "cli/cli.h"

#define CALL(function) (function)
#include "cli/bench_loops.h"
#include "cli/json.h"

static const bench_loop linked_loops[BENCH_LOOPS] = BENCH_LOOP_TABLE;

static const struct {
	const char *name, *key;
} calls[BENCH_LOOPS] = {
	[BENCH_STORE] = {"store of 64 bytes", "store64"},
	[BENCH_RECORD] = {"record (advance, sample, write)", "record"},
	[BENCH_ROUTE] = {"sysreg_route", "sysreg_route"},
	[BENCH_REGISTER] = {"spe_read or spe_write", "register_access"},
	[BENCH_ACCESS] = {"access (route, read or write)", "whole_access"},
	[BENCH_ADVANCE] = {"spe_advance and spe_budget", "spe_advance"},
};

/* Nanoseconds a call, of each round. */
struct timings {
	double linked[BENCH_LOOPS][BENCH_MAX_ROUNDS];
	double shared[BENCH_LOOPS][BENCH_MAX_ROUNDS];
};

static struct spe_write_result write_buffer(void *ctx, uint8_t owning_el, uint64_t va,
					    const uint8_t *bytes, size_t size)
{
	struct bench *b = ctx;

	(void)owning_el;
	if (va < BENCH_BUFFER_BASE || va - BENCH_BUFFER_BASE > BENCH_BUFFER_SIZE - size)
		return (struct spe_write_result){.status = SPE_WRITE_FAULT, .fsc = 0x07};
	if (size == BENCH_RECORD_SIZE)
		memcpy(b->buffer + (va - BENCH_BUFFER_BASE), bytes, BENCH_RECORD_SIZE);
	else
		memcpy(b->buffer + (va - BENCH_BUFFER_BASE), bytes, size);
	return (struct spe_write_result){.status = SPE_WRITE_OK, .written = size};
}

static void print_call(enum bench_loop_id id, struct bench_spread linked, struct bench_spread ratio,
		       const struct bench_spread *shared)
{
	printf("%-31s %6.1f ns %5.1f-%-6.1f %6.2f %5.2f-%-5.2f", calls[id].name, linked.median,
	       linked.min, linked.max, ratio.median, ratio.min, ratio.max);
	if (shared)
		printf(" %6.1f ns %5.1f-%-6.1f", shared->median, shared->min, shared->max);
	putchar('\n');
}

static void report_call(json_object *list, enum bench_loop_id id, const struct timings *t,
			unsigned int rounds, bool loaded)
{
	double ratio[BENCH_MAX_ROUNDS];

	for (unsigned int r = 0; r < rounds; r++)
		ratio[r] = t->linked[id][r] / t->linked[BENCH_STORE][r];
	struct bench_spread linked = bench_spread(t->linked[id], rounds);
	struct bench_spread over = bench_spread(ratio, rounds);
	struct bench_spread shared = bench_spread(t->shared[id], rounds);

	if (!list) {
		print_call(id, linked, over, loaded && id != BENCH_STORE ? &shared : NULL);
		return;
	}
	json_object *call = json_object_new_object();
	json_add(call, "nanoseconds", bench_spread_json(linked));
	json_add(call, "over_store64", bench_spread_json(over));
	if (loaded && id != BENCH_STORE)
		json_add(call, "nanoseconds_shared", bench_spread_json(shared));
	json_add(list, calls[id].key, call);
}

static void report_calls(const struct timings *t, unsigned int rounds, json_object *report,
			 bool loaded)
{
	json_object *list = report ? json_object_new_object() : NULL;

	if (report)
		json_add(report, "calls", list);
	else
		printf("Calls of libvspe: nanoseconds, beside a plain store of 64 bytes, and%s "
		       "through libvspe.so.\n"
		       "Median of %u rounds, minimum-maximum.\n\n",
		       loaded ? "" : " not", rounds);
	for (int id = 0; id < BENCH_LOOPS; id++)
		report_call(list, (enum bench_loop_id)id, t, rounds, loaded);
	if (!report)
		putchar('\n');
}

/* The library under test sets up the unit, so that everything in it comes from that library. */
static void time_all(struct bench *b, const bench_loop *loops, __typeof__(spe_init) *init,
		     double (*ns)[BENCH_MAX_ROUNDS], unsigned int round, uint64_t *sink)
{
	struct spe_config config;

	spe_config_defaults(&config, SPE_VERSION_DEFAULT);
	b->controls = (struct sysreg_controls){.features = spe_config_features(&config), .el = 1};
	const int error = init(&b->unit, sizeof(b->unit), &config, &b->host);
	if (error) {
		cli_message(stderr, "vspe bench: %s", spe_strerror(error));
		abort();
	}
	for (int id = 0; id < BENCH_LOOPS; id++)
		ns[id][round] = loops[id](b, sink) / BENCH_CALLS * 1e9;
}

void bench_calls(unsigned int rounds, json_object *report)
{
	struct bench *b = calloc(1, sizeof(*b));
	struct timings *t = calloc(1, sizeof(*t));
	uint8_t *buffer = calloc(1, BENCH_BUFFER_SIZE);
	uint64_t sink = 0;
	char why[1024];

	if (!b || !t || !buffer) {
		cli_message(stderr, "vspe bench: no memory");
	} else {
		const bool loaded = bench_load(&b->library, why, sizeof(why));

		if (!loaded)
			cli_message(stderr, "vspe bench: no figures of libvspe.so: %s", why);
		b->buffer = buffer;
		b->host = (struct spe_host){.ctx = b, .write = write_buffer};
		for (unsigned int r = 0; r < rounds; r++) {
			time_all(b, linked_loops, spe_init, t->linked, r, &sink);
			if (loaded)
				time_all(b, bench_shared_loops, b->library.spe_init, t->shared, r,
					 &sink);
		}
		report_calls(t, rounds, report, loaded);
		*(volatile uint64_t *)buffer = sink;
	}
	free(buffer);
	free(t);
	free(b);
}
