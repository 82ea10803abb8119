/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the fast loop is stopped. Both between two runs of it only.
 */
#ifndef VSPE_SOFT_STOP_H
#define VSPE_SOFT_STOP_H

#include "soft/run/ops.h"

/* Stop the fast loop before op (not the first of a block); undone by soft_remove_stop(). */
void soft_place_stop(struct soft_cpu *cpu, const struct soft_op *op);
void soft_remove_stop(struct soft_cpu *cpu);

/* Whoever still comes to the start of a dropped block (soft_code_written()) is sent away. */
void soft_bar_dropped(struct soft_vm *vm);

#endif
