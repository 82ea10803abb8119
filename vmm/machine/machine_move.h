/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A machine that goes to another process over a connection while it runs: its memory is sent round
 * by round, each time what has changed since, and the rest when it has stopped. What it does there
 * is what it would have done here, as with machine_save.h.
 *
 * A page has changed if it is not what was sent: the sender keeps that. So it does not matter who
 * writes to memory, the guest, a device or the profiling unit.
 *
 * The stream has the header and the sections of a saved machine (docs/saved-machine.md), none of
 * them deflated, with VSPEMIGR in place of VSPESAVE, and version 9 or later:
 *   CONF, TUNE        as there
 *   BIOS, KERN, INRD  a file in pieces of 1 MiB, whose index counts from 0; the first begins with
 *                     the file's size, 8 bytes
 *   PAGE              index: the MiB; 32 bytes with a bit for each of its pages that follows, and
 *                     these pages; any number of sections, in any order
 *   MACH to HOST      as there
 *   "END "            nothing
 *   GIVE              how long the guest has stood still, in ns, 8 bytes; from here on the machine
 *                     is the receiver's
 * No section but MACH to HOST has more than 4 MiB. The receiver answers in single bytes: w, all it
 * needs is open and the guest may stop soon; r, it has everything up to "END "; g, it runs.
 */
#ifndef VSPE_MACHINE_MOVE_H
#define VSPE_MACHINE_MOVE_H

#include "base/file_lock.h"
#include "machine/machine_save.h"

struct machine_move;

struct machine_move_stats {
	unsigned int rounds; /* over memory while the guest ran, whole ones */
	uint64_t pages;	     /* of 4 KiB that were sent, some of them more than once */
	uint64_t last;	     /* ... of them when the guest had stopped */
};

/* The sender. What a machine needs to be moved: it keeps count_events, and outlives it. NULL: no
 * memory. Its memory is taken of the host as it is sent. */
struct machine_move *machine_move_open(struct machine *machine);
/* NULL is nothing to do. */
void machine_move_close(struct machine_move *move);

/*
 * Begin to send to a receiver that has nothing yet. All that follow write to file, and return -1
 * with a line in why[size] when they cannot; a failure is final until this is called again.
 */
int machine_move_begin(struct machine_move *move, FILE *file, char *why, size_t size);
/*
 * Send the next piece, of 1 MiB at most; between operations of the guest. 1: there is more; 0: the
 * guest should stop now, for what is left is little, or does not become less.
 */
int machine_move_step(struct machine_move *move, char *why, size_t size);
/* The same of the rest, when it has stopped with MACHINE_SAVE. 0: that was all. */
int machine_move_rest(struct machine_move *move, char *why, size_t size);
/* The receiver has all of it: the machine is its from here on. pause: ns since it has stopped. */
int machine_move_give(struct machine_move *move, uint64_t pause, char *why, size_t size);

/*
 * Have the files that the guest writes to, of disks and of firmware, locked like that. Both sides
 * share them from when the guest has stopped until it is given away: so nobody else gets them in
 * between. FILE_LOCK_OWN may fail then, as somebody reads them, and they stay shared. 0, or -1 and
 * a line in why[size].
 */
int machine_lock_files(struct machine *machine, enum file_lock how, char *why, size_t size);

void machine_move_stats(const struct machine_move *move, struct machine_move_stats *stats);

/* The receiver. As machine_saved_open(); nothing that is read is trusted. */
struct machine_saved *machine_move_saved(FILE *file, const struct engine *engine, char *why,
					 size_t size);
/* As machine_restore(), but its memory and its parts are yet to come: machine_move_receive(). */
struct machine *machine_move_make(struct machine_saved *saved, const struct machine_config *config,
				  char *why, size_t size);
/* Take them. 0, or -1 with a line in why. */
int machine_move_receive(struct machine_saved *saved, struct machine *machine, char *why,
			 size_t size);
/* Wait for the sender to give it away, and how long it has stood still there: ns. 0, or -1 with a
 * line in why: the machine must not run here. */
int machine_move_take(struct machine_saved *saved, uint64_t *pause, char *why, size_t size);

#endif
