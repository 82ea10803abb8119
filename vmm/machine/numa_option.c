/* SPDX-License-Identifier: BSD-2-Clause */
/* --numa: from text to nodes, and back: see numa_option.h. */
#include "machine/numa_option.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "base/number.h"
#include "machine/machine.h"

#define MIB	 (UINT64_C(1) << 20)
#define WORD_MAX 64

#define NEAR 10u /* the distance of a node's own memory */
#define FAR  254u

struct line {
	char *why;
	size_t size;
};

static int refuse(const struct line *line, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static int refuse(const struct line *line, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	(void)vsnprintf(line->why, line->size, format, arguments);
	va_end(arguments);
	return -1;
}

/* Parsing: a word of a node */

static int take_size(struct model_node *node, const char *word, const struct line *line)
{
	uint64_t bytes;

	if (number_read(word, UINT64_MAX, &bytes))
		return refuse(line, "'%s': a size has its unit, such as 512M or 1G", word);
	if (!number_read_bytes(word, MACHINE_MAX_MIB * MIB, &bytes))
		return refuse(line, "'%s': not a size, such as 512M or 1G", word);
	if (!bytes || bytes % MIB)
		return refuse(line, "'%s': not whole MiB, such as 512M or 1G", word);
	node->size = bytes;
	return 0;
}

/* A or A-B. Several of them add up. */
static int take_cpus(struct model_node *node, const char *word, const char *value,
		     const struct line *line)
{
	const char *dash = strchr(value, '-');
	char first[WORD_MAX];
	uint64_t low, high;

	(void)snprintf(first, sizeof(first), "%.*s",
		       dash ? (int)(dash - value) : (int)strlen(value), value);
	if (!number_read(first, MACHINE_MAX_CPUS - 1, &low) ||
	    !number_read(dash ? dash + 1 : value, MACHINE_MAX_CPUS - 1, &high) || high < low)
		return refuse(line,
			      "'%s': not a CPU, or a range of them, such as cpus=0-3; "
			      "cpus= may be repeated",
			      word);
	for (; low <= high; low++)
		node->cores |= UINT64_C(1) << low;
	return 0;
}

static int take_cycles(uint32_t *to, const char *word, const char *value, const struct line *line)
{
	uint64_t cycles;

	if (!number_read(value, NUMA_CYCLES_MOST, &cycles) || !cycles)
		return refuse(line, "'%s': not 1 to %d cycles", word, NUMA_CYCLES_MOST);
	*to = (uint32_t)cycles;
	return 0;
}

static int refuse_key(const char *word, size_t length, const struct line *line)
{
	static const char *const keys[] = {"cpus", "latency", "remote"};
	char key[WORD_MAX], hint[2 * NEAREST_MOST];
	struct nearest nearest = {.text = key, .distance = SIZE_MAX};

	(void)snprintf(key, sizeof(key), "%.*s", (int)length, word);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		nearest_try(&nearest, keys[i]);
	return refuse(line, "'%s': no such key; there are cpus, latency and remote%s", word,
		      nearest_hint(&nearest, "", "", hint, sizeof(hint)));
}

static int take_word(struct model_node *node, const char *word, bool first, const struct line *line)
{
	const size_t length = strcspn(word, "=");
	const char *value = word + length + 1;

	if (!word[length])
		return first && length ? take_size(node, word, line)
				       : refuse(line,
						"'%s': not KEY=VALUE; a node's size comes "
						"first",
						word);
	if (length == 4 && strncmp(word, "cpus", length) == 0)
		return take_cpus(node, word, value, line);
	if (length == 7 && strncmp(word, "latency", length) == 0)
		return take_cycles(&node->latency, word, value, line);
	if (length == 6 && strncmp(word, "remote", length) == 0)
		return take_cycles(&node->remote, word, value, line);
	return refuse_key(word, length, line);
}

/* The next word of text, up to an end; a longer one is cut off, and then is none. */
static void next_word(const char **text, char word[WORD_MAX])
{
	const size_t length = strcspn(*text, ":,");

	(void)snprintf(word, WORD_MAX, "%.*s", (int)length, *text);
	*text += length;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): refuse() writes to why. */
int numa_option_parse(const char *text, struct model_nodes *nodes, char *why, size_t size)
{
	const struct line line = {why, size};
	char word[WORD_MAX];
	uint64_t count;

	*nodes = (struct model_nodes){0};
	if (number_read(text, UINT64_MAX, &count)) {
		if (!count || count > MODEL_NODES)
			return refuse(&line, "not 1 to %d nodes", MODEL_NODES);
		nodes->count = (uint32_t)count;
		return 0;
	}
	for (bool first = true;; first = *text++ == ',') {
		if (first && nodes->count == MODEL_NODES)
			return refuse(&line, "more than %d nodes", MODEL_NODES);
		nodes->count += first;
		next_word(&text, word);
		if (take_word(&nodes->node[nodes->count - 1], word, first, &line) < 0)
			return -1;
		if (!*text)
			return 0;
	}
}

/* Completing */

static int share_memory(struct model_nodes *nodes, uint64_t memory, const struct line *line)
{
	uint64_t sum = 0, left, open = 0;

	for (uint32_t n = 0; n < nodes->count; n++) {
		open += !nodes->node[n].size;
		sum += nodes->node[n].size / MIB;
	}
	if (sum + open > memory / MIB || (!open && sum < memory / MIB))
		return refuse(line,
			      "the nodes have %" PRIu64 " MiB%s, and --mem has %" PRIu64
			      "; a node without a size gets what is left",
			      sum, open ? " and more" : "", memory / MIB);
	left = memory / MIB - sum;
	for (uint32_t n = 0; n < nodes->count; n++) {
		const uint64_t share = open ? (left + open - 1) / open : 0;

		if (nodes->node[n].size)
			continue;
		nodes->node[n].size = share * MIB;
		left -= share;
		open--;
	}
	return 0;
}

/* Of vCPUs that share nodes, node n has those from here on. */
static unsigned int first_cpu(uint32_t n, uint32_t count, unsigned int cpus)
{
	return (n * cpus + count - 1) / count;
}

static int share_cpus(struct model_nodes *nodes, unsigned int cpus, const struct line *line)
{
	uint64_t taken = 0;

	for (uint32_t n = 0; n < nodes->count; n++) {
		const uint64_t cores = nodes->node[n].cores;

		if (cores & taken)
			return refuse(line,
				      "node %" PRIu32
				      ": CPU %d is in a node before it; a CPU is in "
				      "one node",
				      n, __builtin_ctzll(cores & taken));
		taken |= cores;
	}
	if (cpus < 64 && taken >> cpus)
		return refuse(line, "there is no CPU %d; give --cpus %d",
			      63 - __builtin_clzll(taken), 64 - __builtin_clzll(taken));
	for (uint32_t n = 0; !taken && n < nodes->count; n++)
		for (unsigned int cpu = first_cpu(n, nodes->count, cpus);
		     cpu < first_cpu(n + 1, nodes->count, cpus); cpu++)
			nodes->node[n].cores |= UINT64_C(1) << cpu;
	for (unsigned int cpu = 0; taken && cpu < cpus; cpu++)
		if (!(taken >> cpu & 1))
			return refuse(line, "CPU %u is in no node; cpus=%u puts it there", cpu,
				      cpu);
	return 0;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): refuse() writes to why. */
int numa_option_complete(struct model_nodes *nodes, unsigned int cpus, uint64_t memory, char *why,
			 size_t size)
{
	const struct line line = {why, size};

	if (share_memory(nodes, memory, &line) < 0 || share_cpus(nodes, cpus, &line) < 0)
		return -1;
	for (uint32_t n = 0; n < nodes->count; n++) {
		const struct model_node *node = &nodes->node[n];

		if (node->remote && !node->cores)
			return refuse(&line,
				      "node %" PRIu32 " has no CPUs, and is as far from all: "
				      "leave out remote=%" PRIu32,
				      n, node->remote);
		if (node->remote && node->remote < node->latency)
			return refuse(&line,
				      "node %" PRIu32 ": remote=%" PRIu32 " is less than "
				      "latency=%" PRIu32,
				      n, node->remote, node->latency);
	}
	return 0;
}

/* Printing and comparing */

struct out {
	char *text;
	size_t size, at;
};

static void print(struct out *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void print(struct out *out, const char *format, ...)
{
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(out->text + out->at, out->size - out->at, format, arguments);
	va_end(arguments);
	if (length > 0)
		out->at += (size_t)length < out->size - out->at ? (size_t)length : 0;
}

static void print_cpus(struct out *out, uint64_t cores)
{
	for (unsigned int first = 0, last; first < 64; first++) {
		if (!(cores >> first & 1))
			continue;
		for (last = first; last < 63 && cores >> (last + 1) & 1;)
			last++;
		print(out, ":cpus=%u", first);
		if (last > first)
			print(out, "-%u", last);
		first = last;
	}
}

bool numa_option_same(const struct model_nodes *a, const struct model_nodes *b)
{
	bool same = a->count == b->count;

	for (uint32_t n = 0; same && n < a->count; n++) {
		const struct model_node *one = &a->node[n], *other = &b->node[n];

		same = one->size == other->size && one->cores == other->cores &&
		       one->latency == other->latency && one->remote == other->remote;
	}
	return same;
}

void numa_option_print(const struct model_nodes *nodes, char *text, size_t size)
{
	struct out out = {text, size, 0};
	const struct model_nodes bare = {.count = nodes->count};

	if (numa_option_same(nodes, &bare)) {
		print(&out, "%" PRIu32, nodes->count);
		return;
	}
	for (uint32_t n = 0; n < nodes->count; n++) {
		const struct model_node *node = &nodes->node[n];
		const size_t begin = out.at + (n > 0);

		print(&out, "%s", n ? "," : "");
		if (node->size)
			print(&out, "%" PRIu64 "M", node->size / MIB);
		print_cpus(&out, node->cores);
		if (node->latency)
			print(&out, ":latency=%" PRIu32, node->latency);
		if (node->remote)
			print(&out, ":remote=%" PRIu32, node->remote);
		if (text[begin] == ':') { /* without a size, the first key begins the node */
			memmove(text + begin, text + begin + 1, out.at - begin);
			out.at--;
		}
	}
}

/* What tables tell */

uint32_t numa_latency(const struct choices *choices, uint32_t from, uint32_t to)
{
	const struct model_config config =
		model_config_of(choices->core ? choices->core->name : "generic");

	return model_node_latency(&choices->numa, &config, from, to);
}

/* From a node with CPUs. */
static uint32_t distance_of_cpus(const struct choices *choices, uint32_t from, uint32_t to)
{
	const uint32_t distance =
		NEAR * numa_latency(choices, from, to) / numa_latency(choices, from, from);

	return distance <= NEAR ? NEAR + 1 : distance < FAR ? distance : FAR;
}

uint32_t numa_distance(const struct choices *choices, uint32_t from, uint32_t to)
{
	const struct model_nodes *nodes = &choices->numa;
	uint32_t nearest = FAR;

	if (from == to)
		return NEAR;
	if (nodes->node[from].cores)
		return distance_of_cpus(choices, from, to);
	if (nodes->node[to].cores)
		return distance_of_cpus(choices, to, from);
	for (uint32_t n = 0; n < nodes->count; n++) {
		const uint32_t distance =
			nodes->node[n].cores ? distance_of_cpus(choices, n, to) : FAR;

		nearest = distance < nearest ? distance : nearest;
	}
	return nearest;
}
