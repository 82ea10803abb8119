/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Random cases of A64 integer instructions that neither fault nor loop for ever, made from the A64
 * table.
 */
#ifndef VSPE_TESTS_DIFF_GENERATE_H
#define VSPE_TESTS_DIFF_GENERATE_H

#include "a64/a64.h"
#include "case.h"

/* Fill in a case for a CPU: the same seed gives the same case. */
void generate_case(uint64_t seed, enum case_cpu cpu, struct case_input *input);

/*
 * Whether cases contain instructions of a row. Left out is what an EL0 program cannot execute, and
 * what does not return to the next instruction: exception generation and return, PSTATE fields,
 * SYSL (none exists in Armv8.1) and WFI; and what the CPU does not have, or does in another way.
 */
bool generate_covers(enum a64_id id, enum case_cpu cpu);

#endif
