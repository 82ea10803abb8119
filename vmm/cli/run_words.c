/* SPDX-License-Identifier: BSD-2-Clause */
/* The command that records, as perf.data has it (CMDLINE). */
#include "cli/run.h"

#include <string.h>

/*
 * Files that the command writes, and those that stand for outside input, say nothing about the
 * records. Without their names the same run makes the same perf.data, whatever they are called.
 */
static const char *const outputs[] = {"--perf-data", "--save",	     "--dump-dtb", "--record",
				      "--replay",    "--migrate-to", "--incoming"};

/* Is a word such an option? *whole: it also has the value. */
static bool names_output(const char *word, bool *whole)
{
	for (size_t i = 0; i < sizeof(outputs) / sizeof(outputs[0]); i++) {
		const size_t length = strlen(outputs[i]);

		if (strncmp(word, outputs[i], length) != 0)
			continue;
		*whole = word[length] == '=';
		if (*whole || word[length] == '\0')
			return true;
	}
	return false;
}

size_t run_words(int argc, char **argv, const char **words)
{
	size_t count = 0;

	words[count++] = "vspe";
	for (int i = 0; i < argc; i++) {
		bool whole;

		if (!names_output(argv[i], &whole))
			words[count++] = argv[i];
		else if (!whole)
			i++;
	}
	return count;
}
