/* SPDX-License-Identifier: BSD-2-Clause */
/* vspe run: start a guest, run it to its end, and say how it ended. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/sandbox.h"
#include "cli/cli.h"
#include "cli/run.h"
#include "cli/console.h"
#include "cli/panic.h"
#include "cli/signals.h"
#include "base/output.h"
#include "base/tap.h"

#define RUN_WHY	      640
#define RUN_READER_MS 100 /* how long a reader of messages gets at the end */

/* A run. */
struct run {
	struct run_options options;
	struct console console;
	struct tap tap;
	struct panic panic;
	struct machine *machine;
	struct run_perf perf;
	const char **words; /* of the command, for perf.data; malloc'ed */
	size_t word_count;
	struct output dtb, save;
	double start;				     /* of the clock of run_seconds() */
	struct virtio_device *virtio[DEVICE_VIRTIO]; /* see run_device_name() */
	int nothing;	   /* /dev/null, for messages that nobody reads; -1: there is none */
	bool unsaved;	   /* the machine could not be saved or sent at the time given */
	bool moves, stops; /* migration is under way; the machine has stopped for the rest */
};

static int run_fail(const char *text)
{
	cli_message(stderr, "vspe run: %s", text);
	return CLI_USAGE;
}

static int run_no_memory(void)
{
	cli_message(stderr, "vspe run: no memory");
	return CLI_ENGINE;
}

static void run_note(void *ctx, const char *line)
{
	(void)ctx;
	cli_message(stderr, "vspe: %s", line);
}

/* The option that says when to save or send the machine. */
static const char *run_at(const struct run_options *options)
{
	return options->migrate_to ? "--migrate-at" : "--save-at";
}

/*
 * Save the machine, which has stopped for it. False, after a message, if that fails. The machine
 * can go on then, and SIGUSR1 may try again.
 */
static bool run_save(struct run *run)
{
	const char *path = run->options.save;
	char why[RUN_WHY];
	int error;

	run->unsaved = machine_save(run->machine, run->save.file, why, sizeof(why)) < 0;
	if (!run->unsaved) {
		error = output_commit(&run->save, true);
		run->unsaved = error < 0;
		if (error < 0)
			(void)snprintf(why, sizeof(why), "%s", output_error(error));
	}
	if (!run->unsaved)
		return true;
	cli_message(stderr,
		    "vspe run: --save %s: %s: not saved after %" PRIu64
		    " operations, the machine goes on",
		    path, why, machine_operations(run->machine));
	(void)output_cut(&run->save, 0);
	machine_save_at(run->machine, UINT64_MAX);
	return false;
}

/* Begin or end the migration that the machine has stopped for. False: the machine goes on. */
static bool run_migrate(struct run *run)
{
	const struct run_options *options = &run->options;
	enum migration_end end;

	machine_save_at(run->machine, UINT64_MAX);
	if (!run->moves) {
		run->moves = run_migrate_begin(options, run->machine);
		run->unsaved = !run->moves;
		return false;
	}
	if (!run->stops)
		return false;
	run->moves = run->stops = false;
	end = run_migrate_finish(options, run->machine);
	run->unsaved = end != MIGRATION_DONE;
	return end != MIGRATION_NOT;
}

/* The console's work callback: continue a migration. */
static bool run_work(void *ctx, struct pollfd *fd)
{
	struct run *run = ctx;
	const enum migration_step step = run_migrate_step(&run->options, fd);

	if (step == MIGRATION_FAILED) {
		run->moves = run->stops = false;
		run->unsaved = true;
	}
	run->stops |= step == MIGRATION_STOP;
	return step == MIGRATION_STOP;
}

/* State of the guest's past that the console and TAP keep. */
static void run_host_state(void *ctx, struct state *state)
{
	struct run *run = ctx;

	console_state(&run->console, state);
	tap_state(&run->tap, state);
	panic_state(&run->panic, state);
}

/*
 * Apply --save-at and --migrate-at to a machine that may be past its beginning: send it at once if
 * that moment is past. 0, or an exit code.
 */
static int run_save_at(const struct run *run)
{
	const struct run_options *options = &run->options;
	const uint64_t now = machine_operations(run->machine);
	const char *from;

	if (options->save_at >= now || options->migrate_to) {
		machine_save_at(run->machine, options->save_at >= now ? options->save_at : now);
		return 0;
	}
	(void)run_comes_by(options, &from);
	cli_message(stderr,
		    "vspe run: --save-at %" PRIu64 ": the machine %s %s has executed %" PRIu64
		    " operations already",
		    options->save_at, options->incoming ? "from" : "in", from, now);
	return CLI_USAGE;
}

