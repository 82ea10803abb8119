/* SPDX-License-Identifier: BSD-2-Clause */
/* Control characters never reach a message of one line. */
#include "base/printable.h"

#include <criterion/criterion.h>
#include <string.h>

Test(printable, control_characters_are_escaped)
{
	char out[64];

	cr_assert_str_eq(printable(out, sizeof(out), "plain 'text' \xc3\xa9"),
			 "plain 'text' \xc3\xa9");
	cr_assert_str_eq(printable(out, sizeof(out), "a\nb\tc\x1b[2J\x7f\x01"),
			 "a\\nb\\tc\\x1b[2J\\x7f\\x01");
	cr_assert_str_eq(printable(out, sizeof(out), ""), "");
	for (unsigned int c = 1; c < 0x20; c++) {
		const char text[] = {(char)c, '\0'};

		printable(out, sizeof(out), text);
		cr_assert(strlen(out) == (c == '\n' || c == '\t' ? 2 : 4) && out[0] == '\\', "%u",
			  c);
	}
}

/* What has no room is cut off; an escape is whole or not there, and nothing is written behind. */
Test(printable, keeps_its_bounds)
{
	char out[16];

	for (size_t size = 1; size < sizeof(out); size++) {
		memset(out, 'x', sizeof(out));
		printable(out, size,
			  "ab\x1b"
			  "cd\n");
		cr_assert_lt(strlen(out), size);
		cr_assert_eq(strncmp("ab\\x1bcd\\n", out, strlen(out)), 0);
		cr_assert(strlen(out) <= 2 || strlen(out) == 6 || strlen(out) == 7 ||
				  strlen(out) == 8 || strlen(out) == 10,
			  "cut at %zu", strlen(out));
		for (size_t n = size; n < sizeof(out); n++)
			cr_assert_eq(out[n], 'x');
	}
}
