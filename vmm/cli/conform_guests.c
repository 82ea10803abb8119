/* SPDX-License-Identifier: BSD-2-Clause */
/* vspe conform --guests: runs the list of guests in parallel, each in a separate machine. */
#include "base/memory.h"
#include "cli/conform.h"
#include "cli/engines.h"
#include "conform/guest.h"
#include "conform/guest_process.h"
#include "conform/list_reader.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WHY 1024

/* A run. */
struct job {
	char program[PATH_MAX];	    /* this program */
	char folder[PATH_MAX + 16]; /* of the guests */
	char list_path[PATH_MAX + 32];
	char qemu[PATH_MAX];
	char **command; /* words of --command, the first of them a path; or NULL */
	struct guest_console console;
	struct guest_list list;
	char known_path[PATH_MAX + 32];
	struct known_list known;
	char version[64]; /* of QEMU, by its --version */
	struct known_machine machines[KNOWN_MACHINES_MOST + 1];
	struct guest_setup setup;
	struct guest *guests;
	size_t guest_count;
	struct suite suite;
};

/* "vspe conform: OPTION: 'VALUE': WHAT". */
static void complain_about(const char *option, const char *value, const char *what)
{
	cli_message(stderr, "vspe conform: %s: '%s': %s", option, value, what);
}

static bool refuse_guests(const char *what)
{
	cli_message(stderr, "vspe conform: --guests: %s", what);
	return false;
}

/* The default folder of guests is the one that came with the program. */
static bool find_folder(struct job *job, const struct conform_request *r)
{
	const ssize_t length = readlink("/proc/self/exe", job->program, sizeof(job->program) - 1);

	if (length <= 0)
		return refuse_guests("/proc/self/exe cannot be read");
	job->program[length] = '\0';
	if (r->guest_dir)
		snprintf(job->folder, sizeof(job->folder), "%s", r->guest_dir);
	else
		cli_find_guests(job->folder, sizeof(job->folder)); /* the list's reader complains */
	snprintf(job->list_path, sizeof(job->list_path), "%s/%s", job->folder,
		 r->guest_list ? r->guest_list : "guests.list");
	/* A list that came with the guests goes by its name alone, unless one is here. */
	if (r->guest_list && (access(r->guest_list, F_OK) == 0 || strchr(r->guest_list, '/') ||
			      access(job->list_path, F_OK) != 0))
		snprintf(job->list_path, sizeof(job->list_path), "%s", r->guest_list);
	if (r->known)
		snprintf(job->known_path, sizeof(job->known_path), "%s", r->known);
	else
		snprintf(job->known_path, sizeof(job->known_path), "%s/known.def", job->folder);
	return true;
}

/* The words of --command. */
static bool read_command(struct job *job, const char *text)
{
	char path[PATH_MAX];
	char **words = list_words(text), *program;
	bool kernel = false;

	job->command = words;
	if (!words) {
		complain_about("--command", text, "a quote is not closed");
		return false;
	}
	for (char **word = words; *word; word++)
		kernel |= strstr(*word, "%k") || strstr(*word, "%n");
	if (!kernel) {
		complain_about("--command", text, "no %k or %n, which are where the guest is");
		return false;
	}
	if (!cli_find_program(path, sizeof(path), words[0])) {
		complain_about("--command", words[0], "no such program");
		return false;
	}
	program = strdup(path);
	if (!program)
		memory_out();
	free(words[0]);
	words[0] = program;
	return true;
}

/*
 * "qemu,7.2.22" from "QEMU emulator version 7.2.22 (Debian ...)", or "" if the line has no version.
 */
static void ask_qemu(struct job *job)
{
	char *const argv[] = {job->qemu, "--version", NULL};
	struct guest_output output;

	job->version[0] = '\0';
	if (guest_process_run(argv, 10, &output) == 0) {
		const char *number = strstr(output.out.bytes, "version ");

		if (number && isdigit((unsigned char)number[8]))
			snprintf(job->version, sizeof(job->version), "qemu,%.*s",
				 (int)strspn(number + 8, "0123456789."), number + 8);
	}
	guest_output_free(&output);
}

