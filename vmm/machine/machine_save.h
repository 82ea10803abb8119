/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Saves a machine in a file when machine_run() has stopped, and restores it. The restored machine
 * continues exactly as the original would have, to the operation, the byte of its console and the
 * byte of its sample records. docs/saved-machine.md describes the format.
 */
#ifndef VSPE_MACHINE_SAVE_H
#define VSPE_MACHINE_SAVE_H

#include <stdio.h>

#include "machine/loader.h"
#include "machine/machine.h"

/*
 * Save a machine that has stopped with MACHINE_SAVE, and that can continue. It must have
 * count_events. 0, or -1 with a line in why.
 */
int machine_save(struct machine *machine, FILE *file, char *why, size_t size);

struct machine_saved;

/*
 * Begin to read what machine_save() wrote, up to the machine's configuration. machine_restore()
 * continues to read file. NULL with a line in why; nothing in the file is trusted.
 */
struct machine_saved *machine_saved_open(FILE *file, const struct engine *engine, char *why,
					 size_t size);
/* NULL is allowed. */
void machine_saved_close(struct machine_saved *saved);

/* Its choices, at least those that are saved. Valid until machine_saved_close(). */
const struct choices *machine_saved_choices(const struct machine_saved *saved);
/* Its engine's options that were saved with it, for engine.tuning_adopt. */
const struct engine_tuning *machine_saved_tuning(const struct machine_saved *saved);
/* The guest's files, with its image unpacked. Valid until machine_restore(). */
const struct loader_files *machine_saved_files(const struct machine_saved *saved);

/*
 * Restore the machine, for machine_run() to continue. config has what does not concern the guest,
 * such as host_state, and the tuning, which engine.tuning_adopt has seen, or NULL. The rest comes
 * from saved, which must outlive the machine. NULL with a line in why.
 */
struct machine *machine_restore(struct machine_saved *saved, const struct machine_config *config,
				char *why, size_t size);

#endif
