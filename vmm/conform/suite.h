/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The conformance suite: a list of test points, which several threads run, each once. The list
 * depends only on the pages, so that its shards together are the list.
 */
#ifndef VSPE_CONFORM_SUITE_H
#define VSPE_CONFORM_SUITE_H

#include "conform/explore.h"
#include "conform/page.h"

struct functions_text;
struct guest;

enum suite_status { SUITE_PASSED, SUITE_FAILED, SUITE_SKIPPED };

struct suite_result {
	bool done;
	enum suite_status status;
	uint64_t cases, aarch32;
	char what[128]; /* after the name: "3244032 combinations of 23 bits" */
	char *details;	/* lines about a failure or a skip, or NULL */
};

struct suite_point {
	const char *group; /* "exhaustive", "page", "table", "model", "guest" */
	char *name;	   /* without line ends and # */
	void (*run)(const struct suite_point *point, atomic_ullong *done,
		    struct suite_result *result, FILE *details);
	unsigned int reg; /* of subject.h */
	bool write;
	uint8_t el;
	const struct page_accessor *accessor;
	const struct cpu_subject *cpu; /* the accessor is one of its */
	const char *skip_file;
	unsigned int skip_line;
	const char *skip_text; /* not NULL: it cannot run */
	const struct model *model;
	const struct functions_text *functions; /* of functions.h; for this ... */
	uint8_t version;			/* ... enum spe_version */
	struct guest *guest;			/* of guest.h; also takes its output */
	const struct suite_subject *subject;
	struct suite_result result;
};

/* What the points of the library test. */
struct suite_subject {
	const struct vspe_subject *is;
	const char *path; /* of the file that it came from; NULL: it is the library */
};

/* Its name in differences: "library", or "subject". */
const char *suite_word(const struct suite_subject *subject);

struct suite {
	struct suite_point *points;
	size_t count, room;
	const struct suite_subject *subject; /* NULL with guests */
	const struct page_set *pages;	     /* NULL: the second statement, or functions alone */
	bool functions;			     /* points of suite_add_functions() */
	bool strict;			     /* what cannot be parsed is a failure */
	bool guests;			     /* the points are guests instead of the library's */
	atomic_ullong done;		     /* combinations, cases or guests' tests so far */
};

/* Add all points. pages may be NULL. They and the subject must outlive the suite. */
void suite_build(struct suite *suite, const struct suite_subject *subject,
		 const struct page_set *pages, bool strict);
/* Add the points of an accessor of the software CPU that can be read (points_cpu.c). */
void suite_add_cpu(struct suite *suite, const struct page_accessor *accessor);
/* Print what the pages have and the software CPU lacks, and how many accesses were compared. */
void suite_print_cpu(const struct suite *suite, FILE *out);
/* Add the points of functions of the pseudocode, which must outlive the suite. */
void suite_add_functions(struct suite *suite, const struct functions_text *text);
/* Append a point; the format gives point.name. */
struct suite_point *suite_add(struct suite *suite, struct suite_point point, const char *format,
			      ...) __attribute__((format(printf, 3, 4)));
void suite_free(struct suite *suite);
/* Keep the points of shard i of n (1 <= i <= n): every n-th, from the i-th on. */
void suite_shard(struct suite *suite, size_t i, size_t n);
/* Keep the points with this text in "group name". */
void suite_match(struct suite *suite, const char *text);

/*
 * Run all points on this many threads. The calling thread passes each result to report, in the
 * order of the points. progress, unless NULL, gets the state of the run now and then, on one line.
 */
void suite_run(struct suite *suite, unsigned int jobs,
	       void (*report)(void *ctx, const struct suite *suite, size_t point), void *ctx,
	       FILE *progress);

/* Print which accesses to the registers no point tests, one line each. Returns how many lines. */
size_t suite_not_covered(const struct suite *suite, const char *indent, FILE *out);

#endif
