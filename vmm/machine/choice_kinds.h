/* SPDX-License-Identifier: BSD-2-Clause */
/* How each kind of choice is saved, compared and printed; for choice_rows.c, which has the rows. */
#ifndef VSPE_MACHINE_CHOICE_KINDS_H
#define VSPE_MACHINE_CHOICE_KINDS_H

#include <stdio.h>

#include "base/state.h"
#include "choices.h"

struct choice_kind;

/* A row of choices.toml. */
struct choice {
	const char *word; /* the option, without the two hyphens */
	struct choice_member {
		size_t offset, size;
	} member, second; /* of struct choices */
	const struct choice_kind *kind;
	uint64_t min, max;  /* of a number; max 0: all that fit */
	bool saved;	    /* the order in CONF, in versions from since on */
	unsigned int place; /* ascending in CONF */
	uint32_t since;
	const char *recorded; /* its name in recordings; or NULL */
};

/* How choices of a kind are handled. */
struct choice_kind {
	void (*state)(struct state *state, const struct choice *choice, struct choices *choices);
	/* Print the value, as in the option and in a recording. */
	void (*tell)(const struct choice *choice, const struct choices *choices, FILE *to);
	/* Are both equal? NULL: another file compares them. */
	bool (*same)(const struct choice *choice, const struct choices *mine,
		     const struct choices *saved);
	/*
	 * Print the value as the option spells it, and what a saved machine has, if that is not
	 * "has" and the value. NULL: as tell.
	 */
	void (*value)(const struct choice *choice, const struct choices *choices, FILE *to);
	void (*has)(const struct choice *choice, const struct choices *choices, FILE *to);
	/* Has a recording a line for it? NULL: always. */
	bool (*there)(const struct choice *choice, const struct choices *choices);
	bool text; /* the member is a text, malloc'ed when it was loaded */
};

extern const struct choice_kind kind_number, kind_flag, kind_mib, kind_seed, kind_text, kind_file,
	kind_firmware, kind_acpi, kind_numa, kind_window, kind_engine, kind_levels, kind_core,
	kind_pmu, kind_spe;

static inline void *choice_member(const struct choice *choice, struct choices *choices)
{
	return (char *)choices + choice->member.offset;
}

#endif
