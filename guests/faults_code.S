/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The accesses of the guest faults, in the order of its table: 8 bytes each, the instruction, which has its
 * address in X1 and transfers X5 and X6, and a return. Main calls them at its own level and copies them
 * for the levels below.
 */
	.arch armv8.1-a

	.macro	access words:vararg
	\words
	ret
	.endm

	.text
	.balign	8
	.globl	faults_code
faults_code:
	access	ldr	x5, [x1]
	access	str	x5, [x1]
	access	ldp	x5, x6, [x1]
	access	stp	x5, x6, [x1]
	access	ldtr	x5, [x1]
	access	sttr	x5, [x1]
	access	ldar	x5, [x1]
	access	stlr	x5, [x1]
	access	ldxr	x5, [x1]
	access	stxr	w7, x5, [x1]
	access	ldadd	x5, x6, [x1]
	access	dc	zva, x1

/* uint64_t faults_call(uintptr_t code, uint64_t x1): what is in X7 then, the status of a store-exclusive. */
	.globl	faults_call
faults_call:
	stp	x29, x30, [sp, #-16]!
	mov	x5, #0
	mov	x6, #0
	mov	x7, #0
	blr	x0
	mov	x0, x7
	ldp	x29, x30, [sp], #16
	ret
