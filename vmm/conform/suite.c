// SPDX-License-Identifier: BSD-2-Clause
/* The list of test points, and the threads that work it off. */
#define _GNU_SOURCE /* vasprintf */
#include "conform/suite.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "conform/model.h"
#include "conform/pmu_statement.h"
#include "base/memory.h"

#define DIRECTION(write)     ((write) ? "write" : "read")
#define PROGRESS_NANOSECONDS 250000000L

static void result_of(struct suite_result *result, const struct exploration *e, FILE *details,
		      const struct suite_point *point)
{
	result->cases = e->combinations;
	result->aarch32 = e->aarch32;
	snprintf(result->what, sizeof(result->what), "%" PRIu64 " %scombinations of %u bits",
		 e->combinations, e->sampled ? "of the " : "", e->bits);
	if (e->too_wide) {
		result->status = SUITE_SKIPPED;
		snprintf(result->what, sizeof(result->what), "depends on %u bits", e->bits);
		fprintf(details, "more than %d bits are not tried\n",
			subject_is_pmu(point->reg) ? EXPLORE_BITS_PMU : EXPLORE_BITS_MAX);
		return;
	}
	if (e->different == 0)
		return;
	result->status = SUITE_FAILED;
	fprintf(details, "%" PRIu64 " of them differ; the first:\n  expected: ", e->different);
	if (e->first.expected.kind == (enum sysreg_route_kind)ASL_NO_OUTCOME)
		fputs("nothing, the pseudocode comes to no outcome", details);
	else
		subject_print_route(e->first.expected, details);
	fputs("\n  library:  ", details);
	subject_print_route(e->first.got, details);
	fputs(subject_is_pmu(point->reg) ? "\n  state: " : "\n  reproduce: ", details);
	subject_print_state(&e->first.controls, point->reg, point->write, e->first.rt, details);
	fputc('\n', details);
}

static void run_statement(const struct suite_point *point, atomic_ullong *done,
			  struct suite_result *result, FILE *details)
{
	struct exploration e;

	explore(&reference_statement, point->reg, point->write, point->el, done, &e);
	result_of(result, &e, details, point);
}

static void run_page(const struct suite_point *point, atomic_ullong *done,
		     struct suite_result *result, FILE *details)
{
	const struct reference reference = {.decide = page_decide, .ctx = point->accessor};
	struct exploration e;

	explore(&reference, point->reg, point->write, point->el, done, &e);
	result_of(result, &e, details, point);
}

static void run_skip(const struct suite_point *point, atomic_ullong *done,
		     struct suite_result *result, FILE *details)
{
	(void)done;
	result->status = SUITE_SKIPPED;
	snprintf(result->what, sizeof(result->what), "cannot be read");
	fprintf(details, "%s:%u: %s\n", point->skip_file, point->skip_line, point->skip_text);
}

/* What has no register access to explain is shown by itself. */
static void print_only(const struct suite_point *point, FILE *details)
{
	fprintf(details, "  reproduce: vspe conform --only '%s %s'\n", point->group, point->name);
}

static void run_model(const struct suite_point *point, atomic_ullong *done,
		      struct suite_result *result, FILE *details)
{
	if (!point->model->run(&result->cases, details)) {
		result->status = SUITE_FAILED;
		print_only(point, details);
	}
	snprintf(result->what, sizeof(result->what), "%" PRIu64 " cases", result->cases);
	atomic_fetch_add_explicit(done, result->cases, memory_order_relaxed);
}

/* Encoding, name and direction of a register, as the page or the Arm ARM has them. */
static void run_encoding(const struct suite_point *point, atomic_ullong *done,
			 struct suite_result *result, FILE *details)
{
	const struct page_accessor *a = point->accessor;
	const uint32_t want = a ? a->encoding : subject_stated_encoding(point->reg);
	const uint32_t got = subject_encoding(point->reg);

	(void)done;
	result->cases = 1;
	if (got == want && subject_of_encoding(want) == point->reg &&
	    (a || (subject_library_has(point->reg, true) == subject_has(point->reg, true) &&
		   subject_library_has(point->reg, false) == subject_has(point->reg, false))))
		return;
	result->status = SUITE_FAILED;
	fprintf(details, "encoding of %s: expected 0x%04" PRIx32 ", library 0x%04" PRIx32 "\n",
		subject_name(point->reg), want, got);
	if (!a)
		print_only(point, details);
}

