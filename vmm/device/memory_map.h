/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where RAM and the interrupt controller are, which a concurrent engine must know too. They are as
 * on QEMU's "virt" board, so that images built for it start here. Every other device has its
 * address in its file.
 */
#ifndef VSPE_MEMORY_MAP_H
#define VSPE_MEMORY_MAP_H

#include <stdint.h>

#define MAP_GIC_DIST   UINT64_C(0x08000000)
#define MAP_GIC_CPU    UINT64_C(0x08010000) /* of a GICv2 */
#define MAP_GIC_REDIST UINT64_C(0x080a0000)
#define MAP_RAM	       UINT64_C(0x40000000)

#endif
