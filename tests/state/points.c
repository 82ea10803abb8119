/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * points [-i] [-m] [-s] LIST GUESTS POINTS SEED [NAME...]: a machine that is saved and restored at
 * random points of a guest's run prints, samples and counts what one does that was never
 * interrupted.
 *
 * For each row of tests/guest/guests.list that runs on vspe (or those of the names), POINTS random
 * operation counts are chosen. The guest runs once to its end without a stop. Then it runs again,
 * and at each point the machine is saved, destroyed, and goes on as a new one made of the image: a
 * chain that shows what any of the points does to the console, to the sample records and to the
 * counts. Some saves come as a signal does instead, when the console is looked at.
 *
 * -i: a third run stops at the same points and is saved, but goes on itself: each image of the
 * chain has to be the same, byte for byte. -m: one more run, whose machine is sent at the points as
 * a migration does it, round by round while it goes on. -s: the stretches of the chain are executed
 * in turns as the command has it, by the translator as soon as there is something, by the
 * interpreter, and one operation at a time if they are short.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/run.h"
#include "conform/guest_list.h"
#include "machine/machine_move.h"
#include "machine/machine_save.h"
#include "base/tap.h"
#include "soft/code_memory.h"
#include "soft/tuning.h"
#include "tests/splitmix.h"

#define ROW_ARGUMENTS 32
#define STEP_MOST     200000 /* operations of a stretch that is executed singly */
#define WAYS	      3
#define ROUND_MOST    5000 /* operations between pieces of a migration */

struct bytes {
	uint8_t *at;
	size_t size, room;
};

/* What comes of a run. */
struct result {
	struct bytes console, samples[MACHINE_MAX_CPUS];
	struct machine_stats stats;
	enum machine_end end;
	struct tap tap;
};

struct row {
	const char *name;
	struct run_options options;
	char *arguments[ROW_ARGUMENTS];
	char kernel[1024];
};

struct points {
	uint64_t *at; /* rising */
	unsigned int count;
	uint64_t random; /* state of the generator */
	bool images, moves, steps;
	bool translates; /* the translator can be had */
	uint64_t translated, interpreted;
	bool signal; /* the next look at the console asks for a save */
	uint64_t saves, signals, image_bytes, moved, rounds, pages, last;
};

static uint64_t draw(uint64_t *state)
{
	return splitmix64(state);
}

static void append(struct bytes *to, const void *bytes, size_t size)
{
	if (size > to->room - to->size) {
		to->room = 2 * (to->size + size) + 4096;
		to->at = realloc(to->at, to->room);
		if (!to->at)
			abort();
	}
	memcpy(to->at + to->size, bytes, size);
	to->size += size;
}

/* The host's side: a console in memory, without input. */
struct host {
	struct result *result;
	struct points *points;
};

static void host_put(void *ctx, uint8_t byte)
{
	struct host *host = ctx;

	append(&host->result->console, &byte, 1);
	tap_byte(&host->result->tap, byte);
}

static enum machine_console_event host_poll(void *ctx, int timeout_ms, uint8_t *bytes, size_t room,
					    size_t *got)
{
	struct host *host = ctx;

	(void)timeout_ms;
	(void)bytes;
	(void)room;
	*got = 0;
	if (!host->points->signal)
		return MACHINE_CONSOLE_NONE;
	host->points->signal = false;
	host->points->signals++;
	return MACHINE_CONSOLE_SAVE;
}

static bool host_open(void *ctx)
{
	(void)ctx;
	return false;
}

static int host_sample(void *ctx, unsigned int cpu, const uint8_t *bytes, size_t size)
{
	struct host *host = ctx;

	append(&host->result->samples[cpu], bytes, size);
	return 0;
}

static void host_state(void *ctx, struct state *state)
{
	struct host *host = ctx;

	tap_state(&host->result->tap, state);
}

static struct machine_config config_of(const struct row *row, struct host *host)
{
	const struct run_options *options = &row->options;

	return (struct machine_config){
		.choices = options->choices,
		.tuning = (const struct engine_tuning *)&options->tuning,
		.count_events = true,
		.timeout_ms = 120000,
		.console = {host, host_put, host_poll, host_open, NULL},
		.sample_ctx = host,
		.sample = host_sample,
		.host_ctx = host,
		.host_state = host_state,
	};
}

