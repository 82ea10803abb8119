/* SPDX-License-Identifier: BSD-2-Clause */
/* The guests' results: TAP version 14 with a subtest for each guest, and JUnit. */
#include "conform/guest.h"
#include "conform/report.h"
#include "base/memory.h"
#include "base/printable.h"

#include <stdlib.h>
#include <string.h>

void guest_report_begin(const struct guest_report *report, const struct suite *suite)
{
	fprintf(report->out, "TAP version 14\n1..%zu\n", suite->count);
}

/* Of a guest: any bytes. */
static void print_words(const char *text, FILE *out)
{
	printable_put(out, text, strlen(text));
}

/* Print each line of a guest after indent. */
static void print_indented(const char *text, const char *indent, FILE *out)
{
	while (text && *text) {
		const size_t n = strcspn(text, "\n");

		fputs(indent, out);
		printable_put(out, text, n - (n > 0 && text[n - 1] == '\r'));
		fputc('\n', out);
		text += n + (text[n] == '\n');
	}
}

/* The subtest of a guest: its plan and tests if it passed, all of its output if it failed. */
static void print_subtest(const struct guest *guest, FILE *out)
{
	fprintf(out, "# Subtest: %s\n", guest->row->name);
	if (guest->output) {
		print_indented(guest->output, "    ", out);
		return;
	}
	fprintf(out, "    1..%zu\n", guest->count);
	for (size_t i = 0; i < guest->count; i++) {
		const struct guest_test *test = &guest->tests[i];

		fprintf(out, "    %sok %zu - ", test->ok ? "" : "not ", i + 1);
		print_words(test->name, out);
		if (test->skip) {
			fputs(" # SKIP ", out);
			print_words(test->reason, out);
		} else if (!test->ok) { /* as in TAP; as the guest passed, it is a known defect */
			fprintf(out, " # TODO XFAIL: %s", test->known->instead);
		}
		fputc('\n', out);
	}
}

void guest_report_point(void *ctx, const struct suite *suite, size_t i)
{
	struct guest_report *report = ctx;
	const struct suite_point *p = &suite->points[i];
	const struct suite_result *r = &p->result;
	const bool failed = r->status == SUITE_FAILED, skipped = r->status == SUITE_SKIPPED;

	print_subtest(p->guest, report->out);
	fprintf(report->out, "%sok %zu - %s%s", failed ? "not " : "", i + 1, p->name,
		skipped ? " # SKIP " : ": ");
	print_words(r->what, report->out);
	fputc('\n', report->out);
	print_indented(r->details, "#   ", report->out);
	fflush(report->out);
	report->passed += r->status == SUITE_PASSED;
	report->failed += failed;
	report->skipped += skipped;
	report->tests += p->guest->count;
	report->tests_failed += p->guest->failed;
	report->tests_known += p->guest->known_failed;
	report->tests_skipped += p->guest->skipped;
}

struct reason {
	const char *text;
	size_t count;
};

/* Sort by frequency, then by text, so that the order depends on nothing else. */
static int compare_reasons(const void *a, const void *b)
{
	const struct reason *x = a, *y = b;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return strcmp(x->text, y->text);
}

static void print_reasons(const struct guest_report *report, const struct suite *suite)
{
	struct reason *reasons = calloc(report->tests_skipped + 1, sizeof(*reasons));
	size_t count = 0, at;

	if (!reasons)
		memory_out();
	for (size_t i = 0; i < suite->count; i++) {
		const struct guest *guest = suite->points[i].guest;

		for (size_t j = 0; j < guest->count; j++) {
			if (!guest->tests[j].ok || !guest->tests[j].skip)
				continue;
			for (at = 0; at < count; at++)
				if (strcmp(reasons[at].text, guest->tests[j].reason) == 0)
					break;
			count += at == count;
			reasons[at].text = guest->tests[j].reason;
			reasons[at].count++;
		}
	}
	qsort(reasons, count, sizeof(*reasons), compare_reasons);
	if (count > 0)
		fputs("# skipped tests, by reason:\n", report->out);
	for (at = 0; at < count; at++) {
		fprintf(report->out, "#   %4zu  ", reasons[at].count);
		print_words(reasons[at].text[0] ? reasons[at].text : "(none given)", report->out);
		fputc('\n', report->out);
	}
	free(reasons);
}

/* How often a test with a known defect failed, and how often it passed. */
struct known_count {
	size_t failed, passed;
};

static struct known_count count_known(const struct suite *suite, const struct known_row *row)
{
	struct known_count count = {0};

