/* SPDX-License-Identifier: BSD-2-Clause */
/* See qemu_words.h. */
#include "cli/qemu_words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The row of a word such as --spe or --spe=v1p2, or NULL. */
static const struct cli_option *row_of(const struct cli_rows *rows, const char *word)
{
	const size_t length = strcspn(word, "=");

	for (size_t i = 0; i < rows->count && strncmp(word, "--", 2) == 0; i++)
		if (strlen(rows->rows[i].name) + 2 == length &&
		    strncmp(word + 2, rows->rows[i].name, length - 2) == 0)
			return &rows->rows[i];
	return NULL;
}

/* Letters of this command, before QEMU's options; QEMU has -h too. */
static bool is_letter(const struct cli_rows *rows, const char *word)
{
	for (size_t i = 0; i < rows->count; i++)
		if (rows->rows[i].letter && word[1] == rows->rows[i].letter && !word[2])
			return true;
	return false;
}

char **qemu_words_sort(const struct cli_rows *rows, int argc, char **argv)
{
	char **words = calloc((size_t)argc + 2, sizeof(*words));
	char **theirs = calloc((size_t)argc + 1, sizeof(*theirs));
	int own = 0, others = 0;
	bool begun = false; /* QEMU's options have */

	for (int i = 0; words && theirs && i < argc; i++) {
		const struct cli_option *row = row_of(rows, argv[i]);
		const bool value = i && strcmp(argv[i - 1], "-append") == 0;

		if (strcmp(argv[i], "--") == 0) {
			while (++i < argc)
				theirs[others++] = argv[i];
		} else if (row && !(begun && value)) {
			words[own++] = argv[i];
			if (row->argument == CLI_VALUE && !strchr(argv[i], '=') && i + 1 < argc)
				words[own++] = argv[++i];
		} else {
			begun |=
				argv[i][0] == '-' && argv[i][1] != '-' && !is_letter(rows, argv[i]);
			if (begun)
				theirs[others++] = argv[i];
			else
				words[own++] = argv[i];
		}
	}
	if (words && theirs) {
		words[own++] = (char *)(uintptr_t) "--";
		memcpy(words + own, theirs, (size_t)others * sizeof(*theirs));
	} else {
		free(words);
		words = NULL;
	}
	free(theirs);
	return words;
}

const char *qemu_words_value(char *const *words, const char *name)
{
	const char *value = NULL;

	for (; *words; words++)
		if (**words == '-' && strcmp(*words + strspn(*words, "-"), name) == 0 && words[1])
			value = words[1];
	return value;
}

/* Is word one of the comma-separated words, as max is in -cpu max,pauth=off? */
static bool has_word(const char *text, const char *word)
{
	for (; text && *text; text += strspn(text, ",")) {
		const size_t length = strcspn(text, ",");

		if (length == strlen(word) && strncmp(text, word, length) == 0)
			return true;
		text += length;
	}
	return false;
}

const struct spe_core *qemu_words_core(const struct qemu_command *command)
{
	const char *cpu = qemu_words_value(command->words, "cpu");
	char name[64];

	snprintf(name, sizeof(name), "%.*s", cpu ? (int)strcspn(cpu, ",") : 0, cpu ? cpu : "");
	return spe_core_find(name);
}

/* Firmware, which gives its guest ACPI tables if it has them. */
static bool has_firmware(const struct qemu_command *command)
{
	const char *machine = qemu_words_value(command->words, "machine");

	for (char **word = command->words; *word; word++)
		if (strstr(*word, "if=pflash"))
			return true;
	return qemu_words_value(command->words, "bios") || (machine && strstr(machine, "pflash"));
}

static void warn_of_firmware(const struct qemu_command *command)
{
	for (char **word = command->words; *word; word++)
		if (strstr(*word, "acpi=off"))
			return;
	if (has_firmware(command))
		cli_message(stderr, "vspe qemu: QEMU's ACPI tables have no SPE: with -machine "
				    "acpi=off firmware gives its guest the device tree, which has");
}

/*
 * With KASLR, Linux unmaps itself while EL0 runs (KPTI), unless the PE has FEAT_E0PD. Its SPE
 * driver then refuses to load, because the buffer would be unmapped too. QEMU's device tree has a
 * seed for KASLR. arch/arm64/kernel/cpufeature.c, drivers/perf/arm_spe_pmu.c.
 */
static void warn_of_kpti(const struct qemu_command *command)
{
	/* QEMU 11.1's models that have FEAT_E0PD. */
	static const char *const with_e0pd[] = {"max", "cortex-a710", "neoverse-n2"};
	static const char *const mended[] = {"kpti=off", "kpti=0", "nokaslr", "mitigations=off"};
	const char *cpu = qemu_words_value(command->words, "cpu");
	const char *append = qemu_words_value(command->words, "append");
	bool safe = !cpu || (!append && !qemu_words_value(command->words, "initrd"));

	for (size_t i = 0; i < sizeof(with_e0pd) / sizeof(with_e0pd[0]); i++)
		safe |= has_word(cpu, with_e0pd[i]);
	for (size_t i = 0; append && i < sizeof(mended) / sizeof(mended[0]); i++)
		safe |= strstr(append, mended[i]) != NULL;
	if (!safe)
		cli_message(stderr,
			    "vspe qemu: -cpu %s has no FEAT_E0PD, and Linux with KASLR then has "
			    "KPTI, with which its driver of SPE refuses: add kpti=off to -append, "
			    "or give -cpu max or neoverse-n2",
			    cpu);
}

static void warn_of_secure(const struct qemu_command *command)
{
	bool secure = false;

	for (char **word = command->words; *word && word[1]; word++)
		if (strcmp(*word, "-machine") == 0 || strcmp(*word, "-M") == 0)
			secure |= has_word(word[1], "secure=on") || has_word(word[1], "secure");
	if (secure && !has_firmware(command))
		cli_message(stderr,
			    "vspe qemu: with -machine secure=on SPE is Secure state's until "
			    "firmware at EL3 sets MDCR_EL3.NSPB to 3, and there is no firmware: "
			    "leave secure=on out, or give -bios");
}

void qemu_words_warn(const struct qemu_command *command)
{
	warn_of_firmware(command);
	warn_of_kpti(command);
	warn_of_secure(command);
}
