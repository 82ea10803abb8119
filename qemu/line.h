/* SPDX-License-Identifier: BSD-2-Clause */
/* What of the machine around a vCPU the interface for plugins does not give. */
#ifndef VSPE_QEMU_LINE_H
#define VSPE_QEMU_LINE_H

#include "qemu/plugin.h"

/*
 * Find all of it in QEMU's program. Returns NULL, or why there is none of it; once there is a
 * machine.
 */
const char *line_find(void);

/* Bring PMBIRQ, the PPI of the vCPU, to its level. Returns whether it has risen. */
bool line_update(struct vcpu *v);

/* QEMU_CLOCK_VIRTUAL, in nanoseconds: what the generic timer counts. */
uint64_t line_clock(void);

/* Call back, with all vCPUs stopped, when the machine is reset. */
void line_on_reset(void (*callback)(void *));

/* Does -icount count? Its clock must not be read inside of a block. */
bool line_icount(void);

/*
 * Do all vCPUs share a thread? QEMU 11.1 then puts the number of the vCPU that it translates for
 * into the code as a constant, and multiplies that in place: of more than one vCPU the callbacks
 * and scoreboards are another's, or nobody's.
 */
bool line_single(void);

#endif
