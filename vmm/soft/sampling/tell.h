/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Between a run of the fast loop and the profiling unit: where its samples are, and what the unit
 * learns of it.
 */
#ifndef VSPE_SOFT_SAMPLING_TELL_H
#define VSPE_SOFT_SAMPLING_TELL_H

#include "soft/cpu.h"

/* Called when the vCPU gets a unit of that configuration. */
void soft_configure_samples(struct soft_cpu *cpu, const struct spe_config *config);

/*
 * Begin a run. The unit already knows of `told` of its operations. Samples may be recorded on the
 * way, up to limit operations in total, or none: limit 0.
 */
void soft_begin_samples(struct soft_cpu *cpu, int64_t told, int64_t limit);

/* Report to the machine if the level of the profiling buffer's interrupt has changed. */
void soft_update_spe_irq(struct soft_cpu *cpu);

/*
 * count operations of this run have begun. Report them to the profiling unit, and record the
 * samples that wait. The deferred one is the operation after the requested ones: the fast loop may
 * have run past it, or have been stopped before.
 */
void soft_tell_unit(struct soft_cpu *cpu, int64_t count);

/*
 * The fast loop has come to op, the first of a block, having executed soft_cpu.sampling.deferred
 * and -left operations more than requested. Record the deferred one. Returns how many operations
 * may be executed from op on until the next selection, or -1 if the loop must be left here.
 */
int64_t soft_record_deferred(struct soft_cpu *cpu, const struct soft_op *op, int64_t left);

#endif
