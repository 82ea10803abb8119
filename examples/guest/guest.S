/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The guest of the examples: bare EL1 code, MMU off, no stack, that profiles itself with FEAT_SPE.
 *
 * It samples every 257th operation of a loop of known length into two pages, one after the other:
 * the buffer interrupt, which arrives as an IRQ, says that the first is full. At its end it calls
 * PSCI SYSTEM_OFF by HVC. Its hypervisor shows
 *	X4, X5	where its records begin and end
 *	X6	the version of SPE that it sees: ID_AA64DFR0_EL1.PMSVer
 *	X7	how many instructions were UNDEFINED: one, PMSDSFR_EL1, unless there is FEAT_SPE_FDS
 *	X8	how many interrupts it took: one
 */
#define PMSCR_EL1	S3_0_C9_C9_0
#define PMSICR_EL1	S3_0_C9_C9_2
#define PMSIRR_EL1	S3_0_C9_C9_3
#define PMSFCR_EL1	S3_0_C9_C9_4
#define PMBLIMITR_EL1	S3_0_C9_C10_0
#define PMBPTR_EL1	S3_0_C9_C10_1
#define PMBSR_EL1	S3_0_C9_C10_3
#define PMSDSFR_EL1	S3_0_C9_C10_4

#define LAPS		2000
#define PAGE		4096
#define PMSCR_ON	0x32		/* TS, PA, E1SPE */
#define SYSTEM_OFF	0x84000008

	.text
	.globl	_start
_start:
	adr	x0, vectors
	msr	vbar_el1, x0
	mov	x7, xzr
	mov	x8, xzr
	isb
	mrs	x6, id_aa64dfr0_el1
	ubfx	x6, x6, #32, #4
	mrs	x0, PMSDSFR_EL1
	adr	x4, buffer
	msr	PMBPTR_EL1, x4
	msr	PMBSR_EL1, xzr
	msr	PMSICR_EL1, xzr
	msr	PMSFCR_EL1, xzr
	mov	x0, #1 << 8		/* INTERVAL 1: 256, and the one at which it is zero */
	msr	PMSIRR_EL1, x0
	add	x5, x4, #PAGE		/* the end of the first page, and E */
	add	x0, x5, #1
	msr	PMBLIMITR_EL1, x0
	isb
	msr	daifclr, #2
	adr	x1, words
	mov	x2, #LAPS
	mov	x0, #PMSCR_ON
	msr	PMSCR_EL1, x0		/* what follows is counted */
	isb

	/* Nine operations a lap. */
	.globl	work
work:
	ldr	x9, [x1]
	add	x9, x9, #1
	str	x9, [x1, #8]
	eor	x10, x9, x2
	bl	leaf
	subs	x2, x2, #1
	b.ne	work

	msr	PMSCR_EL1, xzr
	isb
	hint	#17			/* PSB CSYNC */
	dsb	nsh
	mrs	x5, PMBPTR_EL1
	msr	PMBLIMITR_EL1, xzr
	ldr	w0, =SYSTEM_OFF
	hvc	#0
	b	.
	.size	work, . - work

	.globl	leaf
leaf:
	add	x10, x10, x9
	ret
	.size	leaf, . - leaf
	.ltorg

	/* Vectors of the current level with its own stack pointer; no others are used. */
	.balign	2048
vectors:
	.skip	0x200
	add	x7, x7, #1		/* an UNDEFINED instruction: pass over it */
	mrs	x0, elr_el1
	add	x0, x0, #4
	msr	elr_el1, x0
	eret
	.balign	128
	add	x8, x8, #1		/* the buffer interrupt: the next page */
	msr	PMBPTR_EL1, x5
	add	x5, x5, #PAGE
	add	x0, x5, #1
	msr	PMBLIMITR_EL1, x0
	msr	PMBSR_EL1, xzr		/* what follows is counted again: ERET */
	eret

	/* The data follow the code, in separate pages: one flat image has both. */
	.balign	PAGE
words:
	.quad	1, 0
	.balign	PAGE
buffer:
	.skip	2 * PAGE
