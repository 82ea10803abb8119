/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * System instructions, from the word to what comes of it.
 */
#ifndef VSPE_SOFT_SYSTEM_H
#define VSPE_SOFT_SYSTEM_H

#include "soft/cpu.h"

/*
 * MRS, MSR (register), MSR (immediate), SYS, SYSL: any word of the "System" group. When done, PC is
 * left alone; otherwise an exception was taken.
 */
enum soft_outcome soft_system_instruction(struct soft_cpu *cpu, uint32_t word);

#endif
