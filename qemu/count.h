/* SPDX-License-Identifier: BSD-2-Clause */
/* Operations counted exactly, one block at a time. */
#ifndef VSPE_QEMU_COUNT_H
#define VSPE_QEMU_COUNT_H

#include "qemu/operation.h"

/*
 * Report to the unit what has executed since the last time. rest: how many instructions of the
 * current block have been counted, but have not executed.
 */
void count_settle(struct vcpu *v, uint64_t rest, const struct outcome *end);

/* How many of the block's instructions come after one; 0 if the block counts nothing. */
uint64_t count_rest(const struct vcpu *v, const struct place *place);

/* The block is being left, with all that it counted settled. */
void count_leave(struct vcpu *v);

/* Make the next block call back, whatever is left. */
void count_soon(struct vcpu *v);

/* Callbacks of translated code: a block's first instruction, and one that is armed. */
void count_block(unsigned int index, void *place);
void count_target(unsigned int index, void *place);

/* An access of an instruction that is a block by itself. */
void count_lone_access(unsigned int index, qemu_plugin_meminfo_t info, uint64_t va, void *place);

void count_discontinuity(unsigned int index, enum qemu_plugin_discon_type type, uint64_t from,
			 uint64_t to, void *ctx);

#endif
