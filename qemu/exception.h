/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Exceptions of the guest that the plugin raises. No QEMU of today lets a plugin do that; where one
 * does, what a hypervisor in the guest traps is trapped (docs/decisions/qemu.md, QEMU-8).
 */
#ifndef VSPE_QEMU_EXCEPTION_H
#define VSPE_QEMU_EXCEPTION_H

#include "qemu/plugin.h"

/* Look for the function in QEMU's program. */
void exception_find(void);

/* Can exceptions be raised? */
bool exception_possible(void);

/*
 * The instruction takes an exception instead of being executed, to el with esr. Does not return.
 * For callbacks with QEMU_PLUGIN_CB_RW_REGS_PC. What was counted is settled by the callback for
 * discontinuities, as for an exception of QEMU's own.
 */
__attribute__((noreturn)) void exception_raise(const struct vcpu *v, const struct place *place,
					       unsigned int el, uint64_t esr);

#endif
