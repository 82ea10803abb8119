/* SPDX-License-Identifier: BSD-2-Clause */
/* The keys that may follow Ctrl-A at a terminal that is the console: QEMU's letters. */
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
	unsigned int typed; /* a bit for each key typed; the reader clears it */
	bool breaks;	    /* the last console_keys_take() saw a break */
	size_t break_at;    /* ... after so many of the remaining bytes */
};

/*
 * Take the keys out of count bytes of input, and return how many bytes remain. An unknown letter is
 * taken out, too.
 */
size_t console_keys_take(struct console_keys *keys, uint8_t *bytes, size_t count);

/* Was the key typed? Clears it. */
bool console_keys_typed(struct console_keys *keys, enum console_key key);

/* A line for each key. */
void console_keys_help(FILE *out);

#endif
