/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The host side of the console: standard input and output of the process, or what --serial says
 * (serial.h). A terminal on standard input is put in raw mode, and restored by console_close() and
 * by anything else that ends or stops the process (signals.h). Its Ctrl-A begins a key of
 * console_keys.h, as in QEMU. Output waits for its reader, unless the process is to end and nobody
 * reads.
 */
#ifndef VSPE_CLI_CONSOLE_H
#define VSPE_CLI_CONSOLE_H

#include "base/safe_text.h"
#include "cli/console_keys.h"
#include "cli/network.h"
#include "base/state.h"
#include "machine/machine.h"

#define CONSOLE_BUFFER 4096 /* PIPE_BUF: a pipe that can be written to has room for it */
#define CONSOLE_TYPED  256  /* input that a terminal may be ahead of the guest */

struct console {
	int in, out;
	int signal;	 /* the signal that ends the process, or 0 */
	bool input_open; /* input has not ended */
	bool output_broken;
	int output_error; /* why, a negative errno */
	bool unread;	  /* the process is to end and nobody reads: output is lost */
	bool terminal;	  /* in is a terminal, in raw mode */
	bool can_save;	  /* a key may request a save */
	struct console_keys keys;
	/* Make harmful output visible on a terminal. The user may turn this off. */
	bool visible;
	struct safe_text safe;
	struct network *network; /* also waited for, or NULL */
	/*
	 * Work to do a little at a time whenever the console is polled. Returns true if the machine
	 * must stop for it, as for a save. *fd is what else to wait for, -1 for nothing. It gets
	 * tap_ctx. NULL: none.
	 */
	bool (*work)(void *ctx, struct pollfd *fd);
	uint64_t limit;	  /* bytes that may still be put; UINT64_MAX: any number */
	uint64_t dropped; /* bytes that were put beyond it */
	uint64_t lost;	  /* bytes that nobody read at the end */
	size_t used, typed;
	uint8_t buffer[CONSOLE_BUFFER]; /* output */
	uint8_t input[CONSOLE_TYPED];
	/*
	 * A break comes after so many bytes of input. At most one is pending, and it is not saved.
	 */
	bool has_break;
	size_t break_at;
	/*
	 * tap, unless NULL, sees all output. key gets the keys that are for the process: all except
	 * CONSOLE_KEY_QUIT, CONSOLE_KEY_BREAK and an impossible CONSOLE_KEY_SAVE.
	 */
	void *tap_ctx;
	void (*key)(void *ctx, enum console_key key);
	void (*tap)(void *ctx, uint8_t byte);
};

/*
 * in and out are file descriptors. keys: a terminal on in belongs to the user, and Ctrl-A works on
 * it. save_signal, or 0, is the signal that makes MACHINE_CONSOLE_SAVE. 0, or a negative errno.
 */
int console_open(struct console *console, int in, int out, bool keys, int save_signal);
/* Save or load the input that was read ahead of the guest. The console is open. */
void console_state(struct console *console, struct state *state);
/* Write out the rest, and restore the terminal and the signals. */
void console_close(struct console *console);

/* The callbacks of struct machine_console; ctx is the struct console. */
void console_put(void *ctx, uint8_t byte);
enum machine_console_event console_poll(void *ctx, int timeout_ms, uint8_t *bytes, size_t room,
					size_t *got);
bool console_input_open(void *ctx);
enum machine_console_event console_asked(void *ctx);

#endif