/* What the guests run on, by --machine and by what the program says of itself. */
static bool find_machines(struct job *job, const struct conform_request *r)
{
	size_t count = r->machine_count;
	char why[WHY];

	memcpy(job->machines, r->machines, sizeof(r->machines));
	if (r->qemu) {
		ask_qemu(job);
		count += known_machine_parse(&job->machines[count], job->version);
	}
	if (count == 0)
		return true;
	if (!known_list_read(&job->known, job->known_path, why, sizeof(why)))
		return refuse_guests(why);
	job->setup.machines = job->machines;
	job->setup.machine_count = count;
	job->setup.known = &job->known;
	return true;
}

static bool prepare_job(struct job *job, const struct conform_request *r)
{
	const struct engine *engine = cli_find_engine(r->engine_name);
	char why[WHY];

	if (!engine) {
		complain_about("--engine", r->engine_name, cli_engine_names());
		return false;
	}
	if (engine->probe(why, sizeof(why)) < 0) {
		complain_about("--engine", engine->name, why);
		return false;
	}
	if (!find_folder(job, r))
		return false;
	if (!guest_list_read(&job->list, job->list_path, why, sizeof(why)))
		return refuse_guests(why);
	job->setup = (struct guest_setup){.program = job->program,
					  .engine = engine->name,
					  .folder = job->folder,
					  .qemu = r->qemu ? job->qemu : NULL,
					  .strict = r->strict};
	if (r->qemu) {
		const char *name = r->qemu_name ? r->qemu_name : "qemu-system-aarch64";

		if (!cli_find_program(job->qemu, sizeof(job->qemu), name)) {
			complain_about("--qemu", name, "no such program");
			return false;
		}
	}
	if (r->command && !read_command(job, r->command))
		return false;
	job->setup.command = job->command;
	if (!find_machines(job, r))
		return false;
	if (r->console) {
		if (!guest_console_set(&job->console, r->console, why, sizeof(why))) {
			complain_about("--console", r->console, why);
			return false;
		}
		job->setup.console = &job->console;
	}
	job->suite = (struct suite){.guests = true};
	if (!guest_add_all(&job->suite, &job->list, &job->setup, &job->guests, &job->guest_count,
			   why, sizeof(why)))
		return refuse_guests(why);
	if (r->only)
		suite_match(&job->suite, r->only);
	if (job->suite.count == 0) {
		complain_about(r->only ? "--only" : "--guests", r->only ? r->only : job->list_path,
			       r->only ? "no guest has it in its name; see --guests --list"
				       : "no guest for vspe is in it");
		return false;
	}
	suite_shard(&job->suite, r->shard, r->shards);
	return true;
}

static enum cli_exit run_job(struct job *job, const struct conform_request *r)
{
	struct guest_report report = {.out = stdout};
	enum cli_exit code;

	guest_report_begin(&report, &job->suite);
	suite_run(&job->suite, r->console ? 1 : r->jobs, guest_report_point, &report,
		  isatty(STDERR_FILENO) ? stderr : NULL);
	guest_report_summary(&report, &job->suite, &job->list);
	code = report.failed ? CLI_FAILED : CLI_OK;
	if (r->junit_out.file)
		guest_report_junit(&job->suite, r->junit_out.file);
	return code;
}

static void print_rows(const struct suite *suite)
{
	for (size_t i = 0; i < suite->count; i++) {
		printf("%s ", suite->points[i].group);
		guest_print_row(suite->points[i].guest, stdout);
		putchar('\n');
	}
}

enum cli_exit conform_guests(const struct conform_request *r)
{
	struct job *job = memory_need(calloc(1, sizeof(*job)));
	enum cli_exit code = CLI_USAGE;

	if (prepare_job(job, r)) {
		code = CLI_OK;
		if (r->list)
			print_rows(&job->suite);
		else
			code = run_job(job, r);
	}
	suite_free(&job->suite);
	guest_free_all(job->guests, job->guest_count);
	guest_list_free(&job->list);
	list_words_free(job->command);
	known_list_free(&job->known);
	free(job->console.path);
	free(job);
	return code;
}
