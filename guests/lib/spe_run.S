/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Profiled calls whose own operations can be counted: see spe.h.
 */
#include "spe.h"
#include "spe_run.inc"

	.text
	.globl	spe_run_el1
spe_run_el1:
	stp	x29, x30, [sp, #-16]!
	mov	x16, x0
	mov	x17, x1
	mov	x0, x2
	mov	x1, x3
	msr	PMSCR_EL1, x16
	isb
	blr	x17
	msr	PMSCR_EL1, xzr
	spe_return

	.globl	spe_run_el0
spe_run_el0:
	stp	x29, x30, [sp, #-16]!
	msr	PMSCR_EL1, x0
	isb
	mov	x0, x1
	mov	x1, x2
	mov	x2, x3
	bl	user_call
	msr	PMSCR_EL1, xzr
	spe_return

/* spe_idle(n): 2n + 1 operations that do nothing. */
	.globl	spe_idle
spe_idle:
	subs	x0, x0, #1
	b.ne	spe_idle
	ret
