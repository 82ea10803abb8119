/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The cores of a machine model and the caches that they share. The model is a function of the
 * operations that it is shown, in their order: no time, no chance, no floating point. docs/model.md
 * says what it models.
 */
#ifndef VSPE_MODEL_MACHINE_H
#define VSPE_MODEL_MACHINE_H

#include <stddef.h>

#include "branch.h"
#include "cache.h"
#include "tlb.h"
#include "event.h"
#include "prefetch.h"
#include "nodes.h"

/* The most sampled operations that are in flight at once: spe_config.in_flight. */
#define MODEL_FLIGHTS 8

/* What a store in the store buffer writes; physical addresses. */
struct model_stored {
	uint64_t pa;
	uint32_t size; /* bytes */
	bool holes;    /* ... but not all of them */
};

/* The pipeline, in cycles since the core's start. */
struct model_pipe {
	uint64_t front;		     /* no operation is dispatched before */
	uint64_t issue;		     /* the last one was issued then */
	uint64_t ready;		     /* none is issued before: a load that missed holds it up */
	uint64_t drained;	     /* the last store has its line then */
	uint32_t dispatched, issued; /* operations dispatched at front, and issued at issue */
	uint32_t queue_at, store_at;
	uint64_t queue[64];		 /* when the last operations were issued, a ring */
	uint64_t stores[64];		 /* when the last stores have their lines, a ring */
	struct model_stored stored[64];	 /* what they write */
	uint64_t flights[MODEL_FLIGHTS]; /* when the last sampled operations are done */
	uint64_t results[64]; /* when what is in a register is there, by bits of A64_SET_* ... */
	uint64_t flags;	      /* ... and in PSTATE.{N,Z,C,V} */
};

/* Where lines come from that take a path to the core, which is busy after each. */
enum model_path { MODEL_PATH_L2, MODEL_PATH_LLC, MODEL_PATH_DRAM, MODEL_PATHS };

/* Lines that the prefetcher asked for, by their address: when they arrive. */
#define MODEL_COMING 256

struct model_coming {
	uint64_t line; /* its physical address; 0: none */
	uint64_t at;   /* cycle */
};

/* The prefetcher, and what takes time on the way to the core. */
struct model_way {
	struct model_streams streams;
	uint64_t now; /* the cycle of an access, while model_core_execute() makes it, or 0 */
	/*
	 * enum model_source of the lines that were prefetched for an operation; DRAM if one
	 * replaced a line of L1D that was referenced.
	 */
	uint32_t farthest;
	int64_t free[MODEL_PATHS]; /* the next request may be made then */
	struct model_coming coming[MODEL_COMING];
};

struct model_core {
	uint32_t node, chip, cluster, llc; /* where it is, each counted over the machine */
	struct model_cache l1i, l1d, l2;
	struct model_tlb itlb, dtlb, tlb;
	struct model_branch branch;
	struct model_pipe pipe;
	struct model_way *way; /* in the caller's memory */
	/* The line and page of the last fetch, which need no second look-up; 0: none. */
	uint64_t fetch_line, fetch_page;
	uint64_t contexts[4]; /* model_context() by regime: model_core_context() */
	uint64_t operations;  /* that it was shown */
	uint64_t counts[MODEL_EVENTS];
};

struct model {
	struct model_config config;
	uint32_t count;		  /* of cores */
	uint32_t llc_count;	  /* of last-level caches */
	struct model_core *cores; /* in the caller's memory, as llcs */
	struct model_cache *llcs;
	uint64_t base;		  /* of the first node, a physical address */
	struct model_nodes nodes; /* of memory */
	uint64_t moves;		  /* of lines from core to core, as one of them wrote */
};

/* What its memory is like. */
struct model_ram {
	uint64_t base;			 /* of the first node, a physical address */
	const struct model_nodes *nodes; /* NULL: it is all the same */
};

/*
 * Bytes that a model of so many cores needs, aligned as a uint64_t. config was checked; each core
 * is in a node, if there are any.
 */
size_t model_size(const struct model_config *config, uint32_t cores, const struct model_ram *ram);

/* Make one, with empty caches, in that many bytes, which are the caller's, and zero. */
struct model *model_init(void *memory, const struct model_config *config, uint32_t cores,
			 const struct model_ram *ram);

#endif
