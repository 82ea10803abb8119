/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Operations on misspeculated paths (Arm ARM D17.2.1): what the machine model dispatches after a
 * mispredicted branch, until the branch is done. They do not affect the guest: only the profiling
 * unit sees them, if its configuration has them in the population.
 */
#ifndef VSPE_SOFT_MODEL_WRONG_PATH_H
#define VSPE_SOFT_MODEL_WRONG_PATH_H

#include "soft/model/model.h"

/* Called when the operation in seen has been executed and sampled. */
void soft_wrong_path(struct soft_cpu *cpu, const struct soft_seen *seen);

#endif
