/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Guests as points of the suite: each is started by `vspe run --tap`, or by QEMU, as a process of
 * its own, and judged by the TAP that it prints and by what the list says of it.
 */
#ifndef VSPE_CONFORM_GUEST_H
#define VSPE_CONFORM_GUEST_H

#include <stdio.h>

#include "conform/guest_console.h"
#include "conform/guest_list.h"
#include "conform/known.h"
#include "conform/suite.h"

/* How all guests of a suite are started. */
struct guest_setup {
	const char *program; /* vspe itself */
	const char *engine;  /* its name, for --engine */
	const char *folder;  /* of the images */
	const char *qemu;    /* the path of qemu-system-aarch64, to start its rows; or NULL */
	/*
	 * The words of a command, NULL behind the last, to start the rows that are for one; or
	 * NULL. In a word %k is the image's path, %n its file name, %a the row's arguments with
	 * blanks between them, %% a per cent sign; the word %* is the arguments, a word each.
	 */
	char *const *command;
	const struct guest_console
		*console; /* where its guest is heard; NULL: the command prints */
	/* What is started, and what is known of it; NULL: nothing. */
	const struct known_machine *machines;
	size_t machine_count;
	const struct known_list *known;
	bool strict; /* what is no TAP is a failure; QEMU has a row for every image */
};

/* One test of a guest, as strings of its output. */
struct guest_test {
	char *name;
	bool ok, skip;
	const struct known_row *known; /* that the machine fails it; NULL: nothing */
	char *reason;		       /* of a skip */
	char *diagnostics;	       /* comments of a failed test, or NULL */
};

struct guest {
	const struct guest_row *row;
	const struct guest_setup *setup;
	/* Set by its run. */
	struct guest_test *tests;
	size_t count, passed, failed, known_failed, skipped; /* failed: not as is known */
	double seconds;					     /* of the host, that it took */
	char *noise;  /* the first line that is no TAP, or NULL */
	char *output; /* all it printed, kept if it failed; else NULL */
};

/*
 * A point for each row that is for what setup starts. The list, setup and
 * *guests, which is count of them, must outlive the suite; the caller frees *guests with
 * guest_free_all(). False if an image cannot be read, or
 * the command has no place for the arguments of a row: a line in why.
 */
bool guest_add_all(struct suite *suite, const struct guest_list *list,
		   const struct guest_setup *setup, struct guest **guests, size_t *count, char *why,
		   size_t size);
void guest_free_all(struct guest *guests, size_t count);

/* Is the row for what setup starts? */
bool guest_is_wanted(const struct guest_row *row, const struct guest_setup *setup);

/* The command that runs a guest alone, as a shell takes it. */
void guest_print_command(const struct guest *guest, FILE *out);
/* Its row of the list, with one blank between the columns, and arguments as a shell takes them. */
void guest_print_row(const struct guest *guest, FILE *out);

/* What guests said, for report_junit()'s file and for suite_run(); ctx is a struct guest_report. */
struct guest_report {
	FILE *out;
	size_t passed, failed, skipped;				/* guests */
	size_t tests, tests_failed, tests_known, tests_skipped; /* of theirs */
};

void guest_report_begin(const struct guest_report *report, const struct suite *suite);
void guest_report_point(void *ctx, const struct suite *suite, size_t point);
/*
 * As comments: skips by reason, known defects, those that are mended, and what the list has that is
 * for other programs.
 */
void guest_report_summary(struct guest_report *report, const struct suite *suite,
			  const struct guest_list *list);
/* A test suite a guest, and a test case for each of its tests. */
void guest_report_junit(const struct suite *suite, FILE *out);

#endif
