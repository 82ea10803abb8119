/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions that chase profiles: chase_code.S. */
#ifndef CHASE_H
#define CHASE_H

#ifndef __ASSEMBLER__
#include <stdint.h>

/* Labels of the instructions that records are looked for of. */
extern const char share_load[], share_store[], guess_branch[], guess_loop[];
extern const char lock_load[], lock_store[], produce_store[], consume_load[];

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

/* Nodes of a page of lines that is passed round. Each counts in its second word. */
#define PASS_NODES 64

#ifndef __ASSEMBLER__
/* What a PE takes part in, for the functions below. */
struct pass {
	volatile uint64_t *tickets, *turn; /* the lock, or the turn alone */
	uint64_t node;			   /* the first one */
	uint64_t mine, count;		   /* of the producer and its consumers: who of how many */
};

/* (rounds, pass): take the lock (who comes first has it first), add 1 to each node, and give it. */
void lock_run(uint64_t rounds, struct pass *pass);
/* (rounds, pass): in the turn that is mine write each node, or read it, and pass the turn on. */
void produce_run(uint64_t rounds, struct pass *pass);
void consume_run(uint64_t rounds, struct pass *pass);

/* Tests of chase_pass.c, and what they need as well as data sources. */
const char *pass_needs(void);
void pass_lock(void);
void pass_produced(void);
#endif

#endif
