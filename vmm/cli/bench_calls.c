/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The half of vspe bench that times libvspe's calls, in one thread of this process.
 *
 * The yardstick is a plain store of 64 bytes: through the same callback and into the same buffer as
 * the records, so that what is left in the ratio is the making of a record.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vspe/spe.h>

#include "cli/bench.h"

#define BUFFER_BASE UINT64_C(0x100000)
#define BUFFER_SIZE (UINT64_C(4) << 20)
#define CALLS	    400000u
#define RECORD_SIZE 64

struct bench {
	struct spe_unit unit;
	struct sysreg_controls controls;
	struct spe_host host;
	uint8_t *buffer;
};

static struct spe_write_result write_buffer(void *ctx, uint8_t owning_el, uint64_t va,
					    const uint8_t *bytes, size_t size)
{
	struct bench *b = ctx;

	(void)owning_el;
	if (va < BUFFER_BASE || va - BUFFER_BASE > BUFFER_SIZE - size)
		return (struct spe_write_result){.status = SPE_WRITE_FAULT, .fsc = 0x07};
	if (size == RECORD_SIZE)
		memcpy(b->buffer + (va - BUFFER_BASE), bytes, RECORD_SIZE);
	else
		memcpy(b->buffer + (va - BUFFER_BASE), bytes, size);
	return (struct spe_write_result){.status = SPE_WRITE_OK, .written = size};
}

static void enable(struct bench *b, uint64_t interval)
{
	struct spe_unit *unit = &b->unit;

	spe_write(unit, SYSREG_PMSCR_EL1, 0);
	spe_write(unit, SYSREG_PMBPTR_EL1, BUFFER_BASE);
	spe_write(unit, SYSREG_PMBLIMITR_EL1, (BUFFER_BASE + BUFFER_SIZE) | 1);
	spe_write(unit, SYSREG_PMBSR_EL1, 0);
	spe_write(unit, SYSREG_PMSICR_EL1, 0);
	spe_write(unit, SYSREG_PMSIRR_EL1, interval << 8);
	/* TS, PA, E1SPE: contexts would make the record no larger than its 64 bytes either. */
	spe_write(unit, SYSREG_PMSCR_EL1, 1u << 5 | 1u << 4 | 1u << 3 | 1u << 1);
	spe_update(unit, &b->controls);
}

/* Every measurement: seconds for CALLS calls. sink keeps the compiler from dropping the work. */
static double time_stores(struct bench *b, uint64_t *sink)
{
	struct spe_write_result (*volatile write)(void *, uint8_t, uint64_t, const uint8_t *,
						  size_t) = b->host.write;
	uint8_t bytes[RECORD_SIZE] = {0};
	uint64_t offset = 0;
	double start = bench_now();

	for (unsigned int i = 0; i < CALLS; i++) {
		bytes[i % RECORD_SIZE] = (uint8_t)i;
		*sink += write(b, 1, BUFFER_BASE + offset, bytes, RECORD_SIZE).written;
		offset = (offset + RECORD_SIZE) % BUFFER_SIZE;
	}
	return bench_now() - start;
}

static double time_records(struct bench *b, uint64_t *sink)
{
	struct spe_op op = {
		.pc = UINT64_C(0xffff800000001000),
		.data_va = UINT64_C(0xffff800000100000),
		.data_pa = 0x41000000,
		.events = 0x16,
		.contextidr_el1 = 42,
		.flags = SPE_OP_LOAD | SPE_OP_VA_VALID | SPE_OP_PA_VALID,
		.total_latency = 12,
		.issue_latency = 4,
		.translation_latency = 2,
		.type_header = 0x49,
		.el = 1,
		.ns = true,
	};
	double spent = 0;

	enable(b, 1);
	for (unsigned int left = CALLS; left > 0;) {
		/* A buffer's worth at a time, so that it never fills and nothing is stopped. */
		unsigned int batch = (unsigned int)(BUFFER_SIZE / RECORD_SIZE) - 2;

		if (batch > left)
			batch = left;
		spe_write(&b->unit, SYSREG_PMBPTR_EL1, BUFFER_BASE);
		double start = bench_now();
		for (unsigned int i = 0; i < batch; i++) {
			spe_advance(&b->unit, spe_budget(&b->unit));
			op.pc += 4;
			op.timestamp += 257;
			spe_sample(&b->unit, &op);
		}
		spent += bench_now() - start;
		left -= batch;
	}
	*sink += b->unit.stats.records;
	return spent;
}

static double time_advance(struct bench *b, uint64_t *sink)
{
	enable(b, 0xffffff);
	double start = bench_now();

	for (unsigned int i = 0; i < CALLS; i++)
		*sink += (uint64_t)spe_advance(&b->unit, 1 + (i & 7)) + spe_budget(&b->unit);
	return bench_now() - start;
}

