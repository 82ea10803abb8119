/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A process that carries bytes between the guest's process, which has no sockets and makes none,
 * and one address that was fixed before the guest began. It looks at none of them. It connects when
 * it is told to, again after a connection has ended; what a connection says comes to a process of
 * its own, whose sandbox has nothing but it.
 *
 * What is to be sent is in a ring; all else is messages, whose first byte is of enum carrier_word.
 */
#ifndef VSPE_CLI_CARRIER_H
#define VSPE_CLI_CARRIER_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/jail.h"
#include "cli/address.h"

/* Bytes that wait to be sent: enough that neither process waits for the other. */
#define CARRIER_RING  (UINT64_C(32) << 20)
#define CARRIER_BYTES 256 /* of the connection, in a message, at most */

/*
 * Bytes for the connection, in memory that both processes have: written and taken count all of
 * them, and byte n is at n % CARRIER_RING. Each process writes one of the counts.
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

/* How long a connection may take to come about, or not to take a byte. */
#define CARRIER_SILENCE_S 30

struct user;

struct carrier {
	struct jail_process process; /* its socket does not block */
	struct carrier_ring *ring;
};

/*
 * Start it, for an address. 0, or a negative errno; carrier_stop() is owed otherwise. Before the
 * process has threads. open: without a sandbox. user: whom the process of a connection becomes, or
 * NULL.
 */
int carrier_start(struct carrier *carrier, const struct address *address, bool open,
		  const struct user *user);
void carrier_stop(struct carrier *carrier);

#endif
