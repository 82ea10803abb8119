/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A core of a machine model executes an operation: what its record shows, and what is counted.
 *
 * The core dispatches and issues in program order, so many operations in a cycle. An operation
 * waits for the results that it needs. A load that misses L1D or the TLB holds up all that is
 * issued behind it until its data is there; a store does not wait for its line, as long as the
 * store buffer has room. After a mispredicted branch, an exception or an exception return,
 * operations come again when that is done and the penalty is over. There is no prefetcher, and no
 * operation of a path that turns out to be wrong is issued.
 */
#ifndef VSPE_ARM_MODEL_CORE_H
#define VSPE_ARM_MODEL_CORE_H

#include <vspe/spe.h>

#include "arm/model_memory.h"

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

/* What an operation is issued with. */
struct model_needs {
	struct a64_register_sets registers;
	bool alone; /* it has a cycle of its own */
};

/* What is not in a struct spe_op. */
struct model_facts {
	struct model_needs needs;
	uint64_t fetch_pa; /* of the instruction */
	enum a64_flow flow;
	enum model_place place;
	uint32_t size; /* bytes of the data access */
	uint8_t regime,
		data_regime;	  /* enum arm_regime_kind: of the fetch, and of the data access */
	bool tables, data_tables; /* ... translated by tables */
	bool uncached, data_uncached; /* ... in no cache, whatever the tables say */
	bool excepted;
	bool flush; /* the pipeline starts anew behind it: an exception, an exception return */
	void *ctx;
	/* Walk for an address that the TLBs do not have; data: of the data access. */
	void (*walk)(void *ctx, uint64_t va, bool data, struct model_walk *walk);
};

/*
 * The fetch of the next operation at pc, before it executes: the tables are as they are then. From
 * facts only what is about the fetch. Returns the cycles it was held up.
 */
uint32_t model_core_fetch(struct model *model, uint32_t core, uint64_t pc,
			  const struct model_facts *facts);

/*
 * The cycle in which the operation that was fetched is dispatched. held: what model_core_fetch()
 * returned.
 */
uint64_t model_core_dispatch(const struct model *model, uint32_t core, uint32_t held);

/*
 * The operation was executed. op has all that does not depend on a microarchitecture; the model
 * sets its latencies, its data source and its events but for Exception, Retired and Misaligned.
 * held: what model_core_fetch() returned.
 */
void model_core_execute(struct model *model, uint32_t core, const struct model_facts *facts,
			uint32_t held, struct spe_op *op);

/* What PRFM asks for. */
struct model_prefetch {
	uint64_t va, pa; /* in RAM */
	bool code;
	unsigned int level; /* from 1 on; 3 and above: the last level */
};

/*
 * The operation that was executed was a PRFM. From facts what is about the data access; what no TLB
 * of the core has is not fetched, and nothing waits for it.
 */
void model_core_prefetch(struct model *model, uint32_t core, const struct model_facts *facts,
			 const struct model_prefetch *prefetch);

/*
 * Sampled operations: how many are in flight in a cycle, and that one is from that cycle up to
 * another. No more than MODEL_FLIGHTS are at once.
 */
unsigned int model_core_in_flight(const struct model_core *core, uint64_t cycle);
void model_core_fly(struct model_core *core, uint64_t cycle, uint64_t done);

/*
 * Operations behind a mispredicted branch that is dispatched in one cycle and done in another,
 * which are dispatched before that is known: at most so many, in the cycles that
 * model_core_wrong_cycle() says, from n = 0 on. None of them is issued.
 */
uint32_t model_core_wrong_count(const struct model_config *config, uint64_t dispatched,
				uint64_t done);
static inline uint64_t model_core_wrong_cycle(const struct model_config *config,
					      uint64_t dispatched, uint32_t n)
{
	return dispatched + 1 + n / config->width;
}

/*
 * What a core will have counted when the operation that model_core_fetch() returned held for, and
 * that has these needs, has been issued, if it is no store: CPU_CYCLES is the cycle of its issue
 * then. Changes nothing.
 */
void model_core_issue_ahead(const struct model *model, uint32_t core, uint32_t held,
			    const struct model_needs *needs, uint64_t counts[MODEL_EVENTS]);

/*
 * The same for its caches, TLBs and branch predictor alone: it takes no time. What op says of
 * latencies and events is of no use then.
 */
void model_core_warm(struct model *model, uint32_t core, const struct model_facts *facts,
		     struct spe_op *op);

/*
 * The same for an operation that was fetched and executed alone: the pipeline is empty, it waits
 * for nothing, and no cycle is counted. op is as for model_core_execute().
 */
void model_core_alone(struct model *model, uint32_t core, const struct model_facts *facts,
		      struct spe_op *op);

/*
 * What regime (enum arm_regime_kind) translates in from now on: model_context(). What its TLBs have
 * of other contexts stays, and is not found.
 */
void model_core_context(struct model *model, uint32_t core, unsigned int regime, uint64_t context);

/* TLB maintenance; its address may have a tag. NULL: all entries of the core go. */
void model_core_forget(struct model *model, uint32_t core, const struct model_tlbi *tlbi);

#endif
