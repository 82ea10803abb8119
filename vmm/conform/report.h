/* SPDX-License-Identifier: BSD-2-Clause */
/* The suite's output: TAP, JUnit, and the summary. */
#ifndef VSPE_CONFORM_REPORT_H
#define VSPE_CONFORM_REPORT_H

#include "conform/suite.h"

struct report {
	FILE *out;
	uint64_t passed, failed, skipped, cases;
};

void report_begin(struct report *report, const struct suite *suite);
/* For suite_run(); ctx is the struct report. */
void report_point(void *ctx, const struct suite *suite, size_t point);
/* As comments: cases by register, skips, what is not covered. */
void report_summary(const struct report *report, const struct suite *suite);
/* Print text of a file as XML text; characters that XML does not allow become '?'. */
void report_escaped(const char *text, FILE *out);
void report_junit(const struct suite *suite, FILE *out);

#endif
