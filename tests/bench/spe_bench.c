/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How long the calls of the profiling unit's hot path take, beside plain stores of 64 bytes. Not a
 * test: it prints, and a human judges.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <vspe/spe.h>

#define MEMORY (64u << 20)
#define ROUNDS 4000000u
#define REPEAT 5

static uint8_t *memory;
static uint64_t counted;

static struct spe_write_result write_memory(void *ctx, uint8_t owning_el, uint64_t va,
					    const uint8_t *bytes, size_t size)
{
	(void)ctx;
	(void)owning_el;
	if (size == 64)
		memcpy(memory + (va & (MEMORY - 64)), bytes, 64);
	else
		memcpy(memory + (va & (MEMORY / 2 - 1)), bytes, size);
	return (struct spe_write_result){.status = SPE_WRITE_OK, .written = size};
}

static struct spe_write_result write_nothing(void *ctx, uint8_t owning_el, uint64_t va,
					     const uint8_t *bytes, size_t size)
{
	(void)ctx;
	(void)owning_el;
	(void)va;
	(void)bytes;
	return (struct spe_write_result){.status = SPE_WRITE_OK, .written = size};
}

static void count_event(void *ctx, uint16_t event, uint64_t n)
{
	(void)ctx;
	(void)event;
	counted += n;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void start(struct spe_unit *unit, const struct spe_host *host)
{
	struct sysreg_controls controls = {.features = SYSREG_FEAT_SPE, .el = 1};
	struct spe_config config;

	spe_config_defaults(&config, SPE_V1P2);
	if (spe_init(unit, &config, host)) {
		fputs("spe_bench: cannot set up a unit\n", stderr);
		exit(1);
	}
	spe_write(unit, SYSREG_PMSIRR_EL1, 0x100 | 1);
	spe_write(unit, SYSREG_PMBPTR_EL1, 1u << 20);
	spe_write(unit, SYSREG_PMBLIMITR_EL1, UINT64_C(1) << 60 | 1);
	spe_write(unit, SYSREG_PMSCR_EL1, 0x3b); /* E0SPE, E1SPE, CX, PA, TS */
	spe_update(unit, &controls);
}

static const struct spe_op load = {
	.pc = 0xffff800008001234,
	.data_va = 0xffff000012345678,
	.data_pa = 0x52345678,
	.timestamp = 123456789,
	.events = 2,
	.contextidr_el1 = 42,
	.flags = SPE_OP_LOAD | SPE_OP_VA_VALID | SPE_OP_PA_VALID,
	.total_latency = 12,
	.issue_latency = 3,
	.translation_latency = 1,
	.type_header = 0x49,
	.el = 1,
	.ns = true,
};

/* Select one operation after the other: ns a sample, ns of the two spe_advance() in it. */
static void round_trip(const char *name, const struct spe_host *host)
{
	struct spe_unit unit;
	double best = 1e30, best_advance = 1e30;

	for (int r = 0; r < REPEAT; r++) {
		double t0, t1, t2;

		start(&unit, host);
		t0 = now();
		for (unsigned int i = 0; i < ROUNDS; i++) {
			uint64_t budget = spe_budget(&unit);

			if (budget > 1)
				spe_advance(&unit, budget - 1);
			if (spe_advance(&unit, 1) == SPE_SELECTED)
				spe_abandon(&unit);
		}
		t1 = now();
		for (unsigned int i = 0; i < ROUNDS; i++) {
			uint64_t budget = spe_budget(&unit);

			if (budget > 1)
				spe_advance(&unit, budget - 1);
			if (spe_advance(&unit, 1) == SPE_SELECTED)
				spe_sample(&unit, &load);
		}
		t2 = now();
		if (t1 - t0 < best_advance)
			best_advance = t1 - t0;
		if (t2 - t1 < best)
			best = t2 - t1;
		if (unit.stats.records != unit.stats.feed ||
		    unit.stats.bytes != 64 * unit.stats.feed)
			puts("records were lost");
	}
	printf("%-34s budget, 2 advances %5.1f ns, with sample %5.1f ns\n", name,
	       best_advance / ROUNDS, best / ROUNDS);
}

static void advances(void)
{
	const struct spe_host host = {.write = write_nothing};
	struct sysreg_controls controls = {.features = SYSREG_FEAT_SPE, .el = 1};
	struct spe_unit unit;
	double best = 1e30, best_update = 1e30;
	unsigned int selected = 0;

	for (int r = 0; r < REPEAT; r++) {
		double t0, t1;

		start(&unit, &host);
		spe_write(&unit, SYSREG_PMSIRR_EL1, 0xffffff00);
		spe_write(&unit, SYSREG_PMSICR_EL1, 0);
		t0 = now();
		for (unsigned int i = 0; i < ROUNDS; i++)
			selected += spe_advance(&unit, 1 + (i & 7)) == SPE_SELECTED;
		t1 = now();
		if (t1 - t0 < best)
			best = t1 - t0;
		t0 = now();
		for (unsigned int i = 0; i < ROUNDS; i++) {
			controls.el = i & 1;
			spe_update(&unit, &controls);
		}
		t1 = now();
		if (t1 - t0 < best_update)
			best_update = t1 - t0;
	}
	printf("%-34s %5.1f ns (%u selections)\n", "spe_advance, no selection", best / ROUNDS,
	       selected);
	printf("%-34s %5.1f ns\n", "spe_update, EL0 and EL1 by turns", best_update / ROUNDS);
}

static void stores(void)
{
	double best = 1e30;
	uint8_t line[64];

	memset(line, 0x5a, sizeof(line));
	for (int r = 0; r < REPEAT; r++) {
		double t0 = now();

		for (unsigned int i = 0; i < ROUNDS; i++) {
			line[0] = (uint8_t)i;
			memcpy(memory + (((uint64_t)i * 64) & (MEMORY - 64)), line, 64);
		}
		if (now() - t0 < best)
			best = now() - t0;
	}
	printf("%-34s %5.1f ns\n", "plain store of 64 bytes", best / ROUNDS);
}

int main(void)
{
	const struct spe_host nothing = {.write = write_nothing};
	const struct spe_host plain = {.write = write_memory};
	const struct spe_host counting = {.write = write_memory, .pmu_event = count_event};

	memory = malloc(MEMORY);
	if (!memory)
		return 1;
	memset(memory, 1, MEMORY);
	stores();
	advances();
	round_trip("RND=1, nothing written", &nothing);
	round_trip("RND=1, 64-byte loads to memory", &plain);
	round_trip("... and PMU events counted", &counting);
	free(memory);
	return 0;
}