static void free_result(struct result *result)
{
	free(result->console.at);
	for (unsigned int i = 0; i < MACHINE_MAX_CPUS; i++)
		free(result->samples[i].at);
	memset(result, 0, sizeof(*result));
}

/* The machine's image in memory. */
static bool save(struct machine *machine, struct bytes *image)
{
	char why[512], *at = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&at, &size);
	bool saved = file && machine_save(machine, file, why, sizeof(why)) == 0;

	if (file && fclose(file) != 0)
		saved = false;
	if (!saved)
		printf("# cannot be saved: %s\n", why);
	image->at = (uint8_t *)at;
	image->size = image->room = size;
	return saved;
}

/*
 * Put a machine made of its image in its place. *saved: what it points into.
 */
static struct machine *replace(struct machine *machine, struct machine_saved **saved,
			       const struct machine_config *config, struct bytes *image)
{
	char why[512] = "no memory";
	FILE *file;

	machine_destroy(machine);
	machine_saved_close(*saved);
	machine = NULL;
	file = fmemopen(image->at, image->size, "rb");
	*saved = file ? machine_saved_open(file, config->choices.engine, why, sizeof(why)) : NULL;
	if (*saved)
		machine = machine_restore(*saved, config, why, sizeof(why));
	if (!machine)
		printf("# cannot be restored: %s\n", why);
	if (file)
		(void)fclose(file);
	return machine;
}

static bool finish(struct machine *machine, struct result *result)
{
	if (machine)
		machine_stats(machine, &result->stats);
	tap_end(&result->tap);
	return machine != NULL;
}

/* The run that is never interrupted. */
static bool run_whole(const struct row *row, struct points *points, struct result *result,
		      uint64_t *operations)
{
	struct host host = {result, points};
	const struct machine_config config = config_of(row, &host);
	char why[512];
	struct machine *machine = machine_create(&config, why, sizeof(why));

	if (!machine) {
		printf("# %s\n", why);
		return false;
	}
	result->end = machine_run(machine, why, sizeof(why));
	*operations = machine_operations(machine);
	(void)finish(machine, result);
	machine_destroy(machine);
	return true;
}

/* The one that stops at each point; the images are the caller's. */
static bool run_stopping(const struct row *row, struct points *points, struct result *result,
			 struct bytes *images)
{
	struct host host = {result, points};
	const struct machine_config config = config_of(row, &host);
	char why[512];
	struct machine *machine = machine_create(&config, why, sizeof(why));
	bool good = machine != NULL;

	for (unsigned int n = 0; good && n < points->count; n++) {
		machine_save_at(machine, points->at[n]);
		result->end = machine_run(machine, why, sizeof(why));
		good = result->end == MACHINE_SAVE && save(machine, &images[n]);
	}
	if (good) {
		machine_save_at(machine, UINT64_MAX);
		result->end = machine_run(machine, why, sizeof(why));
	} else {
		printf("# stopped at a point: %s\n", why);
	}
	(void)finish(machine, result);
	machine_destroy(machine);
	return good;
}

/* Where two images differ first. */
static bool same_image(const struct bytes *chain, const struct bytes *other, uint64_t point)
{
	size_t at = 0;

	while (at < chain->size && at < other->size && chain->at[at] == other->at[at])
		at++;
	if (at == chain->size && at == other->size)
		return true;
	printf("# at operation %" PRIu64 ": images of %zu and %zu bytes differ at %zu\n", point,
	       chain->size, other->size, at);
	return false;
}

/* A machine in the chain. */
struct link {
	struct machine *machine;
	struct machine_saved *saved;
	struct machine_config config;
};

/*
 * Run on to a point, or to a signal before it, save, and go on with another machine. *reached: it
 * was the point; other: an image that the one of the point has to equal, or NULL.
 */
