/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * System instructions, from the word to what comes of it.
 */
#ifndef VSPE_SOFT_SYSTEM_H
#define VSPE_SOFT_SYSTEM_H

#include "a64/a64.h"
#include "soft/cpu.h"

/*
 * MRS, MSR (register), MSR (immediate), SYS, SYSL: any word of the "System" group. When done, PC is
 * left alone; otherwise an exception was taken.
 */
enum soft_outcome soft_system_instruction(struct soft_cpu *cpu, uint32_t word);

/*
 * What a kernel executes most of these leave the context as it is: reads of registers that nothing
 * but system instructions and exceptions change, and DC ZVA. One that was carried out will be until
 * soft_context_changed(), and reads the same: the fast loop repeats it, if that is so in
 * soft_cpu.repeats. Others are SOFT_REPEAT_NOT.
 */
enum soft_repeat { SOFT_REPEAT_NOT, SOFT_REPEAT_ZERO, SOFT_REPEAT_READ };
unsigned int soft_repeat_of(const struct a64_insn *insn, uint32_t word);

#endif
