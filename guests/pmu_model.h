/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions that pmu-model counts: pmu_model_code.S. */
#ifndef PMU_MODEL_H
#define PMU_MODEL_H

#define CODE_NOPS 40000 /* 160000 bytes */

#ifndef __ASSEMBLER__
#include <stdint.h>

/*
 * function(a0, a1) at EL1 with PMSCR_EL1 and PMCR_EL0 as given, and 0 behind it; what it returns.
 * Counted are the operations of the function, an ISB and the BLR before it and the MSR behind it;
 * the population has two more before them, and two behind. pmscr 0: the PE may be without SPE.
 */
uint64_t watched_run(uint64_t pmscr, uint64_t pmcr, uintptr_t function, uint64_t a0, uint64_t a1);
#define WATCHED_BEFORE 2
#define WATCHED_BEHIND 2

/* Instructions of which records are looked for. */
extern const char load_here[], store_here[];

/* pmu_model_asid.c: a test of its own, which writes to a page of EL0. */
void share_tlbs(uint64_t user_page);

/*
 * mix_run(turns, node), load_run(turns, node): from node to node, the first word of each being the
 * next's address; they return the last one. mix_run() reads and writes each one besides, and has a
 * branch that goes another way each eight turns.
 * chase_run(n, node), apart_run(n, node): 8 n loads, of which each gives the next one's address, or
 * none does.
 * store_run(n, at): stores to n lines, one behind the other.
 * code_run(n): n times as many NOPs as CODE_NOPS.
 */
#endif
#endif
