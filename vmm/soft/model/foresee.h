/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the observing loop shows the model of operations: many at once where it is known already
 * what they do.
 */
#ifndef VSPE_SOFT_MODEL_FORESEE_H
#define VSPE_SOFT_MODEL_FORESEE_H

#include "soft/model/model.h"

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

/* The access of an operation: what the model looks at of it, and what it says, unread. */
struct soft_shown_access {
	struct spe_op op;
	uint64_t last;
	unsigned int element;
	bool write;
};

/*
 * The fast loop stands before from. Show the operations of its block from there on of which it is
 * known already what they do, at most n and not the last of the block. Returns how many.
 */
int64_t soft_foresee(struct soft_observer *o, const struct soft_op *from, int64_t n);

/*
 * op, which could not be foreseen, is executed alone: show it, with what is known before. access is
 * for soft_show_after(), which shows the rest when it was executed.
 */
void soft_show_before(struct soft_observer *o, const struct soft_op *op,
		      struct soft_shown_access *access);
void soft_show_after(struct soft_observer *o, const struct soft_op *op,
		     struct soft_shown_access *access);

/*
 * The next one, op, is sampled: the model is shown it, and its record, which soft_sample_known()
 * was true of, has what the model says.
 */
void soft_observe_sample(struct soft_cpu *cpu, const struct soft_op *op,
			 const struct soft_class *class, struct soft_sample *s);

#endif
