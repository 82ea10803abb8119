/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Instructions of a class that the PMU counts: loads, stores, branches. The fast loop counts
 * nothing but operations. Once a counter has counted a class, each block has a tally, which the
 * handler of its first operation (soft_count_block()) adds up; what was not executed of the first
 * and the last block of a stretch is taken off behind it.
 */
#ifndef VSPE_SOFT_COUNTED_H
#define VSPE_SOFT_COUNTED_H

#include "soft/run/ops.h"
#include "soft/sys/pmu.h"

/* Give block its tally, unless it has it. */
void soft_count_tally(struct soft_cpu *cpu, struct soft_block *block);

/*
 * Of n operations from op on, how many may be executed in one stretch: with classes counted none
 * behind one that makes a counter overflow.
 */
int64_t soft_count_limit(struct soft_cpu *cpu, const struct soft_op *op, int64_t n);

/*
 * The first n operations from op on, a stretch that soft_count_limit() was asked for, have retired,
 * and the fast loop has been left.
 */
void soft_count_executed(struct soft_cpu *cpu, const struct soft_op *op, int64_t n);

#endif
