/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Moves a machine to another vspe: machine_move.h over a connection. The two sides agree like this.
 * The receiver says MIGRATION_WAITS; until then the guest keeps running, so that its pause is
 * short. The sender sends until the receiver has everything. The receiver says MIGRATION_READY. The
 * sender gives the machine away, and never runs it again, whatever happens. The receiver runs it,
 * and says MIGRATION_RUNS. So at most one side ever runs the machine. Until it is given away that
 * is the sender, whatever happens to the receiver or to the connection.
 */
#ifndef VSPE_CLI_MIGRATION_H
#define VSPE_CLI_MIGRATION_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#include "cli/address.h"
#include "machine/machine_move.h"

/*
 * What the receiver says, one byte each: all that it needs here is open; it has everything; it runs
 * the machine.
 */
#define MIGRATION_WAITS 'w'
#define MIGRATION_READY 'r'
#define MIGRATION_RUNS	'g'

/* A side gives up when the other one owes it an answer and is silent for so long. */
#define MIGRATION_SILENCE_S 30

struct user;
struct migration;

/*
 * The sender; call this before the process has threads. open and user are those of carrier_start().
 * address must outlive it. NULL and a line in why[size]; otherwise the caller owes
 * migration_close().
 */
struct migration *migration_open(const struct address *address, bool open, const struct user *user,
				 char *why, size_t size);
/* NULL is allowed. */
void migration_close(struct migration *migration);
/* Take the memory that it needs. 0, or -1: the host has none. */
int migration_prepare(struct migration *migration, struct machine *machine);

/* Begin, without waiting. False and a line in why if it cannot begin now. */
bool migration_begin(struct migration *migration, char *why, size_t size);

enum migration_step {
	MIGRATION_NOTHING, /* none is under way */
	MIGRATION_GOES_ON,
	MIGRATION_STOP,	  /* stop the machine for migration_finish() */
	MIGRATION_FAILED, /* the machine goes on: why */
};

/*
 * Do a piece of work between operations of the guest: at most 10 ms, and less if the ring is full.
 */
enum migration_step migration_step(struct migration *migration, char *why, size_t size);
/* What else to wait for, for a second at most. False: nothing, as none is under way. */
bool migration_waits_for(const struct migration *migration, struct pollfd *fd);

enum migration_end {
	MIGRATION_DONE,	   /* it runs there */
	MIGRATION_NOT,	   /* it does not, and goes on here: why */
	MIGRATION_UNKNOWN, /* it was given away, and the receiver never confirmed: why */
};

/* Send the rest of a stopped machine. It checks signals_over() as long as it owns the machine. */
enum migration_end migration_finish(struct migration *migration, char *why, size_t size);

struct migration_stats {
	struct machine_move_stats move;
	uint64_t bytes, pause; /* over the connection; ns that the machine stood still */
};

/* Of the last one. */
void migration_stats(const struct migration *migration, struct migration_stats *stats);

/* The receiver: a connection, and what arrives on it. */
struct arrival;

/*
 * Wait for one connection at address, for this many seconds (0: any time). NULL with *over if the
 * time is over, or with a line in why; otherwise the caller owes arrival_close().
 */
struct arrival *arrival_open(const struct address *address, unsigned int seconds, bool *over,
			     char *why, size_t size);
/* NULL is allowed. */
void arrival_close(struct arrival *arrival);
/*
 * The arriving bytes; arrival_close() closes the file. A read ends when nothing arrives for too
 * long, or at signals_over().
 */
FILE *arrival_file(const struct arrival *arrival);
/* Have the seconds of arrival_open() passed? */
bool arrival_over(const struct arrival *arrival);
/* Send a byte to the sender. 0, or a negative errno. */
int arrival_say(const struct arrival *arrival, char what);

#endif
