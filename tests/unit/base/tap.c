/* SPDX-License-Identifier: BSD-2-Clause */
/* The TAP reader: which outputs pass. */

#include "../compare.h"
#include "base/tap.h"

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
		cr_assert_str_has(why, expected, "%s: %s", text, why);
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

static void check_point(const char *line, bool ok, const char *description, bool skip, bool todo,
			const char *reason)
{
	struct tap_point point;

	cr_assert(tap_parse_point(line, &point), "%s", line);
	cr_assert_eq(point.ok, ok, "%s", line);
	cr_assert_eq(point.skip, skip, "%s", line);
	cr_assert_eq(point.todo, todo, "%s", line);
	cr_assert_str_eq(point.reason, reason, "%s", line);
	cr_assert_eq(point.description_length, strlen(description), "%s", line);
	cr_assert_arr_eq(point.description, description, strlen(description), "%s", line);
}

Test(tap, parts_of_a_point)
{
	struct tap_point point;

	check_point("ok", true, "", false, false, "");
	check_point("not ok 12", false, "", false, false, "");
	check_point("ok 3 - a: b", true, "a: b", false, false, "");
	check_point("ok a - b", true, "a - b", false, false, "");
	check_point("ok 3 - a \\# b # SKIP no SPE: x", true, "a \\# b", true, false, "no SPE: x");
	check_point("ok 3 - a # skip", true, "a", true, false, "");
	check_point("ok 3 # SKIP: why", true, "", true, false, "why");
	check_point("not ok 4 - c # TODO later", false, "c", false, true, "later");
	check_point("ok 5 - d # 7 of them", true, "d", false, false, "");
	cr_assert_not(tap_parse_point("    ok 1", &point));
	cr_assert_not(tap_parse_point("okay", &point));
	cr_assert_not(tap_parse_point("1..2", &point));
}
