/* SPDX-License-Identifier: BSD-2-Clause */
/* The points of the suite that run functions of the pseudocode next to a unit. */
#include "conform/functions.h"
#include "conform/suite.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <string.h>

static const char *lacking(const struct vspe_subject *subject)
{
	return subject->unit_create && subject->unit_read && subject->unit_write &&
			       subject->unit_advance
		       ? NULL
		       : "the subject has no unit";
}

/* How often the text differs in the ways that are known. */
static void print_questions(const struct functions_result *r, FILE *out)
{
	for (unsigned int i = 0; i < FUNCTIONS_QUESTIONS; i++)
		if (functions_questions[i].name && r->questions[i])
			fprintf(out, "known difference \"%s\": %" PRIu64 " (%s)\n",
				functions_questions[i].name, r->questions[i],
				functions_questions[i].rule);
}

static void run_functions(const struct suite_point *point, atomic_ullong *done,
			  struct suite_result *result, FILE *details)
{
	struct model_run run = {.subject = point->subject->is,
				.why = details,
				.skipped = lacking(point->subject->is)};
	struct functions_result r = {0};

	if (!run.skipped &&
	    !functions_run(point->functions, (enum spe_version)point->version, &run, &r) &&
	    !run.skipped) {
		result->status = SUITE_FAILED;
	}
	if (run.skipped) {
		result->status = SUITE_SKIPPED;
		snprintf(result->what, sizeof(result->what), "%s", run.skipped);
		return;
	}
	print_questions(&r, details);
	result->cases = r.operations;
	snprintf(result->what, sizeof(result->what),
		 "%" PRIu64 " operations, %" PRIu64 " samples, %" PRIu64 " records", r.operations,
		 r.samples, r.records);
	atomic_fetch_add_explicit(done, r.operations, memory_order_relaxed);
}

void suite_add_functions(struct suite *suite, const struct functions_text *text)
{
	suite->functions = true;
	for (int version = SPE_V1P0; version <= SPE_V1P5; version++)
		suite_add(suite,
			  (struct suite_point){.group = "functions",
					       .run = run_functions,
					       .reg = SUBJECT_NONE,
					       .functions = text,
					       .version = (uint8_t)version},
			  "v1p%d", version - SPE_V1P0);
}
