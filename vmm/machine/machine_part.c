/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of a running machine, each described for saving and loading: see machine_part.h. */
#include "machine/machine_part.h"

#include <stdlib.h>

#include "machine/machine_state.h"

/* --time parallel: no clock is beyond the end of the window. */
static void clocks_state(struct state *state, struct machine *machine)
{
	STATE_UP_TO(state, machine->window, MACHINE_TIME_END);
	STATE_UP_TO(state, machine->seen, machine->window);
	STATE_UP_TO(state, machine->meeting, MACHINE_MEETING);
	for (unsigned int i = 0; i < machine->config.choices.cpus; i++) {
		STATE_UP_TO(state, machine->vcpu[i].clock, machine->window);
		STATE_UP_TO(state, machine->vcpu[i].seen, machine->window);
	}
	if (machine->elapsed > machine->window ||
	    machine->window - machine->elapsed > MACHINE_TURN_MAX)
		state_refuse(state, "a clock outside of its window");
}

/* MACH: power, turns and time. */
static void machine_state(struct state *state, struct machine *machine)
{
	STATE_UP_TO(state, machine->last, machine->config.choices.cpus - 1);
	STATE_UP_TO(state, machine->turn, MACHINE_TURN_MAX);
	STATE_FIELD(state, machine->elapsed);
	STATE_FIELD(state, machine->operations);
	STATE_FIELD(state, machine->poll_due);
	STATE_UP_TO(state, machine->idle_turns, MACHINE_POLL_SKIPS);
	for (unsigned int i = 0; i < machine->config.choices.cpus; i++) {
		struct machine_vcpu *vcpu = &machine->vcpu[i];

		STATE_FIELD(state, machine->on[i]);
		STATE_UP_TO(state, vcpu->wait, MACHINE_POWERED_DOWN);
		STATE_FIELD(state, vcpu->resume_entry);
		STATE_FIELD(state, vcpu->resume_context);
		STATE_FIELD(state, vcpu->spe_line);
	}
	/* Missing before version 4; it is soon detected again. */
	for (unsigned int i = 0;
	     i < machine->config.choices.cpus && !(state->loading && state->at == state->size);
	     i++) {
		struct machine_vcpu *vcpu = &machine->vcpu[i];

		STATE_FIELD(state, vcpu->parked);
		STATE_FIELD(state, vcpu->wfe);
		STATE_FIELD(state, vcpu->awake);
	}
	/* Missing before version 8: it is as at power on. */
	if (!(state->loading && state->at == state->size))
		STATE_FIELD(state, machine->random);
	/* Missing before version 9: no line moves. */
	if (!(state->loading && state->at == state->size))
		STATE_UP_TO(state, machine->contended, MACHINE_CONTENDED);
	if (machine_is_parallel(machine))
		clocks_state(state, machine);
	/* The check may have been at a vCPU's clock that is ahead. */
	if (machine->poll_due > machine->elapsed &&
	    machine->poll_due - machine->elapsed > MACHINE_POLL_PERIOD + MACHINE_TURN_MAX)
		state_refuse(state, "the console is never looked at");
	if (machine->turn && !machine->on[machine->last])
		state_refuse(state, "the turn of a vCPU that is off");
}

static void vcpu_stats_state(struct state *state, struct machine_vcpu_stats *stats)
{
	STATE_FIELD(state, stats->operations);
	STATE_ARRAY(state, stats->events);
	STATE_FIELD(state, stats->records);
	STATE_FIELD(state, stats->bytes);
	STATE_FIELD(state, stats->lost);
	STATE_FIELD(state, stats->buffer_interrupts);
	STATE_ARRAY(state, stats->exits);
}

/* Subtract the totals that the engine itself counts, and has counted since it was made. */
static void remove_engine_stats(struct machine_vcpu_stats *stats,
				const struct machine_vcpu_stats *engine)
{
	stats->operations -= engine->operations;
	for (unsigned int i = 0; i < PMU_SAMPLES; i++)
		stats->events[i] -= engine->events[i];
	stats->records -= engine->records;
	stats->bytes -= engine->bytes;
	stats->lost -= engine->lost;
}

/* The engine's account, before the last reset and after it. */
static void account_state(struct state *state, const struct engine *engine,
			  struct engine_account *all, const struct engine_account *own)
{
	for (unsigned int i = 0; i < engine->account_saved; i++) {
		STATE_FIELD(state, all->counts[i]);
		if (state->loading)
			all->counts[i] -= own->counts[i];
	}
}

/* STAT: the totals. The vCPUs are already loaded. */
static void stats_state(struct state *state, struct machine *machine)
{
	struct machine_stats *stats = calloc(2, sizeof(*stats)), *own;

	if (!stats) {
		state_refuse(state, "no memory");
		return;
	}
	own = stats + 1;
	machine_fold(machine, own);
	*stats = machine->stats;
	if (!state->loading)
		machine_fold(machine, stats);
	STATE_FIELD(state, stats->time);
	STATE_FIELD(state, stats->idle);
	STATE_FIELD(state, stats->resets);
	for (unsigned int i = 0; i < machine->config.choices.cpus; i++) {
		vcpu_stats_state(state, &stats->vcpu[i]);
		if (state->loading)
			remove_engine_stats(&stats->vcpu[i], &own->vcpu[i]);
	}
	/* Missing before version 9: counting begins at 0. */
	if (!(state->loading && state->at == state->size))
		account_state(state, machine->config.choices.engine, &stats->engine, &own->engine);
	if (state->loading && !state->failed)
		machine->stats = *stats;
	free(stats);
}

static void machine_part(struct state *state, struct machine *machine, unsigned int cpu)
{
	(void)cpu;
	machine_state(state, machine);
}

static void vcpu_part(struct state *state, struct machine *machine, unsigned int cpu)
{
	machine->config.choices.engine->vcpu_state(machine->vcpu[cpu].engine, state);
}

static void stats_part(struct state *state, struct machine *machine, unsigned int cpu)
{
	(void)cpu;
	stats_state(state, machine);
}

static void host_part(struct state *state, struct machine *machine, unsigned int cpu)
{
	(void)cpu;
	if (machine->config.host_state)
		machine->config.host_state(machine->config.host_ctx, state);
}

size_t machine_parts(const struct machine *machine, struct machine_part parts[MACHINE_PARTS])
{
	size_t count = 0;

	parts[count++] =
		(struct machine_part){.tag = "MACH", .name = "machine", .describe = machine_part};
	for (size_t i = 0; i < DEVICE_COUNT; i++) {
		const struct device_type *type = machine->devices[i]->type;

		if (type->state)
			parts[count++] = (struct machine_part){.tag = type->section,
							       .name = type->part,
							       .each_cpu = type->of_pe,
							       .counted = type->sections != NULL,
							       .since = type->since,
							       .device = machine->devices[i]};
	}
	parts[count++] = (struct machine_part){
		.tag = "VCPU", .name = "vCPU", .each_cpu = true, .describe = vcpu_part};
	parts[count++] =
		(struct machine_part){.tag = "STAT", .name = "statistics", .describe = stats_part};
	parts[count++] =
		(struct machine_part){.tag = "HOST", .name = "console", .describe = host_part};
	return count;
}

unsigned int machine_part_count(const struct machine_part *part, const struct machine *machine)
{
	if (part->device)
		return device_sections(part->device);
	return part->each_cpu ? machine->config.choices.cpus : 1;
}

void machine_part_describe(const struct machine_part *part, struct state *state,
			   struct machine *machine, unsigned int cpu)
{
	if (part->device)
		part->device->type->state(part->device, cpu, state);
	else
		part->describe(state, machine, cpu);
}
