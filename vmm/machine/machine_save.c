/* SPDX-License-Identifier: BSD-2-Clause */
/* The sections of a saved machine, each in its order: see machine_save.h. */
#include "machine/machine_save.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "arm/affinity.h"
#include "device/virtio.h"
#include "machine/choice_rows.h"
#include "machine/machine_part.h"
#include "machine/machine_sections.h"
#include "machine/state_guest.h"
#include "machine/state_ram.h"

#define TUNING_TAG "TUNE"

/* CONF */
static void config_state(struct state *state, struct choices *choices, uint32_t version)
{
	choices_state(state, choices, version);
	if (!state->failed && !choices->kernel && !choices->firmware)
		state_refuse(state, "impossible machine");
}

static int save_config(struct state_file *to, const struct machine *machine)
{
	struct choices choices = machine->config.choices;
	struct state state;

	state_save(&state, "configuration");
	config_state(&state, &choices, STATE_FILE_VERSION);
	return state_file_put_state(to, "CONF", 0, &state);
}

/* TUNE: the engine's options that belong to the machine, if there are any. */
static int save_tuning(struct state_file *to, const struct machine_config *config)
{
	const struct engine *engine = config->choices.engine;
	struct engine_tuning *copy;
	struct state state;

	if (!engine->tuning_state || !config->tuning)
		return 0;
	state_save(&state, "options of the engine");
	copy = malloc(engine->tuning_size);
	if (copy) {
		memcpy(copy, config->tuning, engine->tuning_size);
		engine->tuning_state(copy, &state);
	} else {
		state_refuse(&state, "no memory");
	}
	free(copy);
	if (!state.failed && state.at == 0) {
		state_free(&state);
		return 0;
	}
	return state_file_put_state(to, TUNING_TAG, 0, &state);
}

int machine_put_parts(struct state_file *to, struct machine *machine)
{
	struct machine_part parts[MACHINE_PARTS];
	const size_t count = machine_parts(machine, parts);
	int result = 0;

	for (size_t i = 0; i < count; i++) {
		for (unsigned int n = 0; result == 0 && n < machine_part_count(&parts[i], machine);
		     n++) {
			struct state state;

			state_save(&state, parts[i].name);
			machine_part_describe(&parts[i], &state, machine, n);
			result = state_file_put_state(to, parts[i].tag, n, &state);
		}
	}
	return result;
}

int machine_put_config(struct state_file *to, const struct machine *machine)
{
	return save_config(to, machine) == 0 ? save_tuning(to, &machine->config) : -1;
}

static int put_files(struct state_file *to, const struct loader_files *files)
{
	if (state_guest_put(to, STATE_GUEST_FIRMWARE, &files->firmware) < 0 ||
	    state_guest_put(to, STATE_GUEST_KERNEL, &files->kernel) < 0)
		return -1;
	return state_guest_put(to, STATE_GUEST_INITRD, &files->initrd);
}

void machine_save_at(struct machine *machine, uint64_t operations)
{
	machine->save_at = operations;
	if (machine->pages < 0)
		machine->pages = state_ram_open();
}

int machine_save(struct machine *machine, FILE *file, char *why, size_t size)
{
	struct state_file to;

	if (!machine->vm || !machine->config.choices.engine->vcpu_state) {
		(void)snprintf(why, size, "a machine on engine %s cannot be saved",
			       machine->config.choices.engine->name);
		return -1;
	}
	if (state_file_create(&to, file, STATE_FILE_MACHINE) == 0 &&
	    machine_put_config(&to, machine) == 0 && put_files(&to, &machine->files) == 0 &&
	    machine_put_parts(&to, machine) == 0 &&
	    state_ram_save(&to, &machine->ram, machine->layout.dtb, machine->pages) == 0 &&
	    state_file_put(&to, "END ", 0, NULL, 0) == 0)
		return 0;
	(void)snprintf(why, size, "%s", to.why);
	return -1;
}

