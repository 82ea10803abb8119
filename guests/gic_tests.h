/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the guest gic share. */
#ifndef GUEST_GIC_TESTS_H
#define GUEST_GIC_TESTS_H

#include "tap.h"

#define SPURIOUS 1023u
#define ISR_FIQ	 0x40u
#define ISR_IRQ	 0x80u

/* gic_virtual.c: at EL2, what EL1 has of the virtual CPU interface. */
void virtual_hppir_names(void);
void virtual_hppir_disabled(void);
void virtual_disabled_hides_nothing(void);
void virtual_masks(void);
void virtual_order(void);
void virtual_preemption(void);
void virtual_binary_points(void);
void virtual_common_binary_point(void);
void virtual_eoi_mode(void);
void virtual_special(void);
void virtual_lpi(void);
void virtual_unlisted(void);
void virtual_sweep(void);
const char *needs_virtual(void);

#endif
