/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Devices of QEMU's "virt" board that do not exist here. Guests made for it access them without
 * asking the device tree, and get an answer that means "nothing there" instead of an external
 * abort. They are not in the device tree.
 *
 * The second bank of flash, where firmware keeps its variables, is WI and reads as ones, like
 * erased flash; it answers no CFI query.
 */
#include "device/device.h"

static uint64_t empty_read_ones(struct device *device, unsigned int cpu, uint64_t offset,
				unsigned int bytes)
{
	(void)device;
	(void)cpu;
	(void)offset;
	(void)bytes;
	return UINT64_MAX;
}

static bool empty_exists(const struct device_config *config)
{
	return !config->flash;
}

const struct device_type device_empty = {
	.name = "empty",
	.exists = empty_exists,
	.windows = {{.base = UINT64_C(0x04000000),
		     .size = UINT64_C(0x04000000),
		     .read = empty_read_ones}},
};
