/* SPDX-License-Identifier: BSD-2-Clause */
/* The points of the software CPU: accessors of Arm's pages that sys_route() decides. */
#include "conform/cpu_explore.h"
#include "conform/suite.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static void run_cpu(const struct suite_point *point, atomic_ullong *done,
		    struct suite_result *result, FILE *details)
{
	const struct page_accessor *a = point->accessor;
	struct cpu_exploration e;

	cpu_explore(point->cpu, a, point->el, done, &e);
	result->cases = e.asked;
	(void)snprintf(result->what, sizeof(result->what), "%" PRIu64 " contexts", e.contexts);
	if (e.lacks[0]) {
		result->status = SUITE_SKIPPED;
		(void)snprintf(result->what, sizeof(result->what), "asks %s", e.lacks);
		fprintf(details, "%s:%u: it asks %s, which vspe does not vary\n", a->file, a->line,
			e.lacks);
	}
	if (e.too_many) {
		result->status = SUITE_SKIPPED;
		fprintf(details, "more than %u contexts are not tried\n", CPU_EXPLORE_CONTEXTS);
	}
	if (e.contexts == 0 && !e.lacks[0]) {
		result->status = SUITE_SKIPPED;
		(void)snprintf(result->what, sizeof(result->what), "no PE is ever there");
	}
	if (e.different == 0)
		return;
	result->status = SUITE_FAILED;
	fprintf(details, "%" PRIu64 " of them differ; the first:\n  expected: ", e.different);
	cpu_print_outcome(&e.want, e.want_name, details);
	fputs("\n  software CPU: ", details);
	cpu_print_outcome(&e.got.outcome, e.got_name, details);
	fprintf(details, "\n  state: %s\n", e.state);
}

void suite_add_cpu(struct suite *suite, const struct page_accessor *a)
{
	struct suite_point point = {.group = "page",
				    .run = run_cpu,
				    .reg = SUBJECT_NONE,
				    .write = a->write,
				    .accessor = a,
				    .cpu = suite->pages->cpu};

	for (point.el = 0; point.el < 4; point.el++)
		suite_add(suite, point, "%s:%u %s EL%u", a->file, a->line, a->name, point.el);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The names, sorted, each once, in lines. */
static void print_names(char *const *names, size_t count, FILE *out)
{
	const char **sorted = memory_need(calloc(count + 1, sizeof(*sorted)));
	size_t column = 0;

	for (size_t i = 0; i < count; i++)
		sorted[i] = names[i];
	qsort(sorted, count, sizeof(*sorted), by_text);
	for (size_t i = 0; i < count; i++) {
		if (i && !strcmp(sorted[i], sorted[i - 1]))
			continue;
		if (column == 0 || column + strlen(sorted[i]) > 100)
			column = (size_t)fprintf(out, "%s#   ", column ? "\n" : "");
		column += (size_t)fprintf(out, "%s; ", sorted[i]);
	}
	if (column)
		fputc('\n', out);
	free(sorted);
}

static bool has_page(const struct page_set *pages, uint32_t encoding)
{
	for (size_t i = 0; i < pages->count; i++)
		if (pages->accessors[i].name && pages->accessors[i].program &&
		    pages->accessors[i].encoding == encoding)
			return true;
	return false;
}

/* The registers of the CPU that no accessor that could be read is of. */
static void print_without_page(const struct page_set *pages, FILE *out)
{
	char **names = NULL;
	size_t count = 0;
	uint32_t encoding;
	const char *name;

	for (unsigned int reg = 0; (name = pages->cpu->name(reg, &encoding)); reg++) {
		if (has_page(pages, encoding))
			continue;
		names = memory_need(realloc(names, (count + 1) * sizeof(*names)));
		names[count++] = memory_need(strdup(name));
	}
	fprintf(out, "# of this machine's registers, without a page here: %zu\n", count);
	print_names(names, count, out);
	for (size_t i = 0; i < count; i++)
		free(names[i]);
	free(names);
}

void suite_print_cpu(const struct suite *suite, FILE *out)
{
	const struct page_set *pages = suite->pages;
	uint64_t asked = 0;
	size_t points = 0;

	for (size_t i = 0; i < suite->count; i++) {
		points += suite->points[i].run == run_cpu;
		asked += suite->points[i].run == run_cpu ? suite->points[i].result.cases : 0;
	}
	fprintf(out,
		"# the software CPU: %zu accessors, %zu points; %" PRIu64 " accesses\n"
		"# not in this machine: %zu accessors of the pages:\n",
		pages->cpu_count, points, asked, pages->lacking_count);
	print_names(pages->lacking, pages->lacking_count, out);
	print_without_page(pages, out);
}
