/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --time parallel: the vCPUs execute one after the other, but in the guest's time at once. Each has
 * a clock, which its own operations advance. Time goes by in windows, and all vCPUs come to the end
 * of a window before any goes on. Of those that can execute, the one with the lowest clock has the
 * next turn, until the window ends or one of its timers is due.
 *
 * For example, in the window from 0 to 16384 vCPU 0 executes 16384 operations. Then vCPU 1 begins
 * at 0. At 3000 it sends vCPU 2, which sleeps, an interrupt, so that vCPU 2 begins at 3000. Then
 * the counter is 16384 for all three.
 *
 * No vCPU reads less of the counter than another one has read before: software relies on that order
 * (Arm ARM, D12.1.2). In the example vCPU 1 reads 9000 at 3000 if vCPU 0 has read 9000,
 * until it gets there itself. Timers agree with what their vCPU has read.
 *
 * Where vCPUs meet, windows are short: what one does for the other is seen only when the other has
 * its turn.
 */
#include "machine/machine_state.h"

static uint64_t later_of(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t earlier_of(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

bool machine_is_parallel(const struct machine *machine)
{
	return machine->config.choices.cpus > 1 && machine->config.choices.window > 0 &&
	       !machine->config.choices.engine->concurrent;
}

uint64_t machine_now_of(const struct machine *machine, unsigned int cpu)
{
	const struct machine_vcpu *vcpu = &machine->vcpu[cpu];

	if (!machine_is_parallel(machine))
		return machine_now(machine);
	return later_of(vcpu->seen,
			machine->running == (int)cpu ? machine_now(machine) : vcpu->clock);
}

uint64_t machine_read_counter(struct machine *machine, unsigned int cpu)
{
	struct machine_vcpu *vcpu = &machine->vcpu[cpu];
	uint64_t now;

	if (!machine_is_parallel(machine))
		return machine_now(machine);
	now = machine_now_of(machine, cpu);
	vcpu->seen = later_of(machine->seen, now);
	machine->seen = vcpu->seen;
	if (vcpu->seen > now)
		machine_end_turn(machine, cpu); /* its timers may be due */
	return vcpu->seen;
}

uint64_t machine_time(const struct machine *machine)
{
	uint64_t time = machine->elapsed;

	for (unsigned int i = 0; machine_is_parallel(machine) && i < machine->config.choices.cpus;
	     i++)
		time = later_of(time, machine->vcpu[i].clock);
	return time;
}

/* End the window when the vCPU that is furthest ahead has gone on for a short one. */
static void shorten_window(struct machine *machine)
{
	const uint64_t ahead = later_of(machine_time(machine), machine_now(machine));

	machine->window = earlier_of(machine->window, ahead + MACHINE_WINDOW_MEETING);
}

void machine_meet(struct machine *machine)
{
	machine->meeting = MACHINE_MEETING;
}

/* One that waits continues from here, if its own time is not later. */
void machine_woken(struct machine *machine, unsigned int cpu)
{
	struct machine_vcpu *vcpu = &machine->vcpu[cpu];

	if (!machine_is_parallel(machine) || !machine->on[cpu] || vcpu->wait == MACHINE_RUNNING)
		return;
	vcpu->clock = later_of(vcpu->clock, machine_now(machine));
	if (machine->running < 0)
		return;
	machine_meet(machine);
	shorten_window(machine);
	machine_end_turn(machine, (unsigned int)machine->running);
}

void machine_set_clocks(struct machine *machine)
{
	if (!machine_is_parallel(machine))
		return;
	machine->window = machine->elapsed;
	for (unsigned int i = 0; i < machine->config.choices.cpus; i++)
		machine->vcpu[i].clock = machine->elapsed;
}
