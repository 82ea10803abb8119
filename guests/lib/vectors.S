/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The vector tables, one a level. Every vector saves all general registers
 * and what describes the exception as struct exc_frame, and calls exc_dispatch() with the number of the
 * vector. An exception that ends a lower_run() is left to lower_run.S.
 */
#include "layout.h"

	.text
	.macro	vector el, number
	.balign	128
	sub	sp, sp, #FRAME_SIZE
	stp	x0, x1, [sp]
	mov	x1, #\number
	.if	\el > 1 && \number >= 8
	mrs	x0, tpidr_el\el
	cbnz	x0, lower_exit_el\el
	.endif
	b	save_frame_el\el
	.endm

	.macro	restore el
	ldp	x30, x2, [sp, #240]
	msr	sp_el0, x2
	ldp	x2, x3, [sp, #256]
	msr	elr_el\el, x2
	msr	spsr_el\el, x3
	ldp	x28, x29, [sp, #224]
	ldp	x26, x27, [sp, #208]
	ldp	x24, x25, [sp, #192]
	ldp	x22, x23, [sp, #176]
	ldp	x20, x21, [sp, #160]
	ldp	x18, x19, [sp, #144]
	ldp	x16, x17, [sp, #128]
	ldp	x14, x15, [sp, #112]
	ldp	x12, x13, [sp, #96]
	ldp	x10, x11, [sp, #80]
	ldp	x8, x9, [sp, #64]
	ldp	x6, x7, [sp, #48]
	ldp	x4, x5, [sp, #32]
	ldp	x2, x3, [sp, #16]
	ldp	x0, x1, [sp]
	add	sp, sp, #FRAME_SIZE
	.endm

	.macro	vector_table el
	.balign	2048
	.globl	vectors_el\el
vectors_el\el:
	.irp	number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	vector	\el, \number
	.endr

save_frame_el\el:
	stp	x2, x3, [sp, #16]
	stp	x4, x5, [sp, #32]
	stp	x6, x7, [sp, #48]
	stp	x8, x9, [sp, #64]
	stp	x10, x11, [sp, #80]
	stp	x12, x13, [sp, #96]
	stp	x14, x15, [sp, #112]
	stp	x16, x17, [sp, #128]
	stp	x18, x19, [sp, #144]
	stp	x20, x21, [sp, #160]
	stp	x22, x23, [sp, #176]
	stp	x24, x25, [sp, #192]
	stp	x26, x27, [sp, #208]
	stp	x28, x29, [sp, #224]
	mrs	x2, sp_el0
	stp	x30, x2, [sp, #240]
	mrs	x2, elr_el\el
	mrs	x3, spsr_el\el
	stp	x2, x3, [sp, #256]
	mrs	x2, esr_el\el
	mrs	x3, far_el\el
	stp	x2, x3, [sp, #272]
	mov	x0, sp
	bl	exc_dispatch
	cbnz	w0, 1f
	restore	\el
	eret
1:	restore	\el
	msr	S3_0_C9_C10_0, x18	/* PMBLIMITR_EL1: profiling goes on with the ERET, no earlier */
	eret
	.endm

	vector_table 1
#if GUEST_EL >= 2
	vector_table 2
#endif
#if GUEST_EL >= 3
	vector_table 3
#endif
