/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * vspe run --restore and --incoming: compares a saved machine with what the other options say. An
 * option that is left out takes the machine's value; one that is there must agree with it.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "base/input_file.h"
#include "device/flash.h"
#include "cli/files.h"
#include "cli/run.h"
#include "machine/choice_rows.h"
#include "machine/loader.h"
#include "machine/spe_option.h"

#define STATE_WORDS 4096 /* of --spe */

const char *run_leaves_by(const struct run_options *options, const char **value)
{
	*value = options->save ? options->save : options->migrate_to;
	return options->save ? "--save" : options->migrate_to ? "--migrate-to" : NULL;
}

const char *run_comes_by(const struct run_options *options, const char **value)
{
	*value = options->restore ? options->restore : options->incoming;
	return options->restore ? "--restore" : options->incoming ? "--incoming" : NULL;
}

static int state_refuse_file(const struct run_options *options, const char *why)
{
	const char *from;
	const char *option = run_comes_by(options, &from);

	cli_message(stderr, "vspe run: %s %s: %s", option, from, why);
	return CLI_USAGE;
}

static int state_fail(const char *why)
{
	cli_message(stderr, "vspe run: %s", why);
	return CLI_USAGE;
}

static int state_conflict(const struct run_options *options, const char *option, const char *value,
			  const char *saved)
{
	const char *from;

	(void)run_comes_by(options, &from);
	cli_message(stderr, "vspe run: %s %s: the machine %s %s %s", option, value,
		    options->incoming ? "from" : "in", from, saved);
	return CLI_USAGE;
}

static int state_conflict_number(const struct run_options *options, const char *option,
				 uint64_t value, uint64_t saved)
{
	char number[24], has[40];

	(void)snprintf(number, sizeof(number), "%" PRIu64, value);
	(void)snprintf(has, sizeof(has), "has %" PRIu64, saved);
	return state_conflict(options, option, number, has);
}

/* The first word of saved that given lacks. Both are lists of the same words. */
static void state_other_word(const char *given, const char *saved, char *text, size_t size)
{
	size_t length;

	while (*given && *saved) {
		length = strcspn(saved, ",");
		if (strcspn(given, ",") != length || strncmp(given, saved, length) != 0) {
			(void)snprintf(text, size, "has %.*s", (int)length, saved);
			return;
		}
		given += length + (given[length] == ',');
		saved += length + (saved[length] == ',');
	}
	(void)snprintf(text, size, "has others");
}

/*
 * The meaning of --spe, with the machine's core where --cpu does not say which. -1 and *config, or
 * the exit code.
 */
static int state_wished_spe(const struct run_options *options, const bool given[CHOICES],
			    const struct spe_core *core, struct spe_config *config)
{
	char why[256];

	*config = options->choices.spe_config;
	if (given[CHOICE_CPU] || core == options->choices.core)
		return -1;
	if (spe_option_parse(options->spe_text, core, options->choices.engine, config, why,
			     sizeof(why))) {
		cli_message(stderr, "vspe run: --spe %s: %s",
			    options->spe_text ? options->spe_text : "", why);
		return CLI_USAGE;
	}
	if (given[CHOICE_SEED])
		config->seed = options->choices.spe_config.seed;
	return -1;
}

static int state_check_spe(const struct run_options *options, const bool given[CHOICES],
			   const struct choices *machine)
{
	const struct spe_config *saved = choices_spe(machine);
	const bool seeded =
		given[CHOICE_SEED] || (options->spe_text && strstr(options->spe_text, "seed="));
	const char *text = options->spe_text ? options->spe_text : "off";
	char mine[STATE_WORDS], theirs[STATE_WORDS], word[128];
	struct spe_config config;
	int code;

	if (given[CHOICE_SPE] && options->choices.spe != machine->spe)
		return state_conflict(options, "--spe", text, saved ? "has SPE" : "has no SPE");
	if (!saved)
		return -1;
	code = state_wished_spe(options, given, machine->core, &config);
	if (code >= 0)
		return code;
	if (given[CHOICE_SEED] && config.seed != saved->seed)
		return state_conflict_number(options, "--seed", config.seed, saved->seed);
	if (!seeded)
		config.seed = saved->seed;
	if (!spe_option_has(options->spe_text, "lds"))
		config.lds = saved->lds;
	spe_option_print(&config, mine, sizeof(mine));
	spe_option_print(saved, theirs, sizeof(theirs));
	if (!given[CHOICE_SPE] || strcmp(mine, theirs) == 0)
		return -1;
	state_other_word(mine, theirs, word, sizeof(word));
	return state_conflict(options, "--spe", text, word);
}

