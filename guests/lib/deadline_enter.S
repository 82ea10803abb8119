/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A call that another place can end: see deadline_run.c.
 */
#include "callee.inc"
#include "layout.h"

	.text
/* enum deadline_end deadline_enter(void (*test)(void)) */
	.globl	deadline_enter
deadline_enter:
	callee_push
	mrs	x1, daif
	str	x1, [sp, #CALLEE_MORE]
	adrp	x1, entered_sp
	mov	x2, sp
	str	x2, [x1, :lo12:entered_sp]
	blr	x0
	mov	w0, #0 /* DEADLINE_RETURNED */
	b	1f

/* deadline_leave(how): have deadline_enter() return that, whatever has the stack by now. */
	.globl	deadline_leave
deadline_leave:
	msr	daifset, #0xf
	msr	spsel, #1
	adrp	x1, entered_sp
	ldr	x2, [x1, :lo12:entered_sp]
	mov	sp, x2
1:	ldr	x1, [sp, #CALLEE_MORE]
	callee_pop
	msr	daif, x1
	ret

	.bss
	.balign	8
entered_sp:
	.skip	8
