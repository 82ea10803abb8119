/* SPDX-License-Identifier: BSD-2-Clause */
/* A machine model in the image of a saved machine: docs/saved-machine.md. */
#ifndef VSPE_ARM_MODEL_STATE_H
#define VSPE_ARM_MODEL_STATE_H

#include "arm/model_machine.h"
#include "base/state.h"

/* The numbers that it is made of. What is loaded was checked, or the state has failed. */
void model_config_state(struct model_config *config, struct state *state);

/*
 * What a core has. What is loaded is put into one that was just made, and was told the contexts
 * that its regimes translate in.
 */
void model_core_state(struct model_core *core, struct state *state);

/* The last-level caches, in the same way. */
void model_shared_state(struct model *model, struct state *state);

#endif
