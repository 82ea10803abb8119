/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of test points, and the threads that run it. */
#define _GNU_SOURCE /* vasprintf */
#include "conform/suite.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "conform/worker.h"

#define PROGRESS_NANOSECONDS 250000000L

struct suite_point *suite_add(struct suite *suite, struct suite_point point, const char *format,
			      ...)
{
	va_list args;

	if (suite->count == suite->room) {
		suite->room = suite->room ? 2 * suite->room : 256;
		suite->points = realloc(suite->points, suite->room * sizeof(*suite->points));
		if (!suite->points)
			memory_out();
	}
	point.subject = suite->subject;
	va_start(args, format);
	if (vasprintf(&point.name, format, args) < 0)
		memory_out();
	va_end(args);
	for (char *c = point.name; *c; c++)
		if (*c == '#' || *c == '\n' || *c == '\r')
			*c = '_';
	suite->points[suite->count] = point;
	return &suite->points[suite->count++];
}

void suite_free(struct suite *suite)
{
	for (size_t i = 0; i < suite->count; i++) {
		free(suite->points[i].name);
		free(suite->points[i].result.details);
	}
	free(suite->points);
	suite->points = NULL;
	suite->count = 0;
}

static void keep_point(struct suite *suite, size_t *kept, size_t i, bool wanted)
{
	if (wanted)
		suite->points[(*kept)++] = suite->points[i];
	else
		free(suite->points[i].name);
}

void suite_shard(struct suite *suite, size_t shard, size_t shards)
{
	size_t kept = 0;

	for (size_t i = 0; i < suite->count; i++)
		keep_point(suite, &kept, i, i % shards == shard - 1);
	suite->count = kept;
}

void suite_match(struct suite *suite, const char *text)
{
	size_t kept = 0;

	for (size_t i = 0; i < suite->count; i++) {
		char full[1024];

		snprintf(full, sizeof(full), "%s %s", suite->points[i].group,
			 suite->points[i].name);
		keep_point(suite, &kept, i, strstr(full, text));
	}
	suite->count = kept;
}

/* Data that the threads share. */
struct work {
	struct suite *suite;
	size_t next;
	pthread_mutex_t lock;
	pthread_cond_t finished;
};

static void run_point(struct suite *suite, struct suite_point *point)
{
	struct suite_result *result = &point->result;
	char *text = NULL;
	size_t size = 0;
	FILE *details = open_memstream(&text, &size);

	if (!details)
		memory_out();
	if (suite->subject && suite->subject->path)
		worker_run(point, &suite->done, result, details);
	else
		point->run(point, &suite->done, result, details);
	if (ferror(details) | fclose(details))
		memory_out();
	if (suite->strict && result->status == SUITE_SKIPPED)
		result->status = SUITE_FAILED;
	if (size)
		result->details = text;
	else
		free(text);
}

static void *work_off(void *ctx)
{
	struct work *work = ctx;

	pthread_mutex_lock(&work->lock);
	while (work->next < work->suite->count) {
		struct suite_point *point = &work->suite->points[work->next++];

		pthread_mutex_unlock(&work->lock);
		run_point(work->suite, point);
		pthread_mutex_lock(&work->lock);
		point->result.done = true;
		pthread_cond_signal(&work->finished);
	}
	pthread_mutex_unlock(&work->lock);
	return NULL;
}

static void show_progress(const struct work *work, FILE *progress)
{
	const unsigned long long done = atomic_load(&work->suite->done);

	if (work->suite->guests)
		fprintf(progress, "\r%zu of %zu guests started, %llu tests ", work->next,
			work->suite->count, done);
	else
		fprintf(progress, "\r%zu of %zu points, %llu million cases ", work->next,
			work->suite->count, done / 1000000u);
	fflush(progress);
}

/* Wait for a point's result, and show the total progress meanwhile. */
static void await_point(struct work *work, size_t i, FILE *progress)
{
	struct timespec until;

	pthread_mutex_lock(&work->lock);
	while (!work->suite->points[i].result.done) {
		if (!progress) {
			pthread_cond_wait(&work->finished, &work->lock);
			continue;
		}
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += PROGRESS_NANOSECONDS;
		if (until.tv_nsec >= 1000000000L) {
			until.tv_nsec -= 1000000000L;
			until.tv_sec++;
		}
		pthread_cond_timedwait(&work->finished, &work->lock, &until);
		show_progress(work, progress);
	}
	pthread_mutex_unlock(&work->lock);
	if (progress)
		fputs("\r\033[K", progress);
}

void suite_run(struct suite *suite, unsigned int jobs,
	       void (*report)(void *ctx, const struct suite *suite, size_t point), void *ctx,
	       FILE *progress)
{
	struct work work = {.suite = suite};
	pthread_t *threads = calloc(jobs, sizeof(*threads));
	unsigned int started = 0;

	pthread_mutex_init(&work.lock, NULL);
	pthread_cond_init(&work.finished, NULL);
	while (threads && started < jobs &&
	       pthread_create(&threads[started], NULL, work_off, &work) == 0)
		started++;
	if (started == 0) /* no thread could be started: do it here */
		work_off(&work);
	for (size_t i = 0; i < suite->count; i++) {
		await_point(&work, i, progress);
		report(ctx, suite, i);
	}
	while (started)
		pthread_join(threads[--started], NULL);
	free(threads);
	pthread_cond_destroy(&work.finished);
	pthread_mutex_destroy(&work.lock);
}
