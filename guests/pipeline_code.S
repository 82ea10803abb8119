/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions of pipeline.h. */
	.text

	/* A generator of 64 bits (xorshift), of which one bit decides. Eight instructions a turn. */
	.globl	guess_run
guess_run:
	eor	x1, x1, x1, lsl #13
	eor	x1, x1, x1, lsr #7
	eor	x1, x1, x1, lsl #17
	tbz	x1, #33, 1f
	add	x2, x2, #1
	b	2f
1:	sub	x2, x2, #1
	nop
2:	subs	x0, x0, #1
	b.ne	guess_run
	ret

	/* The branch of each turn is as the last one was: foreseen after a few of them. */
	.globl	sure_run
sure_run:
	tbz	xzr, #33, 1f
	nop
1:	subs	x0, x0, #1
	b.ne	sure_run
	ret

	/* Sixteen instructions a turn, of which one loads. None waits for another that is near. */
	.globl	sparse_run, sparse_load
sparse_run:
sparse_load:
	ldr	x1, [x1]
	subs	x0, x0, #1
	.rept	13
	nop
	.endr
	b.ne	sparse_run
	ret

	/*
	 * What is done to a line, and then a load of it. The lines come in the order of the
	 * reversed bits of the count, as no prefetcher of strides foretells it.
	 */
	.macro	line_run name, instruction:vararg
	.globl	\name\()_run, \name\()_load
\name\()_run:
	mov	x3, x1
1:	subs	x0, x0, #1
	rbit	x1, x0
	add	x1, x3, x1, lsr #52
	\instruction
	dsb	sy
\name\()_load:
	ldr	x2, [x1]
	b.ne	1b
	ret
	.endm

	line_run plain, nop
	line_run clean, dc cvac, x1
	line_run flush, dc civac, x1
	line_run drop, dc ivac, x1
	line_run unify, dc cvau, x1
	line_run zero, dc zva, x1
	line_run prefetch, prfm pldl1keep, [x1]
