/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Into a lower Exception level and back: see lower.h. TPIDR_EL2 or TPIDR_EL3 is the context that runs
 * below on this CPU, 0 if there is none: so the vectors know what an exception from below is.
 */
#include "callee.inc"
#include "layout.h"

	.text
	.macro	lower_switch el
/* unsigned int lower_enter_elN(struct lower_context *): the number of the vector. */
	.globl	lower_enter_el\el
lower_enter_el\el:
	callee_push
	mrs	x1, daif
	mrs	x2, sp_el0
	stp	x1, x2, [sp, #CALLEE_MORE]
	msr	daifset, #0xf
	ldr	x1, [x0, #LOWER_SP_EL0]
	msr	sp_el0, x1
	msr	tpidr_el\el, x0
	ldp	x1, x2, [x0, #LOWER_PC]
	msr	elr_el\el, x1
	msr	spsr_el\el, x2
	ldr	x30, [x0, #240]
	ldp	x28, x29, [x0, #224]
	ldp	x26, x27, [x0, #208]
	ldp	x24, x25, [x0, #192]
	ldp	x22, x23, [x0, #176]
	ldp	x20, x21, [x0, #160]
	ldp	x18, x19, [x0, #144]
	ldp	x16, x17, [x0, #128]
	ldp	x14, x15, [x0, #112]
	ldp	x12, x13, [x0, #96]
	ldp	x10, x11, [x0, #80]
	ldp	x8, x9, [x0, #64]
	ldp	x6, x7, [x0, #48]
	ldp	x4, x5, [x0, #32]
	ldp	x2, x3, [x0, #16]
	ldp	x0, x1, [x0]
	eret

/* From a vector: x0 is the context, x1 the number, the frame has their values below. */
	.globl	lower_exit_el\el
lower_exit_el\el:
	stp	x2, x3, [x0, #16]
	ldp	x2, x3, [sp], #FRAME_SIZE
	stp	x2, x3, [x0]
	stp	x4, x5, [x0, #32]
	stp	x6, x7, [x0, #48]
	stp	x8, x9, [x0, #64]
	stp	x10, x11, [x0, #80]
	stp	x12, x13, [x0, #96]
	stp	x14, x15, [x0, #112]
	stp	x16, x17, [x0, #128]
	stp	x18, x19, [x0, #144]
	stp	x20, x21, [x0, #160]
	stp	x22, x23, [x0, #176]
	stp	x24, x25, [x0, #192]
	stp	x26, x27, [x0, #208]
	stp	x28, x29, [x0, #224]
	str	x30, [x0, #240]
	mrs	x2, elr_el\el
	mrs	x3, spsr_el\el
	stp	x2, x3, [x0, #LOWER_PC]
	mrs	x2, esr_el\el
	mrs	x3, far_el\el
	stp	x2, x3, [x0, #LOWER_EXIT]
	mrs	x2, sp_el0
	str	x2, [x0, #LOWER_SP_EL0]
	msr	tpidr_el\el, xzr
	mov	x0, x1
	ldp	x1, x2, [sp, #CALLEE_MORE]
	msr	sp_el0, x2
	callee_pop
	msr	daif, x1
	ret
	.endm

	lower_switch 2
#if GUEST_EL >= 3
	lower_switch 3
#endif

/*
 * Vectors of a level below: each tells main its number, with all registers as they were. The first are
 * for EL1 under a main at EL2, the others for EL1 and EL2 under one at EL3.
 */
	.macro	reflect call, base
	.balign	2048
	.irp	number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	.balign	128
	\call	#(\base + \number)
	eret
	.endr
	.balign	128
	.endm

	.globl	lower_vectors_hvc
	.globl	lower_vectors_el1_smc
	.globl	lower_vectors_el2_smc
	.balign	2048
lower_vectors_hvc:
	reflect	hvc, LOWER_VECTOR_EL1
lower_vectors_el1_smc:
	reflect	smc, LOWER_VECTOR_EL1
lower_vectors_el2_smc:
	reflect	smc, LOWER_VECTOR_EL2

/* Where a function of lower_call() returns to. */
	.globl	lower_return_hvc
	.globl	lower_return_smc
lower_return_hvc:
	hvc	#LOWER_RETURN
lower_return_smc:
	smc	#LOWER_RETURN
