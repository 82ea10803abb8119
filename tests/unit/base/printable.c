/* SPDX-License-Identifier: BSD-2-Clause */
/* Control characters never reach a message of one line. */
#include "../compare.h"
#include "base/printable.h"

#include <stdio.h>
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
		cr_assert_eq(strlen(out), c == '\n' || c == '\t' ? 2 : 4, "%u", c);
		cr_assert_eq(out[0], '\\', "%u", c);
	}
}

/* Controls beyond ASCII, as bytes and as characters, and bytes that begin no character. */
Test(printable, what_is_no_character_is_escaped)
{
	char out[64], wanted[16], text[4];

	for (unsigned int c = 0x80; c < 0x100; c++) {
		(void)snprintf(text, sizeof(text), "%c", (char)c);
		(void)snprintf(wanted, sizeof(wanted), "\\x%02x", c);
		cr_assert_str_eq(printable(out, sizeof(out), text), wanted);
		(void)snprintf(text, sizeof(text), "\xc2%c", (char)c);
		(void)snprintf(wanted, sizeof(wanted),
			       c < 0xa0 || c > 0xbf ? "\\xc2\\x%02x" : "\xc2%c", c);
		cr_assert_str_eq(printable(out, sizeof(out), text), wanted);
	}
	/* Not the shortest form, a surrogate, beyond U+10FFFF, cut off. */
	cr_assert_str_eq(printable(out, sizeof(out), "\xc0\x9b \xe0\x82\x9b \xed\xa0\x80"),
			 "\\xc0\\x9b \\xe0\\x82\\x9b \\xed\\xa0\\x80");
	cr_assert_str_eq(printable(out, sizeof(out), "\xf4\x90\x80\x80 \xe2\x82"),
			 "\\xf4\\x90\\x80\\x80 \\xe2\\x82");
	cr_assert_str_eq(printable(out, sizeof(out), "\xe2\x82\xac \xf0\x9f\x98\x80"),
			 "\xe2\x82\xac \xf0\x9f\x98\x80");
	/* A character fits, or is left out. */
	cr_assert_str_eq(printable(out, 4, "ab\xe2\x82\xac"), "ab");
}

/*
 * What has no room is cut off. An escape is whole or missing, and nothing is written past the end.
 */
Test(printable, keeps_its_bounds)
{
	char out[16];

	for (size_t size = 1; size < sizeof(out); size++) {
		memset(out, 'x', sizeof(out));
		printable(out, size,
			  "ab\x1b"
			  "cd\n");
		cr_assert_lt(strlen(out), size);
		cr_assert_str_begins("ab\\x1bcd\\n", out);
		/* Cut before an escape, not in it. */
		cr_assert_not_null(strchr("\x01\x02\x06\x07\x08\x0a", (int)strlen(out)),
				   "cut at %zu", strlen(out));
		for (size_t n = size; n < sizeof(out); n++)
			cr_assert_eq(out[n], 'x');
	}
}

/* The same to a stream, of so many bytes. A tab does not move a cursor back, so it stays. */
Test(printable, to_a_stream)
{
	char text[64] = "";
	FILE *out = fmemopen(text, sizeof(text), "w");

	printable_put(out, "a\tb\x1b\x9b\xc2\x9b\xe2\x82\xac\r|unseen", 12);
	(void)fclose(out);
	cr_assert_str_eq(text, "a\tb\\x1b\\x9b\\xc2\\x9b\xe2\x82\xac\\x0d|");
}
