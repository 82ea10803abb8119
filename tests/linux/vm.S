/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the virtual machine of init.c executes, at EL1 with the MMU off, from VM_RAM on. It reports
 * what it sees by stores to VM_REPORT + 8 * enum report, where there is no memory, and powers off.
 */
#include "vm.h"

#define ICC_PMR_EL1	S3_0_C4_C6_0
#define ICC_IAR1_EL1	S3_0_C12_C12_0
#define ICC_EOIR1_EL1	S3_0_C12_C12_1
#define ICC_IGRPEN1_EL1 S3_0_C12_C12_7
#define ICC_SGI1R_EL1	S3_0_C12_C11_5

#define GICR_SGI   0x10000
#define TIMER_PPI  27
#define SGI	   5
#define TIMER_WAIT 0x10000
#define PSCI_SYSTEM_OFF 0x84000008

	.macro report what, register
	str	\register, [x28, #8 * \what]
	.endm

	.section .rodata
	.balign	4096
	.globl	vm_image, vm_image_end
vm_image:
	ldr	x28, =VM_REPORT
	mrs	x0, CurrentEL
	report	REPORT_EL, x0
	mrs	x0, midr_el1
	report	REPORT_MIDR, x0
	mrs	x0, cntvct_el0
	report	REPORT_COUNT, x0
	adr	x0, vectors
	msr	vbar_el1, x0
	isb

	/* All private interrupts of Group 1; those two on. */
	ldr	x0, =VM_GICD
	mov	w1, #2
	str	w1, [x0]
	ldr	x0, =VM_GICR
	str	wzr, [x0, #0x14]
	add	x0, x0, #GICR_SGI
	mov	w1, #-1
	str	w1, [x0, #0x80]
	ldr	w1, =(1 << TIMER_PPI | 1 << SGI)
	str	w1, [x0, #0x100]
	mov	x0, #0xff
	msr	ICC_PMR_EL1, x0
	mov	x0, #1
	msr	ICC_IGRPEN1_EL1, x0
	isb
	msr	daifclr, #2

	mov	x20, xzr
	mrs	x0, cntvct_el0
	mov	x1, #TIMER_WAIT
	add	x0, x0, x1
	msr	cntv_cval_el0, x0
	mov	x0, #1
	msr	cntv_ctl_el0, x0
	isb
1:	wfi
	cbz	x20, 1b
	report	REPORT_TIMER, x20

	mov	x20, xzr
	ldr	x0, =(SGI << 24 | 1)
	msr	ICC_SGI1R_EL1, x0
	isb
1:	cbz	x20, 1b
	report	REPORT_SGI, x20

	ldr	x0, =PSCI_SYSTEM_OFF
	hvc	#0
	b	.

	/* The INTID to x20; the timer is silenced. */
	.balign	0x800
vectors:
	.skip	0x280
	mrs	x20, ICC_IAR1_EL1
	msr	cntv_ctl_el0, xzr
	isb
	msr	ICC_EOIR1_EL1, x20
	eret
	.balign	0x80
	.ltorg
	.balign	4096
vm_image_end:
