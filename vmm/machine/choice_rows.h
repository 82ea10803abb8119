/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is done with each choice of a machine by the row that it has in choices.toml: it is saved
 * and restored, compared with that of a saved machine, and told to a recording.
 */
#ifndef VSPE_MACHINE_CHOICE_ROWS_H
#define VSPE_MACHINE_CHOICE_ROWS_H

#include <stdio.h>

#include "base/state.h"
#include "choices.h"

/* Those of a machine on engine of which nothing is said, but for spe_config. */
struct choices choices_default(const struct engine *engine);

/*
 * Save choices, or load what a file of that version has of them, with the engine in *choices
 * already: a machine of another one is refused. What is loaded owes choices_free().
 */
void choices_state(struct state *state, struct choices *choices, uint32_t version);
/* Free the texts that choices_state() has loaded. */
void choices_free(struct choices *choices);

/* All that is saved with a machine, from saved to *choices. */
void choices_adopt(struct choices *choices, const struct choices *saved);

/*
 * The next choice, from *id on, that is given and is another one in mine than in saved. *id is
 * its number then. False: there is none. SPE and files are not looked at: whoever has the words of
 * --spe and the files' contents compares them.
 */
bool choices_conflict(const bool given[CHOICES], const struct choices *mine,
		      const struct choices *saved, enum choice_id *id);
/*
 * For messages: the option of a choice, without the two hyphens; its value as the option has it;
 * and what a machine has that is saved, "has v3p5". The last two are malloc'ed, or NULL: no memory.
 */
const char *choices_option(enum choice_id id);
char *choices_value(enum choice_id id, const struct choices *choices);
char *choices_has(enum choice_id id, const struct choices *choices);

/* What a machine and a recorded one have to have in common of them, a line each. */
void choices_describe(const struct choices *choices, FILE *to);

#endif
