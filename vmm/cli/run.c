// SPDX-License-Identifier: BSD-2-Clause
/* vspe run: start a guest, see it through, and say how it ended. */
#include <errno.h>
#include <inttypes.h>
#include <libfdt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/run.h"
#include "cli/console.h"
#include "machine/device_tree.h"
#include "machine/loader.h"
#include "device/memory_map.h"
#include "base/new_file.h"
#include "trace/perf_data.h"
#include "trace/perf_guest.h"
#include "base/tap.h"
#include "device/timer.h"

#define RUN_WHY 512

/* What a run is made of. */
struct run {
	struct run_options options;
	struct console console;
	struct tap tap;
	struct machine *machine;
	struct perf_data *perf;
	struct new_file save;
};

static int run_fail(const char *text)
{
	cli_message(stderr, "vspe run: %s", text);
	return CLI_USAGE;
}

/* Write a file at once. 0, or an exit code. */
static int run_write_file(const char *path, const void *bytes, size_t size)
{
	FILE *file = fopen(path, "wb");
	bool written = file && fwrite(bytes, 1, size, file) == size;

	if (file && fclose(file) != 0)
		written = false;
	if (written)
		return 0;
	cli_message(stderr, "vspe run: --dump-dtb %s: %s", path, strerror(errno));
	return CLI_USAGE;
}

/* --dump-dtb without a guest: the tree of a machine that has none. */
static int run_dump_only(const struct run_options *options)
{
	struct device_tree_config config = {
		.device = {.cpus = options->cpus,
			   .levels = options->levels,
			   .spe = options->spe,
			   .concurrent = options->engine->concurrent,
			   .gic = options->gic},
		.ram_size = (uint64_t)options->mem_mib << 20,
		.bootargs = options->params,
	};
	uint8_t *dtb = malloc(LOADER_DTB_SIZE);
	int size = dtb ? device_tree_build(&config, dtb, LOADER_DTB_SIZE) : -FDT_ERR_NOSPACE;
	int code;

	if (size < 0)
		code = run_fail("--params: the device tree has no room");
	else
		code = run_write_file(options->dump_dtb, dtb, (size_t)size);
	free(dtb);
	return code;
}

static int run_sample(void *ctx, unsigned int cpu, const uint8_t *bytes, size_t size)
{
	struct run *run = ctx;

	return perf_data_aux(run->perf, cpu, bytes, size);
}

static void run_note(void *ctx, const char *line)
{
	(void)ctx;
	cli_message(stderr, "vspe: %s", line);
}

static int run_open_perf(struct run *run)
{
	const struct run_options *options = &run->options;
	struct perf_data_guest guest = {
		.cpus = options->cpus, .midr = MACHINE_MIDR, .counter_hz = TIMER_FREQUENCY};
	const char *symbols = options->symbols ? options->symbols : options->kernel;
	struct perf_guest store;
	uint64_t start = 0, size = 0;
	int error;

	if (!options->symbols)
		machine_image(run->machine, &start, &size);
	error = perf_guest_describe(&guest, &store, symbols, start, size);
	if (error < 0) {
		cli_message(stderr, "vspe run: %s %s: %s%s",
			    options->symbols ? "--symbols" : "--kernel", symbols,
			    error == -ENOEXEC ? "not an AArch64 ELF file" : strerror(-error),
			    options->restore && !options->symbols ? "; --symbols names another"
								  : "");
		return CLI_USAGE;
	}
	error = perf_data_open(&run->perf, options->perf_data, &guest);
	if (error == 0)
		return 0;
	cli_message(stderr, "vspe run: --perf-data %s: %s", options->perf_data, strerror(-error));
	return CLI_USAGE;
}

/* Where the machine will go: to be refused before it has run. */
static int run_open_save(struct run *run)
{
	const struct run_options *options = &run->options;
	int error = new_file_open(&run->save, options->save);

	machine_save_at(run->machine, options->save_at);
	if (error == 0)
		return 0;
	cli_message(stderr, "vspe run: --save %s: %s", options->save, strerror(-error));
	return CLI_USAGE;
}

