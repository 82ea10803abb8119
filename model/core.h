/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A core of a machine model executes an operation: what its record shows, and what is counted.
 *
 * The core dispatches and issues in program order, a limited number of operations per cycle. An
 * operation waits for the results that it needs. A load that misses L1D or the TLB holds up all
 * later operations until its data arrives. A store does not wait for its line, as long as the store
 * buffer has room; a load gets what it has yet to write from there. After a mispredicted branch, an
 * exception or an exception return, the next operations come when that is done and the penalty is
 * over. Operations of a wrong path are never issued.
 */
#ifndef VSPE_MODEL_CORE_H
#define VSPE_MODEL_CORE_H

#include <vspe/spe.h>

#include "memory.h"

/*
 * Descriptors that a walk reads at most: 5 levels of stage 1, each with 4 of stage 2, and 4 more.
 */
#define MODEL_WALK_MAX 29

/* How a page is translated. */
struct model_walk {
	unsigned int count;
	uint64_t
		descriptors[MODEL_WALK_MAX]; /* physical addresses, in the order they are read in */
	unsigned int shift;		     /* log2 of the size of the page or block; 0: a fault */
	bool uncached;			     /* it is Device or Non-cacheable memory */
	bool global;			     /* of all ASIDs */
};

/* What an operation does to memory. */
enum model_place {
	MODEL_NOWHERE,	  /* nothing that is seen, or it faulted */
	MODEL_UNACCESSED, /* it was translated, and that was all */
	MODEL_RAM,
	MODEL_ZEROED, /* RAM, by DC ZVA: a line whose address no record has */
	MODEL_DEVICE,
};

/* An access of an operation to memory. */
struct model_piece {
	uint64_t va, pa;
	uint32_t size; /* bytes, from 1 on */
	uint8_t place; /* enum model_place */
	bool store;    /* else it is a load */
	bool holes;    /* some bytes in between are not accessed */
};

/* The needs of an operation at issue. */
struct model_needs {
	struct a64_register_sets registers;
	bool alone; /* nothing else issues in its cycle */
};

/* Facts of an operation that struct spe_op does not have. */
struct model_facts {
	struct model_needs needs;
	uint64_t fetch_pa; /* of the instruction */
	enum a64_flow flow;
	enum model_place place;
	uint32_t size;		      /* bytes of the data access */
	uint8_t regime, data_regime;  /* enum model_regime: of the fetch, and of the data access */
	bool tables, data_tables;     /* ... translated by tables */
	bool uncached, data_uncached; /* ... in no cache, whatever the tables say */
	/*
	 * The accesses of an operation that makes several, in their order: of vectors, or of memory
	 * copy and set. One of another kind than the record's, a load or a store, is not in its
	 * data source and events. 0: size and place say all.
	 */
	uint32_t piece_count;
	const struct model_piece *pieces;
	bool gathers; /* ... it is a gather of vector elements */
	bool excepted;
	bool flush; /* the pipeline restarts after it: an exception, an exception return */
	void *ctx;
	/* Walk for an address that the TLBs do not have; data: of the data access. */
	void (*walk)(void *ctx, uint64_t va, bool data, struct model_walk *walk);
};

/*
 * Fetch the next operation at pc, before it executes, while the tables are as it sees them. Of
 * facts only those of the fetch are used. Returns the cycles it was held up.
 */
uint32_t model_core_fetch(struct model *model, uint32_t core, uint64_t pc,
			  const struct model_facts *facts);

/* The next fetch looks up its line and its page, even those of the last one. */
static inline void model_core_forget_fetch(struct model_core *core)
{
	core->fetch_line = core->fetch_page = 0;
}

/*
 * The cycle in which the fetched operation is dispatched. held: what model_core_fetch() returned.
 */
uint64_t model_core_dispatch(const struct model *model, uint32_t core, uint32_t held);

/*
 * The operation was executed. op has all that does not depend on the microarchitecture; the model
 * sets its latencies, its data source and its events but for Exception, Retired and Misaligned.
 * held: what model_core_fetch() returned.
 */
void model_core_execute(struct model *model, uint32_t core, const struct model_facts *facts,
			uint32_t held, struct spe_op *op);

/* The prefetch that PRFM requests. */
struct model_prefetch {
	uint64_t va, pa; /* in RAM */
	bool code;
	unsigned int level; /* from 1 on; 3 and above: the last level */
};

/*
 * The prefetch of a PRFM word, of which bits 4 to 0 count: what for, and into which level; its
 * addresses are 0. false: into no cache.
 */
bool model_prefetch_of(uint32_t word, struct model_prefetch *wanted);

/*
 * The operation that was executed was a PRFM. Of facts only those of the data access are used. If
 * no TLB of the core has the page, nothing is fetched. Nothing waits for a prefetch.
 */
void model_core_prefetch(struct model *model, uint32_t core, const struct model_facts *facts,
			 const struct model_prefetch *prefetch);

/*
 * Sampled operations in flight: how many there are in a cycle, and add one that is in flight from a
 * cycle up to another. There are at most MODEL_FLIGHTS at once.
 */
unsigned int model_core_in_flight(const struct model_core *core, uint64_t cycle);
void model_core_fly(struct model_core *core, uint64_t cycle, uint64_t done);

/*
 * A mispredicted branch is dispatched in one cycle and done in another. In between, operations of
 * the wrong path are dispatched: at most so many, number n (from 0 on) in the cycle that
 * model_core_wrong_cycle() returns. None of them is issued.
 */
uint32_t model_core_wrong_count(const struct model_config *config, uint64_t dispatched,
				uint64_t done);
static inline uint64_t model_core_wrong_cycle(const struct model_config *config,
					      uint64_t dispatched, uint32_t n)
{
	return dispatched + 1 + n / config->width;
}

/*
 * What a core will have counted once the operation with these needs, which model_core_fetch()
 * returned held for, has been issued. CPU_CYCLES is then the cycle of its issue. It must not be a
 * store. Changes nothing.
 */
void model_core_issue_ahead(const struct model *model, uint32_t core, uint32_t held,
			    const struct model_needs *needs, uint64_t counts[MODEL_EVENTS]);

/*
 * model_core_execute() for caches, TLBs and the branch predictor only: it takes no time. Returns
 * the farthest source of its data and of model_way.farthest; L1D if it accessed no cache.
 */
enum model_source model_core_warm(struct model *model, uint32_t core,
				  const struct model_facts *facts, const struct spe_op *op);

/* All operations before the next one are done before it is dispatched. */
void model_core_drain(struct model_core *core);

/*
 * model_core_execute() for an operation that was fetched and executed alone: the pipeline is empty,
 * it waits for nothing, and no cycle is counted.
 */
void model_core_alone(struct model *model, uint32_t core, const struct model_facts *facts,
		      struct spe_op *op);

/*
 * Set the context that regime (enum model_regime) translates in from now on: model_context().
 * TLB entries of other contexts stay, but are not found.
 */
void model_core_context(struct model *model, uint32_t core, unsigned int regime, uint64_t context);

/* TLB maintenance; its address may have a tag. NULL: drop all entries of the core. */
void model_core_forget(struct model *model, uint32_t core, const struct model_tlbi *tlbi);

#endif
