/* SPDX-License-Identifier: BSD-2-Clause */
/* Straight-line code in which each operation has a distinct PC: see sled.S. */
#ifndef SLED_H
#define SLED_H

/* NOPs, then SUBS and B.NE: operations a lap. */
#define SLED_NOPS 2046
#define SLED_LAP  (SLED_NOPS + 2)

#ifndef __ASSEMBLER__
#include "arch.h"

/*
 * Functions, by user_address(): kernel_sled(laps) and user_sled(laps) execute laps x SLED_LAP + 1
 * operations. The n - 1 NOPs before kernel_nops_end or user_nops_end and the RET there are a
 * function of exactly n operations, n from 1 to SLED_NOPS + 1.
 */
static inline uintptr_t nops(uintptr_t nops_end, uint64_t n)
{
	return nops_end - (n - 1) * 4;
}
#endif
#endif
