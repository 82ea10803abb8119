/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * EL0 entry and return.
 */
#include "callee.inc"
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
	callee_push
	str	x9, [sp, #CALLEE_MORE]
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
	ldr	x9, [sp, #CALLEE_MORE]
	callee_pop
	msr	daif, x9
	ret
	.ltorg

	.section .user.text, "ax"
	.globl	user_exit
user_exit:
	svc	#0
