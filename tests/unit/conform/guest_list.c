/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of guests: what a row is, and what is refused, by file and line. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../compare.h"
#include "conform/guest_list.h"

static char path[64];

static bool read_text(struct guest_list *list, const char *text, char *why, size_t size)
{
	FILE *file;
	bool good;

	snprintf(path, sizeof(path), "/tmp/vspe-guest-list-%ld", (long)getpid());
	file = fopen(path, "w");
	cr_assert_not_null(file);
	fputs(text, file);
	fclose(file);
	good = guest_list_read(list, path, why, size);
	unlink(path);
	return good;
}

Test(guest_list, rows_with_their_columns)
{
	struct guest_list list;
	char why[256] = "";

	cr_assert(read_text(&list,
			    "# comment\n\n  \t\n"
			    "one  vspe\tplatform 10 1 60\n"
			    "two-2.b qemu platform.elf 0 0 1 -p 'a  b' \"c\\\"d\" e\\ f '' # g\r\n"
			    "three x y 1 1 2",
			    why, sizeof(why)),
		  "%s", why);
	cr_assert_eq(list.count, 3);
	cr_assert_str_eq(list.rows[0].name, "one");
	cr_assert_str_eq(list.rows[0].on, "vspe");
	cr_assert_str_eq(list.rows[0].image, "platform.Image");
	cr_assert_eq(list.rows[0].plan, 10);
	cr_assert_eq(list.rows[0].skips, 1);
	cr_assert_eq(list.rows[0].seconds, 60);
	cr_assert_eq(list.rows[0].argument_count, 0);
	cr_assert_eq(list.rows[0].line, 4);
	cr_assert_str_eq(list.rows[1].image, "platform.elf");
	cr_assert_eq(list.rows[1].argument_count, 7);
	cr_assert_str_eq(list.rows[1].arguments[1], "a  b");
	cr_assert_str_eq(list.rows[1].arguments[2], "c\"d");
	cr_assert_str_eq(list.rows[1].arguments[3], "e f");
	cr_assert_str_eq(list.rows[1].arguments[4], "");
	cr_assert_str_eq(list.rows[1].arguments[5], "#", "comments are lines");
	cr_assert_str_eq(list.rows[2].name, "three");
	guest_list_free(&list);
}

Test(guest_list, refusals_name_file_and_line)
{
	static const struct {
		const char *text, *why;
	} bad[] = {
		{"one\n", ":1: no on"},
		{"# x\n\none vspe i 1 0\n", ":3: no seconds"},
		{"one vspe i x 0 1\n", ":1: plan 'x' is not a number"},
		{"one vspe i 1 1x 1\n", ":1: skips '1x' is not a number"},
		{"one vspe i 1 0 +1\n", ":1: seconds '+1' is not a number"},
		{"one vspe i 18446744073709551617 0 1\n", ":1: plan '18446744073709551617'"},
		{"one vspe i 1 2 1\n", ":1: 2 skips of a plan of 1"},
		{"one vspe i 1 0 0\n", ":1: seconds '0'"},
		{"One vspe i 1 0 1\n", ":1: name 'One'"},
		{"../one vspe i 1 0 1\n", ":1: name '../one'"},
		{"one vspe i 1 0 1\none vspe i 1 0 1\n",
		 ":2: name 'one' is already that of line 1"},
		{"one vspe i 1 0 1 'a\n", ":1: a quote is not closed"},
		{"one vspe i '1\n", ":1: a quote is not closed"},
		{"one vspe '' 1 0 1\n", ":1: no image"},
		{"one vspe i 1\x0b 0 1\n", ":1: plan '1\\x0b' is not a number"},
	};
	struct guest_list list;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		char why[256] = "";

		cr_assert_not(read_text(&list, bad[i].text, why, sizeof(why)), "%s", bad[i].text);
		cr_assert_str_begins(why, path, "%s: %s", bad[i].text, why);
		cr_assert_str_begins(why + strlen(path), bad[i].why, "%s: %s, not %s", bad[i].text,
				     why, bad[i].why);
		cr_assert_eq(list.count, 0);
	}
}