/* In AArch32 state no register is reached, whatever the controls say. */
static void run_aarch32(const struct suite_point *point, atomic_ullong *done,
			struct suite_result *result, FILE *details)
{
	const uint32_t levels = SYSREG_FEAT_EL2 | SYSREG_FEAT_EL3;
	uint64_t state = point->reg;

	(void)done;
	for (unsigned int n = 0; n < 4096; n++) {
		const struct sysreg_controls c = {
			.features = ((uint32_t)model_random(&state) & ~SYSREG_FEAT_SECURE) | levels,
			.el = n & 3,
			.aarch32 = true,
			.hcr_el2 = model_random(&state),
			.mdcr_el2 = model_random(&state),
			.mdcr_el3 = model_random(&state),
			.scr_el3 = model_random(&state) | 1, /* Non-secure */
		};
		const struct sysreg_access access = {(enum sysreg_id)point->reg, n >> 2 & 1,
						     n >> 3 & 31};
		const struct sysreg_route route = sysreg_route(&c, access);

		result->cases++;
		if (route.kind == SYSREG_UNDEFINED)
			continue;
		result->status = SUITE_FAILED;
		fputs("expected UNDEFINED in AArch32 state, library: ", details);
		route_print(route, details);
		fputs("\n  reproduce: ", details);
		world_print_command(&c, access.reg, access.write, access.rt, details);
		fputc('\n', details);
		return;
	}
}

/* Does the condition name it? */
static bool step_names(const struct sysreg_step *step, const char *name)
{
	for (unsigned int i = 0; i < step->count; i++)
		if (strstr(step->terms[i].text, name))
			return true;
	return false;
}

/*
 * Where NSPB and a field of the register's own both trap to EL3, which of the two does is seen by
 * nobody but the reader of an explanation: the outcome is the same.
 */
static void run_order(const struct suite_point *point, atomic_ullong *done,
		      struct suite_result *result, FILE *details)
{
	(void)done;
	for (unsigned int n = 0; n < 8; n++) {
		const struct sysreg_controls c = {
			.features = UINT32_MAX & ~SYSREG_FEAT_FGT & ~SYSREG_FEAT_FGT2,
			.el = 1 + (n & 1),
			.halted = n & 4,
			.edscr_sdd = n & 4,
			.el3_trap_has_priority_sdd = true,
			.mdcr_el2 = UINT64_C(3) << WORLD_MDCR_EL2_E2PB_LSB,
			.scr_el3 = 1, /* Non-secure */
		};
		const struct sysreg_access access = {(enum sysreg_id)point->reg, n & 2, 0};
		const char *want = statement_el3_order(access.reg, c.el);
		struct sysreg_step steps[SYSREG_STEPS_MAX];
		size_t count, i = 0;

		if (!want)
			continue;
		result->cases++;
		(void)sysreg_explain(&c, access, steps, SYSREG_STEPS_MAX, &count);
		while (i < count && !steps[i].value)
			i++;
		if (i < count && step_names(&steps[i], want))
			continue;
		result->status = SUITE_FAILED;
		fprintf(details, "expected %s to decide, library: %s\n  reproduce: ", want,
			i < count ? steps[i].terms[steps[i].count - 1].text : "nothing");
		world_print_command(&c, access.reg, access.write, access.rt, details);
		fputc('\n', details);
		return;
	}
}

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

static void add_models(struct suite *suite, const struct model *models)
{
	for (; models->name; models++)
		suite_add(suite,
			  (struct suite_point){.group = "model", .run = run_model, .model = models},
			  "%s", models->name);
}

/* Each direction from each level, and the encoding. */
static void add_register(struct suite *suite, unsigned int reg)
{
	const char *name = subject_name(reg);

	for (unsigned int n = 0; n < 8; n++)
		suite_add(suite,
			  (struct suite_point){.group = "exhaustive",
					       .run = run_statement,
					       .reg = reg,
					       .write = n & 4,
					       .el = n & 3},
			  "%s %s EL%u", name, DIRECTION(n & 4), n & 3);
	suite_add(suite, (struct suite_point){.group = "table", .run = run_encoding, .reg = reg},
		  "%s encoding", name);
}

/* Of an event counter's registers these: the first and last that there are, and those behind. */
static bool is_shown(unsigned int reg)
{
	const unsigned int n = subject_index(reg);

	return n == 0 || n == PMU_STATED_COUNTERS - 1 || n == PMU_STATED_COUNTERS || n == 30;
}

