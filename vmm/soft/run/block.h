/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decoded blocks: finding, making, chaining and dropping them.
 */
#ifndef VSPE_SOFT_BLOCK_H
#define VSPE_SOFT_BLOCK_H

#include "soft/run/ops.h"

/*
 * The block at cpu->pc, decoded if it was not yet. Makes the link that cpu->slot requests;
 * otherwise fills the jump cache. Removes the tag of pc. NULL: the fetch faulted, cpu->fault is
 * set.
 */
const struct soft_op *soft_block_find(struct soft_cpu *cpu);

/* Would it drop all blocks before? */
bool soft_block_drops(const struct soft_vm *vm);

/* Decode at most SOFT_BLOCK_OPS of the n instructions at code into block, which has room. */
void soft_translate_block(struct soft_block *block, const uint8_t *code, unsigned int n,
			  uint64_t isa, bool draws);

#endif
