/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stretches of operations in the fast loop, for the run loop.
 */
#ifndef VSPE_SOFT_RUN_STRETCH_H
#define VSPE_SOFT_RUN_STRETCH_H

#include "soft/run/ops.h"

/*
 * May the operation after a stretch be recorded late, after up to a block more, if at most n
 * operations may be executed? The result is soft_cpu.sampling.run_limit.
 */
int64_t soft_run_limit(const struct soft_cpu *cpu, uint64_t n);

/*
 * soft_vm.passing.
 *
 * selection: n operations may be executed until the next selection, and the block at op has more; n
 * is negative if the last block had more. Record the selected operation without leaving the loop,
 * if possible. Returns how many may be executed from op on, by soft_cpu.stop.sampled if that is
 * set; or SOFT_PASS_NOT, if the loop must be left, and soft_cpu.leave says why.
 *
 * stop: the same at the stop before op, for the budget of handlers, which it also returns. If op is
 * selected and its record can be made here, the stop is removed.
 *
 * link: a branch has led to soft_cpu.pc, where no block is known, and budget operations may be
 * executed from there. Returns the first of its block, or NULL, if the loop must be left.
 */
extern const struct soft_passing soft_passing;

/*
 * Execute n operations from op on, or fewer, and take the exception that the last of them
 * generates. It may be more, up to limit, if operations selected on the way can be recorded in
 * passing (soft_run_limit). The profiling unit already knows of `told` of them. Returns how many;
 * *excepted says how it ended.
 */
uint64_t soft_execute_stretch(struct soft_cpu *cpu, const struct soft_op *op, int64_t n,
			      int64_t limit, int64_t told, bool *excepted);

#endif
