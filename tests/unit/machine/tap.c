// SPDX-License-Identifier: BSD-2-Clause
/* The TAP reader: which outputs pass. */
#include <criterion/criterion.h>

#include "machine/tap.h"

static bool passes(const char *text, char *why, size_t size)
{
	struct tap tap;

	tap_init(&tap);
	for (const char *p = text; *p; p++)
		tap_byte(&tap, (uint8_t)*p);
	tap_end(&tap);
	return tap_passed(&tap, why, size);
}

static void check(const char *text, const char *expected)
{
	char why[128] = "";

	if (!expected)
		cr_assert(passes(text, why, sizeof(why)), "%s: %s", text, why);
	else {
		cr_assert_not(passes(text, why, sizeof(why)), "%s", text);
		cr_assert_not_null(strstr(why, expected), "%s: %s", text, why);
	}
}

Test(tap, what_passes)
{
	check("TAP version 14\n1..2\nok 1 - a\nok 2\n", NULL);
	check("1..1\r\nok 1\r\n", NULL);
	check("ok 1\nok 2\n1..2\n", NULL);
	check("1..0 # SKIP no SPE\n", NULL);
	check("1..1\nok 1 - x # SKIP not here\n", NULL);
	check("1..1\nnot ok 1 - x # TODO later\n", NULL);
	check("boot noise\n1..1\n    not ok 1 - of a subtest\nok 1", NULL);
}

Test(tap, what_fails)
{
	check("", "no plan");
	check("ok 1\n", "no plan");
	check("1..2\nok 1\nnot ok 2\n", "1 of 2 tests failed");
	check("1..3\nok 1\nok 2\n", "3 tests planned, 2 ran");
	check("1..1\nok 1\nok 2\n", "1 tests planned, 2 ran");
	check("1..2\nok 1\nBail out! no memory\n", "bailed out after 1");
	check("1..1\nok 1\n1..1\n", "more than one plan");
	check("1..2\nok 2\nok 1\n", "out of order");
	check("1..1\nnot ok 1 - a \\# TODO b\n", "1 of 1 tests failed");
	check("1..1\nok1\n", "1 tests planned, 0 ran");
}

Test(tap, lines_of_any_length)
{
	struct tap tap;
	char why[128];

	tap_init(&tap);
	for (const char *p = "1..1\nok 1 - "; *p; p++)
		tap_byte(&tap, (uint8_t)*p);
	for (unsigned int i = 0; i < 100000; i++)
		tap_byte(&tap, 'x');
	tap_end(&tap);
	cr_assert(tap_passed(&tap, why, sizeof(why)));
}
