/* SPDX-License-Identifier: BSD-2-Clause */
/* The state of SPE in QEMU's snapshots and migrations: savevm, loadvm, migrate, -incoming. */
#ifndef VSPE_QEMU_VMSTATE_H
#define VSPE_QEMU_VMSTATE_H

#include "qemu/plugin.h"

/* Find what follows in QEMU's program. Returns NULL, or the name of what it does not export. */
const char *vmstate_find(void);

/*
 * Have QEMU save SPE with so many vCPUs, or let it neither save nor migrate. Before there is a
 * machine. Returns NULL, or why neither can be; static storage.
 */
const char *vmstate_begin(unsigned int cpus);

/* A vCPU has begun: what has come for it already is its state. */
void vmstate_vcpu(struct vcpu *v);

#endif
