/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parts of vspe report that a run does not show: shares, bounded tables, stretches of time,
 * names.
 */
#include "../compare.h"
#include "trace/report_counts.h"
#include "trace/report_share.h"
#include "trace/symbols.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

Test(report, shares_are_rounded_to_the_nearest)
{
	cr_assert_eq(report_share(0, 0), 0);
	cr_assert_eq(report_share(0, 7), 0);
	cr_assert_eq(report_share(7, 7), 10000);
	cr_assert_eq(report_share(1, 3), 3333);
	cr_assert_eq(report_share(2, 3), 6667);
	cr_assert_eq(report_share(1, 20000), 1); /* half a unit: up */
	cr_assert_eq(report_share(1, 20001), 0);
	cr_assert_eq(report_share(UINT64_C(3) << 60, UINT64_C(1) << 62), 7500);
}

/* The values of tables of Wilson's interval, rounded outwards. */
Test(report, intervals_are_wilsons)
{
	static const struct {
		uint64_t count, total, low, high;
	} rows[] = {
		{0, 0, 0, 10000},	 {0, 10, 0, 2776},
		{5, 10, 2365, 7635},	 {10, 10, 7224, 10000},
		{1, 100, 17, 545},	 {50, 100, 4038, 5962},
		{300, 1000, 2724, 3292}, {1000000, 4000000, 2495, 2505},
	};
	uint64_t low, high;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		report_interval(rows[i].count, rows[i].total, &low, &high);
		cr_assert_eq(low, rows[i].low);
		cr_assert_eq(high, rows[i].high);
	}
	/* For any counts: the interval ends as a point, and nothing overflows. */
	report_interval(UINT64_C(1) << 62, UINT64_C(1) << 63, &low, &high);
	cr_assert_geq(low, 4998);
	cr_assert_leq(low, 5000);
	cr_assert_geq(high, 5000);
	cr_assert_leq(high, 5002);
}

Test(report, means_have_two_digits)
{
	cr_assert_eq(report_mean(10, 4), 250);
	cr_assert_eq(report_mean(2, 3), 67);
	cr_assert_eq(report_mean(UINT64_C(1) << 50, 1), (UINT64_C(1) << 50) * 100);
}

Test(report, a_full_table_keeps_what_it_has_and_counts_the_rest)
{
	struct report_map map;
	uint64_t *value;

	report_map_init(&map, sizeof(*value), 3);
	for (unsigned int round = 0; round < 2; round++) {
		for (uint64_t key = 0; key < 5; key++) {
			value = report_map_at(&map, key, 1);
			cr_assert_eq(value != NULL, key < 3);
			if (value)
				*value += key + 1;
		}
	}
	cr_assert_eq(map.count, 3);
	cr_assert_eq(map.dropped, 4);
	for (uint32_t i = 0; i < 3; i++) {
		cr_assert_eq(report_map_key(&map, i)->a, i);
		value = report_map_value(&map, i);
		cr_assert_eq(*value, 2 * (i + 1));
	}
	cr_assert_null(report_map_at(&map, 0, 2)); /* both numbers are the key */
	report_map_free(&map);
}

Test(report, a_large_table_finds_everything_again)
{
	struct report_map map;
	uint32_t *value;

	report_map_init(&map, sizeof(*value), 50000);
	for (uint32_t round = 0; round < 3; round++) {
		for (uint32_t key = 0; key < 50000; key++) {
			value = report_map_at(&map, (uint64_t)key << 12, key % 3);
			cr_assert_not_null(value);
			cr_assert_eq(*value, round);
			(*value)++;
		}
	}
	cr_assert_eq(map.dropped, 0);
	report_map_free(&map);
}

static struct report *report_of_times(const uint64_t *times, size_t count)
{
	const struct report_bounds bounds = {1, 1, 1, 1, 1};
	struct report *report = report_new(&bounds);

	for (size_t i = 0; i < count; i++) {
		const struct sample sample = {.has = SAMPLE_HAS_TIME, .time = times[i]};

		report_add(report, (struct input_origin){0, -1}, NULL, SOURCE_COMMON, &sample);
	}
	return report;
}

