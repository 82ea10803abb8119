/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A process that carries bytes between the guest's process, which has no sockets and makes none,
 * and one address that was fixed before the guest began. It never interprets the bytes. It connects
 * on request, and can do so again after a connection has ended. What a connection sends goes to a
 * separate process, whose sandbox holds only that connection.
 *
 * Bytes to send are in a ring. Everything else is a message, whose first byte is an enum
 * carrier_word.
 */
#ifndef VSPE_CLI_CARRIER_H
#define VSPE_CLI_CARRIER_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/jail.h"
#include "cli/address.h"

/* Bytes waiting to be sent: enough that neither process waits for the other. */
#define CARRIER_RING  (UINT64_C(32) << 20)
#define CARRIER_BYTES 256 /* of the connection, in a message, at most */

/*
 * Bytes for the connection, in memory that both processes share. written and taken count all bytes
 * so far, and byte n is at n % CARRIER_RING. Each process writes one of the counts.
 */
struct carrier_ring {
	_Atomic uint64_t written, taken;
	uint8_t bytes[];
};

enum carrier_word {
	CARRIER_CONNECT = 'C', /* to it: connect; from it: there is a connection */
	CARRIER_DATA = 'D',    /* to it: there is something in the ring; from it: bytes of the
				  connection */
	CARRIER_QUIT = 'Q',    /* to it: end the connection */
	CARRIER_OVER = 'E', /* from it, once for each CARRIER_CONNECT: there is no connection, and a
			       text that says why */
};

/* How long a connection may take to open, or to take a byte. */
#define CARRIER_SILENCE_S 30

struct user;

struct carrier {
	struct jail_process process; /* its socket does not block */
	struct carrier_ring *ring;
};

/*
 * Start it for an address, before the process has threads. open: without a sandbox. user: the user
 * that the process of a connection becomes, or NULL. 0, or a negative errno; after 0 the caller
 * owes carrier_stop().
 */
int carrier_start(struct carrier *carrier, const struct address *address, bool open,
		  const struct user *user);
void carrier_stop(struct carrier *carrier);

#endif
