/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A machine on its way to another vspe: machine_move.h over a connection. Its two sides agree as
 * follows. The receiver says MIGRATION_WAITS, before which the guest does not stop, so that its
 * pause is short; the sender sends until the receiver has all; the receiver says MIGRATION_READY;
 * the sender gives the machine away, and does not run it any more, whatever comes; the receiver
 * runs it, and says MIGRATION_RUNS. So at most one of them ever runs it, and until it is given away
 * that is the sender, whatever happens to the other or to the connection.
 */
#ifndef VSPE_CLI_MIGRATION_H
#define VSPE_CLI_MIGRATION_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#include "cli/address.h"
#include "machine/machine_move.h"

/* What the receiver says, a byte each: that all it needs here is open, that it has all, that it
 * runs it. */
#define MIGRATION_WAITS 'w'
#define MIGRATION_READY 'r'
#define MIGRATION_RUNS	'g'

/* A side that hears nothing for so long, when the other one has something to do, gives up. */
#define MIGRATION_SILENCE_S 30

struct user;
struct migration;

/* The sender. NULL and a line in why[size]; migration_close() is owed otherwise. open and
 * user are those of carrier_start(). address has to stay. Before the process has threads. */
struct migration *migration_open(const struct address *address, bool open, const struct user *user,
				 char *why, size_t size);
/* NULL is nothing to do. */
void migration_close(struct migration *migration);
/* Take the memory that it needs. 0, or -1: the host has none. */
int migration_prepare(struct migration *migration, struct machine *machine);

/* Begin, without waiting for anything. false, and a line in why: it cannot be now. */
bool migration_begin(struct migration *migration, char *why, size_t size);

enum migration_step {
	MIGRATION_NOTHING, /* none is under way */
	MIGRATION_GOES_ON,
	MIGRATION_STOP,	  /* the machine is to stop for migration_finish() */
	MIGRATION_FAILED, /* and the machine goes on: why */
};

/* Do a piece of work between operations of the guest: 10 ms of it, and less if that has nowhere to
 * go. */
enum migration_step migration_step(struct migration *migration, char *why, size_t size);
/* What to wait for besides, for a second at most. false: nothing, none is under way. */
bool migration_waits_for(const struct migration *migration, struct pollfd *fd);

enum migration_end {
	MIGRATION_DONE,	   /* it runs there */
	MIGRATION_NOT,	   /* it does not, and goes on here: why */
	MIGRATION_UNKNOWN, /* it was given away, and nothing was heard of it: why */
};

/* The rest, when the machine has stopped. It looks at signals_over(), as long as the machine is
 * its own. */
enum migration_end migration_finish(struct migration *migration, char *why, size_t size);

struct migration_stats {
	struct machine_move_stats move;
	uint64_t bytes, pause; /* over the connection; ns that the machine stood still */
};

/* Of the last one. */
void migration_stats(const struct migration *migration, struct migration_stats *stats);

/* The receiver: a connection, and what comes by it. */
struct arrival;

/*
 * Wait for a connection at address, for seconds (0: any time), and take no other. NULL: *over, if
 * they are over, or a line in why; arrival_close() is owed otherwise.
 */
struct arrival *arrival_open(const struct address *address, unsigned int seconds, bool *over,
			     char *why, size_t size);
/* NULL is nothing to do. */
void arrival_close(struct arrival *arrival);
/* What comes; closed by arrival_close(). A read ends when nothing comes for too long, or
 * signals_over(). */
FILE *arrival_file(const struct arrival *arrival);
/* Are the seconds of arrival_open() over? */
bool arrival_over(const struct arrival *arrival);
/* Say it to the sender. 0, or a negative errno. */
int arrival_say(const struct arrival *arrival, char what);

#endif