/* Is a guest's file the one that the machine was made with? */
static int state_check_file(const struct run_options *options, const char *option, const char *path,
			    const struct loader_file *saved, uint64_t limit, bool kernel)
{
	struct loader_file file;
	char why[512];
	bool same;

	if (!path)
		return -1;
	if (!saved->bytes)
		return state_conflict(options, option, path, "has none");
	if (loader_read(&file, path, limit, LOADER_MEMORY, why, sizeof(why)) < 0)
		return state_fail(why);
	if (kernel && loader_inflate(&file, limit, why, sizeof(why)) < 0) {
		loader_free(&file);
		return state_fail(why);
	}
	same = file.size == saved->size && memcmp(file.bytes, saved->bytes, file.size) == 0;
	loader_free(&file);
	return same ? -1 : state_conflict(options, option, path, "was made with another file");
}

/* Of firmware, kernel and initrd, are those on the command line the same? */
static int state_check_files(const struct run_options *options, const struct choices *saved)
{
	const struct loader_files *files = machine_saved_files(options->saved);
	const struct choices *mine = &options->choices;
	int code;

	code = state_check_file(options, "--bios", mine->firmware, &files->firmware, FLASH_BANK,
				false);
	if (code < 0)
		code = state_check_file(options, "--kernel", mine->kernel, &files->kernel,
					saved->ram_size, true);
	if (code < 0)
		code = state_check_file(options, "--initrd", mine->initrd, &files->initrd,
					saved->ram_size, false);
	return code;
}

/* Complain about a choice that differs in the machine. */
static int state_conflict_choice(const struct run_options *options, enum choice_id id,
				 const struct choices *saved)
{
	char option[32], *value = choices_value(id, &options->choices),
			 *has = choices_has(id, saved);
	int code;

	(void)snprintf(option, sizeof(option), "--%s", choices_option(id));
	code = value && has ? state_conflict(options, option, value, has) : state_fail("no memory");
	free(value);
	free(has);
	return code;
}

static int state_check(const struct run_options *options, const bool given[CHOICES])
{
	const struct choices *saved = machine_saved_choices(options->saved);
	enum choice_id id = 0;
	int code;

	if (choices_conflict(given, &options->choices, saved, &id))
		return state_conflict_choice(options, id, saved);
	code = state_check_spe(options, given, saved);
	return code < 0 ? state_check_files(options, saved) : code;
}

/* No output may overwrite the machine's own files, which are not on the command line. */
static int state_check_outputs(const struct run_options *options, const struct choices *saved)
{
	const struct {
		const char *option, *path;
	} outputs[] = {{"--perf-data", options->perf_data},
		       {"--dump-dtb", options->dump_dtb},
		       {"--save", options->save}};
	const struct {
		const char *what, *path;
	} inputs[] = {
		{"guest", saved->kernel}, {"firmware", saved->firmware}, {"initrd", saved->initrd}};

	const char *from;

	(void)run_comes_by(options, &from);
	for (size_t i = 0; i < sizeof(outputs) / sizeof(outputs[0]); i++) {
		const char *path = outputs[i].path;
		for (size_t j = 0; path && j < sizeof(inputs) / sizeof(inputs[0]); j++) {
			if (!inputs[j].path || !cli_same_file(path, inputs[j].path))
				continue;
			cli_message(stderr, "vspe run: %s %s: the same file as the %s of %s",
				    outputs[i].option, path, inputs[j].what, from);
			return CLI_USAGE;
		}
	}
	return -1;
}

int run_state_open(struct run_options *options, const bool given[CHOICES])
{
	const char *kernel = options->choices.kernel; /* the file may be elsewhere now */
	const struct choices *saved;
	char why[512];
	int code, error;

	if (options->restore) {
		options->restore_file = input_file_stream(options->restore, &error);
		if (!options->restore_file)
			return state_refuse_file(options, input_file_error(error));
		options->saved = machine_saved_open(options->restore_file, options->choices.engine,
						    why, sizeof(why));
	} else {
		options->saved = machine_move_saved(arrival_file(options->arrival),
						    options->choices.engine, why, sizeof(why));
		if (!options->saved && arrival_over(options->arrival))
			return run_migrate_over(options);
	}
	if (!options->saved)
		return state_refuse_file(options, why);
	code = state_check(options, given);
	if (code >= 0)
		return code;
	saved = machine_saved_choices(options->saved);
	choices_adopt(&options->choices, saved);
	if (kernel)
		options->choices.kernel = kernel;
	return state_check_outputs(options, saved);
}

int run_state_tuning(struct run_options *options)
{
	const struct engine *engine = options->choices.engine;
	char given[320], has[320];
	const char *from;

	if (!engine->tuning_adopt || engine->tuning_adopt((struct engine_tuning *)&options->tuning,
							  machine_saved_tuning(options->saved),
							  given, has, sizeof(given)) == 0)
		return -1;
	(void)run_comes_by(options, &from);
	cli_message(stderr, "vspe run: %s: the machine %s %s has %s", given,
		    options->incoming ? "from" : "in", from, has);
	return CLI_USAGE;
}

void run_state_close(struct run_options *options)
{
	machine_saved_close(options->saved);
	if (options->restore_file)
		(void)fclose(options->restore_file);
	options->saved = NULL;
	options->restore_file = NULL;
}
