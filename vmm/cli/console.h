/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The host side of the console: standard input and output of the process. A terminal is put in raw
 * mode and put back by console_close(); signals that end the process are taken in order, so that it
 * gets there. Ctrl-A X ends the machine, Ctrl-A Ctrl-A sends a Ctrl-A, as in QEMU.
 */
#ifndef VSPE_CLI_CONSOLE_H
#define VSPE_CLI_CONSOLE_H

#include <signal.h>
#include <termios.h>

#include "machine/machine.h"
#include "base/state.h"

#define CONSOLE_BUFFER 4096
#define CONSOLE_TYPED  256 /* input that a terminal may be ahead of the guest */

struct console {
	int in, out;
	int signals;	 /* a signalfd, or -1 */
	int signal;	 /* the signal that came and ends the process, or 0 */
	int save_signal; /* the one that asks for the machine to be saved, or 0 */
	bool input_open; /* input has not ended */
	bool output_broken;
	bool terminal; /* in is one, and is in raw mode */
	bool escape;   /* the last byte was Ctrl-A */
	struct termios saved;
	sigset_t saved_mask;
	size_t used, typed;
	uint8_t buffer[CONSOLE_BUFFER]; /* output */
	uint8_t input[CONSOLE_TYPED];
	/* Everything that is put is shown to tap, when it is not NULL. */
	void *tap_ctx;
	void (*tap)(void *ctx, uint8_t byte);
};

/* in and out are file descriptors. 0, or a negative errno. */
int console_open(struct console *console, int in, int out);
/* Take this signal too, as MACHINE_CONSOLE_SAVE. 0, or a negative errno. */
int console_save_on(struct console *console, int signal_number);
/* Input that a terminal was ahead of the guest, to be saved or loaded; it is open. */
void console_state(struct console *console, struct state *state);
/* Write out what is left, restore the terminal and the signal mask. */
void console_close(struct console *console);

/* The callbacks of struct machine_console; ctx is the struct console. */
void console_put(void *ctx, uint8_t byte);
enum machine_console_event console_poll(void *ctx, int timeout_ms, uint8_t *bytes, size_t room,
					size_t *got);
bool console_input_open(void *ctx);

/* Take out the escape sequences of count bytes of input. *quit: Ctrl-A X was among them. */
size_t console_filter(struct console *console, uint8_t *bytes, size_t count, bool *quit);

#endif
