/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Exceptions of the guest that the plugin raises, if QEMU allows it (qemu/patches). Otherwise they
 * are counted, and the instruction is left to QEMU (docs/decisions/qemu.md, QEMU-8).
 */
#ifndef VSPE_QEMU_EXCEPTION_H
#define VSPE_QEMU_EXCEPTION_H

#include "qemu/plugin.h"

/* Look for the function in QEMU's program. */
void exception_find(void);

/*
 * Take an exception instead of executing the instruction: a trap to el, or the abort of the access
 * to va that FEAT_NV2 has made of it, with DFSC fsc. Each returns only if QEMU cannot raise it. For
 * callbacks with QEMU_PLUGIN_CB_RW_REGS_PC. The callback for discontinuities settles the count, as
 * for QEMU's own exceptions.
 */
void exception_trap(struct vcpu *v, const struct place *place, unsigned int el, unsigned int ec,
		    uint32_t iss);
void exception_abort(struct vcpu *v, const struct place *place, uint64_t va, bool write,
		     uint8_t fsc);

#endif
