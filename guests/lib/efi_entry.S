/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where EFI firmware starts a guest: efi.h. It returns to firmware if efi.c says so, with the status.
 * If not, the copy of the image starts as by another loader: MMU and caches off, device tree in X0.
 */
#include "layout.h"

#define SCTLR_M_C_I 0x1005

	.macro	mmu_off_at el
	mrs	x2, sctlr_el\el
	mov	x3, #SCTLR_M_C_I
	bic	x2, x2, x3
	msr	sctlr_el\el, x2
	.endm

	.text
	.globl	efi_entry
efi_entry:
	stp	x29, x30, [sp, #-16]!
	mov	x29, sp
	bl	efi_main
	cbz	x0, 1f
	msr	daifset, #0xf
	mov	x20, x0
	mov	x0, x1
	mrs	x1, CurrentEL
	cmp	x1, #(2 << 2)
	b.eq	2f
	mmu_off_at 1
	b	3f
2:	mmu_off_at 2
3:	isb
	ic	iallu
	dsb	sy
	isb
	mov	x1, xzr			/* as booting.rst has them */
	mov	x2, xzr
	mov	x3, xzr
	br	x20
1:	mov	x0, x1
	ldp	x29, x30, [sp], #16
	ret
