/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Between a run of the fast loop and the profiling unit: where its samples are, and what the unit
 * is told of it.
 */
#ifndef VSPE_SOFT_SAMPLING_TELL_H
#define VSPE_SOFT_SAMPLING_TELL_H

#include "soft/cpu.h"

/* The vCPU has a unit of that configuration. */
void soft_configure_samples(struct soft_cpu *cpu, const struct spe_config *config);

/*
 * A run begins, of which the unit knows of told operations. Samples may be recorded on the way, up
 * to limit operations in all, or none: limit 0.
 */
void soft_begin_samples(struct soft_cpu *cpu, int64_t told, int64_t limit);

/*
 * The same of a run in which none are recorded on the way. Its operation last is sampled. If
 * samples wait it is the last of them, they are spacing apart, and the first of them is so many
 * members of the population after what the unit was told of; otherwise the unit knows of it.
 */
void soft_place_samples(struct soft_cpu *cpu, int64_t last, int64_t first, int64_t spacing);

/* Tell the machine if the level of the profiling buffer's interrupt has changed. */
void soft_update_spe_irq(struct soft_cpu *cpu);

/*
 * count operations of this run have been begun. Let the profiling unit know, and have the samples
 * that wait recorded. The deferred one is the operation after those asked for: the fast loop may
 * have gone on past it, or have been stopped before.
 */
void soft_tell_unit(struct soft_cpu *cpu, int64_t count);

/*
 * The fast loop has come to op, the first of a block, having executed soft_cpu.sampling.deferred
 * and -left operations more than were asked for. Record the deferred one. Returns how many
 * operations may be executed from op on until the next selection, or -1 if the loop is to be left
 * here.
 */
int64_t soft_record_deferred(struct soft_cpu *cpu, const struct soft_op *op, int64_t left);

#endif
