/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The observing loop: operations on their way past the machine model, a few at a time.
 */
#ifndef VSPE_SOFT_RUN_OBSERVE_H
#define VSPE_SOFT_RUN_OBSERVE_H

#include "soft/model/foresee.h"

/*
 * done operations of this run were executed. Go on until it is n, from op on, of which that is
 * true, and let them warm the machine model. How it ended is in cpu->leave and what belongs to it,
 * as after the fast loop; cpu->run - cpu->left operations were begun. Returns how many more, the
 * next ones of a block, the model was shown that are yet to be executed, and will end without an
 * exception: then that is a stop before the first of them.
 */
int64_t soft_observe(struct soft_cpu *cpu, const struct soft_op *op, int64_t done, int64_t n);

/* Execute those, too. */
void soft_execute_foreseen(struct soft_cpu *cpu, int64_t shown);

/* Execute op alone, done operations of this run being executed. It ends in the same way. */
void soft_observe_alone(struct soft_cpu *cpu, const struct soft_op *op, int64_t done);

#endif
