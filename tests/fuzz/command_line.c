/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Target: command lines of vspe run, as words between newlines, and the numbers on them. What is
 * refused is one line that can be printed, and exit code 2; what is accepted is a machine within
 * the limits that the help names. No word has a slash: no file elsewhere is looked at.
 */
#include "input.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "cli/run.h"

#define TEXT_MAX 512
#define WORDS	 32

static void check_number(const char *text)
{
	uint64_t value;

	if (!number_read_bytes(text, UINT64_MAX, &value))
		return;
	require(isdigit((unsigned char)text[0]));
	if (strspn(text, "0123456789") == strlen(text))
		require(value == strtoull(text, NULL, 10));
	require(value == 0 || !number_read_bytes(text, value - 1, &value));
}

static void check_message(const char *said, size_t size)
{
	require(size > 1 && said[size - 1] == '\n');
	for (size_t i = 0; i + 1 < size; i++)
		require((unsigned char)said[i] >= 0x20 && said[i] != 0x7f);
}

static void check_line(int count, char **words)
{
	static FILE *messages;
	static char *said;
	static size_t length;
	FILE *const console = stderr;
	struct run_options options;
	int code;

	if (!messages)
		messages = open_memstream(&said, &length);
	require(messages && fseek(messages, 0, SEEK_SET) == 0);
	stderr = messages;
	code = run_options_parse(count, words, &options);
	stderr = console;
	run_net_close(&options);
	require(fflush(messages) == 0);
	if (code == 2)
		check_message(said, length);
	else if (code < 0)
		require(length == 0 && options.choices.cpus >= 1 &&
			options.choices.ram_size >= 1 << 20 && options.choices.engine &&
			(!options.choices.spe ||
			 !spe_config_check(&options.choices.spe_config, &(const char *){0})));
	else
		require(code == 0);
	run_state_close(&options);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	char text[TEXT_MAX + 1], *words[WORDS + 2] = {"run"}, *save, *word;
	int count = 1;

	if (size > TEXT_MAX)
		return 0;
	for (size_t i = 0; i < size; i++)
		text[i] = bytes[i] == '/' ? '_' : (char)bytes[i];
	text[size] = '\0';
	for (word = strtok_r(text, "\n", &save); word && count < WORDS;
	     word = strtok_r(NULL, "\n", &save)) {
		/* --help goes to the console of whoever runs this. */
		if (!strcmp(word, "-h") || !strncmp(word, "--h", 3))
			continue;
		check_number(word);
		words[count++] = word;
	}
	check_line(count, words);
	return 0;
}
