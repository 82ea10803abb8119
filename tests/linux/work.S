// SPDX-License-Identifier: BSD-2-Clause
/*
 * A program of Linux with a known number of operations: 1,000,000 times a load, a store, a branch and two others, and seven
 * more around them.
 */
	.globl _start
_start:
	mov	x1, #0x4240
	movk	x1, #0xf, lsl #16	// 1,000,000
	adr	x2, cell
work_loop:
	ldr	x3, [x2]
	add	x3, x3, #1
	str	x3, [x2]
	subs	x1, x1, #1
	b.ne	work_loop
	mov	x0, #0
	mov	x8, #93
	svc	#0
	.data
	.balign 64
cell:	.quad 0
