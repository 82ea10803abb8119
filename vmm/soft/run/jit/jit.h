/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The translator: blocks that are executed often become code of the host's. Such code is a handler
 * like others (soft_handler): whatever it has no template for, and whatever is not the common case,
 * goes on in a handler of the fast loop, with all registers and flags where that expects them. So
 * counts, samples, faults and stops are the fast loop's, to the byte.
 */
#ifndef VSPE_SOFT_RUN_JIT_JIT_H
#define VSPE_SOFT_RUN_JIT_JIT_H

#include "soft/code_memory.h"
#include "soft/jit.h"
#include "soft/run/ops.h"

/*
 * Make the translator of a machine; at_once: of blocks that were never executed, too. 0, or a
 * negative error number.
 */
int soft_jit_create(struct soft_vm *vm, bool at_once);
void soft_jit_destroy(struct soft_vm *vm);

/* A block was decoded: it is translated when it was executed often enough. */
void soft_jit_watch(const struct soft_jit *jit, struct soft_block *block);

/*
 * Generate the code of a block. flag_kind: enum soft_flags of the vCPU where it begins, which it is
 * to expect there. False: there is no room, and nothing has changed.
 */
bool soft_jit_translate(struct soft_vm *vm, struct soft_block *block, uint32_t flag_kind);

/*
 * Code of op's block, which is translated, and op not its first one: before op soft_passing.stop is
 * called. NULL: there can be none, as something before op has no template, or there is no room.
 */
soft_handler *soft_jit_sampled(struct soft_vm *vm, const struct soft_op *op, uint32_t flag_kind);

#endif
