/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions that chase profiles: chase_code.S. */
#ifndef CHASE_H
#define CHASE_H

#include <stdint.h>

/* Labels of the instructions that records are looked for of. */
extern const char share_load[], share_store[], guess_branch[], guess_loop[];

/*
 * (steps, node): step from node to node, the first word of each being the next's address. Each
 * begins with its load.
 */
extern const char chase_16_kib[], chase_256_kib[], chase_8_mib[], chase_large[];
/* share_run(turns, word): read, add and write, and let another PE do so. */
void share_run(uint64_t turns, volatile uint64_t *word);
/* A branch that nobody can foresee in each turn, and a loop that anybody can. seed 0: always the
 * same. */
void guess_run(uint64_t turns, uint64_t seed);

#endif
