/* SPDX-License-Identifier: BSD-2-Clause */
/* vspe: one program, with one file for each subcommand. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "base/descriptors.h"
#include "base/nearest.h"
#include "base/output.h"
#include "cli/cli.h"

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *what;
} commands[] = {
#define COMMAND(name, what) {#name, cmd_##name, what},
#include "commands.h"
#undef COMMAND
};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static void print_help(FILE *file)
{
	fputs("Usage: vspe COMMAND [OPTION]...\n"
	      "       vspe --help | --version\n"
	      "\n"
	      "Arm's Statistical Profiling Extension (FEAT_SPE) for virtual machines.\n"
	      "\n"
	      "Commands:\n",
	      file);
	for (size_t i = 0; i < COMMANDS; i++)
		fprintf(file, "  %-8s %s\n", commands[i].name, commands[i].what);
	fputs("\n`vspe COMMAND --help` tells the options of a command.\n", file);
}

/* QEMU, and a library under test, may use inherited descriptors. */
static bool closes_descriptors(const char *command)
{
	return strcmp(command, "qemu") != 0 && strcmp(command, "conform") != 0;
}

static int refuse_command(const char *word)
{
	struct nearest nearest = {.text = word, .distance = SIZE_MAX};
	char hint[2 * NEAREST_MOST];

	for (size_t i = 0; i < COMMANDS; i++)
		nearest_try(&nearest, commands[i].name);
	cli_message(stderr, "vspe: %s: no such command%s", word,
		    nearest_hint(&nearest, "", "; `vspe --help` lists them", hint, sizeof(hint)));
	return CLI_USAGE;
}

static int run_command(int argc, char **argv)
{
	if (argc < 2) {
		print_help(stderr);
		return CLI_USAGE;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
	    strcmp(argv[1], "help") == 0) {
		print_help(stdout);
		return CLI_OK;
	}
	if (strcmp(argv[1], "--version") == 0) {
		puts("vspe " VSPE_VERSION);
		return CLI_OK;
	}
	if (closes_descriptors(argv[1]))
		descriptors_close(argc, argv);
	for (size_t i = 0; i < COMMANDS; i++)
		if (strcmp(argv[1], commands[i].name) == 0)
			return commands[i].run(argc - 1, argv + 1);
	return refuse_command(argv[1]);
}

/* The first thread's stack grows to its limit, and beyond that the process ends. */
#define STACK_LEAST (UINT64_C(1) << 20)

static int need_stack(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_STACK, &limit) || limit.rlim_cur >= STACK_LEAST)
		return 0;
	limit.rlim_cur = STACK_LEAST < limit.rlim_max ? STACK_LEAST : limit.rlim_max;
	if (limit.rlim_cur == STACK_LEAST && setrlimit(RLIMIT_STACK, &limit) == 0)
		return 0;
	cli_message(stderr,
		    "vspe: stacks are limited to %" PRIu64 " KiB, %" PRIu64
		    " are needed (ulimit -s %" PRIu64 ")",
		    (uint64_t)limit.rlim_max >> 10, STACK_LEAST >> 10, STACK_LEAST >> 10);
	return -1;
}

int main(int argc, char **argv)
{
	const int error = output_standard_open();

	if (error) /* stderr may be closed */
		return CLI_OUTPUT;
	if (need_stack())
		return CLI_USAGE;
	return cli_finish(run_command(argc, argv));
}
