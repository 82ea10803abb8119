/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * TAP report: see tap.h.
 */
#include "console.h"
#include "tap.h"

static struct {
	unsigned int failed; /* CHECKs of the running test */
	const char *skip;
} now;

bool tap_check(bool condition, const char *format, ...)
{
	va_list args;

	if (condition)
		return true;
	now.failed++;
	if (now.failed > 16) /* the first ones say enough */
		return false;
	printf("# failed: ");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
	return false;
}

void tap_note(const char *format, ...)
{
	va_list args;

	printf("# ");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
}

void tap_skip(const char *reason)
{
	now.skip = reason;
}

unsigned int tap_run(const char *prefix, const struct test *tests, unsigned int count)
{
	unsigned int failures = 0;

	printf("TAP version 13\n1..%u\n", count);
	for (unsigned int i = 0; i < count; i++) {
		now.failed = 0;
		now.skip = tests[i].skip ? tests[i].skip() : NULL;
		if (!now.skip)
			tests[i].run();
		printf("%s %u - %s: %s", now.failed ? "not ok" : "ok", i + 1, prefix,
		       tests[i].name);
		if (now.skip && !now.failed)
			printf(" # SKIP %s", now.skip);
		printf("\n");
		failures += now.failed != 0;
	}
	if (failures)
		printf("# %u of %u tests failed\n", failures, count);
	return failures;
}
