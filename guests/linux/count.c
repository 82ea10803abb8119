/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program for vspe linux pgo: count PROGRAM [ARGUMENT]... runs a program, and prints its name,
 * its exit status and what the PMU has counted of it at EL0. It does what perf stat does in far
 * fewer operations, as each of them goes through a machine model. What the program prints goes to
 * standard error.
 */
#include <linux/perf_event.h>
#include <linux/signal.h>

#include "user.h"

/* Numbers of the Arm ARM (D14.11), as PERF_TYPE_RAW: the driver found no model at its start. */
static const struct {
	const char *name;
	uint64_t config;
} events[] = {{"cycles", 0x11},	       {"instructions", 0x08}, {"branches", 0x21},
	      {"taken", 0x0c},	       {"mispredicted", 0x10}, {"L1I-misses", 0x01},
	      {"L1I-TLB-misses", 0x02}};

#define EVENTS (sizeof(events) / sizeof(events[0]))

static long open_of(long process, uint64_t config)
{
	const struct perf_event_attr attr = {
		.type = PERF_TYPE_RAW,
		.size = sizeof(attr),
		.config = config,
		.disabled = 1,
		.enable_on_exec = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	return call(__NR_perf_event_open, (long)&attr, process, -1, -1, 0, 0);
}

/* The child waits in a pipe until its events are there. */
static long start(const char *const *arguments, const char *const *environment, int pipe[2])
{
	long child = call(__NR_clone, SIGCHLD, 0, 0, 0, 0, 0);
	char byte;

	if (child)
		return child;
	call(__NR_read, pipe[0], (long)&byte, 1, 0, 0, 0);
	call(__NR_dup3, 2, 1, 0, 0, 0, 0);
	call(__NR_execve, (long)arguments[0], (long)arguments, (long)environment, 0, 0, 0);
	call(__NR_exit, 127, 0, 0, 0, 0, 0);
	return child;
}

static void count(const char *const *arguments, const char *const *environment)
{
	long files[EVENTS], child;
	int pipe[2], status = -1;
	uint64_t value;

	call(__NR_pipe2, (long)pipe, 0, 0, 0, 0, 0);
	child = start(arguments, environment, pipe);
	for (unsigned int n = 0; n < EVENTS; n++)
		files[n] = open_of(child, events[n].config);
	call(__NR_write, pipe[1], (long)"", 1, 0, 0, 0);
	call(__NR_wait4, child, (long)&status, 0, 0, 0, 0);
	print(arguments[0]);
	print(" status ");
	print_number((uint64_t)status >> 8 & 0xff);
	for (unsigned int n = 0; n < EVENTS; n++) {
		if (call(__NR_read, files[n], (long)&value, sizeof(value), 0, 0, 0) !=
		    sizeof(value))
			continue;
		print(" ");
		print(events[n].name);
		print(" ");
		print_number(value);
		call(__NR_close, files[n], 0, 0, 0, 0, 0);
	}
	print("\n");
	call(__NR_close, pipe[0], 0, 0, 0, 0, 0);
	call(__NR_close, pipe[1], 0, 0, 0, 0, 0);
}

void init(const uint64_t *stack)
{
	const char *const *arguments = (const char *const *)(stack + 2);

	if (stack[0] > 1)
		count(arguments, arguments + stack[0]);
	call(__NR_exit, stack[0] > 1 ? 0 : 2, 0, 0, 0, 0, 0);
}
