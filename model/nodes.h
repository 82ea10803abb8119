/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory that is not all the same: nodes, one after the other in RAM, each near to some cores. A
 * node with cores is a separate chip; one without is slow memory, as CXL has it, and as far from
 * every core.
 */
#ifndef VSPE_MODEL_NODES_H
#define VSPE_MODEL_NODES_H

#include <stdbool.h>
#include <stdint.h>

#include "config.h"

#define MODEL_NODES 8 /* at most */

struct model_nodes {
	uint32_t count; /* 0: memory is all the same */
	struct model_node {
		uint64_t size;	/* bytes */
		uint64_t cores; /* a bit for each */
		/* Cycles of a load by its cores, and by those of other nodes; 0: by the model. */
		uint32_t latency, remote;
	} node[MODEL_NODES];
};

/* The node that has a byte of RAM, by its offset; count: none. */
uint32_t model_node_at(const struct model_nodes *nodes, uint64_t offset);

/* The node that a core belongs to; 0 if there are none. */
uint32_t model_node_of(const struct model_nodes *nodes, uint32_t core);

/*
 * Does a core of node `from` reach the memory of node `to` over another chip? Memory without cores
 * is on no chip.
 */
bool model_node_is_remote(const struct model_nodes *nodes, uint32_t from, uint32_t to);

/*
 * Cycles of a load by a core of node `from` from the memory of node `to`. What the user left out
 * comes from config: dram.latency, and for another chip the way there, which is what remote.latency
 * is longer than peer-cluster.latency.
 */
uint32_t model_node_latency(const struct model_nodes *nodes, const struct model_config *config,
			    uint32_t from, uint32_t to);

#endif
