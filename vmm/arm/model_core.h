/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A core of a machine model executes an operation: what its record shows, and what is counted.
 *
 * The core dispatches and issues in program order, so many operations in a cycle. A load that
 * misses L1D or the TLB holds up what is issued behind it until its data is there; a store does not
 * wait for its line, as long as the store buffer has room. After a mispredicted branch, an
 * exception or an exception return, operations come again when that is done and the penalty is
 * over. There is no prefetcher, and no operation is executed that the architecture does not
 * execute.
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
};

/* What an operation does to memory. */
enum model_place {
	MODEL_NOWHERE,	  /* nothing that is seen, or it faulted */
	MODEL_UNACCESSED, /* it was translated, and that was all */
	MODEL_RAM,
	MODEL_DEVICE,
};

/* What is not in a struct spe_op. */
struct model_facts {
	uint64_t fetch_pa; /* of the instruction */
	enum model_flow flow;
	enum model_place place;
	uint32_t size; /* bytes of the data access */
	uint8_t regime,
		data_regime;	  /* enum arm_regime_kind: of the fetch, and of the data access */
	bool tables, data_tables; /* ... translated by tables */
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
 * The operation was executed. op has all that does not depend on a microarchitecture; the model
 * sets its latencies, its data source and its events but for Exception, Retired and Misaligned.
 * held: what model_core_fetch() returned.
 */
void model_core_execute(struct model *model, uint32_t core, const struct model_facts *facts,
			uint32_t held, struct spe_op *op);

/*
 * The same for its caches, TLBs and branch predictor alone: it takes no time. What op says of
 * latencies and events is of no use then.
 */
void model_core_warm(struct model *model, uint32_t core, const struct model_facts *facts,
		     struct spe_op *op);

/* Whatever the core was shown last is done before the next operation is dispatched. */
void model_core_rest(struct model *model, uint32_t core);

/*
 * TLB maintenance, and changes of what translation depends on: the core's entries of these regimes
 * (1 << enum arm_regime_kind) go, of the page of *va only if va is not NULL.
 */
void model_core_forget(struct model *model, uint32_t core, unsigned int regimes,
		       const uint64_t *va);

#endif
