/* SPDX-License-Identifier: BSD-2-Clause */
/* How a machine ends: the first request counts. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "machine/machine_state.h"

void machine_finish(struct machine *machine, enum machine_end end, const char *format, ...)
{
	va_list arguments;

	if (machine->request == MACHINE_END)
		return;
	machine->request = MACHINE_END;
	machine->end = end;
	va_start(arguments, format);
	(void)vsnprintf(machine->why, sizeof(machine->why), format, arguments);
	va_end(arguments);
}

void machine_finish_vcpu(struct machine *machine, unsigned int cpu, const struct engine_exit *exit)
{
	char where[160];

	machine->config.choices.engine->vcpu_describe(machine->vcpu[cpu].engine, where,
						      sizeof(where));
	machine_finish(machine, exit->reason == ENGINE_EXIT_LOST ? MACHINE_LOST : MACHINE_ERROR,
		       "%s (%s)", exit->why, where);
}

void machine_tell_storm(struct machine *machine)
{
	const struct engine *engine = machine->config.choices.engine;
	const size_t used = strlen(machine->why);
	char text[256];

	for (unsigned int i = 0; i < machine->config.choices.cpus && engine->vcpu_storm; i++) {
		if (!machine->vcpu[i].engine || !machine->on[i] ||
		    !engine->vcpu_storm(machine->vcpu[i].engine, text, sizeof(text)))
			continue;
		(void)snprintf(machine->why + used, sizeof(machine->why) - used, ": %s", text);
		return;
	}
}
