/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the fast loop stops. Call both only between two runs of it. */
#ifndef VSPE_SOFT_STOP_H
#define VSPE_SOFT_STOP_H

#include "soft/run/ops.h"

/* Stop the fast loop before op (not the first of a block); undone by soft_remove_stop(). */
void soft_place_stop(struct soft_cpu *cpu, const struct soft_op *op);
void soft_remove_stop(struct soft_cpu *cpu);

/* Bar the start of dropped blocks (soft_code_written()) to whoever still gets there. */
void soft_bar_dropped(struct soft_vm *vm);

#endif
