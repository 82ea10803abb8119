/* SPDX-License-Identifier: BSD-2-Clause */
/* Known defects: which machine and version a row is about, and what is refused. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../compare.h"
#include "conform/known.h"

static bool read_text(struct known_list *list, const char *text, char *why, size_t size)
{
	char path[64];
	FILE *file;
	bool good;

	snprintf(path, sizeof(path), "/tmp/vspe-known-%ld", (long)getpid());
	file = fopen(path, "w");
	cr_assert_not_null(file);
	fputs(text, file);
	fclose(file);
	good = known_list_read(list, path, why, size);
	unlink(path);
	return good;
}

Test(known, versions_and_ranges)
{
	static const struct {
		const char *version, *versions;
		bool in;
	} rows[] = {
		{"7.2", "7.2", true},
		{"7.2.22", "7.2", true},
		{"7.20", "7.2", false},
		{"7.1.9", "7.2", false},
		{"7", "7.0", true},
		{"7", "7.1", false},
		{"7.2.22", "7.2-11.1", true},
		{"11.1.3", "7.2-11.1", true},
		{"10.0.13", "7.2-11.1", true},
		{"11.2", "7.2-11.1", false},
		{"7.1", "7.2-11.1", false},
		{"9.2", "-10", true},
		{"10.9", "-10", true},
		{"11", "-10", false},
		{"8.0", "8-", true},
		{"100", "8-", true},
		{"7.9", "8-", false},
		{"1", "-", true},
		{"6.1-rc2", "6.1", true},
		{"", "-", true},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		cr_expect_eq(known_version_in(rows[i].version, rows[i].versions), rows[i].in,
			     "%s in %s", rows[i].version, rows[i].versions);
}

Test(known, machines_are_a_name_and_a_version)
{
	struct known_machine machine;

	cr_assert(known_machine_parse(&machine, "qemu,10.0.13"));
	cr_assert_eq(machine.name_length, 4);
	cr_assert_str_eq(machine.version, "10.0.13");
	cr_expect_not(known_machine_parse(&machine, "qemu"));
	cr_expect_not(known_machine_parse(&machine, "qemu,"));
	cr_expect_not(known_machine_parse(&machine, "qemu,new"));
	cr_expect_not(known_machine_parse(&machine, ",1"));
	cr_expect_not(known_machine_parse(&machine, ""));
}

Test(known, rows_are_about_a_test_on_a_machine)
{
	struct known_machine machines[2];
	struct known_list list;
	char why[256] = "";

	cr_assert(read_text(&list,
			    "# comment\n"
			    "qemu 7.2 \"levels: traps: TIDCP\" \"none\" \"HCR_EL2\"\n"
			    "kvm -6.1 \"pmu: PMCR\" old page\n",
			    why, sizeof(why)),
		  "%s", why);
	cr_assert_eq(list.count, 2);
	cr_assert(known_machine_parse(&machines[0], "qemu,7.2.22"));
	cr_assert(known_machine_parse(&machines[1], "kvm,6.1"));
	cr_expect_eq((void *)known_find(&list, machines, 2, "levels: traps: TIDCP"), &list.rows[0]);
	cr_expect_eq((void *)known_find(&list, machines, 2, "pmu: PMCR"), &list.rows[1]);
	cr_expect_null((void *)known_find(&list, machines, 1, "pmu: PMCR"));
	cr_expect_null((void *)known_find(&list, machines, 2, "levels: traps"));
	cr_assert(known_machine_parse(&machines[0], "qem,7.2"));
	cr_expect_null((void *)known_find(&list, machines, 1, "levels: traps: TIDCP"));
	known_list_free(&list);
}

Test(known, refusals_name_file_and_line)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{"qemu 7.2 test instead\n", ":1: no source"},
		{"\nqemu\n", ":2: no versions"},
		{"qemu 7.2 a b c d\n", ":1: 'd' is a word too many"},
		{"qemu seven a b c\n", ":1: versions 'seven' are not as 7.2, 7.2-10.0, -10 or 8-"},
		{"qemu 7..2 a b c\n", ":1: versions '7..2' are not as 7.2, 7.2-10.0, -10 or 8-"},
		{"qemu 7-8-9 a b c\n", ":1: versions '7-8-9' are not as 7.2, 7.2-10.0, -10 or 8-"},
		{"qemu 7 a b c\nqemu 7 a e f\n", ":2: 'a' of these is already in line 1"},
		{"qemu 7 \"a b c\n", ":1: a quote is not closed"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct known_list list;
		char why[256] = "";
		const char *said;

		cr_expect_not(read_text(&list, rows[i].text, why, sizeof(why)), "%s", rows[i].text);
		said = strchr(why, ':');
		cr_expect_str_eq((said ? said : why), rows[i].want);
	}
}
