/* SPDX-License-Identifier: BSD-2-Clause */
/* All registers of SVE at once: struct state in state.h. Each function keeps D8 to D15, which are its caller's. */
	.arch	armv8.2-a+sve

#define EACH_Z 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
#define EACH_P 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15

/* Of the state at X9, over X10. */
.macro	fill
	.irp	n, EACH_Z
	ldr	z\n, [x9, #\n, mul vl]
	.endr
	addvl	x10, x9, #31
	addvl	x10, x10, #1
	ldr	p0, [x10, #16, mul vl]
	wrffr	p0.b
	.irp	n, EACH_P
	ldr	p\n, [x10, #\n, mul vl]
	.endr
.endm

/* To the state at X11, over X10 and P0. */
.macro	keep
	.irp	n, EACH_Z
	str	z\n, [x11, #\n, mul vl]
	.endr
	addvl	x10, x11, #31
	addvl	x10, x10, #1
	.irp	n, EACH_P
	str	p\n, [x10, #\n, mul vl]
	.endr
	rdffr	p0.b
	str	p0, [x10, #16, mul vl]
.endm

.macro	function name
	.globl	\name
	.type	\name, %function
\name:	stp	d8, d9, [sp, #-64]!
	stp	d10, d11, [sp, #16]
	stp	d12, d13, [sp, #32]
	stp	d14, d15, [sp, #48]
.endm

.macro	end
	ldp	d10, d11, [sp, #16]
	ldp	d12, d13, [sp, #32]
	ldp	d14, d15, [sp, #48]
	ldp	d8, d9, [sp], #64
	ret
.endm

	.text
/* (to) */
function sve_read
	mov	x11, x0
	keep
	end

/* (from) */
function sve_write
	mov	x9, x0
	fill
	end

/* (from, to): with a breakpoint in between. */
function sve_break
	mov	x9, x0
	mov	x11, x1
	fill
	brk	#1
	keep
	end

/* (from, to, count): with a loop in between. */
function sve_spin
	mov	x9, x0
	mov	x11, x1
	fill
1:	subs	x2, x2, #1
	b.ne	1b
	keep
	end

/* (from, to, number, argument, argument): with a system call in between. */
function sve_call
	mov	x9, x0
	mov	x11, x1
	mov	x8, x2
	mov	x0, x3
	mov	x1, x4
	mov	x2, xzr
	mov	x3, xzr
	mov	x4, xzr
	fill
	svc	#0
	keep
	end

	.section .note.GNU-stack, "", %progbits