static int load_config(struct machine_saved *saved, const struct engine *engine)
{
	struct choices *choices = &saved->choices;
	struct state_section section;
	struct state state;

	if (state_file_get(&saved->file, "CONF", 0, &section) < 0)
		return -1;
	choices->engine = engine;
	state_load(&state, "configuration", section.bytes, section.size);
	config_state(&state, choices, saved->file.version);
	/* In version 1 all vCPUs had Aff1 0. */
	if (!state.failed && saved->file.version < 2 && choices->cpus > ARM_CLUSTER)
		state_refuse(&state,
			     "%u vCPUs, saved in version %" PRIu32
			     " of the format: MPIDR_EL1 was another beyond the first %u",
			     choices->cpus, saved->file.version, ARM_CLUSTER);
	(void)state_end(&state);
	(void)snprintf(saved->file.why, sizeof(saved->file.why), "%s", state.why);
	free(section.bytes);
	return state.failed ? -1 : 0;
}

/* Load TUNE, which is missing if no option belongs to the machine. */
static int load_tuning(struct machine_saved *saved, const struct engine *engine)
{
	struct state_section section;
	struct state state;

	saved->tuning = malloc(engine->tuning_size);
	if (!saved->tuning) {
		(void)snprintf(saved->file.why, sizeof(saved->file.why), "no memory");
		return -1;
	}
	memcpy(saved->tuning, engine->tuning_default, engine->tuning_size);
	if (!engine->tuning_state || !state_file_peek(&saved->file, TUNING_TAG))
		return 0;
	if (state_file_get(&saved->file, TUNING_TAG, 0, &section) < 0)
		return -1;
	state_load(&state, "options of the engine", section.bytes, section.size);
	engine->tuning_state(saved->tuning, &state);
	(void)state_end(&state);
	(void)snprintf(saved->file.why, sizeof(saved->file.why), "%s", state.why);
	free(section.bytes);
	return state.failed ? -1 : 0;
}

static int load_files(struct machine_saved *saved)
{
	const uint64_t most = saved->choices.ram_size;

	if (state_guest_get(&saved->file, STATE_GUEST_FIRMWARE, saved->choices.firmware,
			    &saved->files.firmware, FLASH_BANK) < 0)
		return -1;
	if (state_guest_get(&saved->file, STATE_GUEST_KERNEL, saved->choices.kernel,
			    &saved->files.kernel, most) < 0)
		return -1;
	return state_guest_get(&saved->file, STATE_GUEST_INITRD, saved->choices.initrd,
			       &saved->files.initrd, most);
}

struct machine_saved *machine_saved_from(FILE *file, enum state_file_kind kind, uint64_t most,
					 const struct engine *engine, char *why, size_t size)
{
	struct machine_saved *saved = calloc(1, sizeof(*saved));

	if (!saved) {
		(void)snprintf(why, size, "no memory");
		return NULL;
	}
	if (state_file_open(&saved->file, file, kind, most) == 0 &&
	    load_config(saved, engine) == 0 && load_tuning(saved, engine) == 0 &&
	    load_files(saved) == 0)
		return saved;
	(void)snprintf(why, size, "%s", saved->file.why);
	machine_saved_close(saved);
	return NULL;
}

struct machine_saved *machine_saved_open(FILE *file, const struct engine *engine, char *why,
					 size_t size)
{
	return machine_saved_from(file, STATE_FILE_MACHINE, 0, engine, why, size);
}

void machine_saved_close(struct machine_saved *saved)
{
	if (!saved)
		return;
	loader_free(&saved->files.firmware);
	loader_free(&saved->files.kernel);
	loader_free(&saved->files.initrd);
	choices_free(&saved->choices);
	free(saved->tuning);
	free(saved);
}

const struct choices *machine_saved_choices(const struct machine_saved *saved)
{
	return &saved->choices;
}

const struct engine_tuning *machine_saved_tuning(const struct machine_saved *saved)
{
	return saved->tuning;
}

const struct loader_files *machine_saved_files(const struct machine_saved *saved)
{
	return &saved->files;
}

