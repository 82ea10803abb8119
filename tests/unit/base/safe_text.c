/* SPDX-License-Identifier: BSD-2-Clause */
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

Test(safe_text, what_programs_change_is_put_right_at_the_end)
{
	/* bash's prompt, top's start, vi's and less's screen, whiptail's boxes, apt's last line */
	IS("\x1b[?2004h# ", "\x1b[?2004h# \x1b[?2004l");
	SAME("\x1b[?2004h# \x1b[?2004l");
	IS("\x1b[?1h\x1b=\x1b[?25l\x1b[H\x1b[2J\x1b(B\x1b[m",
	   "\x1b[?1h\x1b=\x1b[?25l\x1b[H\x1b[2J\x1b(B\x1b[m\x1b[?1l\x1b[?25h\x1b>");
	IS("\x1b[?1049h\x1b[?12;25h\x1bM", "\x1b[?1049h\x1b[?12;25h\x1bM\x1b[?12l\x1b[?1049l");
	IS("\x1b(0lqqk\x0e", "\x1b(0lqqk\x0e\x1b(B\x1b)B\x0f");
	IS("\x1b[0;23r\x1b[24;0f", "\x1b[0;23r\x1b[24;0f\x1b"
				   "7\x1b[r\x1b"
				   "8");
	IS("\x1b[?7l\x1b[1;5H\x1b[999bx", "\x1b[?7l\x1b[1;5H\x1b[999bx\x1b[?7h");
}

/* Whatever a guest prints, what comes out has none of the sequences that harm. */
Test(safe_text, nothing_else_begins_a_sequence)
{
	static const char alphabet[] = "\x1b[?;:0123456789hlmrnctqpJTb()>=]P\\!\x9b\xc2\x0e A";
	struct safe_text safe = {0};
	char text[SAFE_TEXT_MAX];
	uint64_t state = 1;

	for (unsigned int i = 0; i < 1000000; i++) {
		size_t count;

		state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
		count = safe_text_put(
			&safe, (uint8_t)alphabet[(state >> 33) % (sizeof(alphabet) - 1)], text);
		cr_assert_leq(count, sizeof(text));
		for (size_t at = 0; at < count; at++) {
			const char *next = text + at + 1;
			const size_t size = count - at - 1;
			size_t end = 1;

			cr_assert_neq((uint8_t)text[at], 0x9b);
			if (text[at] != 0x1b)
				continue;
			cr_assert_geq(size, 1u);
			cr_assert(memchr("[()78DEM=>", next[0], 10), "ESC %c", next[0]);
			if (next[0] != '[')
				continue;
			while (end < size && strchr("?;:0123456789", next[end]))
				end++;
			cr_assert(strchr("ABCDEFGHdf@JKLMPXSTrmbhl", next[end]), "CSI %c",
				  next[end]);
			if (strchr("hl", next[end])) /* of private modes alone */
				cr_assert_eq(next[1], '?', "CSI %c %c", next[1], next[end]);
		}
	}
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
	IS("\x1b[?1000h\x1b[?1000;25l\x1b[?25;h\x1b[?25$p",
	   "\\x1b[?1000h\\x1b[?1000;25l\\x1b[?25;h\\x1b[?25$p");
	IS("\x1b[>4;2m", "\\x1b[>4;2m");
	IS("\x1b[3J\x1b[4h\x1b[1;2;3;4;5T", "\\x1b[3J\\x1b[4h\\x1b[1;2;3;4;5T");
	IS("\x1b(A\x1b[9999b\x1b#8", "\\x1b(A\\x1b[9999b\\x1b#8");
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
