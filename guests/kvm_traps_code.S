/* SPDX-License-Identifier: BSD-2-Clause */
/* A second table of vectors, which lead to the first. */
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