/* Make a new machine, or the saved one. 0, or an exit code. */
static int run_make(struct run *run, const struct machine_config *config)
{
	const struct run_options *options = &run->options;
	const char *from, *option = run_comes_by(options, &from);
	char why[RUN_WHY];

	if (!options->saved) {
		run->machine = machine_create(config, why, sizeof(why));
		return run->machine ? 0 : run_fail(why);
	}
	run->machine = (options->arrival ? machine_move_make : machine_restore)(
		options->saved, config, why, sizeof(why));
	if (!run->machine) {
		cli_message(stderr, "vspe run: %s %s: %s", option, from, why);
		return CLI_USAGE;
	}
	return 0;
}

/* Load the guest and open the output files. 0, or an exit code. */
static int run_prepare(struct run *run)
{
	struct run_options *options = &run->options;
	struct machine_config config = {
		.choices = options->choices,
		.tuning = (const struct engine_tuning *)&options->tuning,
		/* A later run may print the counts. */
		.count_events =
			options->stats != RUN_STATS_NONE || options->save || options->migrate_to,
		.variables = options->variables,
		.virtio = run->virtio,
		.timeout_ms = options->timeout * UINT64_C(1000),
		.console = {&run->console, console_put, console_poll, console_input_open,
			    console_asked},
		.host_ctx = run,
		.host_state = run_host_state,
		.sample_ctx = &run->perf,
		.note = run_note,
		.sample = options->perf_data ? run_perf_sample : NULL,
	};
	int code;

	tap_init(&run->tap);
	code = run_disks_open(options, run->virtio);
	if (code == 0)
		code = run_make(run, &config);
	if (code != 0)
		return code;
	run_any_say(options);
	/* This opens what it needs. What is still to arrive is handled later. */
	machine_save_at(run->machine, UINT64_MAX);
	code = options->arrival ? 0 : run_save_at(run);
	if (code != 0)
		return code;
	if (options->migration && migration_prepare(options->migration, run->machine) < 0)
		return run_no_memory();
	code = run_become(options);
	if (code == 0 && options->dump_dtb)
		code = run_open_output(&run->dtb, "--dump-dtb", options->dump_dtb, OUTPUT_ANYTHING);
	if (code == 0 && options->save)
		code = run_open_output(&run->save, "--save", options->save, OUTPUT_FILE);
	if (code == 0 && options->perf_data)
		code = run_perf_open(&run->perf, options, run->machine, run->words,
				     run->word_count);
	if (code == 0)
		code = run_record_open(options, run->machine, run->words, run->word_count);
	return code;
}

/* What the end of the machine means in itself: an exit code, and a line about it. */
static int run_end_code(const struct run *run, enum machine_end end, const char *why)
{
	static const int codes[] = {
		[MACHINE_LOST] = CLI_ENGINE,  [MACHINE_STUCK] = CLI_ENGINE,
		[MACHINE_ERROR] = CLI_ENGINE, [MACHINE_TIMEOUT] = CLI_TIMEOUT,
		[MACHINE_POWER_OFF] = CLI_OK, [MACHINE_QUIT] = CLI_OK,
		[MACHINE_SAVE] = CLI_SAVED,   [MACHINE_SIGNAL] = 128,
		[MACHINE_NO_REBOOT] = CLI_OK,
	};

	if (end == MACHINE_SAVE && run->options.save)
		cli_message(stderr, "vspe run: saved in %s after %" PRIu64 " operations",
			    run->options.save, machine_operations(run->machine));
	else if (end != MACHINE_POWER_OFF && end != MACHINE_SAVE && !run->console.output_broken)
		cli_message(stderr, "vspe run: %s", why);
	if (end == MACHINE_NO_REBOOT && run->panic.seen)
		return CLI_FAILED;
	return codes[end] + (end == MACHINE_SIGNAL ? run->console.signal : 0);
}

/* Turn the end of the machine into an exit code, and print a line about it. */
static int run_exit_code(struct run *run, enum machine_end end, const char *why)
{
	char failure[RUN_WHY];
	int code = run_end_code(run, end, why);

	if (run->moves)
		cli_message(
			stderr,
			"vspe run: --migrate-to %s: it ended before it was there, after %" PRIu64
			" operations",
			run->options.migrate_to, machine_operations(run->machine));
	else if (run->options.save_at != UINT64_MAX && end != MACHINE_SAVE &&
		 end != MACHINE_ERROR && !run->unsaved)
		cli_message(stderr,
			    "vspe run: %s %" PRIu64 ": nothing was %s, it ended after %" PRIu64
			    " operations",
			    run_at(&run->options), run->options.save_at,
			    run->options.migrate_to ? "sent" : "saved",
			    machine_operations(run->machine));
	if (code == CLI_OK && run->options.tap &&
	    !tap_passed(&run->tap, failure, sizeof(failure))) {
		cli_message(stderr, "vspe run: %s", failure);
		code = CLI_FAILED;
	}
	if (run->console.output_broken)
		(void)cli_unwritten(stderr, "run", run->options.serial.name,
				    run->console.output_error);
	return run->console.output_broken || run->unsaved ? cli_exit_unwritten(code) : code;
}

