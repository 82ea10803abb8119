/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions of chase.h. */
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