static bool pass(struct link *link, struct points *points, uint64_t point,
		 const struct bytes *other, bool *reached)
{
	struct host *host = link->config.host_ctx;
	struct bytes image = {0};
	char why[512];
	enum machine_end end;
	bool good;

	machine_save_at(link->machine, point);
	end = machine_run(link->machine, why, sizeof(why));
	*reached = machine_operations(link->machine) == point;
	if (end != MACHINE_SAVE) {
		printf("# operation %" PRIu64 " was not reached: %s\n", point, why);
		return false;
	}
	points->saves++;
	good = save(link->machine, &image);
	points->image_bytes += image.size;
	if (good && *reached && other)
		good = same_image(&image, other, point);
	/* What the console and the samples were so far stays; TAP comes from the image. */
	memset(&host->result->tap, 0, sizeof(host->result->tap));
	if (good) {
		link->machine = replace(link->machine, &link->saved, &link->config, &image);
		good = link->machine != NULL;
	}
	free(image.at);
	return good;
}

/* How a stretch of so many operations is executed: NULL: as the machine's own options have it. */
static const struct engine_tuning *choose_way(struct points *points,
					      const struct engine_tuning *ways, uint64_t operations)
{
	uint64_t way;

	if (!points->steps)
		return NULL;
	way = draw(&points->random) % (WAYS + 1);
	if (way == WAYS || (ways[way].single_step && operations >= STEP_MOST))
		return NULL;
	points->translated += points->translates && ways[way].jit_at_once;
	points->interpreted += ways[way].jit == SOFT_JIT_OFF;
	return &ways[way];
}

/* The chain. images: of the other run, or NULL. */
static bool run_chain(const struct row *row, struct points *points, struct result *result,
		      const struct bytes *images)
{
	struct host host = {result, points};
	struct link link = {.config = config_of(row, &host)};
	struct engine_tuning ways[WAYS] = {*link.config.tuning, *link.config.tuning,
					   *link.config.tuning};
	char why[512] = "";
	bool good, reached;

	ways[0].single_step = true;
	ways[1].jit = SOFT_JIT_OFF;
	ways[2].jit = SOFT_JIT_AUTO; /* which tells nothing of itself in the counts */
	ways[2].jit_at_once = true;
	link.machine = machine_create(&link.config, why, sizeof(why));
	good = link.machine != NULL;
	for (unsigned int n = 0; good && n < points->count; n++) {
		const uint64_t next = n + 1 < points->count ? points->at[n + 1] : UINT64_MAX;

		link.config.tuning = choose_way(points, ways, next - points->at[n]);
		points->signal = draw(&points->random) % 4 == 0;
		do {
			good = pass(&link, points, points->at[n], images ? &images[n] : NULL,
				    &reached);
		} while (good && !reached);
		points->signal = false;
	}
	if (good) {
		machine_save_at(link.machine, UINT64_MAX);
		result->end = machine_run(link.machine, why, sizeof(why));
	}
	(void)finish(link.machine, result);
	machine_destroy(link.machine);
	machine_saved_close(link.saved);
	return good;
}

/* A receiver that gets all that file has, in place of the machine. */
static bool receive(struct link *link, FILE *file, char *why, size_t size)
{
	uint64_t pause = 0;

	machine_destroy(link->machine);
	machine_saved_close(link->saved);
	link->machine = NULL;
	link->saved = machine_move_saved(file, link->config.choices.engine, why, size);
	if (link->saved)
		link->machine = machine_move_make(link->saved, &link->config, why, size);
	return link->machine && machine_move_receive(link->saved, link->machine, why, size) == 0 &&
	       machine_move_take(link->saved, &pause, why, size) == 0 && pause == 7;
}

/*
 * Send a machine that has stopped, with operations of the guest between the pieces. *ended: it came
 * to its end before it was there, and is no more than it was.
 */
