/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions that pipeline profiles: pipeline_code.S. */
#ifndef PIPELINE_H
#define PIPELINE_H

/*
 * guess_run(turns, seed), GUESS_OPERATIONS a turn: a branch that nobody can foresee.
 * sure_run(turns): one that anybody can. Both end with RET.
 */
#define GUESS_OPERATIONS 8
#define SURE_OPERATIONS	 3

/* sparse_run(turns, node): step from node to node; SPARSE_OPERATIONS a turn, the load first. */
#define SPARSE_OPERATIONS 16
extern const char sparse_load[];

/*
 * NAME_run(lines, first): an instruction with the address of a line, DSB, and a load from it. The
 * instruction is NOP, DC CVAC, DC CIVAC, DC IVAC, DC CVAU, DC ZVA, PRFM PLDL1KEEP.
 */
extern const char plain_load[], clean_load[], flush_load[], drop_load[], unify_load[], zero_load[],
	prefetch_load[];

#endif
