/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What arrives from outside between turns: console input, network frames, signals, and the host's
 * clock for --timeout.
 */
#include <inttypes.h>
#include <string.h>

#include "device/timer.h"
#include "machine/machine_state.h"

#define MS_NS UINT64_C(1000000)

static uint64_t host_ms(void)
{
	return machine_host_ns() / MS_NS;
}

void machine_start_clock(struct machine *machine)
{
	if (machine->config.timeout_ms != 0 && machine->timeout_at == UINT64_MAX)
		machine->timeout_at = host_ms() + machine->config.timeout_ms;
}

bool machine_input_open(const struct machine *machine)
{
	if (machine_replays(machine))
		return machine_replay_open(machine);
	return machine->config.console.open(machine->config.console.ctx);
}

/* Handle an event of the console other than input. */
static void hear(struct machine *machine, enum machine_console_event event)
{
	struct device *serial = machine->console;

	switch (event) {
	case MACHINE_CONSOLE_NONE: break;
	case MACHINE_CONSOLE_QUIT:
		machine_finish(machine, MACHINE_QUIT, "ended by the user");
		break;
	case MACHINE_CONSOLE_SIGNAL:
		machine_finish(machine, MACHINE_SIGNAL, "ended by a signal");
		break;
	case MACHINE_CONSOLE_SAVE:
		/* A requested reset comes first. */
		if (machine->request == MACHINE_RESET)
			machine->save_at = machine->operations;
		else
			machine_finish(machine, MACHINE_SAVE, "%s", "");
		break;
	case MACHINE_CONSOLE_BREAK:
		machine_recorded(machine, MACHINE_OUTSIDE_BREAK, machine->site, 0, NULL, 0);
		serial->type->console->receive_break(serial);
		break;
	case MACHINE_CONSOLE_BROKEN:
		machine_finish(machine, MACHINE_ERROR, "the console's output cannot be written");
		break;
	}
}

/* Take input, unless a recording has it. */
static void take_input(struct machine *machine, int timeout_ms)
{
	const struct machine_console *console = &machine->config.console;
	struct device *device = machine_input(machine);
	const struct device_console *ops = device->type->console;
	const bool replays = machine_replays(machine);
	uint8_t bytes[DEVICE_CONSOLE_ROOM];
	size_t got = 0;

	hear(machine, console->poll(console->ctx, replays ? 0 : timeout_ms, bytes,
				    replays ? 0 : ops->room(device), &got));
	if (got == 0)
		return;
	machine_awake(machine);
	machine_recorded(machine, MACHINE_OUTSIDE_INPUT, machine->site, 0, bytes, got);
	ops->receive(device, bytes, got);
}

static int limit_timeout(const struct machine *machine, int timeout_ms)
{
	uint64_t now, left;

	if (machine->timeout_at == UINT64_MAX || timeout_ms == 0)
		return timeout_ms;
	now = host_ms();
	left = now < machine->timeout_at ? machine->timeout_at - now : 0;
	if (timeout_ms >= 0 && left >= (uint64_t)timeout_ms)
		return timeout_ms;
	return left < INT32_MAX ? (int)left : INT32_MAX;
}

/* The outside has ended the machine. */
static void tell_stop(struct machine *machine)
{
	if (machine_replays(machine))
		machine_replay_left(machine);
	else
		machine_recorded(machine, MACHINE_OUTSIDE_STOP, machine->site, machine->end,
				 machine->why, strlen(machine->why));
}

static void look_at_clock(struct machine *machine)
{
	if (machine->timeout_at != UINT64_MAX && host_ms() >= machine->timeout_at)
		machine_finish(machine, MACHINE_TIMEOUT, "timed out after %" PRIu64 " s",
			       machine->config.timeout_ms / 1000);
}

void machine_poll(struct machine *machine, enum machine_site site, int timeout_ms)
{
	const enum machine_request before = machine->request;

	machine->poll_due = machine->elapsed + MACHINE_POLL_PERIOD;
	machine->idle_turns = 0;
	machine->site = site;
	take_input(machine, limit_timeout(machine, timeout_ms));
	if (!machine_replays(machine) && machine_arrivals(machine))
		machine_recorded(machine, MACHINE_OUTSIDE_LOOK, site, 0, NULL, 0);
	look_at_clock(machine);
	if (before == MACHINE_GO_ON && machine->request == MACHINE_END)
		tell_stop(machine);
	if (machine_replays(machine))
		machine_replay_poll(machine, site);
}

/* Leaves input where it is, and tells the devices nothing: there may be no vCPUs at this moment. */
bool machine_given_up(struct machine *machine)
{
	const struct machine_console *console = &machine->config.console;
	const enum machine_request before = machine->request;

	if (machine->hurry) {
		machine->hurry = 0;
		if (console->asked)
			hear(machine, console->asked(console->ctx));
	}
	look_at_clock(machine);
	if (before == MACHINE_GO_ON && machine->request == MACHINE_END) {
		machine->site = MACHINE_SITE_TURN;
		tell_stop(machine);
	}
	return machine->request == MACHINE_END && machine->end != MACHINE_SAVE;
}

/* machine_wait() without a recording. */
static uint64_t wait_for_host(struct machine *machine, uint64_t until)
{
	/* For a longer time the caller waits again. */
	const uint64_t most = INT32_MAX * MS_NS;
	const uint32_t hz = machine->config.choices.counter_hz;
	const uint64_t counts = until - machine->elapsed;
	const uint64_t ahead = counts < timer_counts(most, hz) ? timer_ns(counts, hz) : most;
	const int64_t before = machine->owed;
	const int64_t owed = before + (int64_t)ahead;
	uint64_t start, gone;
	int64_t passed;

	/* poll() counts in milliseconds: shorter times add up until then. */
	if (owed < (int64_t)MS_NS) {
		machine->owed = owed;
		return until;
	}
	start = machine_host_ns();
	machine_poll(machine, MACHINE_SITE_WAIT, (int)((uint64_t)owed / MS_NS));
	passed = (int64_t)(machine_host_ns() - start);
	if (ahead < most && owed - passed < (int64_t)MS_NS) {
		/* If the host was late, do not catch up with a burst of short waits. */
		machine->owed = owed - passed > -(int64_t)MS_NS ? owed - passed : -(int64_t)MS_NS;
		return until;
	}
	machine->owed = before > passed ? before - passed : 0;
	passed -= before;
	if (passed <= 0)
		return machine->elapsed;
	gone = timer_counts((uint64_t)passed, hz);
	return gone < counts ? machine->elapsed + gone : until;
}

uint64_t machine_wait(struct machine *machine, uint64_t until)
{
	uint64_t waited;

	if (machine_replays(machine)) {
		machine_poll(machine, MACHINE_SITE_WAIT, 0);
		return machine_replay_wait(machine, until);
	}
	waited = wait_for_host(machine, until);
	if (waited != until)
		machine_recorded(machine, MACHINE_OUTSIDE_WAITED, MACHINE_SITE_WAIT, waited, NULL,
				 0);
	return waited;
}
