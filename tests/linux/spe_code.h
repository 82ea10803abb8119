/* SPDX-License-Identifier: BSD-2-Clause */
/* The code that spe.c and pmu.c profile. */
#ifndef VSPE_TESTS_LINUX_SPE_CODE_H
#define VSPE_TESTS_LINUX_SPE_CODE_H

#include <stdint.h>

/* So many times five operations: a load, an addition, a store, a subtraction and a branch. */
void spe_loop(uint64_t loops);
/* The same. */
void other_loop(uint64_t loops);

extern const char spe_loop_end[], other_loop_end[];

#define LOOP_OPS 5

#endif
