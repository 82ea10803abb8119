/* SPDX-License-Identifier: BSD-2-Clause */
/* The devices of a machine, as a list (device/device.h), and the callbacks that they use. */
#include <time.h>

#include "device/timer.h"
#include "machine/machine_state.h"

static void devices_set_line(void *ctx, unsigned int cpu, unsigned int intid, bool level)
{
	struct machine *machine = ctx;
	const struct engine *engine = machine->config.choices.engine;
	struct device *controller = machine->controller;

	if (!engine->concurrent)
		controller->type->controller->set_line(controller, cpu, intid, level);
	else if (machine->vm)
		engine->irq_line(machine->vm, cpu, intid, level);
}

static void devices_set_input(void *ctx, unsigned int cpu, enum device_input input, bool level)
{
	struct machine *machine = ctx;
	const struct engine *engine = machine->config.choices.engine;
	struct engine_vcpu *vcpu = machine->vcpu[cpu].engine;

	if (!vcpu)
		return;
	if (level)
		machine_woken(machine, cpu);
	switch (input) {
	case DEVICE_FIQ: engine->vcpu_fiq(vcpu, level); break;
	case DEVICE_IRQ: engine->vcpu_irq(vcpu, level); break;
	case DEVICE_VFIQ: engine->vcpu_vfiq(vcpu, level); break;
	case DEVICE_VIRQ: engine->vcpu_virq(vcpu, level); break;
	case DEVICE_INPUTS: break;
	}
}

uint64_t machine_host_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * TIMER_SECOND_NS + (uint64_t)now.tv_nsec;
}

/* A concurrent engine counts no virtual time: its guest has the host's. */
static uint64_t devices_now(void *ctx)
{
	const struct machine *machine = ctx;

	return machine->config.choices.engine->concurrent ? machine_host_ns() - machine->power_on
							  : machine_now(machine);
}

static uint64_t devices_read_counter(void *ctx, unsigned int cpu)
{
	return machine_read_counter(ctx, cpu);
}

static void devices_reschedule(void *ctx, unsigned int cpu)
{
	const struct machine *machine = ctx;

	if (!machine->config.choices.engine->concurrent)
		machine_end_turn(ctx, cpu);
}

static void devices_transmit(void *ctx, uint8_t byte)
{
	struct machine *machine = ctx;

	machine_awake(machine);
	machine->config.console.put(machine->config.console.ctx, byte);
}

static uint8_t *devices_memory(void *ctx, uint64_t pa, uint64_t size)
{
	const struct machine *machine = ctx;
	const struct engine_ram *ram = &machine->ram;

	if (pa < ram->base || pa - ram->base > ram->size || size > ram->size - (pa - ram->base))
		return NULL;
	return ram->host + (pa - ram->base);
}

static void devices_power(void *ctx, enum device_power what)
{
	struct machine *machine = ctx;

	if (what == DEVICE_POWER_OFF)
		machine_finish(machine, MACHINE_POWER_OFF, "%s", "");
	else if (machine->request == MACHINE_GO_ON)
		machine->request = MACHINE_RESET;
	else
		return;
	if (machine->running >= 0)
		machine_end_turn(machine, (unsigned int)machine->running);
}

_Static_assert(MACHINE_MAX_CPUS <= DEVICE_MAX_CPUS, "devices have a part for each vCPU");

/*
 * Add a device to the bus, if it answers here. The first console and the interrupt controller have
 * more uses.
 */
static int devices_add(struct machine *machine, struct device *device)
{
	if (device->type->console && !machine->console)
		machine->console = device;
	if (device->type->controller)
		machine->controller = device;
	return device_answers(device->type, device->config) ? bus_add(&machine->bus, device) : 0;
}

int machine_make_devices(struct machine *machine)
{
	machine->device_host = (struct device_host){
		.ctx = machine,
		.set_line = devices_set_line,
		.set_input = devices_set_input,
		.now = devices_now,
		.read_counter = devices_read_counter,
		.reschedule = devices_reschedule,
		.transmit = devices_transmit,
		.memory = devices_memory,
		.power = devices_power,
	};
	for (size_t i = 0; i < DEVICE_COUNT; i++) {
		machine->devices[i] = device_make(device_types[i], &machine->device_config,
						  &machine->device_host);
		if (!machine->devices[i] || devices_add(machine, machine->devices[i]) < 0)
			return -1;
		if (device_types[i]->update || device_types[i]->update_cpu)
			machine->timed[machine->timed_count++] = machine->devices[i];
	}
	return 0;
}

