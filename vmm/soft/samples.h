/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A vCPU's state of sampling: samples that wait for the profiling unit, and their positions in the
 * run of the fast loop.
 */
#ifndef VSPE_SOFT_SAMPLES_H
#define VSPE_SOFT_SAMPLES_H

#include <vspe/spe.h>
#include "soft/views.h"

/* A sampled operation on its way: sampling/sample.h. */
struct soft_sample {
	int64_t position; /* if deferred: operations of the run before it */
	struct spe_op record;
	uint64_t walks;	  /* soft_sampling.walks before */
	uint64_t last;	  /* address of the last register's transfer */
	uint16_t element; /* bytes of one register */
	bool wrote;	  /* the data access is a write */
	bool ram;	  /* it was made, in RAM */
	uint8_t data_el;
	uint8_t status; /* the register that says whether a store-exclusive failed, or 31 */
	bool late;	/* if deferred: its address has yet to be computed */
};

/* Samples that may wait for the profiling unit. */
#define SOFT_SAMPLES 32

/* A run is the operations that the fast loop was last called for. */
struct soft_sampling {
	int64_t told; /* of this run, those that the profiling unit knows of */
	/*
	 * The operation after the requested ones is selected. If that makes no difference, it is
	 * recorded when its block is finished, and the run continues to the next selection, up to
	 * run_limit operations in total.
	 */
	const struct soft_op *deferred;
	/*
	 * Samples of this run that the profiling unit does not know of yet, so that it gets many at
	 * once; and the known part of deferred's.
	 */
	struct soft_sample samples[SOFT_SAMPLES + 1];
	const struct spe_op *records[SOFT_SAMPLES + 1]; /* their records */
	unsigned int waiting;				/* how many, without deferred's */
	/*
	 * The common beginning of all records of this run, and how many may wait, by the buffer's
	 * room, as long as its page is in the software TLB.
	 */
	struct spe_op usual;
	struct {
		unsigned int count;
		const struct soft_tlb_entry *entry;
		uint64_t page;
	} room;
	uint64_t spacing; /* spe_spacing_fixed() */
	uint64_t begin;	  /* the counter when the run began */
	int64_t foretold; /* position of a sample that was complete before its block; or 0 */
	int64_t run_limit;
	bool walked;	/* deferred's translation was not in the software TLB */
	bool irq;	/* the level of the buffer's interrupt that the machine knows */
	uint64_t walks; /* translations that the software TLB did not have */
	/* What the unit was configured with: */
	unsigned int types; /* A64_TYPE_*: payloads that it has */
	bool micro_ops;	    /* the population is of micro-ops: no FEAT_SPE_ArchInst */
	bool follows_isb;   /* spe_config.pbt_isb */
	uint8_t record_max; /* spe_config.max_size */
};

#endif
