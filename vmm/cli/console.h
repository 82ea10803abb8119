/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The host side of the console: standard input and output of the process, or what --serial says
 * (serial.h). A terminal on standard input is put in raw mode, and back by console_close() and
 * whatever else ends or stops the process (signals.h). Its Ctrl-A begins a key of console_keys.h,
 * as in QEMU. Output waits for its reader, but for none that does not read when the end was asked
 * for.
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
	int signal;	 /* the signal that came and ends the process, or 0 */
	bool input_open; /* input has not ended */
	bool output_broken;
	int output_error; /* why, a negative errno */
	bool unread;	  /* the end was asked for, and nobody reads: what is put is lost */
	bool terminal;	  /* in is one, and is in raw mode */
	bool can_save;	  /* a save may be asked for */
	struct console_keys keys;
	/* Output to a terminal: what could harm it is made visible. May be turned off. */
	bool visible;
	struct safe_text safe;
	struct network *network; /* what is waited for as well, or NULL */
	/*
	 * Work to be done whenever the console is looked at, a little at a time: true when the
	 * machine is to stop for it, as for a save; *fd is what else to wait for, -1 for nothing.
	 * NULL: none. It gets tap_ctx.
	 */
	bool (*work)(void *ctx, struct pollfd *fd);
	uint64_t limit;	  /* bytes that may be put still; UINT64_MAX: any number */
	uint64_t dropped; /* bytes that were put beyond it */
	uint64_t lost;	  /* bytes that nobody read at the end */
	size_t used, typed;
	uint8_t buffer[CONSOLE_BUFFER]; /* output */
	uint8_t input[CONSOLE_TYPED];
	/* A break is behind so many bytes of input: at most one is on its way, and is not saved. */
	bool has_break;
	size_t break_at;
	/* Everything that is put is shown to tap, when it is not NULL; the same of keys that are
	 * for the process: all but CONSOLE_KEY_QUIT, CONSOLE_KEY_BREAK and a CONSOLE_KEY_SAVE that
	 * can be. */
	void *tap_ctx;
	void (*key)(void *ctx, enum console_key key);
	void (*tap)(void *ctx, uint8_t byte);
};

/*
 * in and out are file descriptors; keys: a terminal that in is, is the user's, with keys of its
 * own. save_signal, or 0, is the one that is MACHINE_CONSOLE_SAVE. 0, or a negative errno.
 */
int console_open(struct console *console, int in, int out, bool keys, int save_signal);
/* Input that a terminal was ahead of the guest, to be saved or loaded; it is open. */
void console_state(struct console *console, struct state *state);
/* Write out what is left, restore the terminal and the signals. */
void console_close(struct console *console);

/* The callbacks of struct machine_console; ctx is the struct console. */
void console_put(void *ctx, uint8_t byte);
enum machine_console_event console_poll(void *ctx, int timeout_ms, uint8_t *bytes, size_t room,
					size_t *got);
bool console_input_open(void *ctx);
enum machine_console_event console_asked(void *ctx);

#endif
