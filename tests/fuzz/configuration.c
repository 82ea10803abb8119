/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libFuzzer target: configuration strings, of --spe and of the options of vspe explain. What is
 * accepted has to be a configuration that a unit takes; what is not has to be refused with one
 * line.
 */
#include "cli/explain.h"
#include "cli/options.h"
#include "machine/spe_option.h"

#include <stdlib.h>
#include <string.h>

#define TEXT_MAX 512

static void check_spe(const char *text)
{
	struct spe_config config;
	char why[256] = "";

	if (spe_option_parse(text, spe_core(0), NULL, &config, why, sizeof(why)) == 0) {
		const char *field;

		if (spe_config_check(&config, &field))
			abort();
	} else {
		size_t length = strlen(why);

		/* One line, though it quotes the word. */
		if (!length)
			abort();
		while (length--)
			if ((unsigned char)why[length] < 0x20)
				abort();
	}
}

/* Words, divided at blanks, as the command line of vspe explain. */
static void check_explain(char *text, FILE *nowhere)
{
	char *words[32] = {"explain", "PMSICR_EL1", "read", "--el", "1"}, *save;
	int count = 5;
	struct explain_request request;

	for (char *word = strtok_r(text, " ", &save); word && count < 31;
	     word = strtok_r(NULL, " ", &save))
		words[count++] = word;
	words[count] = NULL;
	if (explain_parse(count, words, &request, nowhere) == CLI_GO_ON)
		explain_print(&request, nowhere);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static FILE *nowhere;
	char text[TEXT_MAX + 1];

	if (!nowhere)
		nowhere = fopen("/dev/null", "w");
	if (size < 1 || size > TEXT_MAX || !nowhere)
		return 0;
	memcpy(text, bytes + 1, size - 1);
	text[size - 1] = '\0';
	if (bytes[0] & 1)
		check_spe(text);
	else
		check_explain(text, nowhere);
	return 0;
}
