/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What came from outside while a machine ran, in a file: console input, frames of a network, how
 * long idle time lasted, and who ended the machine. The same machine with that file instead of the
 * outside does the same again, to the operation. docs/recording.md has the format.
 */
#ifndef VSPE_MACHINE_RECORDING_H
#define VSPE_MACHINE_RECORDING_H

#include <stdio.h>

#include "machine/machine.h"

/*
 * Before machine_run(), and once for a machine of an engine that is not concurrent. file is the
 * caller's, and has to outlive the machine. command: the words that made the machine, for whoever
 * replays it; copied. 0, or -1 with a line in why.
 */
int machine_record(struct machine *machine, FILE *file, const char *command, char *why,
		   size_t size);

/*
 * The same with a file that machine_record() has made of the same machine: its console input is
 * that of the file, and its network cards have no other end. Of the console's events only those
 * that end the machine count. A machine that does something else than the recorded one ends with
 * MACHINE_ERROR. Nothing that is read is trusted.
 */
int machine_replay(struct machine *machine, FILE *file, char *why, size_t size);

#endif
