/* SPDX-License-Identifier: BSD-2-Clause */
/* What a machine and the recorded one must have in common. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/printable.h"
#include "base/state.h"
#include "device/virtio.h"
#include "machine/choice_rows.h"
#include "machine/machine_state.h"

/* The CRC-32 of a state, which this frees. */
static unsigned long sum_of(struct state *state)
{
	const unsigned long sum = state->at ? crc32_z(0, state->bytes, state->at) : 0;

	state_free(state);
	return sum;
}

/* The sum of the engine's options that belong to the machine. */
static unsigned long tuning_sum(const struct machine_config *config)
{
	const struct engine *engine = config->choices.engine;
	struct engine_tuning *copy;
	struct state state;

	if (!engine->tuning_state || !config->tuning)
		return 0;
	copy = malloc(engine->tuning_size);
	if (!copy)
		return 0;
	memcpy(copy, config->tuning, engine->tuning_size);
	state_save(&state, "options of the engine");
	engine->tuning_state(copy, &state);
	free(copy);
	return sum_of(&state);
}

/* The sum of a device before its driver starts, including the contents of a disk. */
static unsigned long device_sum(const struct machine *machine, unsigned int slot)
{
	struct virtio_device *device = machine->config.virtio[slot];
	struct state state;

	if (!device->state)
		return 0;
	state_save(&state, "virtio");
	device->state(device, &state);
	return sum_of(&state);
}

char *machine_describe(const struct machine *machine)
{
	const struct machine_config *config = &machine->config;
	const struct loader_file *files[] = {&machine->files.kernel, &machine->files.initrd,
					     &machine->files.firmware};
	static const char *const names[] = {"kernel", "initrd", "firmware"};
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	if (!to)
		return NULL;
	choices_describe(&config->choices, to);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		fprintf(to, "%s of %zu bytes, CRC-32 %08lx\n", names[i], files[i]->size,
			crc32_z(0, files[i]->bytes, files[i]->size));
	fprintf(to, "options of the engine %08lx\n", tuning_sum(config));
	for (unsigned int slot = 0; config->virtio && slot < DEVICE_VIRTIO && config->virtio[slot];
	     slot++)
		fprintf(to, "virtio device %u of kind %u, CRC-32 %08lx\n", slot,
			(unsigned int)config->virtio[slot]->id, device_sum(machine, slot));
	if (fclose(to) == 0 && text)
		return text;
	free(text);
	return NULL;
}

int machine_describe_other(const char *ours, const char *theirs, const char *command, char *why,
			   size_t size)
{
	char line[128], theirs_safe[4 * sizeof(line)], command_safe[512];

	while (*ours && *theirs) {
		const size_t mine = strcspn(ours, "\n"), other = strcspn(theirs, "\n");

		if (mine != other || memcmp(ours, theirs, mine) != 0)
			break;
		ours += mine + (ours[mine] != '\0');
		theirs += other + (theirs[other] != '\0');
	}
	if (*ours == *theirs && *ours == '\0')
		return 0;
	(void)snprintf(line, sizeof(line), "%.*s", (int)strcspn(theirs, "\n"), theirs);
	(void)snprintf(why, size,
		       "of another machine: it has %s, this one %.*s; it was made by: %s",
		       printable(theirs_safe, sizeof(theirs_safe), line), (int)strcspn(ours, "\n"),
		       ours, printable(command_safe, sizeof(command_safe), command));
	return -1;
}
