/* SPDX-License-Identifier: BSD-2-Clause */
/* See records.h. */
#include "qemu/records.h"

#include "trace/perf_data.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static struct perf_data *file;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The frequency in QEMU's machines; only a time that perf prints depends on it. */
#define COUNTER_HZ 62500000u

static uint64_t collisions(void *ctx, unsigned int cpu)
{
	struct spe_stats stats = {0};

	(void)ctx;
	if (cpu >= plugin.count)
		return 0;
	spe_stats(&plugin.vcpus[cpu].unit, &stats);
	return stats.collisions - plugin.vcpus[cpu].foreign_collisions;
}

int records_begin(unsigned int cpus)
{
	static const char *const words[] = {"vspe", "qemu"};
	const struct perf_data_guest guest = {
		.name = "guest",
		.words = words,
		.word_count = 2,
		.cpus = cpus,
		.midr = plugin.midr,
		.counter_hz = COUNTER_HZ,
		.collisions = collisions,
	};

	return plugin.perf_data ? perf_data_open(&file, plugin.perf_data, &guest) : 0;
}

void records_add(unsigned int cpu, const uint8_t *bytes, size_t size)
{
	if (!file)
		return;
	pthread_mutex_lock(&lock);
	(void)perf_data_aux(file, cpu, bytes, size);
	pthread_mutex_unlock(&lock);
}

static void print_stats(const struct vcpu *v)
{
	struct spe_stats s;

	spe_stats(&v->unit, &s);
	const struct {
		const char *name;
		uint64_t value;
	} rows[] = {
		{"population", s.population},
		{"samples", s.feed},
		{"filtered", s.feed - s.filtrate},
		{"records", s.records},
		{"bytes", s.bytes},
		{"lost", s.lost},
		{"discarded", s.discarded},
		{"full", s.full},
		{"faults", s.faults},
		{"collisions", s.collisions},
		{"missed", v->missed},
		{"not trapped", v->trapped},
	};
	const bool checks = spe_unit_config(&v->unit)->check;

	fprintf(stderr, "vspe: CPU %u:", v->index);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		fprintf(stderr, "%s %s %" PRIu64, i ? "," : "", rows[i].name, rows[i].value);
	for (unsigned int i = 0; checks && i < SPE_MISUSES; i++)
		fprintf(stderr, ", misuse.%s %" PRIu64, spe_misuse_name(i), s.misuse[i]);
	fputc('\n', stderr);
}

void records_end(void)
{
	int error;

	for (unsigned int i = 0; plugin.stats && i < plugin.count; i++)
		print_stats(&plugin.vcpus[i]);
	error = perf_data_close(file);
	if (error)
		fprintf(stderr, "vspe: %s: %s\n", plugin.perf_data, strerror(-error));
	perf_data_free(file);
	file = NULL;
}