static double run_seconds(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Print the counts. False if that fails. */
static bool run_report(struct run *run, double seconds)
{
	struct machine_stats *stats;

	stats = malloc(sizeof(*stats));
	if (!stats) {
		cli_message(stderr, "vspe run: --stats: no memory");
		return false;
	}
	machine_stats(run->machine, stats);
	if (run->options.stats == RUN_STATS_JSON)
		run_stats_json(stderr, stats, &run->options, run->virtio);
	else
		run_stats_text(stderr, stats, &run->options, run->virtio, seconds);
	free(stats);
	return true;
}

static void run_wake(void *ctx)
{
	machine_hurry(ctx);
}

/* Open the console, with the input that was typed before the machine was saved. */
static int run_open_console(struct run *run)
{
	const struct serial *serial = &run->options.serial;
	const size_t typed = run->console.typed;
	uint8_t input[CONSOLE_TYPED];
	const char *value;
	int error;

	memcpy(input, run->console.input, sizeof(input));
	/* A machine that is still to arrive must not begin yet. */
	error = run->options.arrival ? 0 : serial_begin(serial);
	if (error == 0)
		error = console_open(&run->console, serial->in, serial->out, serial->is_standard,
				     run_leaves_by(&run->options, &value) ? SIGUSR1 : 0);
	memcpy(run->console.input, input, sizeof(input));
	run->console.typed = typed;
	if (error < 0)
		return error;
	if (run->options.raw)
		run->console.visible = false;
	run->console.limit = run->options.console_limit_given ? run->options.console_limit
							      : serial_limit(serial);
	signals_wake(run_wake, run->machine, run->options.timeout);
	serial_greet(serial);
	return 0;
}

/* Report console output that nobody read. */
static void run_tell_dropped(const struct run *run)
{
	const struct console *console = &run->console;

	if (console->dropped > 0)
		cli_message(stderr,
			    "vspe run: --console-limit: %" PRIu64 " bytes of the console dropped",
			    console->dropped);
	if (console->lost > 0 && !console->output_broken)
		cli_message(stderr, "vspe run: console: %" PRIu64 " bytes lost: nobody read them",
			    console->lost);
}

/* Messages to a pipe that nobody reads must not delay a requested end. */
static void run_leave_unread(const struct run *run, int fd)
{
	struct pollfd reader = {.fd = fd, .events = POLLOUT};

	if (poll(&reader, 1, RUN_READER_MS) > 0)
		return;
	if (run->nothing >= 0)
		(void)dup2(run->nothing, fd);
}

/* Open everything that the run needs. 0, or an exit code. */
static int run_open(struct run *run)
{
	size_t size;
	const void *dtb;
	int code = run_prepare(run), error;

	if (code != 0)
		return code;
	dtb = machine_device_tree(run->machine, &size);
	if (run->options.dump_dtb)
		code = run_write_dtb(&run->dtb, &run->options, dtb, size);
	if (code != 0)
		return code;
	error = run_open_console(run);
	if (error == 0)
		return 0;
	cli_message(stderr, "vspe run: console: %s", strerror(-error));
	return CLI_ENGINE;
}

/* Until it ends, or is saved. */
static enum machine_end run_machine(struct run *run, char *why, size_t size)
{
	enum machine_end end;

	do
		end = machine_run(run->machine, why, size);
	while (end == MACHINE_SAVE && !(run->options.save ? run_save(run) : run_migrate(run)));
	return end;
}

/* Gets what the guest prints, byte by byte. */
static void run_console_byte(void *ctx, uint8_t byte)
{
	struct run *run = ctx;
	const char *value;

	if (run->options.tap || run_leaves_by(&run->options, &value))
		tap_byte(&run->tap, byte);
	if (panic_byte(&run->panic, byte))
		cli_message(stderr, "vspe: the guest's kernel has panicked: %s", run->panic.line);
}

/* Handle a key of the console's. */
static void run_console_key(void *ctx, enum console_key key)
{
	struct run *run = ctx;

	if (key == CONSOLE_KEY_HELP)
		console_keys_help(stderr);
	else if (key == CONSOLE_KEY_SAVE)
		cli_message(stderr, "vspe: Ctrl-A S: there is neither --save nor --migrate-to, "
				    "which say where");
	else if (run->options.choices.engine->concurrent)
		cli_message(stderr,
			    "vspe: Ctrl-A C: --engine %s counts while its vCPUs run: "
			    "--stats tells at the end",
			    run->options.choices.engine->name);
	else
		(void)run_report(run, run_seconds() - run->start);
}

/* Take the arriving machine. -1: it may run; otherwise the exit code. */
static int run_take(struct run *run)
{
	struct run_options *options = &run->options;
	int code = run_migrate_take(options, run->machine, &run->console.signal), error;

	if (code >= 0)
		return code;
	code = run_save_at(run);
	if (code != 0)
		return code;
	error = serial_begin(&options->serial);
	if (error < 0) {
		cli_message(stderr, "vspe run: console: %s", strerror(-error));
		return CLI_ENGINE;
	}
	return run_migrate_own(options, run->machine, &run->console.signal);
}

static int run_guest(struct run *run)
{
	char why[RUN_WHY];
	enum machine_end end;
	int code = run_open(run);

	if (code != 0)
		return code;
	run->nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
	sandbox_at_stop(signals_leave_terminal);
	code = run_sandbox_end(&run->options, run->console.limit);
	if (code >= 0) {
		console_close(&run->console);
		return code;
	}
	if (run->options.network && network_is_outside(&run->options.net.config))
		run->console.network = run->options.network;
	run->console.tap_ctx = run;
	run->console.tap = run_console_byte;
	run->console.key = run_console_key;
	if (run->options.migration)
		run->console.work = run_work;
	if (run->options.arrival) {
		code = run_take(run);
		if (code >= 0) {
			console_close(&run->console);
			return code;
		}
	}
	run->start = run_seconds();
	end = run_machine(run, why, sizeof(why));
	run_net_close(&run->options);
	run_share_close(&run->options);
	run->start = run_seconds() - run->start;
	/*
	 * Complete the files before the console closes, as from then on a signal ends the process.
	 */
	run_perf_close(&run->perf);
	run_record_close(&run->options);
	console_close(&run->console);
	if (end == MACHINE_SIGNAL || end == MACHINE_TIMEOUT || end == MACHINE_QUIT)
		run_leave_unread(run, STDERR_FILENO);
	run_tell_dropped(run);
	if (end != MACHINE_SAVE)
		tap_end(&run->tap);
	code = run_record_tell(&run->options, run_exit_code(run, end, why));
	code = run_perf_tell(&run->perf, &run->options, code);
	if (run->options.stats == RUN_STATS_NONE || run_report(run, run->start))
		return code;
	return cli_exit_unwritten(code);
}

/* Can this host run the engine, and such a machine on it? -1: yes; otherwise the exit code. */
static int run_ask_engine(struct run_options *options)
{
	const struct engine *engine = options->choices.engine;
	struct engine_wish wish = run_wish(options);
	char why[RUN_WHY];
	int error = engine->probe(why, sizeof(why));

	if (error == 0 && engine->grant)
		error = engine->grant(&wish, why, sizeof(why));
	if (error == -EINVAL)
		return run_fail(why);
	if (error < 0) {
		cli_message(stderr, "vspe run: --engine %s: %s; `vspe doctor` says what mends it",
			    engine->name, why);
		return CLI_ENGINE;
	}
	options->choices.gic = wish.gic;
	return -1;
}

int cmd_run(int argc, char **argv)
{
	struct run *run = calloc(1, sizeof(*run));
	int code, signal_number;

	if (run)
		run->words = calloc((size_t)argc + 1, sizeof(*run->words));
	if (!run || !run->words) {
		free(run);
		return run_no_memory();
	}
	run->nothing = -1;
	run->word_count = run_words(argc, argv, run->words);
	code = run_options_parse(argc, argv, &run->options);
	if (code < 0 && !run->options.choices.kernel && !run->options.choices.firmware)
		code = run_dump_only(&run->options, &run->dtb);
	else if (code < 0)
		code = run_ask_engine(&run->options);
	if (code < 0)
		code = run_guest(run);
	signal_number = run->console.signal;
	run_perf_free(&run->perf);
	output_abandon(&run->dtb);
	output_abandon(&run->save);
	run_migrate_close(&run->options);
	machine_destroy(run->machine);
	run_disks_close(&run->options, run->virtio);
	run_state_close(&run->options);
	run_record_abandon(&run->options);
	run_net_close(&run->options);
	run_share_close(&run->options);
	if (run->nothing >= 0)
		(void)close(run->nothing);
	free(run->words);
	free(run);
	/* End with the signal that requested it, so that a shell sees the cause. */
	if (signal_number != 0) {
		(void)signal(signal_number, SIG_DFL);
		(void)raise(signal_number);
	}
	return code;
}
