/* SPDX-License-Identifier: BSD-2-Clause */
/* The accesses of an instruction that makes several: the machine model is shown each line. */
#ifndef VSPE_SOFT_TOUCHED_H
#define VSPE_SOFT_TOUCHED_H

#include "soft/mem/memory.h"

/* An instruction begins. */
void soft_touched_begin(struct soft_cpu *cpu);

/* It has moved these bytes. gathers: it is a gather. */
void soft_touched_note(struct soft_cpu *cpu, const struct soft_bytes *bytes, bool gathers);

#endif
