/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The MMIO bus: which device answers at a guest physical address. Every access is checked here
 * once, so that a device sees only offsets inside its window.
 */
#ifndef VSPE_BUS_H
#define VSPE_BUS_H

#include "engine.h"

#define BUS_MAX_DEVICES 8

struct bus_device {
	uint64_t base; /* guest physical address */
	uint64_t size; /* bytes */
	void *ctx;
	/* offset is below size and a multiple of bytes; bytes is 1, 2, 4 or 8. */
	uint64_t (*read)(void *ctx, unsigned int cpu, uint64_t offset, unsigned int bytes);
	void (*write)(void *ctx, unsigned int cpu, uint64_t offset, unsigned int bytes,
		      uint64_t value);
};

struct bus {
	struct bus_device devices[BUS_MAX_DEVICES];
	unsigned int count;
};

/* Put a device on the bus. 0, or -1 when its window is empty, wraps or overlaps, or the bus is
 * full. */
int bus_add(struct bus *bus, const struct bus_device *device);

/*
 * An access of 1, 2, 4 or 8 bytes. ENGINE_NONE, and nothing else happens, when no device has the
 * whole of it or it is not naturally aligned.
 */
enum engine_answer bus_read(const struct bus *bus, unsigned int cpu, uint64_t pa,
			    unsigned int bytes, uint64_t *value);
enum engine_answer bus_write(const struct bus *bus, unsigned int cpu, uint64_t pa,
			     unsigned int bytes, uint64_t value);

#endif
