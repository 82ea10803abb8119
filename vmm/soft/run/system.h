/* SPDX-License-Identifier: BSD-2-Clause */
/* System instructions, from the word to the effect. */
#ifndef VSPE_SOFT_SYSTEM_H
#define VSPE_SOFT_SYSTEM_H

#include "a64/a64.h"
#include "soft/cpu.h"

/*
 * MRS, MSR (register), MSR (immediate), SYS, SYSL: any word of the "System" group. If it is done,
 * PC is unchanged; otherwise an exception was taken.
 */
enum soft_outcome soft_system_instruction(struct soft_cpu *cpu, uint32_t word);

/*
 * Those that a kernel executes most often do not change the context: reads of registers that only
 * system instructions and exceptions change, and DC ZVA. Once carried out, they can be repeated
 * with the same result until soft_context_changed(). The fast loop does that if soft_cpu.repeats
 * says so. Others are SOFT_REPEAT_NOT.
 */
enum soft_repeat { SOFT_REPEAT_NOT, SOFT_REPEAT_ZERO, SOFT_REPEAT_READ };
unsigned int soft_repeat_of(const struct a64_insn *insn, uint32_t word);

#endif
