/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * EL0 entry and return.
 */
#include "layout.h"

	.text
/*
 * uint64_t user_call(entry, a0, a1, a2): run a function of EL0 with interrupts unmasked. It returns to
 * user_exit, whose SVC ends up in user_return with the caller's stack as it is here. From EL2 with
 * HCR_EL2.{E2H,TGE} {1,1} too: the names of EL1's registers mean EL2's there.
 */
	.globl	user_call
user_call:
	mrs	x9, daif
	stp	x29, x30, [sp, #-112]!
	stp	x19, x20, [sp, #16]
	stp	x21, x22, [sp, #32]
	stp	x23, x24, [sp, #48]
	stp	x25, x26, [sp, #64]
	stp	x27, x28, [sp, #80]
	str	x9, [sp, #96]
	msr	elr_el1, x0
	msr	spsr_el1, xzr
	ldr	x9, =USER_STACK_VA
	msr	sp_el0, x9
	ldr	x30, =user_exit
	mov	x0, x1
	mov	x1, x2
	mov	x2, x3
	eret

	.globl	user_return
user_return:
	ldr	x9, [sp, #96]
	ldp	x19, x20, [sp, #16]
	ldp	x21, x22, [sp, #32]
	ldp	x23, x24, [sp, #48]
	ldp	x25, x26, [sp, #64]
	ldp	x27, x28, [sp, #80]
	ldp	x29, x30, [sp], #112
	msr	daif, x9
	ret
	.ltorg

	.section .user.text, "ax"
	.globl	user_exit
user_exit:
	svc	#0
