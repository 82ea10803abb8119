/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Are operations counted? As long as no guest has a profiling buffer, nothing is, and QEMU is as
 * fast as without the plugin.
 */
#ifndef VSPE_QEMU_WATCH_H
#define VSPE_QEMU_WATCH_H

#include "qemu/plugin.h"

/* The unit of the vCPU was written to, and it goes on with its next block. */
void watch_unit(struct vcpu *v);

/* Nothing is to be selected where the vCPU is. */
void watch_idle(struct vcpu *v);

#endif
