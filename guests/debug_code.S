/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What breakpoints and watchpoints of debug.c match, for EL1 and for EL0.
 */
#include "debug.h"

	.arch	armv8.1-a

	.macro	access instruction:vararg
	.balign	DEBUG_ACCESS_SIZE
	\instruction
	ret
	.endm

	.macro	debug prefix
/* straight(x): x + DEBUG_STRAIGHT */
	.globl	\prefix\()_straight
\prefix\()_straight:
	.rept	DEBUG_STRAIGHT
	add	x0, x0, #1
	.endr
	ret

/* loop(laps): the number of laps. */
	.globl	\prefix\()_loop
\prefix\()_loop:
	mov	x1, xzr
1:	add	x1, x1, #1
	.globl	\prefix\()_loop_body
\prefix\()_loop_body:
	sub	x0, x0, #1
	cbnz	x0, 1b
	mov	x0, x1
	ret

/* One access each of the data at x0; stores are of x1. In the order of accesses[]. */
	.balign	DEBUG_ACCESS_SIZE
	.globl	\prefix\()_accesses
\prefix\()_accesses:
	access	ldrb w2, [x0]
	access	ldrh w2, [x0]
	access	ldr w2, [x0]
	access	ldr x2, [x0]
	access	ldp w2, w3, [x0]
	access	ldp x2, x3, [x0]
	access	ldar x2, [x0]
	access	ldtr x2, [x0]
	access	strb w1, [x0]
	access	strh w1, [x0]
	access	str w1, [x0]
	access	str x1, [x0]
	access	stp w1, w1, [x0]
	access	stp x1, x1, [x0]
	access	stlr x1, [x0]
	access	sttr x1, [x0]
	access	ldxr x2, [x0]
	access	prfm pldl1keep, [x0]
	access	ldadd x1, x2, [x0]
	access	dc zva, x0
	.endm

	.text
	debug	kernel

	.section .user.text, "ax"
	debug	user
