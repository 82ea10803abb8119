/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions of pmu_model.h. */
#include "pmu_model.h"
#include "spe_run.inc"

	.text
/* watched_run(pmscr, pmcr, function, a0, a1) */
	.globl	watched_run
watched_run:
	stp	x29, x30, [sp, #-16]!
	mov	x16, x0
	mov	x15, x1
	mov	x17, x2
	mov	x0, x3
	mov	x1, x4
	cbz	x16, 1f
	msr	S3_0_C9_C9_0, x16		/* PMSCR_EL1 */
1:	isb
	msr	pmcr_el0, x15
	isb
	blr	x17
	msr	pmcr_el0, xzr
	cbz	x16, 1f
	msr	S3_0_C9_C9_0, xzr
1:	spe_return

	.globl	mix_run
mix_run:
	ldr	x1, [x1]
	ldr	x2, [x1, #8]
	str	x2, [x1, #16]
	tbz	x0, #3, 1f
	nop
1:	subs	x0, x0, #1
	b.ne	mix_run
	mov	x0, x1
	ret

	.globl	load_run, load_here
load_run:
load_here:
	ldr	x1, [x1]
	subs	x0, x0, #1
	b.ne	load_run
	mov	x0, x1
	ret

	/* Eight loads a turn: each needs what the one before it loads, or what is there already. */
	.macro	loads_run name, to
	.globl	\name\()_run
\name\()_run:
	.rept	8
	ldr	\to, [x1]
	.endr
	subs	x0, x0, #1
	b.ne	\name\()_run
	ret
	.endm

	loads_run chase, x1
	loads_run apart, x2

	.globl	store_run, store_here
store_run:
	mov	x2, x1
store_here:
	str	x0, [x2]
	add	x2, x2, #64
	subs	x0, x0, #1
	b.ne	store_here
	ret

	/* Larger than a cache for instructions: see CODE_NOPS. */
	.balign	64
	.globl	code_run
code_run:
	.rept	CODE_NOPS
	nop
	.endr
	subs	x0, x0, #1
	b.eq	1f
	b	code_run
1:	ret
