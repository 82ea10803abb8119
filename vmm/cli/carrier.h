/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A process that carries bytes between the guest's process, which has no sockets and makes none,
 * and one address that was fixed before the guest began. It looks at none of them. It connects when
 * it is told to, again after a connection has ended; what a connection says comes to a process of
 * its own, whose sandbox has nothing but it.
 *
 * Both sides exchange messages, whose first byte is of enum carrier_word.
 */
#ifndef VSPE_CLI_CARRIER_H
#define VSPE_CLI_CARRIER_H

#include "cli/address.h"

#define CARRIER_BYTES 32768 /* in a message, behind its first byte, at most */

enum carrier_word {
	CARRIER_CONNECT = 'C', /* to it: connect; from it: there is a connection */
	CARRIER_DATA = 'D',    /* bytes for the connection, or from it */
	CARRIER_QUIT = 'Q',    /* to it: end the connection */
	CARRIER_OVER = 'E', /* from it, once for each CARRIER_CONNECT: there is no connection, and a
			       text that says why */
};

/* How long a connection may take to come about, or not to take a byte. */
#define CARRIER_SILENCE_S 30

/*
 * Start it; address has to stay. Its socket, which is SOCK_SEQPACKET and does not block, or a
 * negative errno. It ends when that is closed. Before the process has threads. open: without a
 * sandbox.
 */
int carrier_start(const struct address *address, bool open);

#endif
