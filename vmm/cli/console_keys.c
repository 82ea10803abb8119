/* SPDX-License-Identifier: BSD-2-Clause */
/* The keys of the console: see console_keys.h. */
#include "cli/console_keys.h"

#define ESCAPE 0x01 /* Ctrl-A */

static const struct {
	uint8_t byte; /* a letter is meant in either case */
	const char *name, *help;
} rows[CONSOLE_KEYS] = {
	[CONSOLE_KEY_HELP] = {'h', "H", "this help"},
	[CONSOLE_KEY_QUIT] = {'x', "X", "end the machine"},
	[CONSOLE_KEY_COUNTS] = {'c', "C", "what was counted so far, as --stats tells it"},
	[CONSOLE_KEY_SAVE] = {'s', "S", "save the machine in the file of --save, and end it"},
	[CONSOLE_KEY_BREAK] = {'b', "B", "send a break"},
	[CONSOLE_KEY_CTRL_A] = {ESCAPE, "Ctrl-A", "send a Ctrl-A"},
};

/* CONSOLE_KEYS if it is none. */
static unsigned int find(uint8_t byte)
{
	unsigned int key = 0;

	if (byte >= 'A' && byte <= 'Z')
		byte |= 0x20;
	while (key < CONSOLE_KEYS && rows[key].byte != byte)
		key++;
	return key;
}

size_t console_keys_take(struct console_keys *keys, uint8_t *bytes, size_t count)
{
	size_t left = 0;

	keys->breaks = false;
	for (size_t i = 0; i < count; i++) {
		unsigned int key;

		if (!keys->escape) {
			keys->escape = bytes[i] == ESCAPE;
			if (!keys->escape)
				bytes[left++] = bytes[i];
			continue;
		}
		keys->escape = false;
		key = find(bytes[i]);
		if (key == CONSOLE_KEY_CTRL_A) {
			bytes[left++] = ESCAPE;
		} else if (key == CONSOLE_KEY_BREAK) {
			keys->breaks = true;
			keys->break_at = left;
		} else if (key < CONSOLE_KEYS) {
			keys->typed |= 1u << key;
		}
	}
	return left;
}

bool console_keys_typed(struct console_keys *keys, enum console_key key)
{
	const bool typed = keys->typed >> key & 1;

	keys->typed &= ~(1u << key);
	return typed;
}

void console_keys_help(FILE *out)
{
	for (size_t i = 0; i < CONSOLE_KEYS; i++)
		(void)fprintf(out, "vspe: Ctrl-A %-6s  %s\n", rows[i].name, rows[i].help);
}
