/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Guests as points of the suite. Each runs in a separate process, started by `vspe run --tap` or
 * QEMU, and is judged by its TAP and by the list.
 */
#ifndef VSPE_CONFORM_GUEST_H
#define VSPE_CONFORM_GUEST_H

#include <stdio.h>

#include "conform/guest_console.h"
#include "conform/guest_list.h"
#include "conform/known.h"
#include "conform/suite.h"

/* How to start all guests of a suite. */
struct guest_setup {
	const char *program; /* vspe itself */
	const char *engine;  /* its name, for --engine */
	const char *folder;  /* of the images */
	const char *qemu;    /* the path of qemu-system-aarch64, for its rows; or NULL */
	/*
	 * The words of a command, NULL after the last, that starts the rows for a command; or NULL.
	 * In a word %k is the image's path, %n its file name, %a the row's arguments with blanks
	 * between them, %% a per cent sign. The word %* is the arguments, a word each.
	 */
	char *const *command;
	const struct guest_console *console; /* its guest's output; NULL: the command prints it */
	/* The machines that are started, and their known defects; NULL: none. */
	const struct known_machine *machines;
	size_t machine_count;
	const struct known_list *known;
	bool strict; /* output other than TAP fails; QEMU has a row for each image */
};

/* One test of a guest; strings point into its output. */
struct guest_test {
	char *name;
	bool ok, skip;
	const struct known_row *known; /* the known defect if it fails; NULL: none */
	char *reason;		       /* of a skip */
	char *diagnostics;	       /* comments of a failed test, or NULL */
};

struct guest {
	const struct guest_row *row;
	const struct guest_setup *setup;
	/* Set by its run. */
	struct guest_test *tests;
	size_t count, passed, failed, known_failed, skipped; /* failed: without known defects */
	double seconds;					     /* of the host, that it took */
	char *noise;  /* the first line that is not TAP, or NULL */
	char *output; /* all its output if it failed; else NULL */
};

/*
 * Add a point for each row that is for what setup starts. The list, setup and *guests, an array of
 * *count, must outlive the suite; the caller frees *guests with guest_free_all(). False with a line
 * in why if an image cannot be read, or the command has no place for the arguments of a row.
 */
bool guest_add_all(struct suite *suite, const struct guest_list *list,
		   const struct guest_setup *setup, struct guest **guests, size_t *count, char *why,
		   size_t size);
void guest_free_all(struct guest *guests, size_t count);

/* Is the row for something that setup starts? */
bool guest_is_wanted(const struct guest_row *row, const struct guest_setup *setup);

/* Print the shell command that runs one guest. */
void guest_print_command(const struct guest *guest, FILE *out);
/*
 * Print its row of the list, with one blank between the columns, and arguments quoted for a shell.
 */
void guest_print_row(const struct guest *guest, FILE *out);

/*
 * The guests' results, for report_junit()'s file and for suite_run(); ctx is a struct guest_report.
 */
struct guest_report {
	FILE *out;
	size_t passed, failed, skipped;				/* guests */
	size_t tests, tests_failed, tests_known, tests_skipped; /* of theirs */
};

void guest_report_begin(const struct guest_report *report, const struct suite *suite);
void guest_report_point(void *ctx, const struct suite *suite, size_t point);
/*
 * As comments: skips by reason, known defects, fixed defects, and rows that are for other programs.
 */
void guest_report_summary(struct guest_report *report, const struct suite *suite,
			  const struct guest_list *list);
/* A test suite for each guest, and a test case for each of its tests. */
void guest_report_junit(const struct suite *suite, FILE *out);

#endif
