/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The translator: blocks that are executed often become host code. Such code is a handler like
 * others (soft_handler). If it has no template, or it is not the common case, execution continues
 * in a handler of the fast loop, with all registers and flags where that expects them. So counts,
 * samples, faults and stops are exactly the fast loop's.
 */
#ifndef VSPE_SOFT_RUN_JIT_JIT_H
#define VSPE_SOFT_RUN_JIT_JIT_H

#include "soft/code_memory.h"
#include "soft/jit.h"
#include "soft/run/ops.h"

/*
 * Make the translator of a machine; at_once: also translate blocks that were never executed. 0, or
 * a negative error number.
 */
int soft_jit_create(struct soft_vm *vm, bool at_once);
void soft_jit_destroy(struct soft_vm *vm);

/* A block was decoded: translate it once it has been executed often enough. */
void soft_jit_watch(const struct soft_vm *vm, struct soft_block *block);

/*
 * Generate the code of a block. flag_kind: enum soft_flags of the vCPU at its beginning, which the
 * code expects there. False: there is no room, and nothing has changed.
 */
bool soft_jit_translate(struct soft_vm *vm, struct soft_block *block, uint32_t flag_kind);

/*
 * Code of op's block, which is translated, that calls soft_passing.stop before op, which is not its
 * first operation. NULL: impossible, as something before op has no template, or there is no room.
 */
soft_handler *soft_jit_sampled(struct soft_vm *vm, const struct soft_op *op, uint32_t flag_kind);

#endif