/* The machine has stopped to be saved. The exit code. */
static int run_save(struct run *run)
{
	const char *path = run->options.save;
	char why[RUN_WHY];
	int error;

	if (machine_save(run->machine, run->save.file, why, sizeof(why)) < 0) {
		new_file_abandon(&run->save);
		cli_message(stderr, "vspe run: --save %s: %s", path, why);
		return CLI_ENGINE;
	}
	error = new_file_commit(&run->save, true, 0);
	if (error < 0) {
		cli_message(stderr, "vspe run: --save %s: %s", path, strerror(-error));
		return CLI_ENGINE;
	}
	cli_message(stderr, "vspe run: saved in %s after %" PRIu64 " operations", path,
		    machine_operations(run->machine));
	return CLI_SAVED;
}

/* What the console and TAP know of the guest's past. */
static void run_host_state(void *ctx, struct state *state)
{
	struct run *run = ctx;

	console_state(&run->console, state);
	tap_state(&run->tap, state);
}

/* Make the machine, or the one that was saved. 0, or an exit code. */
static int run_make(struct run *run, const struct machine_config *config)
{
	const struct run_options *options = &run->options;
	char why[RUN_WHY], number[24], ago[64];

	if (!options->saved) {
		run->machine = machine_create(config, why, sizeof(why));
		return run->machine ? 0 : run_fail(why);
	}
	run->machine = machine_restore(options->saved, config, why, sizeof(why));
	if (!run->machine) {
		cli_message(stderr, "vspe run: --restore %s: %s", options->restore, why);
		return CLI_USAGE;
	}
	if (options->save_at >= machine_operations(run->machine))
		return 0;
	(void)snprintf(number, sizeof(number), "%" PRIu64, options->save_at);
	(void)snprintf(ago, sizeof(ago), "has executed %" PRIu64 " operations already",
		       machine_operations(run->machine));
	cli_message(stderr, "vspe run: --save-at %s: the machine in %s %s", number,
		    options->restore, ago);
	return CLI_USAGE;
}

/* Load the guest and open the files. 0, or an exit code. */
static int run_prepare(struct run *run)
{
	const struct run_options *options = &run->options;
	struct machine_config config = {
		.levels = options->levels,
		.gic = options->gic,
		.engine = options->engine,
		.cpus = options->cpus,
		.ram_size = (uint64_t)options->mem_mib << 20,
		.spe = options->spe ? &options->spe_config : NULL,
		.tuning = (const struct engine_tuning *)&options->tuning,
		/* Whoever goes on may want to know them. */
		.count_events = options->stats != RUN_STATS_NONE || options->save,
		.kernel = options->kernel,
		.initrd = options->initrd,
		.params = options->params,
		.timeout_ms = options->timeout * UINT64_C(1000),
		.console = {&run->console, console_put, console_poll, console_input_open},
		.host_ctx = run,
		.host_state = run_host_state,
		.sample_ctx = run,
		.note = run_note,
		.sample = options->perf_data ? run_sample : NULL,
	};
	size_t dtb_size;
	const void *dtb;
	int code;

	tap_init(&run->tap);
	code = run_make(run, &config);
	if (code != 0)
		return code;
	dtb = machine_device_tree(run->machine, &dtb_size);
	if (options->dump_dtb)
		code = run_write_file(options->dump_dtb, dtb, dtb_size);
	if (code == 0 && options->save)
		code = run_open_save(run);
	if (code == 0 && options->perf_data)
		code = run_open_perf(run);
	return code;
}

/* Close perf.data. The exit code it leaves. */
static int run_close_perf(struct run *run, int code)
{
	struct perf_data_stats stats;
	int error;

	if (!run->perf)
		return code;
	perf_data_stats(run->perf, &stats);
	error = perf_data_close(run->perf);
	run->perf = NULL;
	if (error < 0) {
		cli_message(stderr, "vspe run: --perf-data %s: %s", run->options.perf_data,
			    strerror(-error));
		return CLI_ENGINE;
	}
	if (stats.unfinished > 0 || stats.contexts_lost > 0)
		cli_message(
			stderr,
			"vspe run: --perf-data %s: %llu unfinished records left out, %llu contexts "
			"without maps",
			run->options.perf_data, (unsigned long long)stats.unfinished,
			(unsigned long long)stats.contexts_lost);
	return code;
}

