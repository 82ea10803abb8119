/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Operations on misspeculated paths (Arm ARM D17.2.1): what the machine model dispatches after a
 * branch that it has mispredicted, until it knows better. They are nothing to the guest: only the
 * profiling unit hears of them, if its configuration has them in the population.
 */
#ifndef VSPE_SOFT_MODEL_WRONG_PATH_H
#define VSPE_SOFT_MODEL_WRONG_PATH_H

#include "soft/model/model.h"

/* The operation that was seen has been executed and sampled. */
void soft_wrong_path(struct soft_cpu *cpu, const struct soft_seen *seen);

#endif
