/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A process of its own for what talks to the outside, and parses what a guest says to it: it shares
 * with its parent one socket and nothing else, and ends when the parent does. What it has done by
 * then, such as sockets that listen, it keeps; jail_enter() is the end of all other rights.
 */
#ifndef VSPE_BASE_JAIL_H
#define VSPE_BASE_JAIL_H

#include <stdbool.h>

/*
 * Start a process that runs work(ctx, socket) and ends after it. The other end of the socket
 * (AF_UNIX, SOCK_SEQPACKET: a write is a message, and 0 is read when the other end is gone), or a
 * negative errno. Of the parent's descriptors the process has none: 0 to 2 are /dev/null. No signal
 * of the parent's terminal reaches it. Before the parent has threads.
 */
int jail_start(void (*work)(void *ctx, int socket), void *ctx);

/*
 * In that process: no capability over the host, which a user namespace of its own takes where the
 * kernel gives one; no files larger than 0 bytes, 512 MiB of data and 1024 descriptors at most; and
 * the sandbox with needs of enum sandbox_need, unless off. 0, or a negative errno.
 */
int jail_enter(unsigned int needs, bool off);

#endif
