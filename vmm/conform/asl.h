/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The pseudocode of "Accessing" sections of Arm's register pages: a parser of what those sections
 * use of the language, in the dialect of today (blocks closed by end; REG().FIELD; Undefined()) and
 * in that of the bundles up to 2024-12 (blocks by indentation; REG.FIELD; UNDEFINED), and its
 * evaluation.
 *
 * The text comes from a file that a user brings: nothing about it is trusted, and whatever the
 * parser does not know is an error with its line, never a guess.
 */
#ifndef VSPE_CONFORM_ASL_H
#define VSPE_CONFORM_ASL_H

#include "conform/world_names.h"

struct asl_error {
	unsigned int line; /* in the file: first_line counts as the text's first */
	char text[160];
};

struct asl_program; /* one accessor */

/*
 * Parse size bytes: the body of one accessor, of MSR if write. NULL, and *error, if it cannot be
 * read. To be freed with asl_free().
 */
struct asl_program *asl_parse(const char *text, size_t size, unsigned int first_line, bool write,
			      struct asl_error *error);
void asl_free(struct asl_program *program);

/* How an accessor ends that comes to no end; no enum sysreg_route_kind. */
#define ASL_NO_OUTCOME 5

/* The outcome in a world; counts only if w->asked stays -1. */
struct outcome asl_run(const struct asl_program *program, struct world *w);

#endif
