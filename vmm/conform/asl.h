/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The pseudocode of "Accessing" sections of Arm's register pages: parses the part of the language
 * that those sections use, and evaluates it. It knows the current dialect (blocks closed by end;
 * REG().FIELD; Undefined()) and that of the bundles up to 2024-12 (blocks by indentation;
 * REG.FIELD; UNDEFINED).
 *
 * The text comes from a user's file, so nothing in it is trusted. Whatever the parser does not know
 * is an error with its line, never a guess.
 */
#ifndef VSPE_CONFORM_ASL_H
#define VSPE_CONFORM_ASL_H

#include "conform/world_names.h"

struct asl_error {
	unsigned int line; /* in the file, where the text begins at first_line */
	char text[160];
};

struct asl_program; /* one accessor */

/*
 * Parse size bytes: the body of one accessor, of MSR if write. NULL, and *error, if it cannot be
 * parsed. Free it with asl_free().
 */
struct asl_program *asl_parse(const char *text, size_t size, unsigned int first_line, bool write,
			      struct asl_error *error);
/*
 * The same of an accessor of the software CPU: of a system register, or a SYS instruction. Names
 * that world.def does not have are no errors; asking one sets w->lacks.
 */
struct asl_program *asl_parse_cpu(const char *text, size_t size, unsigned int first_line,
				  bool write, struct asl_error *error);
void asl_free(struct asl_program *program);

/* The result of an accessor that reaches no outcome; not an enum sysreg_route_kind. */
#define ASL_NO_OUTCOME 5

/* The outcome in a world; only valid if w->asked stays -1 and w->lacks NULL. */
struct outcome asl_run(const struct asl_program *program, struct world *w);

#endif
