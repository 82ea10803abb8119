/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A machine in a file: saved where machine_run() has stopped, and restored so that what it does
 * from there on is what it would have done, to the operation, the byte of its console and the byte
 * of its sample records. docs/saved-machine.md has the format.
 */
#ifndef VSPE_MACHINE_SAVE_H
#define VSPE_MACHINE_SAVE_H

#include <stdio.h>

#include "machine/loader.h"
#include "machine/machine.h"

/*
 * Save a machine that has stopped with MACHINE_SAVE; it can go on. count_events has to be set. 0,
 * or -1 with a line in why.
 */
int machine_save(struct machine *machine, FILE *file, char *why, size_t size);

struct machine_saved;

/*
 * Begin to read what machine_save() wrote: what the machine is. file is read on by
 * machine_restore(). NULL with a line in why; nothing that is read is trusted.
 */
struct machine_saved *machine_saved_open(FILE *file, const struct engine *engine, char *why,
					 size_t size);
/* NULL is nothing to do. */
void machine_saved_close(struct machine_saved *saved);

/*
 * The choices that it was made with, as far as they are saved. Valid until machine_saved_close().
 */
const struct choices *machine_saved_choices(const struct machine_saved *saved);
/* What of the options of its engine was saved with it, for engine.tuning_adopt. */
const struct engine_tuning *machine_saved_tuning(const struct machine_saved *saved);
/* The guest's files, its image unpacked: until machine_restore(). */
const struct loader_files *machine_saved_files(const struct machine_saved *saved);

/*
 * The machine as it was, for machine_run() to go on with. config: what does not concern the guest,
 * its host_state among it, and the tuning, which engine.tuning_adopt
 * has seen, or NULL; what does is taken from saved, which has to outlive the machine. NULL
 * with a line in why.
 */
struct machine *machine_restore(struct machine_saved *saved, const struct machine_config *config,
				char *why, size_t size);

#endif
