/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the observing loop shows the model of operations: many at once, if their effects are already
 * known.
 */
#ifndef VSPE_SOFT_MODEL_FORESEE_H
#define VSPE_SOFT_MODEL_FORESEE_H

#include "soft/model/model.h"

/* Can soft_observe() execute operations of this class, wherever they are? */
static inline bool soft_class_observed(const struct soft_cpu *cpu, const struct soft_class *class)
{
	return class->observed && !(class->observed_fp && cpu->fp_trapped);
}

/* Can op? */
static inline bool soft_observed(const struct soft_cpu *cpu, const struct soft_op *op)
{
	return soft_class_observed(cpu, soft_classify(cpu, op));
}

/*
 * Can soft_observe() execute the next operation, if its class allows? If not, use
 * soft_model_before().
 */
static inline bool soft_observes(const struct soft_cpu *cpu)
{
	return !cpu->sys.pstate.il && !cpu->sys.pstate.btype;
}

/* Can soft_observe() execute op, the next operation? */
static inline bool soft_observable(const struct soft_cpu *cpu, const struct soft_op *op)
{
	return soft_observed(cpu, op) && soft_observes(cpu);
}

/* The access of an operation: the model's input, and its output, which nobody reads. */
struct soft_shown_access {
	struct spe_op op;
	uint64_t last;
	unsigned int element;
	bool write;
};

/* op, a load or store of ops.def, is about to access memory: where, but not yet the physical
 * address. */
void soft_note_access(const struct soft_cpu *cpu, const struct soft_op *op,
		      const struct soft_class *class, struct soft_shown_access *access);
/* It has, or cpu->fault is set. */
void soft_show_accessed(struct soft_observer *o, struct soft_shown_access *access, bool faulted);

/*
 * The fast loop is before from. Show the operations of its block from there on whose effects are
 * already known: at most n, and not the last of the block. Returns how many.
 */
int64_t soft_foresee(struct soft_observer *o, const struct soft_op *from, int64_t n);

/*
 * op, which could not be foreseen, is executed alone: show what is known of it before. access is
 * for soft_show_after(), which shows the rest once it was executed.
 */
void soft_show_before(struct soft_observer *o, const struct soft_op *op,
		      struct soft_shown_access *access);
void soft_show_after(struct soft_observer *o, const struct soft_op *op,
		     struct soft_shown_access *access);

/*
 * The next operation, op, is sampled, and soft_sample_known() was true of it: show it to the model,
 * whose results go to its record.
 */
void soft_observe_sample(struct soft_cpu *cpu, const struct soft_op *op,
			 const struct soft_class *class, struct soft_sample *s);

#endif
