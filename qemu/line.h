/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of the machine around a vCPU that the interface for plugins does not provide. */
#ifndef VSPE_QEMU_LINE_H
#define VSPE_QEMU_LINE_H

#include "qemu/plugin.h"

/*
 * Find all of it in QEMU's program, once there is a machine. Returns NULL, or why it is not
 * available.
 */
const char *line_find(void);

/* Set PMBIRQ, the PPI of the vCPU, to its level. Returns whether it has risen. */
bool line_update(struct vcpu *v);

/* QEMU_CLOCK_VIRTUAL, in nanoseconds: what the generic timer counts. */
uint64_t line_clock(void);

/* Call back, with all vCPUs stopped, when the machine is reset. */
void line_on_reset(void (*callback)(void *));

/* Does -icount count? Then the clock must not be read inside a block. */
bool line_icount(void);

/*
 * Do all vCPUs share a thread? QEMU 11.1 then puts the number of the vCPU that it translates for
 * into the code as a constant, and multiplies that in place. With more than one vCPU, callbacks and
 * scoreboards then get another vCPU's number, or an invalid one.
 */
bool line_single(void);

#endif
