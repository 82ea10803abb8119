/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --model warm (warm.h): the software TLB has only pages that the model's TLB of level 1 has as
 * referenced, as the fast loop shows no access to those.
 */
#ifndef VSPE_SOFT_FILTER_H
#define VSPE_SOFT_FILTER_H

#include "soft/cpu.h"

/* The model was loaded, to which the software TLB that was loaded before belongs. */
void soft_warm_restored(struct soft_cpu *cpu);

/*
 * The model has changed: the software TLB forgets pages that the model's TLB no longer has as
 * referenced. From now on the fast loop shows operations.
 */
void soft_warm_settle(struct soft_cpu *cpu);

/*
 * Pages that the software TLB has got since then: an access that failed half-way, or of several
 * pages, may have filled in more than it showed.
 */
void soft_warm_check(struct soft_cpu *cpu);

#endif
