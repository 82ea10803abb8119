/* SPDX-License-Identifier: BSD-2-Clause */
/* Registers and rings of a virtio device: see virtio_mmio.h. */
#include "virtio_mmio.h"

#include "arch.h"
#include "boot.h"
#include "fdt.h"
#include "platform.h"

#include <stddef.h>

#define MAGIC 0x74726976

static volatile uint8_t *base;

uint32_t virtio_get(uint64_t at)
{
	return *(volatile uint32_t *)(base + at);
}

uint16_t virtio_get16(uint64_t at)
{
	return *(volatile uint16_t *)(base + at);
}

void virtio_set(uint64_t at, uint32_t value)
{
	__asm__ volatile("dsb sy" ::: "memory");
	*(volatile uint32_t *)(base + at) = value;
	__asm__ volatile("dsb sy" ::: "memory");
}

bool virtio_find(uint32_t id)
{
	struct fdt_node node = {0};
	uint64_t at, size;

	while (fdt_next_compatible(&node, "virtio,mmio")) {
		if (!fdt_reg(&node, 0, &at, &size))
			continue;
		base = (volatile uint8_t *)device_map(at, size);
		if (virtio_get(R_MAGIC) == MAGIC && virtio_get(R_VERSION) == 2 &&
		    virtio_get(R_DEVICE) == id)
			return true;
	}
	return false;
}

uint32_t virtio_features(void)
{
	virtio_set(R_FEAT_SEL, 0);
	return virtio_get(R_FEATURES);
}

void virtio_begin(uint32_t features)
{
	virtio_set(R_STATUS, 0);
	virtio_set(R_STATUS, 1);
	virtio_set(R_STATUS, 3);
	virtio_set(R_DRV_SEL, 0);
	virtio_set(R_DRIVER, features);
	virtio_set(R_DRV_SEL, 1);
	virtio_set(R_DRIVER, 1);
	virtio_set(R_STATUS, 11);
}

static void set_address(uint64_t at, uint64_t pa)
{
	virtio_set(at, (uint32_t)pa);
	virtio_set(at + 4, (uint32_t)(pa >> 32));
}

void virtio_place(uint32_t number, uint64_t pa)
{
	virtio_set(R_QSEL, number);
	virtio_set(R_QNUM, QUEUE);
	set_address(R_DESC, pa);
	set_address(R_AVAIL, pa + offsetof(struct virtio_queue, avail_flags));
	set_address(R_USED, pa + offsetof(struct virtio_queue, used_flags));
	virtio_set(R_QREADY, 1);
}

void virtio_give(volatile struct virtio_queue *queue, uint32_t number)
{
	queue->avail[queue->avail_index % QUEUE] = 0;
	__asm__ volatile("dmb sy" ::: "memory");
	queue->avail_index++;
	virtio_set(R_NOTIFY, number);
}