/* For any order of the times. */
Test(report, stretches_of_time_depend_on_the_times_alone)
{
	static const uint64_t times[] = {1000, 1003, 90000, 17, 64001, 90000, 5};
	uint64_t turned[ARRAY_SIZE(times)];
	const size_t count = ARRAY_SIZE(times);

	for (size_t turn = 0; turn < count; turn++) {
		struct report *one = report_of_times(times, count), *other;

		for (size_t i = 0; i < count; i++)
			turned[i] = times[(i + turn) % count];
		other = report_of_times(turned, count);
		cr_assert_eq(one->time.span.shift, 11); /* 44 stretches of 2048 */
		cr_assert_eq(one->time.span.shift, other->time.span.shift);
		cr_assert_eq(one->time.span.first, other->time.span.first);
		cr_assert_eq(one->time.span.last, other->time.span.last);
		cr_assert_arr_eq(one->time.counts, other->time.counts, sizeof(one->time.counts));
		report_free(one);
		report_free(other);
	}
}

Test(report, the_longest_time_there_is)
{
	static const uint64_t times[] = {UINT64_MAX, 0};
	struct report *report = report_of_times(times, 2);

	cr_assert_eq(report->time.span.shift, 58);
	cr_assert_eq(report->time.counts[0][REPORT_NO_LEVEL], 1);
	cr_assert_eq(report->time.counts[63][REPORT_NO_LEVEL], 1);
	report_free(report);
}

/* The stretches of pages double at the end of all time, and before it. */
Test(report, accesses_at_the_longest_time_there_is, .timeout = 10)
{
	static const uint64_t times[] = {UINT64_MAX, 0, UINT64_MAX - 1};
	const struct report_bounds bounds = {1, 1, 1, 1, 1};
	struct report *report = report_new(&bounds);
	const struct report_page *page;

	for (size_t i = 0; i < 3; i++) {
		const struct sample sample = {.has = SAMPLE_HAS_OPERATION | SAMPLE_HAS_VA |
						     SAMPLE_HAS_TIME,
					      .class = RECORD_LOAD_STORE,
					      .time = times[i]};

		report_add(report, (struct input_origin){0, -1}, NULL, SOURCE_COMMON, &sample);
	}
	page = report_map_value(&report->pages, 0);
	cr_assert_eq(report->access_time.shift, 58);
	cr_assert_eq(page->times[0], 1);
	cr_assert_eq(page->times[63], 2);
	report_free(report);
}

Test(report, a_line_tells_four_vcpus_apart)
{
	const struct report_bounds bounds = {1, 1, 1, 1, 1};
	struct report *report = report_new(&bounds);
	const struct report_line *line;

	for (int32_t cpu = 0; cpu < 6; cpu++) {
		const struct sample sample = {.has = SAMPLE_HAS_OPERATION | SAMPLE_HAS_PA |
						     SAMPLE_HAS_VA,
					      .class = RECORD_LOAD_STORE,
					      .operation = (uint8_t)(cpu & 1),
					      .pa = 0x1000 + 8 * (uint64_t)cpu};

		report_add(report, (struct input_origin){cpu, -1}, NULL, SOURCE_COMMON, &sample);
	}
	line = report_map_value(&report->lines, 0);
	cr_assert_eq(line->access.reads, 3);
	cr_assert_eq(line->access.writes, 3);
	cr_assert_eq(line->others, 2);
	cr_assert_eq(line->uses[3].written, UINT64_C(1) << 24);
	report_free(report);
}

/* --- Names */

/* Add a list, which is removed again. Returns what symbols_add() does. */
static int add_list(struct symbols *symbols, const char *text, bool moved, uint64_t address)
{
	char path[] = "/tmp/vspe-symbols-XXXXXX";
	const int fd = mkstemp(path);
	int error;

	cr_assert_geq(fd, 0);
	cr_assert_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	error = symbols_add(symbols, path, moved, address);
	unlink(path);
	return error;
}

static const char *name_at(struct symbols *symbols, uint64_t address)
{
	const long number = symbols_find(symbols, address);

	return number < 0 ? "" : symbols_get(symbols, number).name;
}