static double time_register(struct bench *b, uint64_t *sink)
{
	double start = bench_now();

	for (unsigned int i = 0; i < CALLS / 2; i++) {
		spe_write(&b->unit, SYSREG_PMSLATFR_EL1, i & 0xfff);
		*sink += spe_read(&b->unit, SYSREG_PMSLATFR_EL1);
	}
	return bench_now() - start;
}

static double time_route(struct bench *b, uint64_t *sink)
{
	struct sysreg_controls controls[4];

	for (unsigned int i = 0; i < 4; i++) {
		controls[i] = b->controls;
		controls[i].features |= SYSREG_FEAT_EL2 | SYSREG_FEAT_EL3 | SYSREG_FEAT_FGT |
					SYSREG_FEAT_FGT2 | SYSREG_FEAT_NV | SYSREG_FEAT_NV2 |
					SYSREG_FEAT_VHE;
		controls[i].scr_el3 = 1; /* NS */
		controls[i].mdcr_el3 = UINT64_C(3) << SYSREG_MDCR_EL3_NSPB_LSB;
		controls[i].mdcr_el2 = UINT64_C(3) << SYSREG_MDCR_EL2_E2PB_LSB;
		controls[i].el = (uint8_t)(1 + (i & 1));
	}
	controls[2].mdcr_el2 |= UINT64_C(1) << SYSREG_MDCR_EL2_TPMS_LSB;
	double start = bench_now();

	for (unsigned int i = 0; i < CALLS; i++) {
		struct sysreg_access access = {
			.reg = (enum sysreg_id)(i % SYSREG_COUNT),
			.write = i & 1,
			.rt = i & 31,
		};
		struct sysreg_route route = sysreg_route(&controls[i & 3], access);

		*sink += (uint64_t)route.kind + route.syndrome;
	}
	return bench_now() - start;
}

static const struct {
	const char *name, *key;
	double (*time)(struct bench *b, uint64_t *sink);
} calls[] = {
	{"store of 64 bytes", "store64", time_stores},
	{"record (advance, sample, write)", "record", time_records},
	{"sysreg_route", "sysreg_route", time_route},
	{"register access", "register_access", time_register},
	{"spe_advance and spe_budget", "spe_advance", time_advance},
};
#define N_CALLS (sizeof(calls) / sizeof(calls[0]))

static void report_call(json_object *list, size_t i, double ns[N_CALLS][25], unsigned int rounds)
{
	double ratio[25];

	for (unsigned int r = 0; r < rounds; r++)
		ratio[r] = ns[i][r] / ns[0][r];
	struct bench_spread t = bench_spread(ns[i], rounds), s = bench_spread(ratio, rounds);

	if (!list) {
		printf("%-32s %6.1f ns %5.1f-%-6.1f %6.2f %5.2f-%-5.2f\n", calls[i].name, t.median,
		       t.min, t.max, s.median, s.min, s.max);
		return;
	}
	json_object *call = json_object_new_object();
	json_object_object_add(call, "nanoseconds", bench_spread_json(t));
	json_object_object_add(call, "over_store64", bench_spread_json(s));
	json_object_object_add(list, calls[i].key, call);
}

void bench_calls(unsigned int rounds, json_object *report)
{
	struct bench *b = calloc(1, sizeof(*b));
	double ns[N_CALLS][25];
	uint64_t sink = 0;
	struct spe_config config;

	if (!b || !(b->buffer = calloc(1, BUFFER_SIZE))) {
		free(b);
		fprintf(stderr, "vspe bench: no memory\n");
		return;
	}
	spe_config_defaults(&config, SPE_VERSION_DEFAULT);
	b->host = (struct spe_host){.ctx = b, .write = write_buffer};
	b->controls.features = spe_config_features(&config);
	b->controls.el = 1;
	int error = spe_init(&b->unit, &config, &b->host);
	if (error)
		fprintf(stderr, "vspe bench: %s\n", spe_strerror(error));
	for (unsigned int r = 0; !error && r < rounds; r++)
		for (size_t i = 0; i < N_CALLS; i++)
			ns[i][r] = calls[i].time(b, &sink) / CALLS * 1e9;
	if (!error) {
		json_object *list = report ? json_object_new_object() : NULL;

		if (report)
			json_object_object_add(report, "calls", list);
		else
			printf("Calls of libvspe: nanoseconds, and beside a plain store of 64 "
			       "bytes.\n"
			       "Median of %u rounds, minimum-maximum.\n\n",
			       rounds);
		for (size_t i = 0; i < N_CALLS; i++)
			report_call(list, i, ns, rounds);
		if (!report)
			putchar('\n');
	}
	*(volatile uint64_t *)b->buffer = sink;
	free(b->buffer);
	free(b);
}