static void build_statement(struct suite *suite)
{
	for (unsigned int i = 0; i < SYSREG_COUNT; i++) {
		const enum sysreg_id reg = (enum sysreg_id)i;
		const char *name = sysreg_name(reg);

		add_register(suite, reg);
		suite_add(suite,
			  (struct suite_point){.group = "table", .run = run_aarch32, .reg = reg},
			  "%s AArch32", name);
		if (statement_el3_order(reg, 1) || statement_el3_order(reg, 2))
			suite_add(suite,
				  (struct suite_point){
					  .group = "table", .run = run_order, .reg = reg},
				  "%s order of EL3's traps", name);
	}
	for (unsigned int reg = SUBJECT_PMU; reg < SUBJECT_COUNT; reg++)
		if (is_shown(reg))
			add_register(suite, reg);
	add_models(suite, models_interval);
	add_models(suite, models_filter);
	add_models(suite, models_record);
	add_models(suite, models_buffer);
	add_models(suite, models_random);
}

static void add_skip(struct suite *suite, const char *file, unsigned int line, const char *text,
		     const char *what)
{
	suite_add(suite,
		  (struct suite_point){.group = "page",
				       .run = run_skip,
				       .reg = SUBJECT_NONE,
				       .skip_file = file,
				       .skip_line = line,
				       .skip_text = text},
		  "%s:%u %s", file, line, what);
}

/* An accessor from each level; of one that is for all event counters, for each of these. */
static void add_accessor(struct suite *suite, const struct page_accessor *a)
{
	struct suite_point point = {
		.group = "page", .run = run_page, .write = a->write, .accessor = a};

	for (point.reg = a->reg; subject_first(point.reg) == a->reg; point.reg++)
		for (point.el = 0; point.el < 4; point.el++)
			suite_add(suite, point, "%s:%u %s %s EL%u", a->file, a->line,
				  subject_name(point.reg), DIRECTION(a->write), point.el);
}

static void build_pages(struct suite *suite)
{
	for (size_t i = 0; i < suite->pages->count; i++) {
		const struct page_accessor *a = &suite->pages->accessors[i];
		struct suite_point point = {
			.group = "table", .run = run_encoding, .reg = a->reg, .accessor = a};
		char what[64];

		snprintf(what, sizeof(what), "%s %s", subject_name(a->reg), DIRECTION(a->write));
		if (!a->program) {
			add_skip(suite, a->file, a->problem.line, a->problem.text, what);
			continue;
		}
		add_accessor(suite, a);
		if (a->encoded)
			suite_add(suite, point, "%s:%u %s encoding", a->file, a->line, what);
		else if (subject_first(a->reg + 1) != a->reg) /* whose encoding has m in it */
			add_skip(suite, a->file, a->line, "the page gives no encoding", what);
	}
	for (size_t i = 0; i < suite->pages->problem_count; i++) {
		const struct page_problem *p = &suite->pages->problems[i];

		add_skip(suite, p->file, p->line, p->text, "page");
	}
}

void suite_build(struct suite *suite, const struct page_set *pages, bool strict)
{
	*suite = (struct suite){.pages = pages, .strict = strict};
	if (pages)
		build_pages(suite);
	else
		build_statement(suite);
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

/* What the threads share. */
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

/* Wait for a point's result, and show how far everything is meanwhile. */
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
	if (started == 0) /* no threads to be had: do it here */
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

size_t suite_not_covered(const struct suite *suite, const char *indent, FILE *out)
{
	bool covered[SUBJECT_COUNT][2] = {{false}};
	size_t lines = 0;

	for (size_t i = 0; i < suite->count; i++) {
		const struct suite_point *p = &suite->points[i];

		if ((p->run == run_page || p->run == run_statement) && p->reg < SUBJECT_COUNT)
			covered[p->reg][p->write] = true;
	}
	for (unsigned int reg = 0; reg < SUBJECT_COUNT; reg++) {
		const bool read = subject_has(reg, false) && !covered[reg][0];
		const bool write = subject_has(reg, true) && !covered[reg][1];

		if ((!read && !write) || subject_index(reg))
			continue;
		fprintf(out, "%s%s%s%s of %s\n", indent, read ? "reads" : "",
			read && write ? " and " : "", write ? "writes" : "", subject_name(reg));
		lines++;
	}
	return lines;
}