void machine_free_devices(struct machine *machine)
{
	bus_free(&machine->bus);
	for (size_t i = 0; i < DEVICE_COUNT; i++)
		device_free(machine->devices[i]);
}

void machine_reset_devices(struct machine *machine)
{
	for (size_t i = 0; i < DEVICE_COUNT; i++)
		device_reset(machine->devices[i]);
}

void machine_reset_devices_of(struct machine *machine, unsigned int cpu, bool cold)
{
	for (size_t i = 0; i < DEVICE_COUNT; i++) {
		struct device *device = machine->devices[i];

		if (device->type->reset_cpu)
			device->type->reset_cpu(device, cpu, cold);
	}
	if (cold)
		machine_update_devices(machine);
}

/* Their lines, and those in the PEs of so many vCPUs from the first one. */
static void update(struct machine *machine, unsigned int first, unsigned int cpus)
{
	const bool concurrent = machine->config.choices.engine->concurrent;
	const uint64_t now = devices_now(machine);

	for (size_t i = 0; i < machine->timed_count; i++) {
		struct device *device = machine->timed[i];
		const struct device_type *type = device->type;

		if (concurrent && type->of_engine)
			continue;
		if (type->update)
			type->update(device, now);
		for (unsigned int cpu = first; type->update_cpu && cpu < first + cpus; cpu++)
			type->update_cpu(device, cpu, machine_now_of(machine, cpu));
	}
}

void machine_update_devices(struct machine *machine)
{
	update(machine, 0, machine->config.choices.cpus);
}

void machine_update_devices_of(struct machine *machine, unsigned int cpu)
{
	update(machine, cpu, 1);
}

static uint64_t earlier_of(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

uint64_t machine_deadline_of_devices(const struct machine *machine)
{
	const uint64_t now = machine_now(machine);
	uint64_t deadline = DEVICE_NEVER;

	for (size_t i = 0; i < machine->timed_count; i++) {
		const struct device *device = machine->timed[i];

		if (device->type->deadline)
			deadline = earlier_of(deadline, device->type->deadline(device, now));
	}
	return deadline > MACHINE_TIME_END ? DEVICE_NEVER : deadline;
}

uint64_t machine_deadline_of(const struct machine *machine, unsigned int cpu)
{
	const uint64_t now = machine_now_of(machine, cpu);
	uint64_t deadline = DEVICE_NEVER;

	for (size_t i = 0; i < machine->timed_count; i++) {
		const struct device *device = machine->timed[i];

		if (device->type->deadline_cpu)
			deadline =
				earlier_of(deadline, device->type->deadline_cpu(device, cpu, now));
	}
	return deadline > MACHINE_TIME_END ? DEVICE_NEVER : deadline;
}

uint64_t machine_deadline(const struct machine *machine)
{
	uint64_t deadline = machine_deadline_of_devices(machine);

	for (unsigned int cpu = 0; cpu < machine->config.choices.cpus; cpu++)
		deadline = earlier_of(deadline, machine_deadline_of(machine, cpu));
	return deadline;
}

bool machine_arrivals(struct machine *machine)
{
	bool any = false;

	for (size_t i = 0; i < DEVICE_COUNT; i++)
		if (machine->devices[i]->type->arrive)
			any |= machine->devices[i]->type->arrive(machine->devices[i]);
	return any;
}

bool machine_waits(const struct machine *machine)
{
	for (size_t i = 0; i < DEVICE_COUNT; i++) {
		const struct device *device = machine->devices[i];

		if (device->type->waits && device->type->waits(device))
			return true;
	}
	return false;
}

struct device *machine_input(const struct machine *machine)
{
	for (size_t i = DEVICE_COUNT; i > 0; i--)
		if (device_takes_input(machine->devices[i - 1]))
			return machine->devices[i - 1];
	return machine->console;
}

bool machine_signalled(const struct machine *machine, unsigned int cpu)
{
	return machine->controller->type->controller->signalled(machine->controller, cpu);
}

void machine_set_line(struct machine *machine, unsigned int cpu, unsigned int intid, bool level)
{
	devices_set_line(machine, cpu, intid, level);
}
