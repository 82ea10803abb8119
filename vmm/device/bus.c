/* SPDX-License-Identifier: BSD-2-Clause */
/* The bus: see bus.h. */
#include "device/bus.h"

#include <stdlib.h>

static int bus_add_window(struct bus *bus, struct device *device,
			  const struct device_window *window)
{
	const uint64_t size = device_window_size(window, device->config);
	struct bus_window *grown;

	if (window->base + (size - 1) < window->base)
		return -1;
	for (size_t i = 0; i < bus->window_count; i++) {
		const struct bus_window *other = &bus->windows[i];

		if (window->base <= other->base + (other->size - 1) &&
		    other->base <= window->base + (size - 1))
			return -1;
	}
	grown = realloc(bus->windows, (bus->window_count + 1) * sizeof(*grown));
	if (!grown)
		return -1;
	grown[bus->window_count++] = (struct bus_window){window->base, size, window, device};
	bus->windows = grown;
	return 0;
}

static int bus_add_sysregs(struct bus *bus, struct device *device, struct device_sysregs match)
{
	struct bus_sysregs *grown = realloc(bus->sysregs, (bus->sysreg_count + 1) * sizeof(*grown));

	if (!grown)
		return -1;
	grown[bus->sysreg_count++] = (struct bus_sysregs){match, device};
	bus->sysregs = grown;
	return 0;
}

int bus_add(struct bus *bus, struct device *device)
{
	const struct device_type *type = device->type;

	for (size_t i = 0; i < DEVICE_WINDOWS && type->windows[i].size; i++)
		if (bus_add_window(bus, device, &type->windows[i]) < 0)
			return -1;
	for (size_t i = 0; i < DEVICE_SYSREGS && type->sysregs[i].mask; i++)
		if (bus_add_sysregs(bus, device, type->sysregs[i]) < 0)
			return -1;
	return 0;
}

void bus_free(struct bus *bus)
{
	free(bus->windows);
	free(bus->sysregs);
	*bus = (struct bus){0};
}

/* The window that contains all of [pa, pa + bytes), or NULL. */
static const struct bus_window *bus_find(const struct bus *bus, uint64_t pa, unsigned int bytes)
{
	if (bytes == 0 || bytes > 8 || (bytes & (bytes - 1)) != 0 || (pa & (bytes - 1)) != 0)
		return NULL;
	for (size_t i = 0; i < bus->window_count; i++) {
		const struct bus_window *window = &bus->windows[i];

		if (pa >= window->base && pa - window->base < window->size &&
		    bytes <= window->size - (pa - window->base))
			return window;
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
	const struct bus_window *at = bus_find(bus, pa, bytes);

	if (!at)
		return ENGINE_NONE;
	*value = at->window->read(at->device, cpu, pa - at->base, bytes) & bus_mask(bytes);
	return ENGINE_OK;
}

enum engine_answer bus_write(const struct bus *bus, unsigned int cpu, uint64_t pa,
			     unsigned int bytes, uint64_t value)
{
	const struct bus_window *at = bus_find(bus, pa, bytes);

	if (!at)
		return ENGINE_NONE;
	if (at->window->write)
		at->window->write(at->device, cpu, pa - at->base, bytes, value & bus_mask(bytes));
	return ENGINE_OK;
}

static struct device *bus_find_sysreg(const struct bus *bus, uint32_t encoding)
{
	for (size_t i = 0; i < bus->sysreg_count; i++) {
		const struct bus_sysregs *sysregs = &bus->sysregs[i];

		if ((encoding & sysregs->match.mask) == sysregs->match.value)
			return sysregs->device;
	}
	return NULL;
}

enum engine_answer bus_sysreg_read(const struct bus *bus, unsigned int cpu, uint32_t encoding,
				   uint64_t *value)
{
	struct device *device = bus_find_sysreg(bus, encoding);

	return device && device->type->sysreg_read(device, cpu, encoding, value) ? ENGINE_OK
										 : ENGINE_NONE;
}

enum engine_answer bus_sysreg_write(const struct bus *bus, unsigned int cpu, uint32_t encoding,
				    uint64_t value)
{
	struct device *device = bus_find_sysreg(bus, encoding);

	return device && device->type->sysreg_write(device, cpu, encoding, value) ? ENGINE_OK
										  : ENGINE_NONE;
}
