/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Handles each choice of a machine by its row in choices.toml: saves and restores it, compares it
 * with that of a saved machine, and writes it to a recording.
 */
#ifndef VSPE_MACHINE_CHOICE_ROWS_H
#define VSPE_MACHINE_CHOICE_ROWS_H

#include <stdio.h>

#include "base/state.h"
#include "choices.h"

/* The defaults of a machine on engine, except for spe_config. */
struct choices choices_default(const struct engine *engine);

/*
 * Save choices, or load those that a file of that version has. *choices must already have the
 * engine: a machine of another one is refused. After loading the caller owes choices_free().
 */
void choices_state(struct state *state, struct choices *choices, uint32_t version);
/* Free the texts that choices_state() has loaded. */
void choices_free(struct choices *choices);

/* Copy all that is saved with a machine from saved to *choices. */
void choices_adopt(struct choices *choices, const struct choices *saved);

/*
 * Find the next choice, from *id on, that is given and differs between mine and saved. *id becomes
 * its number. False: there is none. Ignores SPE and files: their callers compare the words of --spe
 * and the files' contents.
 */
bool choices_conflict(const bool given[CHOICES], const struct choices *mine,
		      const struct choices *saved, enum choice_id *id);
/*
 * For messages: the option of a choice, without the two hyphens; its value as the option spells it;
 * and what a saved machine has, "has v3p5". The last two are malloc'ed, or NULL: no memory.
 */
const char *choices_option(enum choice_id id);
char *choices_value(enum choice_id id, const struct choices *choices);
char *choices_has(enum choice_id id, const struct choices *choices);

/* Must a machine and a recorded one have the choice in common? */
bool choices_recorded(enum choice_id id);
/* Print those choices, a line each. */
void choices_describe(const struct choices *choices, FILE *to);

#endif
