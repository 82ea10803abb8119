/* SPDX-License-Identifier: BSD-2-Clause */
/* A machine model in the image of a saved machine: docs/saved-machine.md. */
#ifndef VSPE_ARM_MODEL_STATE_H
#define VSPE_ARM_MODEL_STATE_H

#include "model/machine.h"
#include "base/state.h"

/*
 * The numbers of the configuration; the first keys of them are in the image, and others are 0.
 * Loaded numbers have been checked, or the state has failed.
 */
void model_config_state(struct model_config *config, size_t keys, struct state *state);

/*
 * The state of a core. It is loaded into a new core, after model_core_context() for each of its
 * regimes.
 */
void model_core_state(struct model *model, uint32_t core, struct state *state);

/* The last-level caches, in the same way. */
void model_shared_state(struct model *model, struct state *state);

#endif
