// SPDX-License-Identifier: BSD-2-Clause
/* A guest's output for a terminal: what is passed and what is made visible. */
#include <stdio.h>
#include <string.h>

#include "../compare.h"
#include "base/safe_text.h"

/* All of a text, byte by byte, and the end. */
static const char *shown(const char *bytes, size_t size)
{
	static char all[4096];
	struct safe_text safe = {0};
	char text[SAFE_TEXT_MAX];
	size_t used = 0, count;

	for (size_t i = 0; i <= size; i++) {
		count = i < size ? safe_text_put(&safe, (uint8_t)bytes[i], text)
				 : safe_text_end(&safe, text);
		cr_assert_leq(count, sizeof(text));
		memcpy(all + used, text, count);
		used += count;
	}
	all[used] = '\0';
	return all;
}

#define SHOWN(bytes)	       shown(bytes, sizeof(bytes) - 1)
#define IS(bytes, expectation) cr_expect_str_eq(SHOWN(bytes), expectation)
#define SAME(bytes)	       IS(bytes, bytes)

Test(safe_text, text_is_passed)
{
	SAME("plain ~ text\r\n\ttab, \b backspace, \a bell");
	SAME("gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80");
}

Test(safe_text, colours_and_the_cursor_are_passed)
{
	SAME("\x1b[1;31mred\x1b[0m");
	SAME("\x1b[38:2::1:2:3mred\x1b[m");
	SAME("\x1b[2J\x1b[H\x1b[10;20H\x1b[K\x1b[3A\x1b[5C");
	IS("\x1b[31mred", "\x1b[31mred\x1b[m"); /* the terminal has its own colours afterwards */
}

Test(safe_text, what_makes_a_terminal_answer_is_shown)
{
	IS("\x1b[6n", "\\x1b[6n");
	IS("\x1b[c", "\\x1b[c");
	IS("\x1b[21t", "\\x1b[21t");
	IS("\x1b"
	   "P+q544e\x1b\\",
	   "\\x1bP+q544e\\x1b\\");
	IS("\x05", "\\x05");
}

Test(safe_text, what_changes_a_terminal_is_shown)
{
	IS("\x1b"
	   "c",
	   "\\x1bc");
	IS("\x1b]0;title\a", "\\x1b]0;title\a");
	IS("\x1b]52;c;ZWNobw==\x1b\\", "\\x1b]52;c;ZWNobw==\\x1b\\");
	IS("\x1b[?1049h\x1b[?25l\x1b[?1000h", "\\x1b[?1049h\\x1b[?25l\\x1b[?1000h");
	IS("\x1b[>4;2m", "\\x1b[>4;2m");
	IS("\x1b[3J\x1b[2;4r\x1b[4h", "\\x1b[3J\\x1b[2;4r\\x1b[4h");
	IS("\x1b(0\x0e", "\\x1b(0\\x0e");
	IS("\x7f\x0b\x0c\x01", "\\x7f\\x0b\\x0c\\x01");
	cr_expect_str_eq(shown("a\0b", 3), "a\\x00b");
}

Test(safe_text, control_characters_have_other_forms)
{
	IS("\x9b"
	   "6n",
	   "\\x9b6n");
	IS("\xc2\x9b"
	   "6n",
	   "\\xc2\\x9b6n");
	IS("\xc0\x9b", "\\xc0\\x9b"); /* not the shortest form */
	IS("\xe0\x82\x9b", "\\xe0\\x82\\x9b");
	IS("\xed\xa0\x80", "\\xed\\xa0\\x80"); /* a surrogate */
	IS("\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80");
}

Test(safe_text, a_cut_sequence_hides_nothing)
{
	IS("\x1b", "\\x1b");
	IS("\x1b[12", "\\x1b[12");
	IS("\x1b[1\nnext", "\\x1b[1\nnext");
	IS("\x1b\x1b[31m\x1b[m", "\\x1b\x1b[31m\x1b[m");
	IS("\xe2\x82\n", "\\xe2\\x82\n");
	IS("\x1b[1111111111111111111111111111111111111111m",
	   "\\x1b[1111111111111111111111111111111111111111m");
}
