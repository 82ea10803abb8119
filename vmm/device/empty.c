// SPDX-License-Identifier: BSD-2-Clause
/*
 * Devices of QEMU's "virt" board that are not here, where guests that are made for it look without
 * asking the device tree: an answer that means "nothing there" instead of an external abort. They
 * are not in the device tree.
 *
 * The real-time clock, a PL031, is RAZ/WI, its PrimeCell identification too: a driver that checks
 * that finds none, one that does not reads the epoch. The second bank of flash, where firmware
 * keeps its variables, is WI and reads as ones, which is flash that was erased: no CFI query is
 * answered.
 */
#include "device/device.h"

static uint64_t empty_read_zeros(struct device *device, unsigned int cpu, uint64_t offset,
				 unsigned int bytes)
{
	(void)device;
	(void)cpu;
	(void)offset;
	(void)bytes;
	return 0;
}

static uint64_t empty_read_ones(struct device *device, unsigned int cpu, uint64_t offset,
				unsigned int bytes)
{
	return ~empty_read_zeros(device, cpu, offset, bytes);
}

const struct device_type device_empty = {
	.name = "empty",
	.windows = {{.base = UINT64_C(0x09010000), .size = 0x1000, .read = empty_read_zeros},
		    {.base = UINT64_C(0x04000000),
		     .size = UINT64_C(0x04000000),
		     .read = empty_read_ones}},
};
