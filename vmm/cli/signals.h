/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The signals of vspe run, from the opening of its console to its end. What asks a process to end
 * is noted, and ends the machine in order; what stops the process or kills it leaves the terminal
 * as it was found, and a process that goes on puts it in raw mode again.
 *
 * A signal must not wait for a system call or a guest that takes its time: once one is noted, or
 * the time is over, a timer interrupts system calls and calls wake again and again.
 */
#ifndef VSPE_CLI_SIGNALS_H
#define VSPE_CLI_SIGNALS_H

#include <stdbool.h>
#include <termios.h>

/*
 * Begin, one at a time in a process. save_signal, or 0, asks for the machine to be saved and not
 * for the end. 0, or a negative errno.
 */
int signals_open(int save_signal);

/* Terminal fd is to be raw, and cooked whenever the process does not run. Makes it raw. 0, or a
 * negative errno. */
int signals_terminal(int fd, const struct termios *cooked, const struct termios *raw);

/* Call leave, from a signal handler, before the terminal becomes cooked. */
void signals_leave(void (*leave)(void *ctx), void *ctx);

/* Call wake, from a signal handler, when a signal was noted and when seconds (0: none) end. */
void signals_wake(void (*wake)(void *ctx), void *ctx, unsigned int seconds);

/* The first signal that asked for the end, or 0. */
int signals_ended(void);
/* Is the end near: was it asked for, or is the time over? */
bool signals_over(void);
/* Was a save asked for, since the last call? */
bool signals_take_save(void);

/* The terminal as it was found: for what ends the process at once. */
void signals_leave_terminal(void);

/*
 * The terminal and the signals as they were found, but for save_signal: what asks for a save that
 * comes too late is ignored.
 */
void signals_close(void);

#endif
