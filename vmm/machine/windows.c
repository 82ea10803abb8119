/* SPDX-License-Identifier: BSD-2-Clause */
/* The windows of --time parallel (clocks.c): whose turn is next, and for how long. */
#include "machine/machine_state.h"

#define WINDOW_CONTENDED UINT64_C(128) /* MODEL-14 */

static uint64_t earlier_of(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* When a vCPU can execute in this window, or DEVICE_NEVER. One in WFE waits for the next. */
static uint64_t ready_at(const struct machine *machine, unsigned int cpu)
{
	const struct machine_vcpu *vcpu = &machine->vcpu[cpu];
	uint64_t at = vcpu->clock;

	if (!machine->on[cpu])
		return DEVICE_NEVER;
	if (vcpu->wait != MACHINE_RUNNING && !machine_signalled(machine, cpu))
		at = machine_deadline_of(machine, cpu);
	return at < machine->window ? at : DEVICE_NEVER;
}

/* The first one with the lowest clock, in the order of their indices after the last one. */
static unsigned int find_lowest(const struct machine *machine, uint64_t *at)
{
	unsigned int found = 0;

	*at = DEVICE_NEVER;
	for (unsigned int i = 1; i <= machine->config.choices.cpus; i++) {
		const unsigned int cpu = (machine->last + i) % machine->config.choices.cpus;
		const uint64_t ready = ready_at(machine, cpu);

		if (ready < *at) {
			*at = ready;
			found = cpu;
		}
	}
	return found;
}

int machine_pick_lowest(struct machine *machine)
{
	for (;;) {
		uint64_t at;
		const unsigned int cpu = find_lowest(machine, &at);
		struct machine_vcpu *vcpu = &machine->vcpu[cpu];

		if (at == DEVICE_NEVER)
			return -1;
		machine->elapsed = vcpu->clock = at;
		if (vcpu->wait == MACHINE_RUNNING || machine_signalled(machine, cpu))
			return (int)cpu;
		machine_update_devices_of(machine, cpu); /* its timer, which need not wake it */
	}
}

static uint64_t window_length(struct machine *machine)
{
	uint64_t length = machine->config.choices.window;

	if (machine->contended > 0) {
		machine->contended--;
		length = earlier_of(length, WINDOW_CONTENDED);
	}
	if (machine->meeting > 0) {
		machine->meeting--;
		length = earlier_of(length, MACHINE_WINDOW_MEETING);
	}
	return length;
}

uint64_t machine_window_left(struct machine *machine, unsigned int cpu)
{
	const uint64_t due =
		earlier_of(machine_deadline_of(machine, cpu), machine_deadline_of_devices(machine));

	if (machine->window <= machine->elapsed)
		machine->window = machine->elapsed + window_length(machine);
	return earlier_of(machine->window, due) - machine->elapsed;
}

void machine_close_window(struct machine *machine)
{
	machine->elapsed = machine_time(machine);
	machine_set_clocks(machine);
	machine_update_devices(machine);
}
