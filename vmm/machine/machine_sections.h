/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a saved machine and one that is sent over a connection have in common: machine_save.c has
 * it, machine_move.c takes it. All of it returns 0, or -1 with why in the state_file, but where it
 * says otherwise.
 */
#ifndef VSPE_MACHINE_SECTIONS_H
#define VSPE_MACHINE_SECTIONS_H

#include "machine/machine_save.h"
#include "machine/machine_state.h"
#include "machine/state_file.h"

struct machine_saved {
	struct state_file file;
	struct choices choices; /* what is not saved with a machine is as CHOICES_UNSAVED has it */
	struct engine_tuning *tuning; /* malloc'ed; of the engine's default if none was saved */
	struct loader_files files;
};

/* What the machine is: CONF and TUNE. */
int machine_put_config(struct state_file *to, const struct machine *machine);
/* MACH to HOST, of a machine that has stopped. */
int machine_put_parts(struct state_file *to, struct machine *machine);
int machine_get_parts(struct state_file *from, struct machine *machine);

/* machine_saved_open() of either kind; most: bytes of a section, 0: any number. */
struct machine_saved *machine_saved_from(FILE *file, enum state_file_kind kind, uint64_t most,
					 const struct engine *engine, char *why, size_t size);
/* machine_restore() up to where parts and memory are read: the machine is on, its memory zero. NULL
 * with a line in why. */
struct machine *machine_make_saved(struct machine_saved *saved, const struct machine_config *config,
				   char *why, size_t size);

#endif
