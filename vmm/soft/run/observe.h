/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The observing loop: operations on their way past the machine model, a few at a time.
 */
#ifndef VSPE_SOFT_RUN_OBSERVE_H
#define VSPE_SOFT_RUN_OBSERVE_H

#include "soft/run/model.h"

/* Can what is of class be one of those that soft_observe() executes, wherever it stands? */
static inline bool soft_class_observed(const struct soft_cpu *cpu, const struct soft_class *class)
{
	return class->observed && !(class->observed_fp && cpu->fp_trapped);
}

/* Can op? */
static inline bool soft_observed(const struct soft_cpu *cpu, const struct soft_op *op)
{
	return soft_class_observed(cpu, soft_classify(cpu, op));
}

/* Can the next operation, if it is one of those? If not, it takes soft_model_before(). */
static inline bool soft_observes(const struct soft_cpu *cpu)
{
	return !cpu->sys.pstate.il && !cpu->sys.pstate.btype;
}

/* Can op, the next one, be executed by soft_observe()? */
static inline bool soft_observable(const struct soft_cpu *cpu, const struct soft_op *op)
{
	return soft_observed(cpu, op) && soft_observes(cpu);
}

/*
 * done operations of this run were executed. Go on until it is n, from op on, of which that is
 * true, and let them warm the machine model. How it ended is in cpu->leave and what belongs to it,
 * as after the fast loop; cpu->run - cpu->left operations were begun. Returns how many more, the
 * next ones of a block, the model was shown that are yet to be executed, and will end without an
 * exception: then that is a stop before the first of them.
 */
int64_t soft_observe(struct soft_cpu *cpu, const struct soft_op *op, int64_t done, int64_t n);

/*
 * The next one, op, is sampled: the model is shown it, and its record, which soft_sample_known()
 * was true of, has what the model says.
 */
void soft_observe_sample(struct soft_cpu *cpu, const struct soft_op *op,
			 const struct soft_class *class, struct soft_sample *s);

/* Execute those, too. */
void soft_execute_foreseen(struct soft_cpu *cpu, int64_t shown);

/* Execute op alone, done operations of this run being executed. It ends in the same way. */
void soft_observe_alone(struct soft_cpu *cpu, const struct soft_op *op, int64_t done);

#endif
