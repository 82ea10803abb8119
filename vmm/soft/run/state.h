/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The state of a vCPU of the software CPU: engine.vcpu_state.
 */
#ifndef VSPE_SOFT_STATE_H
#define VSPE_SOFT_STATE_H

#include "soft/cpu.h"
#include "base/state.h"

/* Between two runs. To load, cpu must be newly made. */
void soft_cpu_state(struct soft_cpu *cpu, struct state *state);

#endif
