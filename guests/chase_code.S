/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions of chase.h. */
#include "chase.h"

	.text
	/* One for each size, so that a profile tells them apart. */
	.macro	chase name
	.globl	\name
	.type	\name, %function
\name:	ldr	x1, [x1]
	subs	x0, x0, #1
	b.ne	\name
	ret
	.size	\name, . - \name
	.endm

	chase	chase_16_kib
	chase	chase_256_kib
	chase	chase_8_mib
	chase	chase_large

	/* WFE ends the turn of a PE that others wait for, or does nothing. */
	.globl	share_run, share_load, share_store
share_run:
share_load:
	ldr	x2, [x1]
	add	x2, x2, #1
share_store:
	str	x2, [x1]
	wfe
	subs	x0, x0, #1
	b.ne	share_run
	ret

	/* A generator of 64 bits (xorshift), of which one bit decides. */
	.globl	guess_run, guess_branch, guess_loop
guess_run:
	eor	x1, x1, x1, lsl #13
	eor	x1, x1, x1, lsr #7
	eor	x1, x1, x1, lsl #17
guess_branch:
	tbz	x1, #33, 1f
	nop
1:	subs	x0, x0, #1
guess_loop:
	b.ne	guess_run
	ret

	/* Nobody waits by WFE, so that a PE has all of its turn. */
	.globl	lock_run, lock_load, lock_store
lock_run:
	ldp	x2, x3, [x1]
	ldr	x4, [x1, #16]
1:	ldaxr	x5, [x2]
	add	x6, x5, #1
	stxr	w7, x6, [x2]
	cbnz	w7, 1b
2:	ldar	x6, [x3]
	cmp	x6, x5
	b.ne	2b
	mov	x7, #PASS_NODES
lock_load:
	ldr	x6, [x4, #8]
	add	x6, x6, #1
lock_store:
	str	x6, [x4, #8]
	ldr	x4, [x4]
	subs	x7, x7, #1
	b.ne	lock_load
	add	x5, x5, #1
	stlr	x5, [x3]
	subs	x0, x0, #1
	b.ne	1b
	ret

	/* The turn is from 0 to count - 1. */
	.macro	turns name, label
	.globl	\name, \label
\name:
	ldp	x2, x3, [x1, #8]
	ldp	x4, x5, [x1, #24]
	add	x6, x4, #1
	cmp	x6, x5
	csel	x5, xzr, x6, eq
1:	ldar	x6, [x2]
	cmp	x6, x4
	b.ne	1b
	mov	x7, #PASS_NODES
	.endm

	turns	produce_run, produce_store
produce_store:
	str	x0, [x3, #8]
	ldr	x3, [x3]
	subs	x7, x7, #1
	b.ne	produce_store
	stlr	x5, [x2]
	subs	x0, x0, #1
	b.ne	1b
	ret

	turns	consume_run, consume_load
consume_load:
	ldr	x6, [x3, #8]
	ldr	x3, [x3]
	subs	x7, x7, #1
	b.ne	consume_load
	stlr	x5, [x2]
	subs	x0, x0, #1
	b.ne	1b
	ret