/* Section n of a part. */
static int load_part(struct state_file *from, struct machine *machine,
		     const struct machine_part *part, unsigned int n)
{
	struct state_section section;
	struct state state;

	if (state_file_get(from, part->tag, n, &section) < 0)
		return -1;
	state_load(&state, part->name, section.bytes, section.size);
	machine_part_describe(part, &state, machine, n);
	(void)state_end(&state);
	free(section.bytes);
	(void)snprintf(from->why, sizeof(from->why), "%s", state.why);
	return state.failed ? -1 : 0;
}

/*
 * For a part whose number of sections depends on the command line: is section n there, if and only
 * if `more`?
 */
static int check_sections(struct state_file *from, const struct machine_part *part, unsigned int n,
			  bool more)
{
	if (!part->counted || state_file_peek(from, part->tag) == more)
		return 0;
	(void)snprintf(from->why, sizeof(from->why),
		       "saved with %s %s devices than %u: " VIRTIO_OPTIONS
		       " have to be as they were",
		       more ? "fewer" : "more", part->name, more ? n + 1 : n);
	return -1;
}

int machine_get_parts(struct state_file *from, struct machine *machine)
{
	struct machine_part parts[MACHINE_PARTS];
	const size_t count = machine_parts(machine, parts);

	for (size_t i = 0; i < count; i++) {
		const unsigned int sections = machine_part_count(&parts[i], machine);

		/* What the file's version lacks is as at power on. */
		if (parts[i].since > from->version)
			continue;
		for (unsigned int n = 0; n < sections; n++)
			if (check_sections(from, &parts[i], n, true) < 0 ||
			    load_part(from, machine, &parts[i], n) < 0)
				return -1;
		if (check_sections(from, &parts[i], sections, false) < 0)
			return -1;
	}
	return 0;
}

/* The rest of the file: blocks of memory with rising index, and the end. */
static int load_ram(struct state_file *from, const struct engine_ram *ram)
{
	struct state_section section;
	uint64_t next = 0;
	int result = 0;

	while (result == 0 && state_file_next(from, &section) == 0) {
		const bool more = memcmp(section.tag, STATE_RAM_TAG, STATE_FILE_TAG) == 0;

		if (more && section.index >= next) {
			next = (uint64_t)section.index + 1;
			result = state_ram_load(ram, &section, from->why, sizeof(from->why));
		} else if (more || memcmp(section.tag, "END ", STATE_FILE_TAG) != 0 ||
			   section.index != 0 || section.size != 0) {
			(void)snprintf(from->why, sizeof(from->why),
				       "damaged: its memory is out of order");
			result = -1;
		}
		free(section.bytes);
		if (result == 0 && !more)
			return state_file_at_end(from);
	}
	return -1;
}

struct machine *machine_make_saved(struct machine_saved *saved, const struct machine_config *config,
				   char *why, size_t size)
{
	struct machine_config whole = *config;
	struct machine *machine;

	choices_adopt(&whole.choices, &saved->choices);
	if (!whole.tuning)
		whole.tuning = saved->tuning;
	machine = machine_make(&whole, &saved->files, why, size);
	if (!machine)
		return NULL;
	/* Clear the guest that machine_make() has loaded: saved memory has what is left of it. */
	if (machine_clear_ram(machine) < 0)
		(void)snprintf(why, size, "the host has no memory for the guest");
	else if (machine_power_on(machine) < 0)
		(void)snprintf(why, size, "%s", machine->why);
	else
		return machine;
	machine_destroy(machine);
	return NULL;
}

struct machine *machine_restore(struct machine_saved *saved, const struct machine_config *config,
				char *why, size_t size)
{
	struct state_file *from = &saved->file;
	struct machine *machine = machine_make_saved(saved, config, why, size);

	if (!machine ||
	    (machine_get_parts(from, machine) == 0 && load_ram(from, &machine->ram) == 0))
		return machine;
	(void)snprintf(why, size, "%s", from->why);
	machine_destroy(machine);
	return NULL;
}
