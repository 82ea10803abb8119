/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The PMU of a vCPU (pmu/unit.h) and how it learns what was executed. Nothing is counted as
 * operations execute: when somebody looks, the unit gets the increase of soft_cpu.ops. For this to
 * be exact, the run loop stops at soft_cpu.loop.pmu_stop, where a counter may overflow.
 */
#ifndef VSPE_SOFT_PMU_H
#define VSPE_SOFT_PMU_H

#include "model/core.h"
#include "model/event.h"
#include "pmu/unit.h"
#include "soft/cpu.h"

/* The counters of events of the machine model. */
struct soft_pmu_modelled {
	uint8_t counters;		 /* bit n: counter n does ... */
	uint8_t event[PMU_ALL_COUNTERS]; /* ... this, an enum model_event */
};

struct soft_pmu {
	struct pmu unit;
	/* What the unit does not know yet, since soft_cpu.ops was synced: */
	uint64_t synced;
	uint64_t unretired;		 /* operations that an exception took the place of */
	uint64_t more[PMU_ALL_COUNTERS]; /* of counters of a class, or of reported events */
	uint64_t told[MODEL_EVENTS];	 /* what it knows of the model's counts */
	/* As of then: */
	uint64_t room[PMU_ALL_COUNTERS]; /* of counters that count: pmu_room() */
	uint8_t classes;		 /* bit n: counter n counts a class of instructions */
	struct soft_pmu_modelled modelled;
	/*
	 * The machine model has fetched the operation that is being executed, and has yet to see
	 * its outcome: the cycles that it was held up, and its needs at issue. If the unit already
	 * knows of it (split), what counted when it began.
	 */
	bool fetched, split;
	uint32_t held;
	struct model_needs needs;
	struct soft_pmu_modelled begun_with;
	bool stepwise; /* a sample matters at once: it may not be recorded later */
	bool begun;    /* one more operation than soft_cpu.ops has begun, and is carried out */
	bool irq;      /* the level that the machine knows */
};

/*
 * Report to the unit all that was executed and its present context, and to the machine if the
 * interrupt's level has changed. Then set where to stop next. sys.pmu is not NULL.
 */
void soft_pmu_refresh(struct soft_cpu *cpu);

/* The unit's part of a warm reset, after soft_sys_reset(). */
void soft_pmu_reset(struct soft_cpu *cpu);

/*
 * A synchronous exception, or an interrupt, is about to be taken: the Exception level is still the
 * one that it is taken from. retired: the operation that has begun, if any, is architecturally
 * executed.
 */
void soft_pmu_exception(struct soft_cpu *cpu, bool retired);

/*
 * The machine model, which is shown all operations, has fetched one that is about to execute, which
 * was held up so many cycles and has these needs; and has seen its outcome. Its events count by the
 * controls that it began with. sys.pmu is not NULL.
 */
static inline void soft_pmu_fetched(struct soft_cpu *cpu, uint32_t held,
				    const struct model_needs *needs)
{
	cpu->sys.pmu->fetched = true;
	cpu->sys.pmu->held = held;
	cpu->sys.pmu->needs = *needs;
}

void soft_pmu_modelled(struct soft_cpu *cpu);

/* May a sample be recorded after its operation? */
static inline bool soft_pmu_stepwise(const struct soft_cpu *cpu)
{
	return cpu->sys.pmu && (cpu->sys.pmu->stepwise || cpu->sys.pmu->classes);
}

/* Add n to a counter that counts: the run loop stops if it overflows. */
static inline void soft_pmu_add(struct soft_cpu *cpu, unsigned int counter, uint64_t n)
{
	struct soft_pmu *pmu = cpu->sys.pmu;

	pmu->more[counter] += n;
	if (pmu->more[counter] < pmu->room[counter])
		return;
	cpu->loop.pmu_stop = 0;
	cpu->attention |= SOFT_ATTENTION_IRQ;
}

/*
 * n events of that number happened, in what is being executed: for each kind of event that the
 * engine itself sees. The run loop stops if that makes a counter overflow.
 */
static inline void soft_pmu_tell(struct soft_cpu *cpu, unsigned int event, uint64_t n)
{
	struct soft_pmu *pmu = cpu->sys.pmu;
	unsigned int counters;

	if (!pmu || !pmu->unit.counting)
		return;
	for (counters = pmu_listeners(&pmu->unit, event); counters; counters &= counters - 1)
		soft_pmu_add(cpu, (unsigned int)__builtin_ctz(counters), n);
}

/* An exception return executes: a software change of the PC, and from v3p9 on a branch. */
static inline void soft_pmu_return(struct soft_cpu *cpu)
{
	soft_pmu_tell(cpu, PMU_EXC_RETURN, 1);
	soft_pmu_tell(cpu, PMU_PC_WRITE_RETIRED, 1);
	if (cpu->sys.pmu && cpu->sys.pmu->unit.config.version >= PMU_V3P9)
		soft_pmu_tell(cpu, PMU_BR_RETIRED, 1);
}

#endif
