/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Instructions of a class that the PMU counts: loads, stores, branches. The fast loop counts
 * nothing but operations, so that what a block holds is added up after it; and only while a counter
 * counts a class.
 */
#ifndef VSPE_SOFT_COUNTED_H
#define VSPE_SOFT_COUNTED_H

#include "soft/run/ops.h"
#include "soft/sys/pmu.h"

/*
 * Of n operations from op on, how many may be executed in one stretch: with classes counted none
 * behind op's block, nor behind one that makes a counter overflow.
 */
int64_t soft_count_limit(struct soft_cpu *cpu, const struct soft_op *op, int64_t n);

/* The first n operations from op on have retired, and registers, flags and PC are as they left
 * them. */
void soft_count_executed(struct soft_cpu *cpu, const struct soft_op *op, int64_t n);

#endif
