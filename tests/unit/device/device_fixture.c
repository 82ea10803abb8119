/* SPDX-License-Identifier: BSD-2-Clause */
/* A device alone: see device_fixture.h. */
#include "../compare.h"
#include "device_fixture.h"

#include <string.h>

uint64_t host_now;
bool host_line[DEVICE_MAX_CPUS][HOST_INTIDS];
bool host_input[DEVICE_MAX_CPUS][DEVICE_INPUTS];
char host_sent[64];
size_t host_sent_count;
unsigned int host_power[2];
unsigned int host_reschedules;
uint8_t host_ram[HOST_RAM_MOST] __attribute__((aligned(8)));
uint64_t host_ram_size = HOST_RAM;
struct device_config host_config = {.choices.cpus = 1,
				    .choices.levels = {.start = 3, .el2 = true, .el3 = true},
				    .choices.counter_hz = 1000000000};

static const struct device_type *present;

static void host_set_line(void *ctx, unsigned int cpu, unsigned int intid, bool level)
{
	bool own = false;

	(void)ctx;
	for (unsigned int i = 0; i < DEVICE_INTERRUPTS; i++)
		own |= present->interrupts[i] == intid;
	cr_assert(own, "%s sets the line of %u", present->name, intid);
	cr_assert_lt(cpu, host_config.choices.cpus);
	host_line[intid < 32 ? cpu : 0][intid] = level;
}

static void host_set_input(void *ctx, unsigned int cpu, enum device_input input, bool level)
{
	(void)ctx;
	cr_assert_lt(cpu, host_config.choices.cpus);
	host_input[cpu][input] = level;
}

static uint64_t host_get_now(void *ctx)
{
	(void)ctx;
	return host_now;
}

static uint64_t host_read_counter(void *ctx, unsigned int cpu)
{
	(void)ctx;
	cr_assert_lt(cpu, host_config.choices.cpus);
	return host_now;
}

static void host_reschedule(void *ctx, unsigned int cpu)
{
	(void)ctx;
	cr_assert_lt(cpu, host_config.choices.cpus);
	host_reschedules++;
}

static void host_transmit(void *ctx, uint8_t byte)
{
	(void)ctx;
	host_sent[host_sent_count++ % sizeof(host_sent)] = (char)byte;
}

static uint8_t *host_memory(void *ctx, uint64_t pa, uint64_t size)
{
	(void)ctx;
	if (pa < HOST_RAM_BASE || pa - HOST_RAM_BASE > host_ram_size ||
	    size > host_ram_size - (pa - HOST_RAM_BASE))
		return NULL;
	return host_ram + (pa - HOST_RAM_BASE);
}

static void host_switch(void *ctx, enum device_power what)
{
	(void)ctx;
	host_power[what]++;
}

const struct device_host host_callbacks = {
	.set_line = host_set_line,
	.set_input = host_set_input,
	.now = host_get_now,
	.read_counter = host_read_counter,
	.reschedule = host_reschedule,
	.transmit = host_transmit,
	.memory = host_memory,
	.power = host_switch,
};

struct device *make_device(const struct device_type *type, unsigned int cpus)
{
	struct device *device;

	present = type;
	host_config.choices.cpus = cpus;
	host_now = 0;
	host_sent_count = 0;
	host_reschedules = 0;
	memset(host_line, 0, sizeof(host_line));
	memset(host_input, 0, sizeof(host_input));
	memset(host_power, 0, sizeof(host_power));
	device = device_make(type, &host_config, &host_callbacks);
	cr_assert_not_null(device);
	return device;
}

uint64_t window_get(struct device *device, uint64_t offset, unsigned int bytes)
{
	return device->type->windows[0].read(device, 0, offset, bytes);
}

void window_set(struct device *device, uint64_t offset, unsigned int bytes, uint64_t value)
{
	device->type->windows[0].write(device, 0, offset, bytes, value);
}
