/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The monitor's start at EL2, its vectors, the way into the guest and back, and both page tables:
 * an identity map of devices and RAM for itself, and stage 2 with nothing but the guest's memory.
 */
#include "monitor.h"

#define DEVICES		0x00000401	/* block, AF, attributes 0; PA 0 */
#define RAM		0x40000705	/* block, AF, inner shareable, attributes 1; PA 0x4000_0000 */
#define TABLE		3
#define STAGE2_BLOCK	0x7fd		/* AF, inner shareable, read and write, write-back */
#define TCR		0x80823519	/* 39 bits, 4 KiB, write-back, inner shareable, PS 40 bits */
#define VTCR		0x80023559	/* the same for stage 2, from level 1 */
#define SCTLR		0x30c51835	/* RES1, I, C, M; SA */

	.section .head, "ax"
	.globl	_start
_start:
	mrs	x0, CurrentEL
	cmp	x0, #2 << 2
	b.ne	.			/* nothing can be said here, nor done */
	ldr	x0, =stack_end
	mov	sp, x0
	ldr	x0, =__bss_start
	ldr	x1, =__bss_end
1:	cmp	x0, x1
	b.hs	2f
	str	xzr, [x0], #8
	b	1b
2:	ldr	x0, =vectors
	msr	vbar_el2, x0
	mov	x0, #0xff00		/* 0 device, 1 write-back */
	msr	mair_el2, x0
	ldr	x0, =TCR
	msr	tcr_el2, x0
	ldr	x0, =stage1_root
	msr	ttbr0_el2, x0
	ldr	x0, =VTCR
	msr	vtcr_el2, x0
	ldr	x0, =stage2_root
	msr	vttbr_el2, x0
	tlbi	alle2
	tlbi	alle1
	ic	iallu
	dsb	nsh
	isb
	ldr	x0, =SCTLR
	msr	sctlr_el2, x0
	isb
	bl	monitor_main
	b	.

	.text
	.macro	pairs op, base
	\op	x2, x3, [\base, #16]
	\op	x4, x5, [\base, #32]
	\op	x6, x7, [\base, #48]
	\op	x8, x9, [\base, #64]
	\op	x10, x11, [\base, #80]
	\op	x12, x13, [\base, #96]
	\op	x14, x15, [\base, #112]
	\op	x16, x17, [\base, #128]
	\op	x18, x19, [\base, #144]
	\op	x20, x21, [\base, #160]
	\op	x22, x23, [\base, #176]
	\op	x24, x25, [\base, #192]
	\op	x26, x27, [\base, #208]
	\op	x28, x29, [\base, #224]
	.endm

	.globl	guest_run
guest_run:
	sub	sp, sp, #256
	pairs	stp, sp
	str	x30, [sp, #240]
	msr	tpidr_el2, x0
	ldp	x1, x2, [x0, #GUEST_PC]
	msr	elr_el2, x1
	msr	spsr_el2, x2
	pairs	ldp, x0
	ldr	x30, [x0, #240]
	ldp	x0, x1, [x0]
	eret

/* An exception of the guest: guest_run() returns. */
guest_exit:
	stp	x0, x1, [sp, #-16]!
	mrs	x0, tpidr_el2
	pairs	stp, x0
	ldp	x2, x3, [sp], #16
	stp	x2, x3, [x0]
	str	x30, [x0, #240]
	mrs	x1, elr_el2
	mrs	x2, spsr_el2
	stp	x1, x2, [x0, #GUEST_PC]
	mrs	x1, esr_el2
	str	x1, [x0, #GUEST_ESR]
	pairs	ldp, sp
	ldr	x30, [sp, #240]
	add	sp, sp, #256
	ret

own_exception:
	mrs	x0, esr_el2
	mrs	x1, elr_el2
	mrs	x2, far_el2
	bl	monitor_panic
	b	.

	.balign	2048
vectors:
	.rept	8
	.balign	128
	b	own_exception
	.endr
	.rept	8
	.balign	128
	b	guest_exit
	.endr

	.section .rodata
	.globl	guest_image
	.globl	guest_image_end
guest_image:
	.incbin	"guest.bin"
guest_image_end:

	.data
	.balign	4096
stage1_root:
	.quad	DEVICES, RAM
	.skip	4096 - 16
	.globl	stage2_root
stage2_root:
	.quad	0, stage2_ram + TABLE
	.skip	4096 - 16
stage2_ram:
	.skip	(GUEST_BASE - 0x40000000) >> 21 << 3
	.quad	GUEST_BASE + STAGE2_BLOCK
	.balign	4096

	.section .stack, "aw", %nobits
	.balign	16
	.skip	16384
stack_end:
