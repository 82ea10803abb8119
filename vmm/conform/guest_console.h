/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A guest that is started by a command, and heard elsewhere: on a serial line, a FIFO, or in a file
 * that its machine writes.
 */
#ifndef VSPE_CONFORM_GUEST_CONSOLE_H
#define VSPE_CONFORM_GUEST_CONSOLE_H

#include "conform/guest_process.h"

struct guest_console {
	char *path;
	unsigned int speed; /* bits a second of a terminal; 0: as it is */
};

/*
 * "PATH" or "PATH,SPEED". The path is the caller's to free. False with a line in why if there is no
 * such speed, or nothing that a guest can be heard on. A file that is not there is made.
 */
bool guest_console_set(struct guest_console *console, const char *text, char *why, size_t size);

/*
 * Run argv[0], a path, as guest_process_run() does, and collect in output->out what comes from the
 * console from now on, in output->err what the command prints. The guest has ended when its TAP is
 * complete: a command that is still there some time later is ended, and counts as one that ended
 * well. A command that fails ends the guest; one that is done does not. What is late is
 * output->late.
 */
int guest_console_run(char *const argv[], unsigned int seconds, const struct guest_console *console,
		      struct guest_output *output);

#endif
