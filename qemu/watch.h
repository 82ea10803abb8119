/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Are operations counted? As long as no guest has a profiling buffer, none are, and QEMU is as fast
 * as without the plugin.
 */
#ifndef VSPE_QEMU_WATCH_H
#define VSPE_QEMU_WATCH_H

#include "qemu/plugin.h"

/* The unit of the vCPU was written to, and the vCPU continues with its next block. */
void watch_unit(struct vcpu *v);

/* Nothing can be selected where the vCPU is. */
void watch_idle(struct vcpu *v);

#endif
