/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What saving to a file and sending over a connection have in common: machine_save.c has it,
 * machine_move.c uses it. Unless stated otherwise these return 0, or -1 with why in the state_file.
 */
#ifndef VSPE_MACHINE_SECTIONS_H
#define VSPE_MACHINE_SECTIONS_H

#include "machine/machine_save.h"
#include "machine/machine_state.h"
#include "machine/state_file.h"

struct machine_saved {
	struct state_file file;
	struct choices choices;	      /* those that are not saved are CHOICES_UNSAVED's */
	struct engine_tuning *tuning; /* malloc'ed; the engine's default if none was saved */
	struct loader_files files;
};

/* The machine's configuration: CONF and TUNE. */
int machine_put_config(struct state_file *to, const struct machine *machine);
/* MACH to HOST, for a stopped machine. */
int machine_put_parts(struct state_file *to, struct machine *machine);
int machine_get_parts(struct state_file *from, struct machine *machine);

/* machine_saved_open() for either kind; most: bytes of a section, 0: any number. */
struct machine_saved *machine_saved_from(FILE *file, enum state_file_kind kind, uint64_t most,
					 const struct engine *engine, char *why, size_t size);
/*
 * machine_restore() without reading parts and memory: the machine is on, and its memory zero. NULL
 * with a line in why.
 */
struct machine *machine_make_saved(struct machine_saved *saved, const struct machine_config *config,
				   char *why, size_t size);

#endif