	for (size_t i = 0; i < suite->count; i++) {
		const struct guest *guest = suite->points[i].guest;

		for (size_t j = 0; j < guest->count; j++) {
			if (guest->tests[j].known != row || guest->tests[j].skip)
				continue;
			count.failed += !guest->tests[j].ok;
			count.passed += guest->tests[j].ok;
		}
	}
	return count;
}

/*
 * A defect that only some guests of the suite show still exists. It is fixed if all pass. Returns
 * how many are.
 */
static size_t print_known(const struct guest_report *report, const struct suite *suite, bool mended)
{
	const struct known_list *known =
		suite->count > 0 ? suite->points[0].guest->setup->known : NULL;
	size_t printed = 0;

	for (size_t i = 0; known && i < known->count; i++) {
		const struct known_row *row = &known->rows[i];
		const struct known_count count = count_known(suite, row);

		if (mended ? count.failed > 0 || count.passed == 0 : count.failed == 0)
			continue;
		if (printed++ == 0)
			fputs(mended ? "# mended, though known as defects (XPASS):\n"
				     : "# known defects (XFAIL), by how many guests show them:\n",
			      report->out);
		fprintf(report->out, "#   %4zu  %s (%s %s): %s. %s\n",
			mended ? count.passed : count.failed, row->test, row->machine,
			row->versions, row->instead, row->source);
	}
	return printed;
}

void guest_report_summary(struct guest_report *report, const struct suite *suite,
			  const struct guest_list *list)
{
	size_t others = 0, mended;

	print_reasons(report, suite);
	(void)print_known(report, suite, false);
	mended = print_known(report, suite, true);
	for (size_t i = 0; suite->count > 0 && i < list->count; i++)
		others += !guest_is_wanted(&list->rows[i], suite->points[0].guest->setup);
	if (others > 0)
		fprintf(report->out, "# not run here: %zu row%s of the list for other programs\n",
			others, others == 1 ? "" : "s");
	fprintf(report->out,
		"# %zu guests: %zu passed, %zu failed, %zu skipped; %zu tests: %zu passed, "
		"%zu failed, %zu skipped",
		suite->count, report->passed, report->failed, report->skipped, report->tests,
		report->tests - report->tests_failed - report->tests_known - report->tests_skipped,
		report->tests_failed, report->tests_skipped);
	if (report->tests_known > 0 || mended > 0)
		fprintf(report->out, "; known defects: %zu XFAIL, %zu XPASS", report->tests_known,
			mended);
	fputc('\n', report->out);
	fflush(report->out);
}

/* name and text may come from a guest. */
static void junit_case(const char *class, const char *name, const char *element,
		       const char *message, const char *text, FILE *out)
{
	fprintf(out, "<testcase classname=\"vspe.guest.%s\" name=\"", class);
	report_escaped(name, out);
	fputs("\">", out);
	if (element) {
		fprintf(out, "<%s message=\"", element);
		report_escaped(message, out);
		fputs("\">", out);
		report_escaped(text ? text : "", out);
		fprintf(out, "</%s>", element);
	}
	fputs("</testcase>\n", out);
}

/* The guest's tests, and one more for whether it ended as the list says. */
static void junit_guest(const struct suite_point *p, FILE *out)
{
	const struct guest *guest = p->guest;
	const bool failed = p->result.status == SUITE_FAILED;

	fprintf(out,
		"<testsuite name=\"%s\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" "
		"skipped=\"%zu\" time=\"%.3f\">\n",
		p->name, guest->count + 1, guest->failed + failed,
		guest->skipped + guest->known_failed, guest->seconds);
	for (size_t i = 0; i < guest->count; i++) {
		const struct guest_test *test = &guest->tests[i];
		const bool known = !test->ok && test->known;
		const char *element = test->skip || known ? "skipped"
				      : !test->ok	  ? "failure"
							  : NULL;
		char message[256];

		snprintf(message, sizeof(message), "%s%s",
			 known	    ? "XFAIL: "
			 : test->ok ? ""
				    : "failed",
			 known	    ? test->known->instead
			 : test->ok ? test->reason
				    : "");
		junit_case(p->name, test->name, element, message, test->diagnostics, out);
	}
	junit_case(p->name, "ends as the list says", failed ? "failure" : NULL, p->result.what,
		   p->result.details, out);
	fputs("</testsuite>\n", out);
}

void guest_report_junit(const struct suite *suite, FILE *out)
{
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"vspe conform "
	      "--guests\">\n",
	      out);
	for (size_t i = 0; i < suite->count; i++)
		junit_guest(&suite->points[i], out);
	fputs("</testsuites>\n", out);
}
