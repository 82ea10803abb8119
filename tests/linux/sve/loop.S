/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sve_loop(from, to, offsets, count): a loop of instructions that are executed once each, with
 * predicates that are known: P0 is whole, P1 has elements 1 and 2 of 32 bits, P2 is empty. sve.py
 * knows what a sample of each shows by the name of its label, which begins with op_.
 */
	.arch	armv8.2-a+sve

.macro	op name, instruction:vararg
op_\name:
	\instruction
.endm

	.text
	.globl	sve_loop
	.type	sve_loop, %function
sve_loop:
	ptrue	p0.b
	ptrue	p1.s, vl3
	ptrue	p2.s, vl1
	bic	p1.b, p0/z, p1.b, p2.b
	pfalse	p2.b
	setffr
	ld1w	z1.s, p0/z, [x2]
	fdup	z4.s, #1.0
	mov	z2.d, z1.d
	mov	z3.d, z4.d
	mov	z5.d, z1.d
	mov	z6.d, z4.d
	mov	x4, xzr
1:
op add,			add	z2.s, z2.s, z1.s
op fadd,		fadd	z3.s, z3.s, z4.s
op add_whole,		add	z5.s, p0/m, z5.s, z1.s
op add_partial,		add	z5.s, p1/m, z5.s, z1.s
op fmla_whole,		fmla	z6.s, p0/m, z4.s, z4.s
op fmla_empty,		fmla	z6.s, p2/m, z4.s, z4.s
op load_whole,		ld1w	z7.s, p0/z, [x0, x4, lsl #2]
op load_partial,	ld1w	z16.s, p1/z, [x0, x4, lsl #2]
op load_empty,		ld1w	z17.s, p2/z, [x0, x4, lsl #2]
op first_whole,		ldff1w	z18.s, p0/z, [x0, x4, lsl #2]
op fill,		ldr	z19, [x0]
op spill,		str	z19, [x1]
op store_whole,		st1w	z7.s, p0, [x1, x4, lsl #2]
op store_partial,	st1w	z7.s, p1, [x1, x4, lsl #2]
op store_empty,		st1w	z7.s, p2, [x1, x4, lsl #2]
op gather_whole,	ld1w	z20.s, p0/z, [x0, z1.s, uxtw #2]
op gather_partial,	ld1w	z21.s, p1/z, [x0, z1.s, uxtw #2]
op gather_empty,	ld1w	z22.s, p2/z, [x0, z1.s, uxtw #2]
op scatter_whole,	st1w	z7.s, p0, [x1, z1.s, uxtw #2]
op scatter_partial,	st1w	z7.s, p1, [x1, z1.s, uxtw #2]
op while,		whilelo	p3.s, xzr, x4
op simd,		fadd	v23.4s, v23.4s, v24.4s
op scalar,		ldr	w5, [x0]
op next,		add	x4, x4, #64
op around,		and	x4, x4, #1023
op count,		subs	x3, x3, #1
op back,		b.ne	1b
	ret

	.section .note.GNU-stack, "", %progbits
