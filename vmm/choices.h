/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a machine is, as far as its user chooses it: struct choices, which is made of a table for
 * each choice in choices.toml, as all else is that is done with one (machine/choice_rows.h). Texts
 * in it have to outlive it.
 */
#ifndef VSPE_CHOICES_H
#define VSPE_CHOICES_H

#include <vspe/spe_core.h>

#include "engine.h"

#include "choices_made.h"

/* The configuration of SPE, or NULL: there is none. */
static inline const struct spe_config *choices_spe(const struct choices *choices)
{
	return choices->spe ? &choices->spe_config : NULL;
}

#endif
