/* SPDX-License-Identifier: BSD-2-Clause */
/* Records in the memory of the guest. */
#ifndef VSPE_QEMU_BUFFER_H
#define VSPE_QEMU_BUFFER_H

#include "qemu/plugin.h"

/* spe_host.write of a struct vcpu. */
struct spe_write_result buffer_write(void *ctx, uint8_t owning_el, uint64_t va,
				     const uint8_t *bytes, size_t size);

/* Does the plugin know of RAM at a guest physical address? */
bool buffer_is_ram(uint64_t pa);

/*
 * Access 8 bytes of memory as EL2, whatever level the vCPU is at, for a register access that
 * FEAT_NV2 turns into that. False: it faults, as fsc (DFSC) says, and nothing has happened.
 */
bool buffer_access_el2(struct vcpu *v, uint64_t va, bool write, uint64_t *value, uint8_t *fsc);

#endif
