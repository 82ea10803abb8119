/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The device tree that describes the machine to its guest, made with libfdt after the Linux
 * kernel's bindings (Documentation/devicetree/bindings).
 */
#ifndef VSPE_DEVICE_TREE_H
#define VSPE_DEVICE_TREE_H

#include "device/device.h"

struct device_tree_config {
	struct device_config device;
	uint64_t initrd_start, initrd_end; /* equal: none */
};

/* Write the tree to buffer. Returns its size in bytes, or a negative FDT_ERR_* of libfdt. */
int device_tree_build(const struct device_tree_config *config, void *buffer, size_t size);

#endif
