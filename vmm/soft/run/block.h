/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decoded blocks: finding, making, chaining and dropping them.
 */
#ifndef VSPE_SOFT_BLOCK_H
#define VSPE_SOFT_BLOCK_H

#include "soft/run/ops.h"

static inline const struct soft_block *soft_block_of(const struct soft_op *op)
{
	return (const struct soft_block *)((const char *)(op - op->index) -
					   offsetof(struct soft_block, ops));
}

static inline uint64_t soft_op_pc(const struct soft_op *op)
{
	return soft_block_of(op)->va + 4 * (uint64_t)op->index;
}

/*
 * The block at cpu->pc, decoded if it was not yet; the link that cpu->slot asks for is made,
 * otherwise the jump cache is filled. pc loses its tag. NULL: the fetch faulted, cpu->fault is set.
 */
const struct soft_op *soft_block_find(struct soft_cpu *cpu);

/* Memory at pa, size bytes in one page, was or is about to be written: drop what was decoded from
 * it. */
void soft_code_written(struct soft_vm *vm, uint64_t pa, uint64_t size);

/* Whether blocks were decoded from this page of RAM. */
bool soft_code_page(const struct soft_vm *vm, uint64_t pa);

/* Stop the fast loop before op (not the first of a block); undone by soft_remove_stop(). */
void soft_place_stop(struct soft_cpu *cpu, const struct soft_op *op);
void soft_remove_stop(struct soft_cpu *cpu);

/* The handler that executes op and nothing else. */
soft_handler *soft_lone_handler(const struct soft_op *op);

/* Decode at most SOFT_BLOCK_OPS instructions at code, n available, into block. Its ops have room.
 */
void soft_translate_block(struct soft_block *block, const uint8_t *code, unsigned int n);

/* Forget jump cache and instruction TLB. */
void soft_code_view_reset(struct soft_code_view *view);

/*
 * Fetches from this page go to the physical page pa: into the instruction TLB, which is emptied
 * first if it is full. false: it has the page already.
 */
bool soft_code_page_add(struct soft_code_view *view, uint64_t page, uint64_t pa);

#endif
