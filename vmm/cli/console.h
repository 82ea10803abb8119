/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The host side of the console: standard input and output of the process. A terminal is put in raw
 * mode, and back by console_close() and whatever else ends or stops the process (signals.h). Ctrl-A
 * X ends the machine, Ctrl-A Ctrl-A sends a Ctrl-A, as in QEMU. Output waits for its reader, but
 * for none that does not read when the end was asked for.
 */
#ifndef VSPE_CLI_CONSOLE_H
#define VSPE_CLI_CONSOLE_H

#include "base/safe_text.h"
#include "base/state.h"
#include "machine/machine.h"

#define CONSOLE_BUFFER 4096 /* PIPE_BUF: a pipe that can be written to has room for it */
#define CONSOLE_TYPED  256  /* input that a terminal may be ahead of the guest */

struct console {
	int in, out;
	int signal;	 /* the signal that came and ends the process, or 0 */
	bool input_open; /* input has not ended */
	bool output_broken;
	int output_error; /* why, a negative errno */
	bool unread;	  /* the end was asked for, and nobody reads: what is put is lost */
	bool quit;	  /* Ctrl-A X was typed */
	bool terminal;	  /* in is one, and is in raw mode */
	bool escape;	  /* the last byte was Ctrl-A */
	/* Output to a terminal: what could harm it is made visible. May be turned off. */
	bool visible;
	struct safe_text safe;
	uint64_t limit;	  /* bytes that may be put still; UINT64_MAX: any number */
	uint64_t dropped; /* bytes that were put beyond it */
	uint64_t lost;	  /* bytes that nobody read at the end */
	size_t used, typed;
	uint8_t buffer[CONSOLE_BUFFER]; /* output */
	uint8_t input[CONSOLE_TYPED];
	/* Everything that is put is shown to tap, when it is not NULL. */
	void *tap_ctx;
	void (*tap)(void *ctx, uint8_t byte);
};

/*
 * in and out are file descriptors; save_signal, or 0, is the one that is MACHINE_CONSOLE_SAVE. 0,
 * or a negative errno.
 */
int console_open(struct console *console, int in, int out, int save_signal);
/* Input that a terminal was ahead of the guest, to be saved or loaded; it is open. */
void console_state(struct console *console, struct state *state);
/* Write out what is left, restore the terminal and the signals. */
void console_close(struct console *console);

/* The callbacks of struct machine_console; ctx is the struct console. */
void console_put(void *ctx, uint8_t byte);
enum machine_console_event console_poll(void *ctx, int timeout_ms, uint8_t *bytes, size_t room,
					size_t *got);
bool console_input_open(void *ctx);

/* Take out the escape sequences of count bytes of input. *quit: Ctrl-A X was among them. */
size_t console_filter(struct console *console, uint8_t *bytes, size_t count, bool *quit);

#endif
