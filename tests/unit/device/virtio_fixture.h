/* SPDX-License-Identifier: BSD-2-Clause */
/* What tests of virtio devices do as a driver does: the registers of the transport, and memory. */
#ifndef VSPE_TESTS_VIRTIO_FIXTURE_H
#define VSPE_TESTS_VIRTIO_FIXTURE_H

#include <string.h>

#include "device/virtio.h"
#include "device_fixture.h"

#define INTERRUPT   0x060
#define STATUS	    0x070
#define READY	    15
#define NEEDS_RESET 64

#define INTID 48

/* Bytes at the end of a section: where its queues go on. */
#define SAVED_REST(queues) (9 * (queues) + 8)

/* What the test has made. */
static struct device *transport;

static void put16(uint64_t at, uint16_t value)
{
	memcpy(host_ram + at, &value, sizeof(value));
}

static uint16_t get16(uint64_t at)
{
	uint16_t value;

	memcpy(&value, host_ram + at, sizeof(value));
	return value;
}

static void set(uint64_t offset, uint32_t value)
{
	window_set(transport, offset, 4, value);
}

static uint32_t get(uint64_t offset)
{
	return (uint32_t)window_get(transport, offset, 4);
}

#endif
