/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a sample shows of the microarchitecture if no real one is known: a PE that executes one
 * operation at a time, in order, without speculation. It has no caches, and where data comes from
 * is not known (MODEL-15). All depends only on what the guest does, so both engines make the same
 * record of the same operation. Arm ARM D17.4, D18.2.
 */
#ifndef VSPE_ARM_MODEL_H
#define VSPE_ARM_MODEL_H

#include <vspe/spe.h>

/* Latencies, in cycles. */
enum {
	ARM_MODEL_ISSUE = 1,	 /* from dispatch to issue, of every operation */
	ARM_MODEL_SIMPLE = 1,	 /* execution: ALU operations, branches, stores */
	ARM_MODEL_LOAD = 4,	 /* loads from RAM, atomics */
	ARM_MODEL_DEVICE = 64,	 /* accesses outside RAM, besides */
	ARM_MODEL_TRANSLATE = 1, /* translation of a data address that the TLB has */
	ARM_MODEL_WALK = 16,	 /* ... that it has not */
};

/* A data source that is not known: a number that no core has a name for, nor perf a level. */
#define ARM_MODEL_SOURCE 0xf

/* From FEAT_SPEv1p1 on; before, the bit is IMPLEMENTATION DEFINED, and spe_sample() drops it. */
#define ARM_MODEL_MISALIGNED (UINT64_C(1) << 11)

/* The operation has not executed yet. */
static inline void arm_model_begin(struct spe_op *op)
{
	op->events = SPE_EVENT_RETIRED;
	op->issue_latency = ARM_MODEL_ISSUE;
	op->total_latency = ARM_MODEL_ISSUE + ARM_MODEL_SIMPLE;
}

/* It accesses op->data_va, in pieces of element bytes, a power of two. */
static inline void arm_model_address(struct spe_op *op, unsigned int element)
{
	op->flags |= SPE_OP_VA_VALID;
	if (op->data_va & (element - 1))
		op->events |= ARM_MODEL_MISALIGNED;
}

/* The address was looked up in a TLB; walked: it was not there, and the tables were walked. */
static inline void arm_model_translated(struct spe_op *op, bool walked)
{
	op->events |= SPE_EVENT_TLB_ACCESS | (walked ? SPE_EVENT_TLB_REFILL : 0);
	op->translation_latency = walked ? ARM_MODEL_WALK : ARM_MODEL_TRANSLATE;
	op->total_latency += op->translation_latency;
}

/* It was accessed, at pa, which is in RAM or not. */
static inline void arm_model_accessed(struct spe_op *op, uint64_t pa, bool ram)
{
	op->data_pa = pa;
	op->flags |= SPE_OP_PA_VALID;
	if (op->flags & SPE_OP_LOAD) {
		op->data_source = ARM_MODEL_SOURCE;
		op->total_latency += ARM_MODEL_LOAD - ARM_MODEL_SIMPLE;
	}
	if (!ram)
		op->total_latency += ARM_MODEL_DEVICE;
}

/* It was translated to pa, and not accessed: a store-exclusive that failed (D17.6.4). */
static inline void arm_model_not_accessed(struct spe_op *op, uint64_t pa)
{
	op->data_pa = pa;
	op->flags |= SPE_OP_PA_VALID;
}

/* It generated an exception: then it is no branch (D17.6.3), even an ERET that is UNDEFINED. */
static inline void arm_model_excepted(struct spe_op *op)
{
	op->events |= SPE_EVENT_EXCEPTION;
	if (!(op->flags & SPE_OP_BRANCH))
		return;
	op->flags &= ~(uint32_t)(SPE_OP_BRANCH | SPE_OP_TAKEN | SPE_OP_NOT_TAKEN);
	op->type_header = SPE_TYPE_OTHER;
	op->type_payload = 0;
}

#endif
