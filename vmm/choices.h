/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the user chooses of a machine: struct choices, generated from choices.toml, as is everything
 * else that handles a choice (machine/choice_rows.h). Texts in it must outlive it.
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
