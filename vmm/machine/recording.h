/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file of what arrived from outside while a machine ran: console input, network frames, how long
 * idle time lasted, and who ended the machine. The same machine with that file instead of the
 * outside repeats the run, to the operation.
 *
 * The file has the header and the sections of a saved machine (docs/saved-machine.md), with
 * VSPERECO instead of VSPESAVE. Sections have index 0, except events, which are counted from 0:
 *   TIME  a bool: idle time lasts, as with --realtime
 *   CMDL  the words of the command, with blanks between them
 *   SAME  lines of text: what the replaying machine must have in common with this one; files and
 *         disks by size and CRC-32
 *   EVNT  an event: what (4 bytes), where (4), operations of all vCPUs until then (8), the system
 *         counter (8), a value (8), and the frame, the input, or the line about the end
 * What: 0 a frame for the network card in slot value, of no bytes if the card has lost its link; 1
 * console input; 2 a break; 3 a device checks its queue; 4 the end comes from outside; 5 idle time
 * ended early, at counter value; 6 the end, the last event. Where: 0 between turns of the vCPUs; 1
 * where nothing can continue without input; 2 while idle time lasts; 3 in answer to a frame of the
 * guest. The value of 4 and 6: 0 power off, 1 the user, 2 lost, 3 stuck, 4 an error, 5 a reset with
 * --no-reboot, 6 a timeout, 7 a signal.
 */
#ifndef VSPE_MACHINE_RECORDING_H
#define VSPE_MACHINE_RECORDING_H

#include <stdio.h>

#include "machine/machine.h"

/*
 * Call it once, before machine_run(), for a machine whose engine is not concurrent. The caller owns
 * file, which must outlive the machine. command: the words that made the machine, for a user who
 * replays it; copied. 0, or -1 with a line in why.
 */
int machine_record(struct machine *machine, FILE *file, const char *command, char *why,
		   size_t size);

/*
 * The same with a file that machine_record() has made of the same machine. Console input comes from
 * the file, and network cards have no other end. Of the console's events only those that end the
 * machine count. A machine that does something else than the recorded one ends with MACHINE_ERROR.
 * Nothing in the file is trusted.
 */
int machine_replay(struct machine *machine, FILE *file, char *why, size_t size);

#endif
