/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bus: which device answers at a guest physical address, and which for a system register. It
 * checks every access once, so that a device only sees offsets inside its windows, and its own
 * registers.
 */
#ifndef VSPE_BUS_H
#define VSPE_BUS_H

#include "device/device.h"

struct bus_window {
	uint64_t base, size;
	const struct device_window *window;
	struct device *device;
};

struct bus_sysregs {
	struct device_sysregs match;
	struct device *device;
};

struct bus {
	struct bus_window *windows;
	struct bus_sysregs *sysregs;
	size_t window_count, sysreg_count;
};

/*
 * Put a device on the bus, which is all zero before the first one. 0, or -1 when one of its windows
 * is empty, wraps or overlaps another, or there is no memory.
 */
int bus_add(struct bus *bus, struct device *device);
/* Does not free the devices, which belong to their maker. */
void bus_free(struct bus *bus);

/*
 * An access of 1, 2, 4 or 8 bytes. ENGINE_NONE, without any effect, if no device has all of these
 * bytes, or the access is not naturally aligned.
 */
enum engine_answer bus_read(const struct bus *bus, unsigned int cpu, uint64_t pa,
			    unsigned int bytes, uint64_t *value);
enum engine_answer bus_write(const struct bus *bus, unsigned int cpu, uint64_t pa,
			     unsigned int bytes, uint64_t value);

/* An access to a system register, by the encodings of struct engine_host. */
enum engine_answer bus_sysreg_read(const struct bus *bus, unsigned int cpu, uint32_t encoding,
				   uint64_t *value);
enum engine_answer bus_sysreg_write(const struct bus *bus, unsigned int cpu, uint32_t encoding,
				    uint64_t value);

#endif
