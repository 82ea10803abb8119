// SPDX-License-Identifier: BSD-2-Clause
/* The MMIO bus: see bus.h. */
#include "device/bus.h"

int bus_add(struct bus *bus, const struct bus_device *device)
{
	if (bus->count == BUS_MAX_DEVICES || device->size == 0 ||
	    device->base + (device->size - 1) < device->base)
		return -1;
	for (unsigned int i = 0; i < bus->count; i++) {
		const struct bus_device *other = &bus->devices[i];

		if (device->base <= other->base + (other->size - 1) &&
		    other->base <= device->base + (device->size - 1))
			return -1;
	}
	bus->devices[bus->count++] = *device;
	return 0;
}

/* The device that has all of [pa, pa + bytes), or NULL. */
static const struct bus_device *bus_find(const struct bus *bus, uint64_t pa, unsigned int bytes)
{
	if (bytes == 0 || bytes > 8 || (bytes & (bytes - 1)) != 0 || (pa & (bytes - 1)) != 0)
		return NULL;
	for (unsigned int i = 0; i < bus->count; i++) {
		const struct bus_device *device = &bus->devices[i];

		if (pa >= device->base && pa - device->base < device->size &&
		    bytes <= device->size - (pa - device->base))
			return device;
	}
	return NULL;
}

static uint64_t bus_mask(unsigned int bytes)
{
	return bytes == 8 ? UINT64_MAX : (UINT64_C(1) << (8 * bytes)) - 1;
}

enum engine_answer bus_read(const struct bus *bus, unsigned int cpu, uint64_t pa,
			    unsigned int bytes, uint64_t *value)
{
	const struct bus_device *device = bus_find(bus, pa, bytes);

	if (!device)
		return ENGINE_NONE;
	*value = device->read(device->ctx, cpu, pa - device->base, bytes) & bus_mask(bytes);
	return ENGINE_OK;
}

enum engine_answer bus_write(const struct bus *bus, unsigned int cpu, uint64_t pa,
			     unsigned int bytes, uint64_t value)
{
	const struct bus_device *device = bus_find(bus, pa, bytes);

	if (!device)
		return ENGINE_NONE;
	device->write(device->ctx, cpu, pa - device->base, bytes, value & bus_mask(bytes));
	return ENGINE_OK;
}
