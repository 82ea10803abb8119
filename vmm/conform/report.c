/* SPDX-License-Identifier: BSD-2-Clause */
/* TAP version 13 on stdout, and JUnit's XML in a file. */
#include "conform/report.h"
#include "conform/functions.h"

#include <inttypes.h>
#include <string.h>

#define NAME_MAX_PRINTED 80 /* bytes of a subject's name */

void report_begin(struct report *report, const struct suite *suite)
{
	fprintf(report->out, "TAP version 13\n1..%zu\n", suite->count);
}

/* Print each line after "# ". */
static void print_details(const char *text, FILE *out)
{
	while (text && *text) {
		const size_t n = strcspn(text, "\n");

		fprintf(out, "#   %.*s\n", (int)n, text);
		text += n + (text[n] == '\n');
	}
}

void report_point(void *ctx, const struct suite *suite, size_t i)
{
	struct report *report = ctx;
	const struct suite_point *p = &suite->points[i];
	const struct suite_result *r = &p->result;

	fprintf(report->out, "%sok %zu - %s %s", r->status == SUITE_FAILED ? "not " : "", i + 1,
		p->group, p->name);
	if (r->status == SUITE_SKIPPED)
		fprintf(report->out, " # SKIP %s", r->what);
	else if (r->what[0])
		fprintf(report->out, ": %s", r->what);
	fputc('\n', report->out);
	print_details(r->details, report->out);
	fflush(report->out);
	report->cases += r->cases;
	report->passed += r->status == SUITE_PASSED;
	report->failed += r->status == SUITE_FAILED;
	report->skipped += r->status == SUITE_SKIPPED;
}

/* Combinations of each register, over both directions and all ELs. */
static void print_registers(const struct suite *suite, FILE *out)
{
	uint64_t cases[SUBJECT_COUNT] = {0}, total = 0;

	for (size_t i = 0; i < suite->count; i++) {
		const struct suite_point *p = &suite->points[i];

		if (p->reg < SUBJECT_COUNT && !p->cpu && !p->model &&
		    strcmp(p->group, "table") != 0)
			cases[subject_first(p->reg)] += p->result.cases;
	}
	fprintf(out, "# combinations compared with the %s, by register:\n",
		suite_word(suite->subject));
	for (unsigned int i = 0; i < SUBJECT_COUNT; i++) {
		if (cases[i])
			fprintf(out, "#   %-14s %12" PRIu64 "\n", subject_name(i), cases[i]);
		total += cases[i];
	}
	fprintf(out, "#   %-14s %12" PRIu64 "\n", "all", total);
}

/* The name comes from the file and may be anything. */
static void print_subject(const struct suite_subject *subject, FILE *out)
{
	const char *name = subject->is->name ? subject->is->name : "";

	fprintf(out, "# subject: %s%s", subject->path, name[0] ? ": " : "");
	for (size_t i = 0; i < NAME_MAX_PRINTED && name[i]; i++)
		fputc(name[i] < ' ' || name[i] > '~' ? '?' : name[i], out);
	fputc('\n', out);
}

static void print_pages(const struct page_set *pages, FILE *out)
{
	const size_t spe = pages->count - pages->cpu_count;
	size_t unread = pages->problem_count;

	for (size_t i = 0; i < pages->count; i++)
		unread += !pages->accessors[i].program;
	fprintf(out,
		"# pages: %zu file%s, %zu accessor%s of registers of SPE and the PMU, %zu of "
		"others, "
		"%zu file%s without accessors\n",
		pages->files, pages->files == 1 ? "" : "s", spe, spe == 1 ? "" : "s", pages->others,
		pages->without, pages->without == 1 ? "" : "s");
	fprintf(out, "# could not be read: %zu%s\n", unread,
		unread ? "; each is a point above, with file and line" : "");
}

static uint64_t aarch32_accesses(const struct suite *suite)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < suite->count; i++)
		sum += suite->points[i].result.aarch32;
	return sum;
}

