// SPDX-License-Identifier: BSD-2-Clause
/* What a machine and the recorded one have to have in common. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "arm/pmu_words.h"
#include "base/printable.h"
#include "base/state.h"
#include "device/virtio.h"
#include "machine/machine_state.h"
#include "machine/spe_option.h"

#define SPE_MAX 4096

/* The CRC-32 of a state, which ends here. */
static unsigned long sum_of(struct state *state)
{
	const unsigned long sum = state->at ? crc32_z(0, state->bytes, state->at) : 0;

	state_free(state);
	return sum;
}

/* Of what of the engine's options belongs to the machine. */
static unsigned long tuning_sum(const struct machine_config *config)
{
	const struct engine *engine = config->engine;
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

/* Of a device before its driver is there: what is on a disk, too. */
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
	const struct engine_levels *levels = &config->levels;
	const struct loader_file *files[] = {&machine->files.kernel, &machine->files.initrd,
					     &machine->files.firmware};
	static const char *const names[] = {"kernel", "initrd", "firmware"};
	char spe[SPE_MAX] = "off", *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	if (!to)
		return NULL;
	if (config->spe)
		spe_option_print(config->spe, spe, sizeof(spe));
	fprintf(to, "engine %s\ncpus %u\nmemory %" PRIu64 " MiB\n", config->engine->name,
		config->cpus, config->ram_size >> 20);
	fprintf(to, "Exception levels %u %d%d%d%d %d\ncpu %s\npmu %s\nspe %s\n", levels->start,
		levels->el2, levels->el3, levels->sel2, levels->rme, (int)levels->security,
		config->core ? config->core->name : "generic",
		config->pmu ? arm_pmu_word(config->pmu) : "none", spe);
	fprintf(to, "seed %" PRIu64 "\nrtc %" PRIu32 "\ncntfrq %" PRIu32 "\n",
		config->seeded ? config->seed : 0, config->rtc, config->counter_hz);
	fprintf(to, "no-reboot %d\nparams %s\n", config->no_reboot,
		config->params ? config->params : "");
	fprintf(to, "acpi %d\n", config->firmware && config->acpi);
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
