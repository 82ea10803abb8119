// SPDX-License-Identifier: BSD-2-Clause
/* What comes from outside between turns: console input, signals, and the host's clock for
 * --timeout. */
#include <inttypes.h>
#include <time.h>

#include "machine/machine_state.h"

static uint64_t host_ms(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

void machine_start_clock(struct machine *machine)
{
	if (machine->config.timeout_ms != 0 && machine->timeout_at == UINT64_MAX)
		machine->timeout_at = host_ms() + machine->config.timeout_ms;
}

void machine_poll(struct machine *machine, int timeout_ms)
{
	const struct machine_console *console = &machine->config.console;
	struct device *device = machine->console;
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
	case MACHINE_CONSOLE_BROKEN:
		machine_finish(machine, MACHINE_ERROR, "the console's output cannot be written");
		break;
	}
	if (got > 0)
		ops->receive(device, bytes, got);
	if (machine->timeout_at != UINT64_MAX && host_ms() >= machine->timeout_at)
		machine_finish(machine, MACHINE_TIMEOUT, "timed out after %" PRIu64 " s",
			       machine->config.timeout_ms / 1000);
}