static bool move(struct link *link, struct points *points, enum machine_end *ended, char *why,
		 size_t size)
{
	struct machine_move *sender = machine_move_open(link->machine);
	struct machine_move_stats stats;
	char *at = NULL;
	size_t bytes = 0;
	FILE *file = open_memstream(&at, &bytes), *back = NULL;
	int more = sender && file ? machine_move_begin(sender, file, why, size) : -1;

	*ended = MACHINE_SAVE;
	while (more >= 0 && *ended == MACHINE_SAVE &&
	       (more = machine_move_step(sender, why, size)) > 0) {
		if (draw(&points->random) % 8 != 0)
			continue;
		machine_save_at(link->machine, machine_operations(link->machine) +
						       draw(&points->random) % ROUND_MOST);
		*ended = machine_run(link->machine, why, size);
	}
	while (more >= 0 && *ended == MACHINE_SAVE &&
	       (more = machine_move_rest(sender, why, size)) > 0)
		;
	if (more == 0)
		more = machine_move_give(sender, 7, why, size);
	if (sender && *ended == MACHINE_SAVE) {
		machine_move_stats(sender, &stats);
		points->moved++;
		points->rounds += stats.rounds;
		points->pages += stats.pages;
		points->last += stats.last;
	}
	machine_move_close(sender);
	if (file && fclose(file) != 0)
		more = -1;
	if (more == 0 && *ended == MACHINE_SAVE) {
		back = fmemopen(at, bytes, "rb");
		memset(&((struct host *)link->config.host_ctx)->result->tap, 0, sizeof(struct tap));
		more = back && receive(link, back, why, size) ? 0 : -1;
	}
	if (back)
		(void)fclose(back);
	free(at);
	return more >= 0;
}

/* The machine that is sent at each point, or after it if it was on its way then. */
static bool run_moving(const struct row *row, struct points *points, struct result *result)
{
	struct host host = {result, points};
	struct link link = {.config = config_of(row, &host)};
	enum machine_end end = MACHINE_SAVE;
	char why[512] = "";
	bool good;

	link.machine = machine_create(&link.config, why, sizeof(why));
	good = link.machine != NULL;
	for (unsigned int n = 0; good && end == MACHINE_SAVE && n < points->count; n++) {
		if (points->at[n] < machine_operations(link.machine))
			continue;
		machine_save_at(link.machine, points->at[n]);
		end = machine_run(link.machine, why, sizeof(why));
		good = end == MACHINE_SAVE && move(&link, points, &end, why, sizeof(why));
	}
	if (good && end == MACHINE_SAVE) {
		machine_save_at(link.machine, UINT64_MAX);
		end = machine_run(link.machine, why, sizeof(why));
	}
	result->end = end;
	if (!good)
		printf("# cannot be sent: %s\n", why);
	(void)finish(link.machine, result);
	machine_destroy(link.machine);
	machine_saved_close(link.saved);
	return good;
}

static bool same_bytes(const char *what, const struct bytes *a, const struct bytes *b)
{
	size_t at = 0;

	while (at < a->size && at < b->size && a->at[at] == b->at[at])
		at++;
	if (at == a->size && at == b->size)
		return true;
	printf("# %s: %zu and %zu bytes differ at %zu\n", what, a->size, b->size, at);
	return false;
}

static bool same_result(const struct result *whole, const struct result *other, unsigned int cpus)
{
	bool same = same_bytes("console", &whole->console, &other->console);

	for (unsigned int i = 0; i < cpus; i++)
		same &= same_bytes("sample records", &whole->samples[i], &other->samples[i]);
	if (memcmp(&whole->stats, &other->stats, sizeof(whole->stats)) != 0) {
		printf("# the counts differ\n");
		same = false;
	}
	if (whole->end != other->end) {
		printf("# ended by %d, not %d\n", (int)other->end, (int)whole->end);
		same = false;
	}
	if (whole->tap.passed != other->tap.passed || whole->tap.failed != other->tap.failed ||
	    whole->tap.skipped != other->tap.skipped || whole->tap.plan != other->tap.plan) {
		printf("# TAP is judged differently\n");
		same = false;
	}
	return same;
}