Test(symbols, a_list_names_code_up_to_the_next_symbol)
{
	struct symbols *symbols = symbols_new();

	cr_assert_eq(0, add_list(symbols,
				 "ffff800008000100 t second\n"
				 "ffff800008000000 T first\t[module]\n"
				 "ffff800008000000 T __first_too\n"
				 "ffff800008000100 t $x\n"
				 "ffff800008000200 D data\n"
				 "ffff800008000300 W last\n",
				 false, 0));
	cr_assert_str_eq(name_at(symbols, UINT64_C(0xffff7fffffffffff)), "");
	cr_assert_str_eq(name_at(symbols, UINT64_C(0xffff800008000000)), "first");
	cr_assert_str_eq(name_at(symbols, UINT64_C(0x00ff8000080000fc)), "first");
	cr_assert_str_eq(name_at(symbols, UINT64_C(0xffff800008000100)), "second");
	cr_assert_str_eq(name_at(symbols, UINT64_C(0xffff8000080001fc)), "second");
	cr_assert_str_eq(name_at(symbols, UINT64_C(0xffff800008000200)), "");
	cr_assert_str_eq(name_at(symbols, UINT64_C(0xffff800008000300)), "last");
	cr_assert_str_eq(name_at(symbols, UINT64_C(0xffff8000080012fc)), "last");
	cr_assert_str_eq(name_at(symbols, UINT64_C(0xffff800008001300)), "");
	symbols_free(symbols);
}

Test(symbols, a_list_can_be_moved)
{
	struct symbols *symbols = symbols_new();
	struct symbol symbol;

	cr_assert_eq(0, add_list(symbols, "1000 D data\n2000 T first\n2040 T second\n3000 d end\n",
				 true, 0x400000));
	cr_assert_str_eq(name_at(symbols, 0x400044), "second");
	symbol = symbols_get(symbols, symbols_find(symbols, 0x400044));
	cr_assert_eq(symbol.start, 0x400040);
	cr_assert_eq(symbol.moved, 0x400000 - 0x2000);
	cr_assert_str_eq(name_at(symbols, 0x2044), "");
	/* Add another one. */
	cr_assert_eq(0, add_list(symbols, "800000 T third\n", false, 0));
	cr_assert_str_eq(name_at(symbols, 0x800000), "third");
	cr_assert_str_eq(name_at(symbols, 0x400044), "second");
	symbols_free(symbols);
}

Test(symbols, names_are_printable)
{
	struct symbols *symbols = symbols_new();
	char line[1600] = "1000 T ";

	cr_assert_eq(0,
		     add_list(symbols, "1000 T a\x1b[2J\xc3\xa9\x7f<b>\n2000 D end\n", false, 0));
	cr_assert_str_eq(name_at(symbols, 0x1000), "a\\x1b[2J\\xc3\\xa9\\x7f<b>");
	symbols_free(symbols);
	symbols = symbols_new();
	memset(line + 7, 'x', 1500);
	line[1507] = '\n';
	cr_assert_eq(0, add_list(symbols, line, false, 0));
	cr_assert_lt(strlen(name_at(symbols, 0x1000)), SYMBOL_NAME_MAX);
	symbols_free(symbols);
}

Test(symbols, what_is_no_list_is_refused)
{
	static const struct {
		const char *text;
		int error;
	} rows[] = {
		{"", -ENOMSG},
		{"\n", -ENOMSG},
		{"1000 T\n", -ENOMSG},
		{"1000 T \n", -ENOMSG},
		{"T main 1000\n", -ENOMSG},
		{"11112222333344445 T main\n", -ENOMSG},
		{"1000 T main\nrubbish\n", -ENOMSG},
		{"1000 TT main\n", -ENOMSG},
		{"1000 D data\n", -ENOMSG},
		{"0000000000000000 T main\n0000000000000000 t other\n", -EACCES},
		{"\x7f"
		 "ELF",
		 -ENOMSG},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct symbols *symbols = symbols_new();
		const int error = add_list(symbols, rows[i].text, false, 0);

		cr_assert_eq(error, rows[i].error, "%s", rows[i].text);
		cr_assert_eq(symbols_count(symbols), 0);
		cr_assert_eq(symbols_find(symbols, 0x1000), -1);
		symbols_free(symbols);
	}
}
