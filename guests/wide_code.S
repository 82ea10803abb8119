/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From one translation regime to another and back: see wide_tables.h. Between the two the MMU is off,
 * in code that both map flat, since TCR_EL1 is for both halves and descriptors change their form.
 */
#include "wide_tables.h"

	.text
/*
 * To x10 in TTBR0_EL1, x11 in TTBR1_EL1 and x12 in TCR_EL1. The tables of x10, and those of x13 for TTBR0_EL1 as
 * TCR_EL1 is now, map this flat. x14: the image's PA less its VA. x9: bits of SCTLR_EL1 to change. Changes x15 to x17.
 * No memory is touched with the MMU off.
 */
switch_regime:
	msr	ttbr0_el1, x13
	isb
	tlbi	vmalle1
	dsb	nsh
	isb
	adr	x15, 1f
	add	x15, x15, x14
	br	x15
1:	mrs	x16, sctlr_el1
	bic	x17, x16, #1
	msr	sctlr_el1, x17
	isb
	msr	tcr_el1, x12
	msr	ttbr0_el1, x10
	msr	ttbr1_el1, x11
	isb
	tlbi	vmalle1
	dsb	nsh
	isb
	eor	x16, x16, x9
	msr	sctlr_el1, x16
	isb
	adr	x15, 2f
	sub	x15, x15, x14
	br	x15
2:	ret

	.globl	wide_call
wide_call:
	stp	x29, x30, [sp, #-80]!
	stp	x19, x20, [sp, #16]
	stp	x21, x22, [sp, #32]
	stp	x23, x24, [sp, #48]
	stp	x25, x26, [sp, #64]
	adrp	x9, wide_regs
	add	x9, x9, :lo12:wide_regs
	ldp	x10, x11, [x9, #REGS_TTBR0]
	ldp	x12, x13, [x9, #REGS_TCR]
	ldp	x14, x9, [x9, #REGS_TO_PA]
	mov	x19, x10
	mov	x24, x14
	mov	x25, x13
	mov	x26, x9
	mrs	x20, ttbr0_el1
	mrs	x21, ttbr1_el1
	mrs	x22, tcr_el1
	mov	x23, x0
	mov	x0, x1
	mov	x1, x2
	mov	x2, x3
	mov	x3, x4
	dsb	ish			/* the tables are written */
	bl	switch_regime
	blr	x23
	mov	x10, x25
	mov	x11, x21
	mov	x12, x22
	mov	x13, x19
	mov	x14, x24
	mov	x9, x26
	dsb	ish
	bl	switch_regime
	msr	ttbr0_el1, x20
	isb
	tlbi	vmalle1
	dsb	nsh
	isb
	ldp	x25, x26, [sp, #64]
	ldp	x23, x24, [sp, #48]
	ldp	x21, x22, [sp, #32]
	ldp	x19, x20, [sp, #16]
	ldp	x29, x30, [sp], #80
	ret

	.globl	wide_at_read
wide_at_read:
	at	s1e1r, x0
	isb
	mrs	x0, par_el1
	ret

	.globl	wide_at_write
wide_at_write:
	at	s1e1w, x0
	isb
	mrs	x0, par_el1
	ret

	.globl	wide_where
wide_where:
	adr	x0, wide_where
	ret

	.globl	wide_swap
wide_swap:
	ldr	x2, [x0]
	str	x1, [x0]
	mov	x0, x2
	ret

	.globl	wide_loop
wide_loop:
	ldr	x3, [x1]
	str	x3, [x1, #8]
	add	x3, x3, #1
	str	x0, [x1, #-8]
	ldr	x4, [x1, #-16]
	subs	x0, x0, #1
	b.ne	wide_loop
	ret
