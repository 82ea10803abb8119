/* SPDX-License-Identifier: BSD-2-Clause */
/* --numa: each word reaches its node, what is left out is shared, and a wrong word is named. */
#include "../compare.h"
#include "machine/machine.h"
#include "machine/numa_option.h"

#include "../refusal.h"

#define MIB (UINT64_C(1) << 20)

static struct model_nodes parsed(const char *text)
{
	struct model_nodes nodes;
	char why[256] = "";

	memset(&nodes, 0xff, sizeof(nodes));
	cr_assert_eq(numa_option_parse(text, &nodes, why, sizeof(why)), 0, "%s: %s", text, why);
	return nodes;
}

/* The nodes of a machine with 4 vCPUs and 1 GiB. */
static struct model_nodes completed(const char *text)
{
	struct model_nodes nodes = parsed(text);
	char why[256] = "";

	cr_assert_eq(numa_option_complete(&nodes, 4, 1024 * MIB, why, sizeof(why)), 0, "%s: %s",
		     text, why);
	return nodes;
}

Test(numa_option, words)
{
	const struct model_nodes nodes =
		parsed("512M:cpus=0:cpus=2-3:latency=150:remote=300,latency=10000,1G:cpus=1");

	cr_assert_eq(nodes.count, 3);
	cr_assert_eq(nodes.node[0].size, 512 * MIB);
	cr_assert_eq(nodes.node[0].cores, 0xd);
	cr_assert_eq(nodes.node[0].latency, 150);
	cr_assert_eq(nodes.node[0].remote, 300);
	cr_assert_eq(nodes.node[1].size, 0);
	cr_assert_eq(nodes.node[1].cores, 0);
	cr_assert_eq(nodes.node[1].latency, 10000);
	cr_assert_eq(nodes.node[2].size, 1024 * MIB);
	cr_assert_eq(nodes.node[2].cores, 2);
}

Test(numa_option, what_is_left_out_is_shared)
{
	static const struct {
		const char *text, *complete;
	} rows[] = {
		{"1", "1024M:cpus=0-3"},
		{"2", "512M:cpus=0-1,512M:cpus=2-3"},
		/* What does not divide goes to nodes as early as can be. */
		{"3", "342M:cpus=0-1,341M:cpus=2,341M:cpus=3"},
		{"6", "171M:cpus=0,171M:cpus=1,171M,171M:cpus=2,170M:cpus=3,170M"},
		{"cpus=0-3,latency=400", "512M:cpus=0-3,512M:latency=400"},
		{"300M,latency=9", "300M:cpus=0-1,724M:cpus=2-3:latency=9"},
		{"cpus=3:cpus=1,24M:cpus=0:cpus=2", "1000M:cpus=1:cpus=3,24M:cpus=0:cpus=2"},
	};
	char text[NUMA_OPTION_TEXT];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct model_nodes nodes = completed(rows[i].text), again;

		numa_option_print(&nodes, text, sizeof(text));
		cr_expect_str_eq(text, rows[i].complete, "%s", rows[i].text);
		again = completed(text);
		cr_expect(numa_option_same(&nodes, &again), "%s", text);
	}
}

/* What is not complete is printed as it was given. */
Test(numa_option, printed)
{
	static const char *const rows[] = {"8", "cpus=0-1,latency=400", "1M:remote=7,cpus=63"};
	char text[NUMA_OPTION_TEXT];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct model_nodes nodes = parsed(rows[i]);

		numa_option_print(&nodes, text, sizeof(text));
		cr_expect_str_eq(text, rows[i]);
	}
}

/* Eight nodes with every other CPU have the longest text. */
Test(numa_option, the_longest_text_has_room)
{
	struct model_nodes nodes = {.count = MODEL_NODES};
	char text[NUMA_OPTION_TEXT];

	for (uint32_t n = 0; n < MODEL_NODES; n++)
		nodes.node[n] =
			(struct model_node){MACHINE_MAX_MIB * MIB / MODEL_NODES,
					    UINT64_C(0x0101010101010101) << n, 10000, 10000};
	numa_option_print(&nodes, text, sizeof(text));
	nodes = parsed(text);
	cr_assert_eq(nodes.count, MODEL_NODES);
	cr_assert_eq(nodes.node[7].cores, UINT64_C(0x8080808080808080));
	cr_assert_eq(nodes.node[7].remote, 10000);
}

