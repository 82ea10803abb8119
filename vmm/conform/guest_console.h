/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Guests that a command starts, but whose output is elsewhere: on a serial line, a FIFO, or in a
 * file that the machine writes.
 */
#ifndef VSPE_CONFORM_GUEST_CONSOLE_H
#define VSPE_CONFORM_GUEST_CONSOLE_H

#include "conform/guest_process.h"

struct guest_console {
	char *path;
	unsigned int speed; /* bits a second of a terminal; 0: unchanged */
};

/*
 * Parse "PATH" or "PATH,SPEED". The caller frees the path. False with a line in why if there is no
 * such speed, or no guest can be heard on it. A missing file is created.
 */
bool guest_console_set(struct guest_console *console, const char *text, char *why, size_t size);

/*
 * Run argv[0], a path, as guest_process_run() does. Collect what arrives on the console from now on
 * in output->out, and what the command prints in output->err. The guest ends when its TAP is
 * complete. A command that is still running some time later is ended, and counts as successful. A
 * command that fails ends the guest; one that exits successfully does not. output->late: the guest
 * took too long.
 */
int guest_console_run(char *const argv[], unsigned int seconds, const struct guest_console *console,
		      struct guest_output *output);

#endif
