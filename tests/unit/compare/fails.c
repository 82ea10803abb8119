/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Comparisons that fail, and each prints the line above it after "says: "; or, in the suite passes,
 * that pass. fails.py runs both.
 */
#include "../compare.h"

enum colour { RED, GREEN = 7 };

static unsigned int evaluated;
static const char *volatile none; /* so that no compiler sees that it is NULL */

static int once(int value)
{
	evaluated++;
	return value;
}

Test(fails, numbers)
{
	const uint64_t address = 0x1008;
	const int minus = -1;
	const uint8_t byte = 200;
	const enum colour colour = GREEN;

	/* says: address == 0x1000: 4104 (0x1008) and 4096 (0x1000) */
	cr_expect_eq(address, 0x1000);
	/* says: byte != 200: 200 (0xc8) and 200 (0xc8) */
	cr_expect_neq(byte, 200);
	/* says: minus < -1: -1 (0xffffffff) and -1 (0xffffffff) */
	cr_expect_lt(minus, -1);
	/* says: minus > 3: -1 (0xffffffff) and 3 (0x3) */
	cr_expect_gt(minus, 3);
	/* says: byte <= 'a': 200 (0xc8) and 97 (0x61) */
	cr_expect_leq(byte, 'a');
	/* says: 0.25 >= 1: 0.25 and 1 */
	cr_expect_geq(0.25, 1);
	/* says: !(byte & 8): 8 (0x8) and 0 (0x0) */
	cr_expect_not(byte & 8);
	/* says: colour == RED: 7 (0x7) and 0 (0x0) */
	cr_expect_eq(colour, RED);
	/* says: UINT64_MAX == 1: 18446744073709551615 (0xffffffffffffffff) and 1 (0x1) */
	cr_expect_eq(UINT64_MAX, 1);
}

Test(fails, bools_and_bit_fields)
{
	const struct {
		unsigned int three : 3;
		int minus : 5;
		bool yes : 1;
	} bits = {3, -2, true};
	const bool no = false;

	/* says: no == true: false and true */
	cr_expect_eq(no, true);
	/* says: !(bits.yes): true and false */
	cr_expect_not(bits.yes);
	/* says: bits.three == 5: 3 (0x3) and 5 (0x5) */
	cr_expect_eq(bits.three, 5);
	/* says: bits.minus == 2: -2 (0xfffffffe) and 2 (0x2) */
	cr_expect_eq(bits.minus, 2);
	/* says: bits.yes == no: true and false */
	cr_expect_eq(bits.yes, no);
}

Test(fails, pointers)
{
	static const char text[] = "text";
	const char *const some = (const char *)0x1230;

	/* says: none != NULL: NULL and NULL */
	cr_expect_not_null(none);
	/* says: some == NULL: 0x1230 (not NULL) and NULL */
	cr_expect_null(some);
	/* says: some == none: 0x1230 (not NULL) and NULL */
	cr_expect_eq(some, none);
	cr_expect_neq((const void *)text, some);
}

Test(fails, text)
{
	static const char line[] = "\"one\"\ttwo\n\x1b";

	/* says: line == "one": "\"one\"\ttwo\n\x1b" and "one" */
	cr_expect_str_eq(line, "one");
	/* says: none == "": NULL and "" */
	cr_expect_str_eq(none, "");
	/* says: line + 6 != "two\n\x1b": "two\n\x1b" and "two\n\x1b" */
	cr_expect_str_neq(line + 6, "two\n\x1b");
	/* says: line has "three": "\"one\"\ttwo\n\x1b" and "three" */
	cr_expect_str_has(line, "three");
	/* says: line lacks "two": "\"one\"\ttwo\n\x1b" and "two" */
	cr_expect_str_lacks(line, "two");
	/* says: line begins with "two": "\"one\"\ttwo\n\x1b" and "two" */
	cr_expect_str_begins(line, "two");
}

/* What differs is shown, wherever it is. */
Test(fails, long_text)
{
	char left[5000], right[5000];

	memset(left, 'a', sizeof(left));
	left[sizeof(left) - 1] = '\0';
	memcpy(right, left, sizeof(left));
	right[4990] = 'b';
	/* says: aaaaaaaaa" and ..."aaaaaaaaaaaaaaaaaaaa */
	cr_expect_str_eq(left, right);
	/* says: aaaaaaaaabaaaaaaaa"; the message */
	cr_expect_str_eq(left, right, "the message");
}

Test(fails, memory)
{
	uint8_t left[32] = {0}, right[32] = {0};

	right[16] = 0xab;
	/* says: left == right: at offset 16 (0x10) of 32 bytes: 00 00 00 00 00 00 00 00 [00] 00 */
	cr_expect_arr_eq(left, right, sizeof(left));
	/* says: 00 00 00 00 00 00 00 00 [ab] 00 00 00 00 00 00 00 00; row 7 */
	cr_expect_arr_eq(left, right, 32, "row %d", 7);
	/* says: left != right: 2 bytes are the same: [00] 00 and [00] 00 */
	cr_expect_arr_neq(left, right, 2);
}

Test(fails, with_a_message_and_evaluates_once)
{
	/* says: once(3) == once(4): 3 (0x3) and 4 (0x4); row 5 of two */
	cr_expect_eq(once(3), once(4), "row %d of %s", 5, "two");
	cr_assert_eq(evaluated, 2);
	/* says: once(0) == 1: 0 (0x0) and 1 (0x1) */
	cr_assert_eq(once(0), 1);
	cr_assert_fail("an assertion ends its test");
}

Test(passes, as_c_compares)
{
	const unsigned int all = ~0u;
	const uint8_t byte = 0xff;

	cr_assert_eq(all, -1);
	cr_assert_neq(byte, -1);
	cr_assert_eq(once(7), (uint64_t)GREEN);
	cr_assert_eq(evaluated, 1);
	cr_assert_not(none);
	cr_assert_null(none);
	cr_assert_str_eq("a", "a");
	cr_assert_str_has("abc", "bc");
	cr_assert_str_lacks("abc", "cb");
	cr_assert_str_begins("abc", "ab");
	cr_assert_arr_eq("abc", "abd", 2);
	cr_assert_arr_neq("abc", "abd", 3);
	if (byte)
		cr_assert_gt(byte, 0);
	else
		cr_assert_eq(byte, 0);
}