/* How the end of the machine becomes an exit code, and what is said about it. */
static int run_exit_code(struct run *run, enum machine_end end, const char *why)
{
	char failure[RUN_WHY];
	int code = CLI_OK;

	switch (end) {
	case MACHINE_POWER_OFF:
	case MACHINE_QUIT: break;
	case MACHINE_LOST:
	case MACHINE_STUCK:
	case MACHINE_ERROR: code = CLI_ENGINE; break;
	case MACHINE_TIMEOUT: code = CLI_TIMEOUT; break;
	case MACHINE_SIGNAL: code = 128 + run->console.signal; break;
	case MACHINE_SAVE: return run_save(run);
	}
	if (end != MACHINE_POWER_OFF)
		cli_message(stderr, "vspe run: %s", why);
	if (run->options.save_at != UINT64_MAX)
		cli_message(stderr,
			    "vspe run: --save-at %" PRIu64
			    ": nothing was saved, it ended after %" PRIu64 " operations",
			    run->options.save_at, machine_operations(run->machine));
	if (code == CLI_OK && run->options.tap &&
	    !tap_passed(&run->tap, failure, sizeof(failure))) {
		cli_message(stderr, "vspe run: %s", failure);
		code = CLI_FAILED;
	}
	return code;
}

static double run_seconds(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void run_report(struct run *run, double seconds)
{
	struct machine_stats *stats;

	if (run->options.stats == RUN_STATS_NONE)
		return;
	stats = malloc(sizeof(*stats));
	if (!stats) {
		cli_message(stderr, "vspe run: --stats: no memory");
		return;
	}
	machine_stats(run->machine, stats);
	if (run->options.stats == RUN_STATS_JSON)
		run_stats_json(stderr, stats, &run->options);
	else
		run_stats_text(stderr, stats, &run->options, seconds);
	free(stats);
}

/* Open the console, with the input that was typed before the machine was saved. */
static int run_open_console(struct run *run)
{
	const size_t typed = run->console.typed;
	uint8_t input[CONSOLE_TYPED];
	int error;

	memcpy(input, run->console.input, sizeof(input));
	error = console_open(&run->console, STDIN_FILENO, STDOUT_FILENO);
	memcpy(run->console.input, input, sizeof(input));
	run->console.typed = typed;
	if (error == 0 && run->options.save) {
		error = console_save_on(&run->console, SIGUSR1);
		if (error < 0)
			console_close(&run->console);
	}
	return error;
}

static int run_guest(struct run *run)
{
	char why[RUN_WHY];
	enum machine_end end;
	double start;
	int code = run_prepare(run);
	int error;

	if (code != 0)
		return code;
	error = run_open_console(run);
	if (error < 0) {
		cli_message(stderr, "vspe run: console: %s", strerror(-error));
		return CLI_ENGINE;
	}
	if (run->options.tap || run->options.save) {
		run->console.tap_ctx = &run->tap;
		run->console.tap = tap_byte;
	}
	start = run_seconds();
	end = machine_run(run->machine, why, sizeof(why));
	start = run_seconds() - start;
	console_close(&run->console);
	if (end != MACHINE_SAVE)
		tap_end(&run->tap);
	code = run_exit_code(run, end, why);
	run_report(run, start);
	return run_close_perf(run, code);
}

/* Can the engine be had here, and such a machine on it? -1: yes; otherwise the exit code. */
static int run_ask_engine(struct run_options *options)
{
	const struct engine *engine = options->engine;
	struct engine_wish wish = run_wish(options);
	char why[RUN_WHY];
	int error = engine->probe(why, sizeof(why));

	if (error == 0 && engine->grant)
		error = engine->grant(&wish, why, sizeof(why));
	if (error == -EINVAL)
		return run_fail(why);
	if (error < 0) {
		cli_message(stderr, "vspe run: --engine %s: %s", engine->name, why);
		return CLI_ENGINE;
	}
	options->gic = wish.gic;
	return -1;
}

int cmd_run(int argc, char **argv)
{
	struct run *run = calloc(1, sizeof(*run));
	int code, signal_number;

	if (!run)
		return run_fail("no memory");
	code = run_options_parse(argc, argv, &run->options);
	if (code < 0 && !run->options.kernel)
		code = run_dump_only(&run->options);
	else if (code < 0)
		code = run_ask_engine(&run->options);
	if (code < 0)
		code = run_guest(run);
	signal_number = run->console.signal;
	perf_data_abandon(run->perf);
	new_file_abandon(&run->save);
	machine_destroy(run->machine);
	run_state_close(&run->options);
	free(run);
	/* End by the signal that asked for it, so that a shell sees what happened. */
	if (signal_number != 0) {
		(void)signal(signal_number, SIG_DFL);
		(void)raise(signal_number);
	}
	return code;
}
