/* SPDX-License-Identifier: BSD-2-Clause */
/* The observing loop: runs operations with the machine model, a few at a time. */
#ifndef VSPE_SOFT_RUN_OBSERVE_H
#define VSPE_SOFT_RUN_OBSERVE_H

#include "soft/model/foresee.h"

/*
 * Of this run, done operations have been executed. Continue up to n, from op on, which
 * soft_observable() is true of, and let them warm the machine model. cpu->leave and what belongs to
 * it say how it ended, as after the fast loop; cpu->run - cpu->left operations were begun. Returns
 * how many more operations, the next ones of a block, the model was shown that are yet to be
 * executed. These will not generate an exception: the run ended with a stop before the first of
 * them.
 */
int64_t soft_observe(struct soft_cpu *cpu, const struct soft_op *op, int64_t done, int64_t n);

/* Execute those, too. */
void soft_execute_foreseen(struct soft_cpu *cpu, int64_t shown);

/* Execute op alone, after done operations of this run. It ends in the same way. */
void soft_observe_alone(struct soft_cpu *cpu, const struct soft_op *op, int64_t done);

#endif
