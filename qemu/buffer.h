/* SPDX-License-Identifier: BSD-2-Clause */
/* Records in the memory of the guest. */
#ifndef VSPE_QEMU_BUFFER_H
#define VSPE_QEMU_BUFFER_H

#include "qemu/plugin.h"

/* spe_host.write of a struct vcpu. */
struct spe_write_result buffer_write(void *ctx, uint8_t owning_el, uint64_t va,
				     const uint8_t *bytes, size_t size);

/* Is there RAM at a guest physical address, as far as the plugin was told? */
bool buffer_is_ram(uint64_t pa);

#endif
