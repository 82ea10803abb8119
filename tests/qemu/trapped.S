// SPDX-License-Identifier: BSD-2-Clause
/*
 * An arm64 Image: EL2 gives EL1 the profiling buffer, and traps its PMS* registers. EL1 is
 * profiled, and executes seven instructions 20,000 times, two of which are trapped. EL2 returns
 * after each, and turns the machine off in the end.
 */
#define PMSCR_EL1     S3_0_C9_C9_0
#define PMSICR_EL1    S3_0_C9_C9_2
#define PMSIRR_EL1    S3_0_C9_C9_3
#define PMSFCR_EL1    S3_0_C9_C9_4
#define PMSEVFR_EL1   S3_0_C9_C9_5
#define PMSIDR_EL1    S3_0_C9_C9_7
#define PMBLIMITR_EL1 S3_0_C9_C10_0
#define PMBPTR_EL1    S3_0_C9_C10_1
#define PMBSR_EL1     S3_0_C9_C10_3

	.globl _start
_start:
	b	start
	nop
	.quad	0x80000 // text_offset: QEMU has its own opinion of 0
	.quad	0x200000 // its size, with the buffer
	.quad	0xa
	.quad	0, 0, 0
	.ascii	"ARM\x64"
	.word	0
start:
	adr	x19, _start
	adr	x0, vectors
	msr	VBAR_EL2, x0
	mov	x0, #1 << 31	// HCR_EL2.RW
	msr	HCR_EL2, x0
	mov	x0, #7 << 12	// MDCR_EL2.TPMS, E2PB
	msr	MDCR_EL2, x0
	ldr	x0, =0x30d00800	// SCTLR_EL1: its RES1
	msr	SCTLR_EL1, x0
	add	x0, x19, #0x100000
	msr	PMBPTR_EL1, x0
	add	x0, x0, #0x80000
	orr	x0, x0, #1	// E
	msr	PMBLIMITR_EL1, x0
	msr	PMBSR_EL1, xzr
	mov	x0, #256
	msr	PMSIRR_EL1, x0
	msr	PMSICR_EL1, x0
	msr	PMSFCR_EL1, xzr
	mov	x0, #3		// E1SPE, E0SPE
	msr	PMSCR_EL1, x0
	isb
	adr	x0, profiled
	msr	ELR_EL2, x0
	mov	x0, #0x3c5	// EL1h
	msr	SPSR_EL2, x0
	eret

profiled:
	mov	x10, #20000
1:	add	x11, x11, #1
	mrs	x0, PMSIDR_EL1
	add	x12, x12, #1
	msr	PMSEVFR_EL1, x0
	ldr	x13, [x19]
	subs	x10, x10, #1
	b.ne	1b
	hvc	#0

	.balign	2048
vectors:
	.fill	0x400 / 4, 4, 0xd65f03c0
	mrs	x20, ESR_EL2
	lsr	x21, x20, #26
	cmp	x21, #0x18	// MSR, MRS
	b.ne	off
	mrs	x20, ELR_EL2
	add	x20, x20, #4
	msr	ELR_EL2, x20
	eret
off:
	hint	#17		// PSB CSYNC
	movz	x0, #0x8400, lsl #16
	movk	x0, #8		// SYSTEM_OFF
	smc	#0
	b	.
	.ltorg
	.balign	128
	.fill	0x380 / 4, 4, 0xd65f03c0
