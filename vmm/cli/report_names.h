/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The process and the place of a record, which vspe report takes from the events of a perf.data
 * file.
 */
#ifndef VSPE_CLI_REPORT_NAMES_H
#define VSPE_CLI_REPORT_NAMES_H

#include "trace/dsos.h"
#include "trace/perf_clock.h"
#include "trace/threads.h"

#include <stdio.h>

/* Zero-initialise. */
struct report_names {
	struct symbols *symbols;
	struct threads *threads; /* NULL: the input names no processes */
	struct dsos *dsos;	 /* with threads */
	struct perf_clock clock; /* set if the input relates timestamps to perf's clock */
	uint32_t midr;		 /* for all of the file if it says so, else 0; 0 for a pipe */
};

/* The records to report, by names. Zero-initialise for all; the caller owns the strings. */
struct report_choice {
	const char *comm, *dso, *symbol;
	unsigned int pid;
	bool by_pid, by_time;
	uint64_t from, to; /* nanoseconds of perf's clock, both included */
};

/*
 * "12.5,13": seconds. Without one of the two, from the beginning or to the end. False if value is
 * not of this form.
 */
bool report_choice_time(struct report_choice *choice, const char *value);

/*
 * Read the events of file, called name in messages, and the files that they name: see dsos_load().
 * Does nothing for a file without events. The file's position stays as it was. CLI_GO_ON, or the
 * exit code.
 */
int report_names_load(struct report_names *names, FILE *file, const char *name, const char *symfs,
		      const struct report_choice *choice);
void report_names_free(struct report_names *names);

/*
 * The process of a record. Its addresses of instructions and .data become those of dsos.h. Needs
 * threads.
 */
struct threads_who report_names_place(struct report_names *names, struct input_origin origin,
				      struct sample *sample);
/* Is it to be reported? */
bool report_names_pass(struct report_names *names, const struct report_choice *choice,
		       struct threads_who who, const struct sample *sample);

#endif
