/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where things are: the memory map of QEMU's "virt" board, so that images built for it start here,
 * and the interrupts.
 */
#ifndef VSPE_MEMORY_MAP_H
#define VSPE_MEMORY_MAP_H

#include <stdint.h>

#define MAP_GIC_DIST   UINT64_C(0x08000000)
#define MAP_GIC_CPU    UINT64_C(0x08010000) /* of a GICv2 */
#define MAP_GIC_REDIST UINT64_C(0x080a0000)
#define MAP_UART       UINT64_C(0x09000000)
#define MAP_GPIO       UINT64_C(0x090b0000) /* for a guest that starts at EL3 */
#define MAP_RAM	       UINT64_C(0x40000000)

#define MAP_UART_INTID 33
#define MAP_GPIO_INTID 39
#define MAP_SPE_INTID  21

#endif
