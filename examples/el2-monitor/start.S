/* SPDX-License-Identifier: BSD-2-Clause */
/* The monitor's start at EL2, its vectors, the way into the guest and back, and its page tables. */
#define GUEST	 0x41000000	/* monitor.c has it, too, and struct guest: X0 to X30, and from here on */
#define GUEST_PC 248		/* PC, PSTATE, ESR */

	.macro	set reg, value
	ldr	x0, =\value
	msr	\reg, x0
	.endm

	.macro	each op, base		/* X2 to X30 */
	.irp	n, 2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30
	\op	x\n, [\base, #8 * \n]
	.endr
	.endm

	.text
	.globl	_start
_start:
	mrs	x0, CurrentEL
	cmp	x0, #2 << 2
	b.ne	.			/* nothing can be said here, nor done */
	ldr	x0, =stack_end
	mov	sp, x0
	set	vbar_el2, vectors
	set	mair_el2, 0xff00	/* 0 device, 1 write-back */
	set	tcr_el2, 0x80823519	/* 39 bits, 4 KiB, write-back, inner shareable, 40 bits out */
	set	ttbr0_el2, stage1
	set	vtcr_el2, 0x80023559	/* the same, from level 1 */
	set	vttbr_el2, stage2
	tlbi	alle2
	tlbi	vmalls12e1
	ic	iallu
	dsb	nsh
	isb
	set	sctlr_el2, 0x30c51835	/* RES1, I, SA, C, M */
	isb
	bl	monitor_main

/* guest_run(guest): up to the next exception to EL2. */
	.globl	guest_run
guest_run:
	sub	sp, sp, #256
	each	str, sp
	msr	tpidr_el2, x0
	ldp	x1, x2, [x0, #GUEST_PC]
	msr	elr_el2, x1
	msr	spsr_el2, x2
	each	ldr, x0
	ldp	x0, x1, [x0]
	eret

guest_exit:
	stp	x0, x1, [sp, #-16]!
	mrs	x0, tpidr_el2
	each	str, x0
	ldp	x2, x3, [sp], #16
	stp	x2, x3, [x0]
	mrs	x1, elr_el2
	mrs	x2, spsr_el2
	stp	x1, x2, [x0, #GUEST_PC]
	mrs	x1, esr_el2
	str	x1, [x0, #GUEST_PC + 16]
	each	ldr, sp
	add	sp, sp, #256
	ret

own_exception:
	mrs	x0, esr_el2
	mrs	x1, elr_el2
	bl	monitor_panic

	.balign	2048
vectors:
	.irp	handler, own_exception, guest_exit
	.rept	8
	.balign	128
	b	\handler
	.endr
	.endr

	.data
	.balign	4096
stage1:	.quad	0x00000401		/* devices: block, AF, attributes 0 */
	.quad	0x40000705		/* RAM: block, AF, inner shareable, attributes 1 */
	.balign	4096
stage2:	.quad	0, stage2_ram + 3	/* a table, with nothing but the guest's 2 MiB in it: */
	.balign	4096
stage2_ram:
	.skip	(GUEST - 0x40000000) >> 21 << 3
	.quad	GUEST + 0x7fd		/* block, AF, inner shareable, read and write, write-back */
	.balign	4096
	.globl	guest_image, guest_image_end
guest_image:
	.incbin	"guest.bin"
guest_image_end:

	.bss
	.balign	16
	.skip	16384
stack_end:
