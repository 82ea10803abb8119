/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The machine model (model/core.h) of the software CPU: which operations it is shown, and what
 * it learns of them. Without --model there is none, and nothing here is called.
 */
#ifndef VSPE_SOFT_MODEL_MODEL_H
#define VSPE_SOFT_MODEL_MODEL_H

#include "model/core.h"
#include "base/state.h"
#include "soft/sampling/sample.h"
#include "soft/tuning.h"

/*
 * Make the model that tuning requests, unless there is one already or tuning requests none. False:
 * no memory.
 */
bool soft_model_create(struct soft_vm *vm, const struct engine_tuning *tuning);
void soft_model_destroy(struct soft_vm *vm);

/*
 * --model warm: the selected operation and those before it that go through the pipeline. As many as
 * the longest queue has: from then on it is as full as they made it.
 */
#define SOFT_MODEL_WINDOW 64

/*
 * How many operations from here on need not go through the pipeline, if the next selected one is
 * operation budget from here: 0, or fewer than budget. UINT64_MAX: there is none.
 */
static inline uint64_t soft_model_ahead(const struct soft_cpu *cpu, uint64_t budget)
{
	if (cpu->vm->model->mode == MODEL_FULL)
		return 0;
	if (budget == UINT64_MAX)
		return budget;
	return budget > SOFT_MODEL_WINDOW ? budget - SOFT_MODEL_WINDOW : 0;
}

/* Notes the descriptors of a walk, without other effects: model_facts.walk and .ctx. */
struct soft_walker {
	struct soft_cpu *cpu;
	unsigned int fetch_el, data_el;
	bool write;
	const struct soft_touched *touched; /* the accesses of an operation that makes several */
	struct model_walk *walk;
};
void soft_model_walk(void *ctx, uint64_t va, bool data, struct model_walk *walk);

/*
 * For showing a vCPU's operations to the model: facts has what is common to all accesses of its
 * Exception level; facts of one operation are filled in for each.
 */
struct soft_observer {
	struct model *machine;
	struct model_core *core;
	struct soft_walker walker;
	struct model_facts facts;
};

/* Fill it in. */
void soft_observer_renew(struct soft_cpu *cpu, struct soft_observer *o);

static inline struct soft_observer *soft_observer(struct soft_cpu *cpu)
{
	struct soft_observer *o = &cpu->vm->model->observers[cpu->index];

	if (SOFT_UNLIKELY(!cpu->model.observed))
		soft_observer_renew(cpu, o);
	return o;
}

/* How an operation is shown to the model. */
enum soft_shown {
	SOFT_SEEN_WARM,	    /* model_core_warm() */
	SOFT_SEEN_IN_ORDER, /* model_core_execute(), with those before and after it */
};

/* An operation on its way through the model. */
struct soft_seen {
	struct soft_sample sample;
	enum a64_flow flow;
	uint32_t word;
	enum soft_shown shown;
	/* In order: */
	struct model_needs needs;
	uint32_t held;	     /* model_core_fetch() */
	uint64_t dispatched; /* in that cycle */
	bool waits;	     /* what comes of it is yet to be seen */
	bool prefetches;     /* it is a PRFM */
	bool faulted;	     /* its exception, cpu->fault, has yet to be taken */
};

/* op is about to execute; budget as above. */
void soft_model_before(struct soft_cpu *cpu, const struct soft_op *op, uint64_t budget,
		       struct soft_seen *seen);
/* It was executed. */
void soft_model_after(struct soft_cpu *cpu, struct soft_seen *seen, bool excepted);

/* Put the model's results into the record of one of its micro-ops, of that kind. */
void soft_model_show(const struct soft_seen *seen, enum a64_micro_op_kind kind, struct spe_op *op);

/*
 * With MODEL_FULL: does a selected operation that is dispatched in a cycle collide with others in
 * flight? selected: how many more selected ones are dispatched with it.
 */
bool soft_model_collides(const struct soft_cpu *cpu, uint64_t cycle, unsigned int selected);
/* It does not collide, and is in flight for as long as its record says. */
void soft_model_fly(struct soft_cpu *cpu, uint64_t cycle, const struct spe_op *op);

/* The state of the vCPU's core; for vCPU 0, also of what all cores share. */
void soft_model_state(struct soft_cpu *cpu, struct state *state);

#endif
