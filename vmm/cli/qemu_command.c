/* SPDX-License-Identifier: BSD-2-Clause */
/* See qemu_command.h. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/qemu_command.h"
#include "conform/guest_process.h"

/* QEMU 11.1 has version 7 of the plugin API. */
#define MAJOR 11
#define MINOR 1

/* Host seconds. Only a program that hangs reaches this limit. */
#define VERSION_SECONDS 60

void qemu_command_take(struct qemu_command *command, char *word)
{
	char **words =
		word ? reallocarray(command->words, command->count + 2, sizeof(*words)) : NULL;

	command->failed |= !words;
	if (!words) {
		free(word);
		return;
	}
	command->words = words;
	words[command->count++] = word;
	words[command->count] = NULL;
}

void qemu_command_add(struct qemu_command *command, const char *word)
{
	qemu_command_take(command, strdup(word));
}

void qemu_command_add_two(struct qemu_command *command, const char *name, const char *value)
{
	qemu_command_add(command, name);
	qemu_command_add(command, value);
}

static void print_quoted(const char *word, FILE *out)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789-_=+,./:@%";

	if (*word && word[strspn(word, plain)] == '\0') {
		fputs(word, out);
		return;
	}
	fputc('\'', out);
	for (; *word; word++)
		fputs(*word == '\'' ? "'\\''" : (char[]){*word, '\0'}, out);
	fputc('\'', out);
}

void qemu_command_print(const struct qemu_command *command, FILE *out)
{
	for (size_t i = 0; i < command->count; i++) {
		print_quoted(command->words[i], out);
		fputc(i + 1 < command->count ? ' ' : '\n', out);
	}
}

void qemu_command_free(struct qemu_command *command)
{
	for (size_t i = 0; i < command->count; i++)
		free(command->words[i]);
	free(command->words);
	*command = (struct qemu_command){.words = NULL};
}

/*
 * Options with a value that shape the machine, and so its tree. With a kernel and without firmware,
 * a machine with EL3 has QEMU's PSCI.
 */
static const char *const machine_options[] = {
	"machine", "M",	     "cpu",  "m",      "smp", "numa",
	"object",  "global", "bios", "kernel", "L",   "readconfig",
};

static bool is_one_of(const char *name, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

/* Objects with memory and devices with a node; the others refer to options that are left out. */
static bool makes_machine(const char *name, const char *value)
{
	static const char memory[] = "memory-backend", smmu[] = "arm-smmuv3";

	if (strcmp(name, "object") == 0)
		return strncmp(value, memory, strlen(memory)) == 0 ||
		       strstr(value, "qom-type=memory-backend") != NULL;
	if (strcmp(name, "device") == 0)
		return strncmp(value, smmu, strlen(smmu)) == 0;
	if (strcmp(name, "drive") == 0) /* firmware, with which EL3 has its own PSCI */
		return strstr(value, "if=pflash") != NULL;
	return is_one_of(name, machine_options,
			 sizeof(machine_options) / sizeof(machine_options[0]));
}

/* The name of an option, with one or two hyphens as in QEMU. NULL if it is none. */
static const char *option_name(const char *word)
{
	if (*word != '-' || !word[1])
		return NULL;
	return word + 1 + (word[1] == '-');
}

void qemu_command_machine(struct qemu_command *machine, const struct qemu_command *command)
{
	qemu_command_add(machine, command->words[0]);
	for (size_t i = 1; i + 1 < command->count; i++) {
		const char *name = option_name(command->words[i]);
		const char *value = command->words[i + 1];

		if (name && makes_machine(name, value))
			qemu_command_add_two(machine, command->words[i], value);
		else if (name && strcmp(name, "serial") == 0) /* a second one has a node */
			qemu_command_add_two(machine, "-serial", "null");
		else if (!name || strcmp(name, "append") != 0)
			continue;
		i++;
	}
	qemu_command_add(machine, "-nodefaults");
	qemu_command_add_two(machine, "-display", "none");
}

/* The first line of --version. 0, or -1 if it cannot run. */
static int read_version(const char *program, char *line, size_t size)
{
	char option[] = "--version", *name = strdup(program);
	char *const words[] = {name, option, NULL};
	struct guest_output output = {.status = 0};
	const int error = name ? guest_process_run(words, VERSION_SECONDS, &output) : -1;
	const bool ran = error == 0 && output.status == 0;

	if (ran)
		snprintf(line, size, "%.*s", (int)strcspn(output.out.bytes, "\n"),
			 output.out.bytes);
	guest_output_free(&output);
	free(name);
	return ran ? 0 : -1;
}

enum qemu_release qemu_command_release(const char *program, char *line, size_t size)
{
	const char name[] = "QEMU emulator version ";
	unsigned int major, minor;

	if (read_version(program, line, size) < 0 || strncmp(line, name, strlen(name)) != 0)
		return QEMU_IS_NONE;
	memmove(line, line + strlen(name), strlen(line) - strlen(name) + 1);
	if (sscanf(line, "%u.%u", &major, &minor) != 2)
		return QEMU_IS_NONE;
	return major > MAJOR || (major == MAJOR && minor >= MINOR) ? QEMU_IS_NEW : QEMU_IS_OLD;
}
