/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of devices, and what all of them have in common: see device.h. */
#include "device/device.h"

#include <stdlib.h>
#include <string.h>

#define DEVICE(name) &device_##name,
const struct device_type *const device_types[DEVICE_COUNT] = {
#include "device/devices.def"
};
#undef DEVICE

bool device_exists(const struct device_type *type, const struct device_config *config)
{
	return !type->exists || type->exists(config);
}

bool device_answers(const struct device_type *type, const struct device_config *config)
{
	return device_exists(type, config) && !(type->of_engine && config->concurrent);
}

struct device *device_make(const struct device_type *type, const struct device_config *config,
			   const struct device_host *host)
{
	struct device *device = calloc(1, type->size ? type->size : sizeof(*device));

	if (!device)
		return NULL;
	*device = (struct device){.type = type, .config = config, .host = host};
	device_reset(device);
	return device;
}

void device_free(struct device *device)
{
	free(device);
}

bool device_takes_input(const struct device *device)
{
	const struct device_console *console = device->type->console;

	return console && (!console->takes_input || console->takes_input(device));
}

unsigned int device_sections(const struct device *device)
{
	if (!device->type->state)
		return 0;
	if (device->type->sections)
		return device->type->sections(device->config);
	return device->type->of_pe ? device->config->choices.cpus : 1;
}

void device_reset(struct device *device)
{
	const struct device_type *type = device->type;

	if (type->size > sizeof(*device))
		memset(device + 1, 0, type->size - sizeof(*device));
	if (type->reset)
		type->reset(device);
}

uint64_t device_window_size(const struct device_window *window, const struct device_config *config)
{
	return window->each_cpu ? window->size * config->choices.cpus : window->size;
}
