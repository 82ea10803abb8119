/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The signals of vspe run, from the opening of its console to its end. A signal that requests the
 * end is noted, and ends the machine in order. One that stops or kills the process first restores
 * the terminal; when the process continues, the terminal becomes raw again.
 *
 * A signal must not wait for a system call or a slow guest. Once one is noted, or the time is over,
 * a timer keeps interrupting system calls and calling wake.
 */
#ifndef VSPE_CLI_SIGNALS_H
#define VSPE_CLI_SIGNALS_H

#include <stdbool.h>
#include <termios.h>

/*
 * Begin; a process can have only one at a time. save_signal, or 0, requests a save instead of the
 * end. 0, or a negative errno.
 */
int signals_open(int save_signal);

/*
 * Make terminal fd raw, and have it cooked whenever the process does not run. 0, or a negative
 * errno.
 */
int signals_terminal(int fd, const struct termios *cooked, const struct termios *raw);

/* Call leave, from a signal handler, before the terminal becomes cooked. */
void signals_leave(void (*leave)(void *ctx), void *ctx);

/*
 * Call wake, from a signal handler, when a signal was noted and when seconds (0: none) have passed.
 */
void signals_wake(void (*wake)(void *ctx), void *ctx, unsigned int seconds);

/* The first signal that requested the end, or 0. */
int signals_ended(void);
/* Is the end near, because of a signal or because the time is over? */
bool signals_over(void);
/* Has a save been requested since the last call? */
bool signals_take_save(void);

/* Restore the terminal before the process ends at once. */
void signals_leave_terminal(void);

/*
 * Restore the terminal and the signals. Only save_signal stays ignored, for requests that come too
 * late.
 */
void signals_close(void);

#endif
