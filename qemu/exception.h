/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Exceptions of the guest that the plugin raises, where QEMU lets it (qemu/patches). Where it does
 * not they are counted, and the instruction is left to QEMU (docs/decisions/qemu.md, QEMU-8).
 */
#ifndef VSPE_QEMU_EXCEPTION_H
#define VSPE_QEMU_EXCEPTION_H

#include "qemu/plugin.h"

/* Look for the function in QEMU's program. */
void exception_find(void);

/*
 * The instruction takes an exception instead of being executed: a trap to el, or the abort of the
 * access to va that FEAT_NV2 has made of it, fsc being its DFSC. Each returns only if QEMU cannot
 * raise it. For callbacks with QEMU_PLUGIN_CB_RW_REGS_PC. What was counted is settled by the
 * callback for discontinuities, as for an exception of QEMU's own.
 */
void exception_trap(struct vcpu *v, const struct place *place, unsigned int el, unsigned int ec,
		    uint32_t iss);
void exception_abort(struct vcpu *v, const struct place *place, uint64_t va, bool write,
		     uint8_t fsc);

#endif
