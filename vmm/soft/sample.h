/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A sampled operation: what it looks like before it executes and what came of it, for spe_sample().
 */
#ifndef VSPE_SOFT_SAMPLE_H
#define VSPE_SOFT_SAMPLE_H

#include "soft/ops.h"

/*
 * op is selected and about to execute. true: the record is complete, as everything that matters is
 * known beforehand. false: complete it with soft_sample_after().
 */
bool soft_sample_before(struct soft_cpu *cpu, const struct soft_op *op, struct soft_sample *s);

/*
 * It has executed, and generated an exception or not; a data abort is in cpu->fault. PC is where
 * execution goes on.
 */
void soft_sample_after(struct soft_cpu *cpu, struct soft_sample *s, bool excepted);

/*
 * op, an operation of the block that is entered at from, will be selected if the fast loop gets
 * that far. Can it be recorded when its block is finished, instead of stopping before it? It can if
 * what it does is known now or will still be known then, and if writing the record can have no
 * other effect. Then what is known now is in cpu->samples[cpu->waiting].
 */
bool soft_sample_can_wait(struct soft_cpu *cpu, const struct soft_op *from,
			  const struct soft_op *op);

/*
 * op, of which that is true, has executed in the fast loop's last block, and generated the
 * exception in cpu->fault or not: add what was not known then.
 */
void soft_sample_deferred(struct soft_cpu *cpu, const struct soft_op *op, bool excepted);

#endif
