/* SPDX-License-Identifier: BSD-2-Clause */
/* The word that was meant. */
#include "../compare.h"
#include "base/nearest.h"

static const char *const options[] = {"cpu", "cpus", "mem", "perf-data", "perf-data-limit",
				      "spe", "v3p1"};

static const char *hint(const char *text)
{
	static char line[2 * NEAREST_MOST];
	struct nearest nearest = {.text = text, .distance = SIZE_MAX};

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		nearest_try(&nearest, options[i]);
	return nearest_hint(&nearest, "--", "; none", line, sizeof(line));
}

Test(nearest, finds_what_a_slip_made)
{
	cr_assert_str_eq(hint("cpsu"), "; did you mean --cpus?"); /* and not cpu, a letter less */
	cr_assert_str_eq(hint("MEM"), "; did you mean --mem?");
	cr_assert_str_eq(hint("perfdata"), "; did you mean --perf-data?");
	cr_assert_str_eq(hint("pref-data"), "; did you mean --perf-data?");
	cr_assert_str_eq(hint("perf-dat"), "; did you mean --perf-data?");
	cr_assert_str_eq(hint("perf-data-limits"), "; did you mean --perf-data-limit?");
}

Test(nearest, does_not_guess)
{
	cr_assert_str_eq(hint("bogus"), "; none");
	cr_assert_str_eq(hint(""), "; none");
	cr_assert_str_eq(hint("c"), "; none"); /* each word of a letter is near */
	cr_assert_str_eq(hint("engine"), "; none");
	cr_assert_str_eq(hint("v3p6"), "; none"); /* another version is no slip */
	cr_assert_str_eq(hint("v3p10"), "; none");
}

Test(nearest, has_an_end)
{
	char text[200] = {0};
	struct nearest nearest = {.text = text, .distance = SIZE_MAX};

	memset(text, 'a', sizeof(text) - 1);
	nearest_try(&nearest, "a");
	cr_assert_not(nearest_is_close(&nearest));
	nearest.text = "a";
	nearest_try(&nearest, text);
	cr_assert_not(nearest_is_close(&nearest));
}
