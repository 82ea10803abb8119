/* SPDX-License-Identifier: BSD-2-Clause */
/* The plugin's whole state of a vCPU, as bytes for a snapshot or a migration. */
#ifndef VSPE_QEMU_IMAGE_H
#define VSPE_QEMU_IMAGE_H

#include "qemu/plugin.h"

/* Bytes of an image, whatever is in it. */
#define IMAGE_SIZE 4096u

/*
 * Make the image of a vCPU that is stopped between two blocks. The bytes are the same on every
 * host. Returns NULL, or why there is none; static storage.
 */
const char *image_save(const struct vcpu *v, uint8_t bytes[IMAGE_SIZE]);

/*
 * Set a vCPU that is stopped, and has begun, to the state that image_save() saved. The bytes are
 * not trusted. Returns 0, or -1 with the reason in why, which has room for size bytes, and without
 * any change. watch_unit() must be called before the vCPU runs.
 */
int image_load(struct vcpu *v, const uint8_t bytes[IMAGE_SIZE], char *why, size_t size);

#endif
