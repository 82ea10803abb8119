/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * FEAT_MOPS: memory copy and memory set (Arm ARM C6.2, CPYP, CPYFP, SETP and what follows them).
 */
#ifndef VSPE_SOFT_MOPS_H
#define VSPE_SOFT_MOPS_H

#include "soft/kinds.h"

/*
 * Execute CPYF*, CPY* or SET*. false: cpu->fault is set, or cpu->unfinished if there is more to
 * move than one operation does. The registers say what is left.
 */
bool soft_op_memory_copy(struct soft_cpu *cpu, const struct soft_op *op);
bool soft_op_memory_set(struct soft_cpu *cpu, const struct soft_op *op);

/*
 * What the instruction, for which a64_moves_memory() is true, will load (write false) or store if
 * it executes now: size bytes from the lowest address va on, at Exception level el. false: nothing.
 */
bool soft_mops_access(const struct soft_cpu *cpu, uint32_t word, bool write, uint64_t *va,
		      unsigned int *size, unsigned int *el);

#endif
