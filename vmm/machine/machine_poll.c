// SPDX-License-Identifier: BSD-2-Clause
/* What comes from outside between turns: console input, frames of a network, signals, and the
 * host's clock for --timeout. */
#include <inttypes.h>

#include "device/timer.h"
#include "machine/machine_state.h"

#define MS_NS UINT64_C(1000000)

_Static_assert(TIMER_FREQUENCY == 1000000000, "virtual time is counted in nanoseconds");

static uint64_t host_ms(void)
{
	return machine_host_ns() / MS_NS;
}

void machine_start_clock(struct machine *machine)
{
	if (machine->config.timeout_ms != 0 && machine->timeout_at == UINT64_MAX)
		machine->timeout_at = host_ms() + machine->config.timeout_ms;
}

void machine_poll(struct machine *machine, int timeout_ms)
{
	const struct machine_console *console = &machine->config.console;
	struct device *device = machine_input(machine), *serial = machine->console;
	const struct device_console *ops = device->type->console;
	uint8_t bytes[DEVICE_CONSOLE_ROOM];
	size_t got = 0;

	machine->poll_due = machine->elapsed + MACHINE_POLL_PERIOD;
	machine->idle_turns = 0;
	if (machine->timeout_at != UINT64_MAX && timeout_ms != 0) {
		uint64_t now = host_ms();
		uint64_t left = now < machine->timeout_at ? machine->timeout_at - now : 0;

		if (timeout_ms < 0 || left < (uint64_t)timeout_ms)
			timeout_ms = left < INT32_MAX ? (int)left : INT32_MAX;
	}
	switch (console->poll(console->ctx, timeout_ms, bytes, ops->room(device), &got)) {
	case MACHINE_CONSOLE_NONE: break;
	case MACHINE_CONSOLE_QUIT:
		machine_finish(machine, MACHINE_QUIT, "ended by the user");
		break;
	case MACHINE_CONSOLE_SIGNAL:
		machine_finish(machine, MACHINE_SIGNAL, "ended by a signal");
		break;
	case MACHINE_CONSOLE_SAVE: machine_finish(machine, MACHINE_SAVE, "%s", ""); break;
	case MACHINE_CONSOLE_BREAK: serial->type->console->receive_break(serial); break;
	case MACHINE_CONSOLE_BROKEN:
		machine_finish(machine, MACHINE_ERROR, "the console's output cannot be written");
		break;
	}
	if (got > 0)
		ops->receive(device, bytes, got);
	machine_arrivals(machine);
	if (machine->timeout_at != UINT64_MAX && host_ms() >= machine->timeout_at)
		machine_finish(machine, MACHINE_TIMEOUT, "timed out after %" PRIu64 " s",
			       machine->config.timeout_ms / 1000);
}

uint64_t machine_wait(struct machine *machine, uint64_t until)
{
	/* Longer than any of these there is another wait behind it. */
	const uint64_t most = INT32_MAX * MS_NS;
	const uint64_t ahead = until - machine->elapsed;
	const int64_t before = machine->owed;
	const int64_t owed = before + (int64_t)(ahead < most ? ahead : most);
	uint64_t start;
	int64_t passed;

	/* poll() counts in milliseconds: what is less is waited for together. */
	if (owed < (int64_t)MS_NS) {
		machine->owed = owed;
		return until;
	}
	start = machine_host_ns();
	machine_poll(machine, (int)((uint64_t)owed / MS_NS));
	passed = (int64_t)(machine_host_ns() - start);
	if (ahead < most && owed - passed < (int64_t)MS_NS) {
		/* A host that was late is not to be made up for by a burst of short waits. */
		machine->owed = owed - passed > -(int64_t)MS_NS ? owed - passed : -(int64_t)MS_NS;
		return until;
	}
	machine->owed = before > passed ? before - passed : 0;
	passed -= before;
	if (passed <= 0)
		return machine->elapsed;
	return (uint64_t)passed < ahead ? machine->elapsed + (uint64_t)passed : until;
}
