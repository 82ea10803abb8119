/* SPDX-License-Identifier: BSD-2-Clause */
/* Model files: what is read, and what is said of each that is wrong. */
#include <stdio.h>
#include <string.h>

#include <vspe/spe_core.h>

#include "../compare.h"
#include "arm/model_file.h"
#include "arm/model_words.h"

static int parse(const char *text, struct model_config *config, char why[256])
{
	struct model_file file;

	*why = '\0';
	return model_file_parse(text, strlen(text), &file, why, 256) < 0
		       ? -1
		       : model_file_apply(&file, config, why, 256);
}

Test(model_file, values)
{
	struct model_config config = model_default, wanted = model_default;
	char why[256];

	cr_assert_eq(parse("", &config, why), 0);
	cr_expect_arr_eq(&config, &wanted, sizeof(config), "nothing is the built-in model");
	cr_assert_eq(parse("# a comment\n\n  l2.size\t512K # another\r\nl2.ways 16\n"
			   "llc.scope cluster\nllc.size 4M\ndram.latency 300",
			   &config, why),
		     0, "%s", why);
	wanted.l2_size = 512 << 10;
	wanted.l2_ways = 16;
	wanted.scope = MODEL_CLUSTER;
	wanted.llc_size = 4 << 20;
	wanted.dram = 300;
	cr_expect_arr_eq(&config, &wanted, sizeof(config));
}

Test(model_file, built_in)
{
	char why[256];
	size_t key;

	cr_expect_eq(model_words_check(&model_default, &key, why, sizeof(why)), 0, "%s", why);
}

/* The cores of libvspe, each of which is a machine; a file changes what it says. */
Test(model_file, cores)
{
	struct model_config config = model_config_of("kunpeng920");
	char why[256];
	size_t key;

	for (unsigned int n = 0; spe_core(n); n++) {
		const struct model_config of = model_config_of(spe_core(n)->name);
		const bool built_in = strcmp(spe_core(n)->name, "generic") == 0 ||
				      strcmp(spe_core(n)->name, "fvp") == 0;

		cr_expect_eq(model_words_check(&of, &key, why, sizeof(why)), 0, "%s", why);
		if (built_in)
			cr_expect_arr_eq(&of, &model_default, sizeof(of), "%s", spe_core(n)->name);
		else
			cr_expect_arr_neq(&of, &model_default, sizeof(of), "%s", spe_core(n)->name);
	}
	cr_expect_eq(config.l2_size, 512 << 10);
	cr_assert_eq(parse("l2.size 2M\n", &config, why), 0, "%s", why);
	cr_expect_eq(config.l2_size, 2 << 20);
	cr_expect_eq(config.penalty, 12);
	/* What goes with one core does not with another. */
	cr_expect_eq(parse("core.queue 4\n", &config, why), 0);
	config = model_config_of("neoverse-v1");
	cr_expect_lt(parse("core.queue 4\n", &config, why), 0);
	cr_expect_str_eq(why, "line 1: core.queue 4: less than core.width 8");
}

Test(model_file, errors)
{
	static const struct {
		const char *text, *why;
	} rows[] = {
		{"l3.size 1M\n", "line 1: l3.size: no such key"},
		{"\n\nl2.size\n", "line 3: l2.size: no value"},
		{"l2.size 1M 2M", "line 1: l2.size: more than one value: 2M"},
		{"l2.size 1m", "line 1: l2.size 1m: not from 4K to 16M, a power of two"},
		{"l2.size 3M", "line 1: l2.size 3M: not from 4K to 16M, a power of two"},
		{"l2.size 32M", "line 1: l2.size 32M: not from 4K to 16M, a power of two"},
		{"l2.size 2K", "line 1: l2.size 2K: not from 4K to 16M, a power of two"},
		{"l2.size -1", "line 1: l2.size -1: not from 4K to 16M, a power of two"},
		{"core.width 0", "line 1: core.width 0: not from 1 to 8"},
		{"core.width 2K", "line 1: core.width 2K: not from 1 to 8"},
		{"core.width 99999999999", "line 1: core.width 99999999999: not from 1 to 8"},
		{"branch.targets 100",
		 "line 1: branch.targets 100: not from 16 to 65536, a power of two"},
		{"llc.scope core", "line 1: llc.scope core: neither cluster nor chip"},
		{"l1d.ways 4\n#\nl1d.ways 4\n", "line 3: l1d.ways: a second time; the first is "
						"line 1"},
		{"l1d.size 32K\nl1d.ways 3\n",
		 "line 2: l1d.ways 3: the sets of l1d.size 32K are no power of two then"},
		{"l2.latency 3", "line 1: l2.latency 3: less than l1d.latency 4"},
		{"l1d.latency 12\n\n", "line 1: l2.latency 11: less than l1d.latency 12"},
		{"l2.size 32K", "line 1: l2.size 32K: less than l1i.size 64K"},
		{"\x01", "line 1: a word of more than 63 characters, or not ASCII"},
		{"l\xc3\xa4 1", "line 1: a word of more than 63 characters, or not ASCII"},
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		struct model_config config = model_default;
		char why[256];

		cr_expect_lt(parse(rows[i].text, &config, why), 0, "row %u", i);
		cr_expect_str_eq(why, rows[i].why, "row %u: %s", i, why);
		cr_expect_arr_eq(&config, &model_default, sizeof(config), "row %u: left alone", i);
	}
}

/* Each key can be set to both ends of what it says, if to nothing beyond. */
Test(model_file, ranges)
{
#define MODEL_ORDER(low, high)
#define MODEL_CACHE(size, ways)
#define MODEL_KEY(member, word, kind, low, high, preset, help) {word, #kind, low, high},
	static const struct {
		const char *word, *kind;
		uint32_t low, high;
	} rows[] = {
#include "model/config.def"
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		struct model_config config = model_default;
		char number[32], why[256];
		size_t key;

		cr_expect_str_eq(model_keys[i].word, rows[i].word);
		if (strcmp(rows[i].kind, "SCOPE") == 0)
			continue;
		for (unsigned int n = 0; n < 4; n++) {
			const uint64_t values[] = {rows[i].low, rows[i].high,
						   (uint64_t)rows[i].low - 1, 2ull * rows[i].high};

			(void)snprintf(number, sizeof(number), "%llu",
				       (unsigned long long)values[n]);
			if (n == 2 && rows[i].low == 0)
				continue;
			cr_expect_eq(model_words_set(&config, rows[i].word, number, &key, why,
						     sizeof(why)),
				     n < 2 ? 0 : -1, "%s %s", rows[i].word, number);
			cr_expect_eq(key, i);
		}
	}
}

Test(model_file, unreadable)
{
	struct model_file file;
	char why[256];

	cr_expect_lt(model_file_read("/nonexistent/model", &file, why, sizeof(why)), 0);
	cr_expect_str_eq(why, "No such file or directory");
	cr_expect_lt(model_file_read("/", &file, why, sizeof(why)), 0);
	cr_expect_str_eq(why, "Is a directory");
	cr_expect_lt(model_file_read("/dev/zero", &file, why, sizeof(why)), 0);
	cr_expect_str_eq(why, "more than 65536 bytes");
}
