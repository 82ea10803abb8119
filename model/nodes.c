/* SPDX-License-Identifier: BSD-2-Clause */
/* See nodes.h. */
#include "nodes.h"

uint32_t model_node_at(const struct model_nodes *nodes, uint64_t offset)
{
	uint32_t n = 0;

	while (n < nodes->count && offset >= nodes->node[n].size)
		offset -= nodes->node[n++].size;
	return n;
}

uint32_t model_node_of(const struct model_nodes *nodes, uint32_t core)
{
	for (uint32_t n = 0; n < nodes->count; n++)
		if (core < 64 && nodes->node[n].cores >> core & 1)
			return n;
	return 0;
}

bool model_node_is_remote(const struct model_nodes *nodes, uint32_t from, uint32_t to)
{
	return from != to && nodes->node[to].cores;
}

uint32_t model_node_latency(const struct model_nodes *nodes, const struct model_config *config,
			    uint32_t from, uint32_t to)
{
	const struct model_node *node = &nodes->node[to];
	const uint32_t near = node->latency ? node->latency : config->dram;

	if (!model_node_is_remote(nodes, from, to))
		return near;
	return node->remote ? node->remote : near + config->remote - config->peer_cluster;
}
