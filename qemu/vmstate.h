/* SPDX-License-Identifier: BSD-2-Clause */
/* The state of SPE in QEMU's snapshots and migrations: savevm, loadvm, migrate, -incoming. */
#ifndef VSPE_QEMU_VMSTATE_H
#define VSPE_QEMU_VMSTATE_H

#include "qemu/plugin.h"

/* Find QEMU's functions. Returns NULL, or the name of one that it does not export. */
const char *vmstate_find(void);

/*
 * Make QEMU save SPE with so many vCPUs, or prevent it from saving and migrating. To be called
 * before there is a machine. Returns NULL, or why neither is possible; static storage.
 */
const char *vmstate_begin(unsigned int cpus);

/* A vCPU has begun: if state has already arrived for it, it gets that. */
void vmstate_vcpu(struct vcpu *v);

#endif
