/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions that pmu-model counts: pmu_model_code.S. */
#ifndef PMU_MODEL_H
#define PMU_MODEL_H

#define CODE_NOPS 40000 /* 160000 bytes */

#ifndef __ASSEMBLER__
#include <stdint.h>

/*
 * Call function(a0, a1) at EL1 with these PMSCR_EL1 and PMCR_EL0, and 0 in both after it; returns
 * its result. The counters count its operations, an ISB and the BLR before it and the MSR after it.
 * The population has two more before them, and two after. With pmscr 0 the PE may have no SPE.
 */
uint64_t watched_run(uint64_t pmscr, uint64_t pmcr, uintptr_t function, uint64_t a0, uint64_t a1);
#define WATCHED_BEFORE 2
#define WATCHED_BEHIND 2

/* Instructions of which records are looked for. */
extern const char load_here[], store_here[];

/* pmu_model_asid.c: a separate test, which writes to a page of EL0. */
void share_tlbs(uint64_t user_page);

/*
 * mix_run(turns, node), load_run(turns, node): go from node to node, the first word of each being
 * the address of the next, and return the last one. mix_run() also reads and writes each node, and
 * has a branch that changes its direction every eight turns.
 * chase_run(n, node), apart_run(n, node): 8 n loads, of which each gives the address of the next
 * one, or none does.
 * store_run(n, at): stores to n lines, one after the other.
 * code_run(n): n times CODE_NOPS NOPs.
 */
#endif
#endif