static void refused(const char *text, const char *word, const char *reason)
{
	struct model_nodes nodes;
	char why[256] = "";
	int result = numa_option_parse(text, &nodes, why, sizeof(why));

	if (result == 0)
		result = numa_option_complete(&nodes, 4, 1024 * MIB, why, sizeof(why));
	cr_assert_eq(result, -1, "%s", text);
	refusal_says(text, why, word, reason);
}

Test(numa_option, wrong_words)
{
	refused("0", "1 to 8", "not");
	refused("9", "1 to 8", "not");
	refused("", "''", "KEY=VALUE");
	refused("512M,", "''", "KEY=VALUE");
	refused("cpus=0,512", "'512'", "unit");
	refused("12X", "'12X'", "not a size");
	refused("1K", "'1K'", "whole MiB");
	refused("0M,1G", "'0M'", "whole MiB");
	refused("999999G", "'999999G'", "not a size");
	refused("cpus=0:512M", "'512M'", "size comes first");
	refused("cpus=", "'cpus='", "range");
	refused("cpus=3-1", "'cpus=3-1'", "range");
	refused("cpus=64", "'cpus=64'", "range");
	refused("cpus=0-", "'cpus=0-'", "range");
	refused("cpus=0-3,latency=0", "'latency=0'", "1 to 10000");
	refused("latency=10001", "'latency=10001'", "1 to 10000");
	refused("remote=x", "'remote=x'", "1 to 10000");
	refused("cpu=0", "'cpu=0'", "did you mean cpus?");
	refused("bandwidth=8", "'bandwidth=8'", "there are cpus, latency and remote");
	refused("1M,1M,1M,1M,1M,1M,1M,1M,1M", "8", "more than");
}

Test(numa_option, what_does_not_fit_the_machine)
{
	refused("512M,513M", "1025 MiB", "--mem has 1024");
	refused("512M,511M", "1023 MiB", "--mem has 1024");
	refused("1G,latency=3", "1024 MiB and more", "without a size");
	refused("cpus=0-3,cpus=2", "CPU 2", "node 1");
	refused("cpus=0-1,cpus=3", "CPU 2", "no node");
	refused("cpus=0-4", "CPU 4", "--cpus 5");
	refused("cpus=0-3,remote=9", "remote=9", "no CPUs");
	refused("cpus=0-3:latency=9:remote=8", "remote=8", "latency=9");
}

/* The built-in model has 200 cycles to memory, and 110 to another chip. */
Test(numa_option, distances_are_of_latencies)
{
	struct choices choices = {0};

	choices.numa = completed("cpus=0-1,cpus=2-3:remote=500,latency=400,latency=50");
	cr_assert_eq(numa_latency(&choices, 0, 0), 200);
	cr_assert_eq(numa_latency(&choices, 0, 1), 500);
	cr_assert_eq(numa_latency(&choices, 1, 0), 310);
	cr_assert_eq(numa_latency(&choices, 1, 2), 400);
	cr_assert_eq(numa_distance(&choices, 0, 0), 10);
	cr_assert_eq(numa_distance(&choices, 2, 2), 10);
	cr_assert_eq(numa_distance(&choices, 0, 1), 25);
	cr_assert_eq(numa_distance(&choices, 1, 0), 15);
	cr_assert_eq(numa_distance(&choices, 1, 2), 20);
	cr_assert_eq(numa_distance(&choices, 2, 1), 20);
	cr_assert_eq(numa_distance(&choices, 0, 3), 11, "near, but no CPU's own");
	cr_assert_eq(numa_distance(&choices, 2, 3), 11);
	cr_assert_eq(numa_distance(&choices, 3, 2), 20);
	choices.numa = completed("cpus=0-3,latency=10000");
	cr_assert_eq(numa_distance(&choices, 0, 1), 254, "255: not reachable");
}
