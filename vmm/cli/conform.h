/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * vspe conform: conform.c reads it from the command line, and conform_guests.c and
 * conform_subject.c carry it out.
 */
#ifndef VSPE_CLI_CONFORM_H
#define VSPE_CLI_CONFORM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/output.h"
#include "cli/cli.h"
#include "conform/functions.h"
#include "conform/known.h"
#include "conform/page.h"

#include <vspe/subject.h>

struct conform_request {
	struct page_set pages;
	const char **asl_paths; /* they are read when the options are */
	size_t asl_count;
	bool asl, strict, list;
	const char **functions_paths; /* of --asl-functions */
	size_t functions_count;
	struct functions_text functions;
	uint64_t operations; /* of each version */
	enum cli_sandbox_mode sandbox;
	size_t shard, shards; /* shard of shards, from 1 */
	unsigned int jobs;
	const char *junit, *only;
	struct output junit_out;     /* begun before anything is run */
	const char *subject_path;    /* NULL: the library is tested */
	struct vspe_subject subject; /* the contents of that file */

	bool guests;		 /* run guests; the rest is only for them */
	const char *guest_list;	 /* NULL: the one in the folder */
	const char *guest_dir;	 /* NULL: the one that came with vspe */
	const char *engine_name; /* NULL: the first one there is */
	bool qemu;		 /* the rows for QEMU, on ... */
	const char *command;	 /* the rows for a command, by this one; or NULL */
	const char *console;	 /* where its guests are heard; NULL: it prints */
	const char *known;	 /* the list of known defects; NULL: the one in the folder */
	struct known_machine machines[KNOWN_MACHINES_MOST]; /* of --machine */
	size_t machine_count;
	const char *qemu_name; /* ... this program; NULL: qemu-system-aarch64 */
};

/* The software CPU, which --asl compares besides libvspe (conform_cpu.c). */
extern const struct cpu_subject conform_cpu;

/* Load --subject's file into the request. False after a message if it is refused. */
bool conform_load_subject(struct conform_request *request);

/* vspe conform --guests. */
enum cli_exit conform_guests(const struct conform_request *request);

#endif