/* What comparisons of accesses do besides, and what they leave out. */
static void print_accesses(const struct suite *suite, FILE *out)
{
	print_registers(suite, out);
	if (suite->pages)
		print_pages(suite->pages, out);
	if (suite->pages && suite->pages->cpu)
		suite_print_cpu(suite, out);
	fprintf(out,
		"# beside what each text asks for: all other features, named or not, and bits of "
		"registers, with arbitrary values; AArch32 state, %" PRIu64 " accesses\n",
		aarch32_accesses(suite));
	fputs("# not covered here:\n", out);
	suite_not_covered(suite, "#   ", out);
	if (suite->pages)
		fputs("#   the models, and the tables: run without --asl\n", out);
	fputs("#   states that no PE can be in: EL2 disabled or absent, EL3 absent, or halted "
	      "there "
	      "with EDSCR.SDD, Root state below EL3, a feature without the one it needs\n"
	      "#   the other choices that the architecture leaves open: reserved NSPB, NV1 without "
	      "NV, FEAT_E2H0 (docs/decisions/register-access.md)\n"
	      "#   accesses through the external debug interface\n",
	      out);
}

/* What the text leaves open, and how it was taken. */
static void print_functions(FILE *out)
{
	fputs("# what the functions leave to the implementation, and what it was here:\n", out);
	functions_print_bindings(out);
	fputs("# not covered here: EL2 as the owner, EL3, nVM, profiling exceptions, collisions, "
	      "discard mode, late records, granule protection faults, GCS, SME, NV2, "
	      "layouts of cores, the reload of COUNT after the tail\n",
	      out);
}

void report_summary(const struct report *report, const struct suite *suite)
{
	FILE *out = report->out;

	if (suite->subject->path)
		print_subject(suite->subject, out);
	if (suite->functions)
		print_functions(out);
	if (!suite->functions || suite->pages)
		print_accesses(suite, out);
	fprintf(out,
		"# %" PRIu64 " cases in %zu points: %" PRIu64 " passed, %" PRIu64
		" failed, %" PRIu64 " skipped\n",
		report->cases, suite->count, report->passed, report->failed, report->skipped);
	fflush(out);
}
void report_escaped(const char *text, FILE *out)
{
	for (; *text; text++) {
		const unsigned char c = (unsigned char)*text;

		switch (c) {
		case '&': fputs("&amp;", out); break;
		case '<': fputs("&lt;", out); break;
		case '>': fputs("&gt;", out); break;
		case '"': fputs("&quot;", out); break;
		default: fputc((c < 32 && c != '\n') || c > 126 ? '?' : c, out); break;
		}
	}
}

void report_junit(const struct suite *suite, FILE *out)
{
	size_t failed = 0, skipped = 0;

	for (size_t i = 0; i < suite->count; i++) {
		failed += suite->points[i].result.status == SUITE_FAILED;
		skipped += suite->points[i].result.status == SUITE_SKIPPED;
	}
	fprintf(out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<testsuites>\n<testsuite name=\"vspe conform\" tests=\"%zu\" failures=\"%zu\" "
		"errors=\"0\" skipped=\"%zu\">\n",
		suite->count, failed, skipped);
	for (size_t i = 0; i < suite->count; i++) {
		const struct suite_point *p = &suite->points[i];
		const char *element = p->result.status == SUITE_FAILED ? "failure" : "skipped";

		fprintf(out, "<testcase classname=\"vspe.conform.%s\" name=\"", p->group);
		report_escaped(p->name, out);
		fputs("\">", out);
		if (p->result.status != SUITE_PASSED) {
			fprintf(out, "<%s message=\"", element);
			report_escaped(p->result.what, out);
			fputs("\">", out);
			report_escaped(p->result.details ? p->result.details : "", out);
			fprintf(out, "</%s>", element);
		}
		fputs("</testcase>\n", out);
	}
	fputs("</testsuite>\n</testsuites>\n", out);
}
