/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs functions of Arm's pseudocode next to a unit: the same registers, operations, random numbers
 * and faults for both, and after each operation the same counters, PMU events, record, pointer and
 * syndrome. A difference is shrunk to a short script of actions.
 */
#ifndef VSPE_CONFORM_FUNCTIONS_H
#define VSPE_CONFORM_FUNCTIONS_H

#include "conform/asl_code.h"
#include "conform/model.h"
#include "conform/unit.h"

/* Files with the text, read. */
struct functions_text {
	struct functions_file {
		const char *path; /* of the option */
		char *bytes;
		size_t size;
	} * files;
	size_t count;
	uint64_t operations; /* of each point */
};

/* Read a file into *text. 0, or a negative errno. */
int functions_add(struct functions_text *text, const char *path);
/* Can the text be read, and has it what is run? False, with a line in why (of size bytes). */
bool functions_check(const struct functions_text *text, char *why, size_t size);
void functions_free(struct functions_text *text);

/* Rules in which Arm's text is known to differ from D17 or D18: vspe-conform(1). */
#define FUNCTIONS_QUESTIONS 6
struct functions_question {
	const char *name, *rule; /* what the text says, and the chapter, with their sections */
};
extern const struct functions_question functions_questions[FUNCTIONS_QUESTIONS];

struct functions_result {
	uint64_t operations, samples, records;
	uint64_t questions[FUNCTIONS_QUESTIONS]; /* how often each came up */
};

/* Run one version. False: they differ, or cannot be compared; run->why has lines. */
bool functions_run(const struct functions_text *text, enum spe_version version,
		   struct model_run *run, struct functions_result *result);
/* Print what the text leaves to the implementation, and what it is bound to; a line each. */
void functions_print_bindings(FILE *out);

#endif
