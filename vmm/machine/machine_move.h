/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Moves a machine to another process over a connection while it runs. Its memory is sent in rounds,
 * each with what has changed since, and the rest when it has stopped. There it does what it would
 * have done here, as with machine_save.h.
 *
 * A page has changed if it differs from what was sent, of which the sender keeps a copy. So it does
 * not matter whether the guest, a device or the profiling unit writes to memory.
 *
 * The stream has the header and the sections of a saved machine (docs/saved-machine.md), none of
 * them deflated, with VSPEMIGR instead of VSPESAVE, and version 9 or later:
 *   CONF, TUNE        as there
 *   BIOS, KERN, INRD  a file in pieces of 1 MiB, whose index counts from 0; the first begins with
 *                     the file's size, 8 bytes
 *   PAGE              index: the MiB; 32 bytes with a bit for each of its pages that follows, and
 *                     these pages; any number of sections, in any order
 *   MACH to HOST      as there
 *   "END "            nothing
 *   GIVE              how long the guest has been stopped, in ns, 8 bytes; from here on the
 *                     receiver owns the machine
 * Only sections MACH to HOST may have more than 4 MiB. The receiver answers in single bytes: w, all
 * it needs is open and the guest may stop soon; r, it has everything up to "END "; g, it runs.
 */
#ifndef VSPE_MACHINE_MOVE_H
#define VSPE_MACHINE_MOVE_H

#include "base/file_lock.h"
#include "machine/machine_save.h"

struct machine_move;

struct machine_move_stats {
	unsigned int rounds; /* complete ones over memory while the guest ran */
	uint64_t pages;	     /* of 4 KiB that were sent, some of them several times */
	uint64_t last;	     /* ... of those, sent after the guest had stopped */
};

/*
 * The sender: makes what a machine needs to be moved. The machine must have count_events, and
 * outlive it. NULL: no memory. The host provides its memory only as pages are sent.
 */
struct machine_move *machine_move_open(struct machine *machine);
/* NULL is allowed. */
void machine_move_close(struct machine_move *move);

/*
 * Begin to send to a receiver that has nothing yet. All functions below write to file, and return
 * -1 with a line in why[size] if that fails. A failure is final until this is called again.
 */
int machine_move_begin(struct machine_move *move, FILE *file, char *why, size_t size);
/*
 * Send the next piece, of 1 MiB at most, between operations of the guest. 1: there is more; 0: the
 * guest should stop now, because little is left, or it does not get less.
 */
int machine_move_step(struct machine_move *move, char *why, size_t size);
/* Send the rest, after it has stopped with MACHINE_SAVE. 0: that was all. */
int machine_move_rest(struct machine_move *move, char *why, size_t size);
/* The receiver has everything: give it the machine. pause: ns since it stopped. */
int machine_move_give(struct machine_move *move, uint64_t pause, char *why, size_t size);

/*
 * Change the locks of the files that the guest writes to, of disks and of firmware. Both sides
 * share them from when the guest has stopped until the machine is given away, so that nobody else
 * gets them in between. FILE_LOCK_OWN may fail then, if another process reads them, and they stay
 * shared. 0, or -1 and a line in why[size].
 */
int machine_lock_files(struct machine *machine, enum file_lock how, char *why, size_t size);

void machine_move_stats(const struct machine_move *move, struct machine_move_stats *stats);

/* The receiver, like machine_saved_open(); nothing in the stream is trusted. */
struct machine_saved *machine_move_saved(FILE *file, const struct engine *engine, char *why,
					 size_t size);
/* Like machine_restore(), but memory and parts are still to come: machine_move_receive(). */
struct machine *machine_move_make(struct machine_saved *saved, const struct machine_config *config,
				  char *why, size_t size);
/* Receive them. 0, or -1 with a line in why. */
int machine_move_receive(struct machine_saved *saved, struct machine *machine, char *why,
			 size_t size);
/*
 * Wait for the sender to give the machine away, and for how long it has been stopped there, in ns.
 * 0, or -1 with a line in why: the machine must not run here.
 */
int machine_move_take(struct machine_saved *saved, uint64_t *pause, char *why, size_t size);

#endif
