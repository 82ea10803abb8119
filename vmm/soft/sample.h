/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A sampled operation: what it looks like before it executes and what came of it, for spe_sample().
 */
#ifndef VSPE_SOFT_SAMPLE_H
#define VSPE_SOFT_SAMPLE_H

#include "soft/ops.h"

struct soft_sample {
	struct spe_op record;
	uint64_t walks;	      /* soft_cpu.walks before */
	uint64_t last;	      /* address of the last register's transfer */
	unsigned int element; /* bytes of one register */
	bool wrote;	      /* the data access is a write */
	uint8_t data_el;
};

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

#endif
