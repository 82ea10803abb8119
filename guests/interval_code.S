/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loads and stores that a PE may execute as several micro-ops: interval.c has a table of them.
 */
	.macro	mixed prefix
/* mixed(laps, data): each lap leaves x1 as it was. */
	.globl	\prefix\()_mixed
\prefix\()_mixed:
	ldp	x2, x3, [x1, #16]
	nop
	stp	x2, x3, [x1, #32]
	ldr	x4, [x1], #8
	str	x4, [x1, #-8]!
	ldp	w5, w6, [x1, #64]!
	stp	x5, x6, [x1], #-64
	ldpsw	x7, x8, [x1, #8]
	ldrb	w9, [x1, #5]
	strh	w9, [x1], #6
	ldursw	x9, [x1, #2]
	ldnp	x10, x11, [x1, #8]
	sub	x1, x1, #6
	subs	x0, x0, #1
	b.ne	\prefix\()_mixed
	.globl	\prefix\()_mixed_ret
\prefix\()_mixed_ret:
	ret
	.endm

	.text
	mixed	kernel

	.section .user.text, "ax"
	mixed	user
