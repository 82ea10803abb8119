/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two units, each driven by a separate thread at full speed, under ThreadSanitizer. Units share
 * nothing (vspe/spe.h), so there is no race to report, and the output of each is the same as alone.
 * The threads also call sysreg_route(), and save and restore their units.
 */
#include "drive.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define STEPS 150000
#define UNITS 2

struct worker {
	pthread_t thread;
	pthread_barrier_t *start; /* NULL: alone */
	struct drive drive;
	struct spe_unit unit;
	uint64_t seed, routes;
	int failed;
};

static void *work(void *argument)
{
	struct worker *w = argument;
	uint8_t image[SPE_IMAGE_MAX];
	const char *field;

	if (w->start)
		(void)pthread_barrier_wait(w->start);
	drive_init(&w->drive, &w->unit, w->seed);
	for (unsigned int i = 0; i < STEPS && !w->failed; i++) {
		const struct sysreg_controls controls = {
			.features = SYSREG_FEAT_SPE | SYSREG_FEAT_EL2,
			.el = 1,
			.mdcr_el2 = (uint64_t)(i & 15) << 12,
		};
		const struct sysreg_access access = {.reg = (enum sysreg_id)(i % SYSREG_COUNT)};

		drive_step(&w->drive);
		w->routes += sysreg_route(&controls, access).kind;
		if (i % 64 == 0)
			w->failed = spe_restore(&w->unit, image,
						spe_save(&w->unit, image, sizeof(image)), &field);
	}
	return NULL;
}

static int same(const struct worker *a, const struct worker *b)
{
	struct spe_stats stats[2];

	spe_stats(&a->unit, &stats[0]);
	spe_stats(&b->unit, &stats[1]);
	return a->drive.digest == b->drive.digest && a->drive.records == b->drive.records &&
	       memcmp(&stats[0], &stats[1], sizeof(stats[0])) == 0 && a->routes == b->routes;
}

int main(void)
{
	static struct worker alone[UNITS], together[UNITS];
	pthread_barrier_t start;

	if (pthread_barrier_init(&start, NULL, UNITS) != 0)
		return 1;
	for (unsigned int i = 0; i < UNITS; i++) {
		alone[i].seed = together[i].seed = 77 + i;
		(void)work(&alone[i]);
		together[i].start = &start;
	}
	for (unsigned int i = 0; i < UNITS; i++)
		if (pthread_create(&together[i].thread, NULL, work, &together[i]) != 0)
			return 1;
	for (unsigned int i = 0; i < UNITS; i++)
		(void)pthread_join(together[i].thread, NULL);
	for (unsigned int i = 0; i < UNITS; i++) {
		const struct drive *d = &together[i].drive;

		printf("unit %u: %llu records, %llu events\n", i, (unsigned long long)d->records,
		       (unsigned long long)d->events);
		if (together[i].failed || d->records < STEPS / 40 ||
		    !same(&alone[i], &together[i])) {
			printf("unit %u does something else than alone\n", i);
			return 1;
		}
	}
	return 0;
}
