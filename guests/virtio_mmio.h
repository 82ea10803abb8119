/* SPDX-License-Identifier: BSD-2-Clause */
/* A device of virtio's over MMIO, version 2, and its split rings: virtio 1.2, 4.2 and 2.7. One at a
 * time: the one that was found last. */
#ifndef VSPE_GUEST_VIRTIO_MMIO_H
#define VSPE_GUEST_VIRTIO_MMIO_H

#include <stdbool.h>
#include <stdint.h>

#define R_MAGIC	    0x000
#define R_VERSION   0x004
#define R_DEVICE    0x008
#define R_FEATURES  0x010
#define R_FEAT_SEL  0x014
#define R_DRIVER    0x020
#define R_DRV_SEL   0x024
#define R_QSEL	    0x030
#define R_QMAX	    0x034
#define R_QNUM	    0x038
#define R_QREADY    0x044
#define R_NOTIFY    0x050
#define R_INTERRUPT 0x060
#define R_ACK	    0x064
#define R_STATUS    0x070
#define R_DESC	    0x080
#define R_AVAIL	    0x090
#define R_USED	    0x0a0
#define R_GENERATE  0x0fc
#define R_CONFIG    0x100

#define S_READY 15u /* ACKNOWLEDGE, DRIVER, FEATURES_OK, DRIVER_OK */

#define D_NEXT	   1u
#define D_WRITE	   2u
#define D_INDIRECT 4u

#define QUEUE 8u

struct virtio_queue {
	struct {
		uint64_t address;
		uint32_t size;
		uint16_t flags, next;
	} desc[QUEUE];
	uint16_t avail_flags, avail_index, avail[QUEUE];
	uint32_t pad;
	uint16_t used_flags, used_index;
	struct {
		uint32_t id, size;
	} used[QUEUE];
};

/* The first one of that number in the device tree. */
bool virtio_find(uint32_t id);

uint32_t virtio_get(uint64_t at);
uint16_t virtio_get16(uint64_t at);
void virtio_set(uint64_t at, uint32_t value);

/* The features below 32 that it has. */
uint32_t virtio_features(void);
/* Reset it, and take these of them, and VERSION_1: up to FEATURES_OK. */
void virtio_begin(uint32_t features);
/* Its queue of that number is at that physical address, and ready. */
void virtio_place(uint32_t number, uint64_t pa);
/* Descriptor 0 of the queue of that number is a request. */
void virtio_give(volatile struct virtio_queue *queue, uint32_t number);

#endif