static int compare(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static bool test_row(const struct row *row, struct points *points)
{
	static struct result whole, stopping, chain, moving;
	struct bytes *images = calloc(points->count + 1, sizeof(*images));
	uint64_t operations = 0;
	bool good = images && run_whole(row, points, &whole, &operations);

	for (unsigned int n = 0; good && n < points->count; n++)
		points->at[n] = draw(&points->random) % operations;
	qsort(points->at, points->count, sizeof(points->at[0]), compare);
	if (good && points->images)
		good = run_stopping(row, points, &stopping, images) &&
		       same_result(&whole, &stopping, row->options.choices.cpus);
	if (good)
		good = run_chain(row, points, &chain, points->images ? images : NULL) &&
		       same_result(&whole, &chain, row->options.choices.cpus);
	if (good && points->moves)
		good = run_moving(row, points, &moving) &&
		       same_result(&whole, &moving, row->options.choices.cpus);
	for (unsigned int n = 0; images && n < points->count; n++)
		free(images[n].at);
	free(images);
	free_result(&whole);
	free_result(&stopping);
	free_result(&chain);
	free_result(&moving);
	return good;
}

/* What vspe run makes of a row of the list. */
static bool fill_row(struct row *row, const struct guest_row *from, const char *guests)
{
	static char program[] = "run";
	int count = 1;

	*row = (struct row){.name = from->name, .arguments = {program}};
	if (from->argument_count > ROW_ARGUMENTS - 3)
		return false;
	for (size_t i = 0; i < from->argument_count; i++)
		row->arguments[count++] = from->arguments[i];
	(void)snprintf(row->kernel, sizeof(row->kernel), "%s/%s", guests, from->image);
	row->arguments[count++] = row->kernel;
	optind = 0;
	return run_options_parse(count, row->arguments, &row->options) < 0;
}

static bool wanted(const char *name, char **names, int count)
{
	for (int i = 0; i < count; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return count == 0;
}

int main(int argc, char **argv)
{
	struct points points = {0};
	unsigned int place = 0, rows = 0, failures = 0;
	static struct row row;
	struct guest_list list;
	char why[1024];
	int option;

	while ((option = getopt(argc, argv, "+ims")) != -1) {
		points.images |= option == 'i';
		points.moves |= option == 'm';
		points.steps |= option == 's';
	}
	argc -= optind;
	argv += optind;
	if (argc < 4) {
		fprintf(stderr, "usage: points [-i] [-m] [-s] LIST GUESTS POINTS SEED [NAME]...\n");
		return 2;
	}
	points.count = (unsigned int)strtoul(argv[2], NULL, 0);
	points.at = calloc(points.count + 1, sizeof(points.at[0]));
	if (!points.at || points.count == 0) {
		fprintf(stderr, "points: %s: no number of points\n", argv[2]);
		return 2;
	}
	if (!guest_list_read(&list, argv[0], why, sizeof(why))) {
		fprintf(stderr, "points: %s\n", why);
		return 2;
	}
	points.translates = soft_code_memory_reserve() == 0;
	for (size_t i = 0; i < list.count; i++) {
		if (strcmp(list.rows[i].on, "vspe") != 0)
			continue;
		place++;
		if (!wanted(list.rows[i].name, argv + 4, argc - 4))
			continue;
		rows++;
		if (!fill_row(&row, &list.rows[i], argv[1])) {
			fprintf(stderr, "points: %s:%u: not for vspe run\n", argv[0],
				list.rows[i].line);
			return 2;
		}
		/* Each row's points are its own, whichever rows there are. */
		points.random = strtoull(argv[3], NULL, 0) + place * UINT64_C(0x1000003);
		if (test_row(&row, &points)) {
			printf("ok - %s\n", row.name);
		} else {
			failures++;
			printf("not ok - %s\n", row.name);
		}
		(void)fflush(stdout);
	}
	guest_list_free(&list);
	free(points.at);
	printf("# %u guests, %" PRIu64 " saves, %" PRIu64 " of them as by a signal, %" PRIu64
	       " bytes an image; %" PRIu64 " stretches translated, %" PRIu64
	       " interpreted; %u failures\n",
	       rows, points.saves, points.signals,
	       points.saves ? points.image_bytes / points.saves : 0, points.translated,
	       points.interpreted, failures);
	if (points.moves)
		printf("# %" PRIu64 " migrations in %" PRIu64 " rounds, %" PRIu64 " pages, %" PRIu64
		       " of them at the end\n",
		       points.moved, points.rounds, points.pages, points.last);
	return rows == 0 || failures != 0 || (points.moves && points.moved == 0);
}
