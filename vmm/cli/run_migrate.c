/* SPDX-License-Identifier: BSD-2-Clause */
/* vspe run --migrate-to and --incoming: messages about them, and their effect on the run. */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/run.h"
#include "cli/signals.h"

#define MIGRATE_WHY 640

static int refuse(const char *option, const char *value, const char *why)
{
	cli_message(stderr, "vspe run: %s %s: %s", option, value, why);
	return CLI_USAGE;
}

int run_migrate_over(const struct run_options *options)
{
	cli_message(stderr, "vspe run: --incoming %s: no machine has come in %u s",
		    options->incoming, options->timeout);
	return CLI_TIMEOUT;
}

int run_migrate_open(struct run_options *options)
{
	char why[MIGRATE_WHY];
	bool over;

	if (options->migrate_to) {
		options->migration = migration_open(
			&options->migrate_address, options->sandbox == CLI_SANDBOX_OFF,
			options->user.given ? &options->user : NULL, why, sizeof(why));
		if (!options->migration)
			return refuse("--migrate-to", options->migrate_to, why);
	}
	if (!options->incoming)
		return CLI_GO_ON;
	options->arrival =
		arrival_open(&options->incoming_address, options->timeout, &over, why, sizeof(why));
	if (options->arrival)
		return CLI_GO_ON;
	return over ? run_migrate_over(options) : refuse("--incoming", options->incoming, why);
}

void run_migrate_close(struct run_options *options)
{
	migration_close(options->migration);
	arrival_close(options->arrival);
	options->migration = NULL;
	options->arrival = NULL;
}

/* The machine is still here. */
static void say_goes_on(const struct run_options *options, const char *why)
{
	cli_message(stderr, "vspe run: --migrate-to %s: %s: the machine goes on here",
		    options->migrate_to, why);
}

bool run_migrate_begin(const struct run_options *options, struct machine *machine)
{
	char why[MIGRATE_WHY];

	(void)machine;
	if (migration_begin(options->migration, why, sizeof(why)))
		return true;
	say_goes_on(options, why);
	return false;
}

enum migration_step run_migrate_step(const struct run_options *options, struct pollfd *fd)
{
	char why[MIGRATE_WHY];
	const enum migration_step step = migration_step(options->migration, why, sizeof(why));

	if (step == MIGRATION_FAILED)
		say_goes_on(options, why);
	if (!migration_waits_for(options->migration, fd))
		fd->fd = -1;
	return step;
}

enum migration_end run_migrate_finish(const struct run_options *options, struct machine *machine)
{
	struct migration_stats stats;
	char why[MIGRATE_WHY];
	enum migration_end end;

	(void)machine_lock_files(machine, FILE_LOCK_SHARED, why, sizeof(why));
	end = migration_finish(options->migration, why, sizeof(why));
	if (end == MIGRATION_NOT) {
		say_goes_on(options, why);
		(void)machine_lock_files(machine, FILE_LOCK_OWN, why, sizeof(why));
	}
	migration_stats(options->migration, &stats);
	if (end == MIGRATION_UNKNOWN)
		cli_message(stderr, "vspe run: --migrate-to %s: %s; it does not run on here",
			    options->migrate_to, why);
	else if (end == MIGRATION_DONE)
		cli_message(stderr,
			    "vspe run: migrated to %s after %" PRIu64 " operations: %u rounds, "
			    "%" PRIu64 " pages, %" PRIu64
			    " of them in the pause of %.1f ms, %" PRIu64 " bytes",
			    options->migrate_to, machine_operations(machine), stats.move.rounds,
			    stats.move.pages, stats.move.last, (double)stats.pause / 1e6,
			    stats.bytes);
	return end;
}

/* Nothing more arrives, or something wrong does. */
static int refuse_arrival(const struct run_options *options, const char *why, int *signal)
{
	*signal = signals_ended();
	if (*signal) {
		cli_message(stderr, "vspe run: ended by a signal");
		return 128 + *signal;
	}
	if (arrival_over(options->arrival))
		return run_migrate_over(options);
	return refuse("--incoming", options->incoming, why);
}

int run_migrate_take(const struct run_options *options, struct machine *machine, int *signal)
{
	char why[MIGRATE_WHY];

	int error = arrival_say(options->arrival, MIGRATION_WAITS);

	if (error < 0)
		return refuse_arrival(options, strerror(-error), signal);
	if (machine_move_receive(options->saved, machine, why, sizeof(why)) == 0)
		return CLI_GO_ON;
	return refuse_arrival(options, why, signal);
}

int run_migrate_own(struct run_options *options, struct machine *machine, int *signal)
{
	char why[MIGRATE_WHY];
	uint64_t pause;
	int error;

	if (machine_lock_files(machine, FILE_LOCK_SHARED, why, sizeof(why)) < 0)
		return refuse_arrival(options, why, signal);
	error = arrival_say(options->arrival, MIGRATION_READY);
	if (error < 0)
		return refuse_arrival(options, strerror(-error), signal);
	if (machine_move_take(options->saved, &pause, why, sizeof(why)) < 0)
		return refuse_arrival(options, why, signal);
	/* The machine is here now, and runs, whether or not the sender learns of it. */
	(void)arrival_say(options->arrival, MIGRATION_RUNS);
	(void)machine_lock_files(machine, FILE_LOCK_OWN, why, sizeof(why));
	arrival_close(options->arrival);
	options->arrival = NULL;
	cli_message(stderr,
		    "vspe: the machine from %s goes on here after %" PRIu64
		    " operations and a pause of %.1f ms",
		    options->incoming, machine_operations(machine), (double)pause / 1e6);
	return CLI_GO_ON;
}
