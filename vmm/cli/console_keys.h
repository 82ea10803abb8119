/* SPDX-License-Identifier: BSD-2-Clause */
/* What may be typed behind Ctrl-A at a terminal that is the console: the letters of QEMU's. */
#ifndef VSPE_CLI_CONSOLE_KEYS_H
#define VSPE_CLI_CONSOLE_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum console_key {
	CONSOLE_KEY_HELP,
	CONSOLE_KEY_QUIT,
	CONSOLE_KEY_COUNTS,
	CONSOLE_KEY_SAVE,
	CONSOLE_KEY_BREAK,
	CONSOLE_KEY_CTRL_A,
	CONSOLE_KEYS
};

/* All zero before the first byte. */
struct console_keys {
	bool escape;	    /* the last byte was Ctrl-A */
	unsigned int typed; /* a bit for each key that was, for whoever clears it */
	bool breaks;	    /* a break was among the bytes of the last console_keys_take() */
	size_t break_at;    /* ... behind so many of those that were left */
};

/*
 * Take the keys out of count bytes of input. How many are left. A letter that is none of the keys
 * is taken out, too.
 */
size_t console_keys_take(struct console_keys *keys, uint8_t *bytes, size_t count);

/* Was the key typed? It is not any more. */
bool console_keys_typed(struct console_keys *keys, enum console_key key);

/* A line for each key. */
void console_keys_help(FILE *out);

#endif
