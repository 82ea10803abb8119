/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Target: the words after -plugin libvspe-qemu.so, which are lines of the input. An accepted line
 * gives a configuration that a unit takes, and RAM that is not empty; any other is refused with one
 * line.
 */
#include "input.h"

#include <string.h>

#include "qemu/options.h"
#include "qemu/plugin.h"

#define TEXT_MAX  4096
#define WORDS_MAX 256

struct plugin plugin;

static void check_line(const char *why)
{
	require(*why);
	for (; *why; why++)
		require((unsigned char)*why >= 0x20 && *why != 0x7f);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static char text[TEXT_MAX + 1];
	char *words[WORDS_MAX], *next = text, why[256] = "";
	int count = 0;

	if (size > TEXT_MAX)
		return 0;
	memset(text, 0, sizeof(text));
	memcpy(text, bytes, size);
	while (*next && count < WORDS_MAX) {
		words[count++] = next;
		next += strcspn(next, "\n");
		if (*next)
			*next++ = '\0';
	}
	plugin = (struct plugin){.ram_end = 1};
	if (options_read(count, words, why, sizeof(why)) == 0) {
		require(spe_config_check(&plugin.config, NULL) == 0);
		require(plugin.ram_start < plugin.ram_end);
	} else {
		check_line(why);
	}
	return 0;
}
