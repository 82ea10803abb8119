/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers of the command line: what is read, and what is refused. */
#include "../compare.h"
#include "base/number.h"

Test(number, forms)
{
	static const struct {
		const char *text;
		uint64_t value;
	} rows[] = {
		{"0", 0},
		{"42", 42},
		{"0x2a", 42},
		{"0X2A", 42},
		{"0b101010", 42},
		{"042", 42},
		{"08", 8},
		{"4K", 4096},
		{"4k", 4096},
		{"0x10M", UINT64_C(16) << 20},
		{"3g", UINT64_C(3) << 30},
		{"1e6", 1000000},
		{"25E1", 250},
		{"0e99999", 0},
		{"0x1e6", 0x1e6},
		{"18446744073709551615", UINT64_MAX},
		{"0xffffffffffffffff", UINT64_MAX},
	};
	uint64_t value;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		cr_assert(number_read_bytes(rows[i].text, UINT64_MAX, &value), "%s", rows[i].text);
		cr_assert_eq(value, rows[i].value, "%s", rows[i].text);
	}
}

Test(number, refusals)
{
	static const char *const texts[] = {
		"",
		"x",
		"-1",
		"+1",
		" 1",
		"1 ",
		"0x",
		"0b",
		"0b2",
		"1x",
		"1KB",
		"1KK",
		"K",
		"e6",
		"1e",
		"1e-1",
		"1.5",
		"0b1e1",
		"f",
		"1e20",
		"99999999999999999999",
		"17179869184G",
	};
	uint64_t value;

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		cr_assert_not(number_read_bytes(texts[i], UINT64_MAX, &value), "%s", texts[i]);
	cr_assert_not(number_read_bytes("101", 100, &value));
	cr_assert_not(number_read_bytes("1K", 1023, &value));
	cr_assert_not(number_read_bytes("1e3K", UINT64_MAX, &value));
}

/* What is counted is read as other numbers are, without what stands for powers of 1024. */
Test(number, counts)
{
	static const char *const suffixes[] = {"1k", "1K", "2m", "0x10M", "3g", "1G"};
	uint64_t value;

	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++)
		cr_assert_not(number_read(suffixes[i], UINT64_MAX, &value), "%s", suffixes[i]);
	cr_assert(number_read("1e9", UINT64_MAX, &value));
	cr_assert_eq(value, 1000000000);
	cr_assert(number_read("0x10", UINT64_MAX, &value));
	cr_assert_eq(value, 16);
	cr_assert_not(number_read("101", 100, &value));
}
