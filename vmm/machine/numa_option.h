/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The text of --numa: a number of nodes, or NODE[,NODE...], where NODE is
 * [SIZE][:cpus=A[-B]...][:latency=CYCLES][:remote=CYCLES].
 */
#ifndef VSPE_MACHINE_NUMA_OPTION_H
#define VSPE_MACHINE_NUMA_OPTION_H

#include "choices.h"

#define NUMA_CYCLES_MOST 10000 /* as dram.latency of a model */

/* Bytes of the longest text that numa_option_print() makes. */
#define NUMA_OPTION_TEXT 4096

/*
 * Read text. What it leaves out is 0 until numa_option_complete(). 0; or -1 and a line in why,
 * without newline, that has the word and what is wrong with it.
 */
int numa_option_parse(const char *text, struct model_nodes *nodes, char *why, size_t size);

/*
 * Give each node its share of memory and vCPUs, where that was left out: nodes without a size share
 * what the others leave, and if none has CPUs, all share them. 0; or -1 and why they do not fit the
 * machine. Nodes that are complete stay as they are.
 */
int numa_option_complete(struct model_nodes *nodes, unsigned int cpus, uint64_t memory, char *why,
			 size_t size);

/* Print the words from which numa_option_parse() makes nodes. */
void numa_option_print(const struct model_nodes *nodes, char *text, size_t size);

/* Is everything of both the same? */
bool numa_option_same(const struct model_nodes *a, const struct model_nodes *b);

/*
 * What tables tell of memory: cycles of a load, by the built-in model of the machine's core, and
 * the distance, with 10 for a node's own memory, at most 254 (ACPI 6.5, 5.2.17). Memory without
 * CPUs is as far from other memory as the nearest CPUs are.
 */
uint32_t numa_latency(const struct choices *choices, uint32_t from, uint32_t to);
uint32_t numa_distance(const struct choices *choices, uint32_t from, uint32_t to);

#endif
