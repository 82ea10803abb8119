/* SPDX-License-Identifier: BSD-2-Clause */
/* The MMIO transport of virtio (virtio 1.2, 4.2), shared by its registers and its saved state. */
#ifndef VSPE_VIRTIO_TRANSPORT_H
#define VSPE_VIRTIO_TRANSPORT_H

#include "device/virtio.h"

#define STATUS_FEATURES_OK 8u
#define STATUS_DRIVER_OK   4u
#define STATUS_NEEDS_RESET 64u
#define STATUS_DRIVER	   0x8fu /* the bits that a driver sets */

#define INTERRUPT_USED	 1u
#define INTERRUPT_CONFIG 2u

#define FEATURE_INDIRECT  (UINT64_C(1) << 28)
#define FEATURE_VERSION_1 (UINT64_C(1) << 32)

/* The features of a device, plus those of the transport. */
static inline uint64_t virtio_offered(const struct virtio_device *of)
{
	return of->features | FEATURE_INDIRECT | FEATURE_VERSION_1;
}

/* The device of a slot in a saved machine: docs/saved-machine.md. */
void virtio_transport_state(struct device *device, unsigned int slot, struct state *state);

#endif
