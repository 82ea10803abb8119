/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * TAP report: see tap.h.
 */
#include "console.h"
#include "deadline.h"
#include "tap.h"

static unsigned int failed; /* CHECKs of the running test */

bool tap_fail(const char *format, ...)
{
	va_list args;

	failed++;
	if (failed > 16) /* the first ones say enough */
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

unsigned int tap_run(const char *prefix, const struct test *tests, unsigned int count)
{
	unsigned int failures = 0;

	printf("TAP version 13\n1..%u\n", count);
	for (unsigned int i = 0; i < count; i++) {
		const char *skip = tests[i].skip ? tests[i].skip() : NULL;

		failed = 0;
		switch (skip ? DEADLINE_RETURNED : deadline_run(tests[i].run)) {
		case DEADLINE_OVER: tap_fail("no end after %u s", deadline_seconds()); break;
		case DEADLINE_GIVEN_UP: failed++; break; /* whoever gave up said why */
		default: break;
		}
		printf("%s %u - %s: %s", failed ? "not ok" : "ok", i + 1, prefix, tests[i].name);
		if (skip)
			printf(" # SKIP %s", skip);
		printf("\n");
		failures += failed != 0;
	}
	if (failures)
		printf("# %u of %u tests failed\n", failures, count);
	return failures;
}
