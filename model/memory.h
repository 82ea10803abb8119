/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An access on its way through the caches of a machine model, and the source of its data.
 *
 * A core has L1I, L1D and a private L2 that has all of their lines. Lines are allocated for reads
 * and writes alike, and are written back when they are evicted. The last level takes what comes
 * from memory and what L2 evicts. Its directory knows exactly which cores have a line, so that only
 * one core at a time can write it (MESI). A write to a line that other cores have too fetches it
 * anew.
 */
#ifndef VSPE_MODEL_MEMORY_H
#define VSPE_MODEL_MEMORY_H

#include "machine.h"

/* Data sources, as Arm's Neoverse cores number them: from near to far. */
enum model_source {
	MODEL_FROM_L1D = 0x0,
	MODEL_FROM_L2 = 0x8,
	MODEL_FROM_PEER_CORE = 0x9,
	MODEL_FROM_LOCAL_CLUSTER = 0xa, /* the last level, if it is the cluster's */
	MODEL_FROM_SYSTEM_CACHE = 0xb,	/* the last level of a chip */
	MODEL_FROM_PEER_CLUSTER = 0xc,
	MODEL_FROM_REMOTE = 0xd,
	MODEL_FROM_DRAM = 0xe,
};

/* Why a line is read. */
enum model_access { MODEL_LOAD, MODEL_STORE, MODEL_FETCH, MODEL_WALK };

/* Access the line of pa from a core. Counts its events, but for L1D_CACHE's bits. */
enum model_source model_memory_access(struct model *model, uint32_t core, uint64_t pa,
				      enum model_access access);

/*
 * The same for a load or store of an operation, from which the core's prefetcher learns. va is its
 * address, and what it asks for comes in time if model_way.now says when.
 */
enum model_source model_memory_data(struct model *model, uint32_t core, uint64_t va, uint64_t pa,
				    enum model_access access);

/*
 * Cycles of the data access that was just made. *late: its line is still on its way to the core, as
 * the prefetcher asked for it too late.
 */
uint32_t model_memory_cycles(struct model *model, uint32_t core, uint64_t pa,
			     enum model_source source, bool *late);

/*
 * Bring a line to a level and to those after it, unless it is there: 1 and 2, for code or data; 3
 * and above: the last level. It counts as an access of the levels after L1, but not of L1.
 */
void model_memory_prefetch(struct model *model, uint32_t core, uint64_t pa, unsigned int level,
			   bool code);

/*
 * What maintenance by address does to a line, wherever it is (Arm ARM D7.5): to the Point of
 * Unification, which is L2, or to the Point of Coherency, which is memory.
 */
enum { MODEL_CLEAN = 1, MODEL_INVALIDATE = 2, MODEL_TO_MEMORY = 4 };
void model_memory_maintain(struct model *model, uint64_t pa, unsigned int what);

/* Drop the line of *pa, or all lines, from the L1I of a core. */
void model_memory_forget_code(struct model_core *core, const uint64_t *pa);

/* Cycles of a load by a core from there; pa: of the line, whose node memory's depend on. */
uint32_t model_memory_latency(const struct model *model, uint32_t core, enum model_source source,
			      uint64_t pa);

/* Is the memory at pa that of another chip? */
bool model_memory_node_is_remote(const struct model *model, uint32_t core, uint64_t pa);
static inline bool model_memory_is_remote(const struct model *model, uint32_t core, uint64_t pa)
{
	return model->nodes.count && model_memory_node_is_remote(model, core, pa);
}

/* Does data from there mean that the last level was accessed, or that it missed? */
static inline bool model_source_accessed_llc(enum model_source source)
{
	return source >= MODEL_FROM_PEER_CORE;
}

static inline bool model_source_missed_llc(const struct model_config *config,
					   enum model_source source)
{
	return source >=
	       (config->scope == MODEL_CLUSTER ? MODEL_FROM_PEER_CLUSTER : MODEL_FROM_REMOTE);
}

#endif
