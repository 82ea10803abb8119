/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Instructions of a class that the PMU counts: loads, stores, branches. The fast loop counts only
 * operations. Once a counter has counted a class, each block gets a tally, which the handler of its
 * first operation (soft_count_block()) adds up. After a stretch, the operations of its first and
 * last block that were not executed are subtracted.
 */
#ifndef VSPE_SOFT_COUNTED_H
#define VSPE_SOFT_COUNTED_H

#include "soft/run/ops.h"
#include "soft/sys/pmu.h"

/* Give block its tally, unless it has it. */
void soft_count_tally(struct soft_cpu *cpu, struct soft_block *block);

/*
 * Of n operations from op on, how many may be executed in one stretch: if classes are counted, none
 * after one that makes a counter overflow.
 */
int64_t soft_count_limit(struct soft_cpu *cpu, const struct soft_op *op, int64_t n);

/*
 * The first n operations from op on have retired, a stretch within the limit of soft_count_limit(),
 * and the fast loop has been left.
 */
void soft_count_executed(struct soft_cpu *cpu, const struct soft_op *op, int64_t n);

#endif
