// SPDX-License-Identifier: BSD-2-Clause
/*
 * The transports of virtio over MMIO that QEMU's "virt" board has (virtio 1.2, 4.2.2), none of
 * which has a device behind it: a guest that looks for one where it knows them to be is told that
 * there is none, and goes on. They are not in the device tree.
 */
#include "device/device.h"

#define VIRTIO_MMIO_BASE  UINT64_C(0x0a000000)
#define VIRTIO_MMIO_SIZE  UINT64_C(0x200) /* of one */
#define VIRTIO_MMIO_SLOTS 32

#define VIRTIO_MMIO_MAGIC   0x000
#define VIRTIO_MMIO_VERSION 0x004
#define VIRTIO_MMIO_VENDOR  0x00c

/* With DeviceID 0, to be ignored, all but these is RAZ/WI. */
static uint64_t virtio_mmio_read(struct device *device, unsigned int cpu, uint64_t offset,
				 unsigned int bytes)
{
	(void)device;
	(void)cpu;
	if (bytes != 4)
		return 0;
	switch (offset % VIRTIO_MMIO_SIZE) {
	case VIRTIO_MMIO_MAGIC: return 0x74726976; /* "virt" */
	case VIRTIO_MMIO_VERSION: return 2;
	case VIRTIO_MMIO_VENDOR: return 0x45505356; /* "VSPE" */
	default: return 0;
	}
}

const struct device_type device_virtio_mmio = {
	.name = "virtio-mmio",
	.windows = {{.base = VIRTIO_MMIO_BASE,
		     .size = VIRTIO_MMIO_SLOTS * VIRTIO_MMIO_SIZE,
		     .read = virtio_mmio_read}},
};
