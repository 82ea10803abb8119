/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a vCPU is: its Exception level, and the controls of the levels above. */
#ifndef VSPE_QEMU_LEVEL_H
#define VSPE_QEMU_LEVEL_H

#include "qemu/plugin.h"

/* Set controls.features by what the vCPU has, once and for all. */
void level_begin(struct vcpu *v);

/* The Exception level that the vCPU is at. */
uint8_t level_now(const struct vcpu *v);

/* The present values of the registers that only an MSR changes. */
const struct known *level_known(struct vcpu *v);

/* One of them may have been written. */
void level_forget(struct vcpu *v);

/* Bring v->controls up to date, and report them to the unit. */
void level_update(struct vcpu *v);

#endif
