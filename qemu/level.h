/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a vCPU is: its Exception level, and the controls of the levels above. */
#ifndef VSPE_QEMU_LEVEL_H
#define VSPE_QEMU_LEVEL_H

#include "qemu/plugin.h"

/* What the vCPU has, for controls.features and for ever. */
void level_begin(struct vcpu *v);

/* The Exception level that the vCPU is at. */
uint8_t level_now(const struct vcpu *v);

/* The registers that only an MSR changes, as they are. */
const struct known *level_known(struct vcpu *v);

/* One of them may have been written. */
void level_forget(struct vcpu *v);

/* Make v->controls those of now, and tell the unit. */
void level_update(struct vcpu *v);

#endif
