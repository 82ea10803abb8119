/* SPDX-License-Identifier: BSD-2-Clause */
/* Code of kvm-traps: a second table of vectors, which lead to the first, and exclusives. */
#include "layout.h"

	.text
	.balign	2048
	.globl	other_vectors
other_vectors:
	.irp	number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	.balign	128
	b	vectors_el1 + \number * 128
	.endr

/* uint64_t call_el1t(function): call it with SP_EL0 as the stack pointer. */
	.globl	call_el1t
call_el1t:
	stp	x29, x30, [sp, #-16]!
	msr	spsel, #0
	blr	x0
	msr	spsel, #1
	ldp	x29, x30, [sp], #16
	ret

/* uint64_t call_flags(function): with NZCV all ones; X0 is NZCV after it. */
	.globl	call_flags
call_flags:
	stp	x29, x30, [sp, #-16]!
	mov	x9, #0xf0000000
	msr	nzcv, x9
	blr	x0
	mrs	x0, nzcv
	ldp	x29, x30, [sp], #16
	ret

/*
 * load_denied(address, n): n load-exclusives with PSTATE.PAN, each of which the handler skips. The names of the bit
 * are not known to every assembler.
 */
	.globl	load_denied
load_denied:
	.inst	0xd500419f		/* MSR PAN, #1 */
1:	ldxr	x2, [x0]
	subs	x1, x1, #1
	b.ne	1b
	.inst	0xd500409f		/* MSR PAN, #0 */
	ret

/* Retry until it is stored: the next slot. */
	.macro	count load, store, r
1:	\load	\r\()2, [x0]
	add	x2, x2, #1
	\store	w3, \r\()2, [x0]
	cbnz	w3, 1b
	add	x0, x0, #16
	.endm

	.macro	count_pair r
1:	ldxp	\r\()2, \r\()4, [x0]
	add	x2, x2, #1
	add	x4, x4, #2
	stxp	w3, \r\()2, \r\()4, [x0]
	cbnz	w3, 1b
	add	x0, x0, #16
	.endm

/* user_count(slots, laps): for EL0, add 1 in each of six slots of 16 bytes, and 2 to the second of a pair. */
	.section .user.text, "ax"
	.globl	user_count
user_count:
	mov	x6, x0
2:	mov	x0, x6
	count	ldxrb, stxrb, w
	count	ldxrh, stxrh, w
	count	ldxr, stxr, w
	count	ldxr, stxr, x
	count_pair w
	count_pair x
	subs	x1, x1, #1
	b.ne	2b
	ret
