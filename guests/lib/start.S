/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Start of a guest, from its header (head.S) on: the Exception level that the guest is for (drop.S), the
 * stack, BSS and the MMU, then C.
 *
 * Up to the jump to where the image is linked everything is addressed relative to the PC, because the
 * machine chooses where in RAM the image lies.
 */
#include "layout.h"

	.text
	.globl	boot
boot:
	msr	daifset, #0xf
	mov	x20, x0			/* the device tree */
	cbnz	x20, 1f
	ldr	x20, =RAM_PA		/* started by no loader of kernels */
1:	bl	drop_level
	bl	clear_bss
	adrp	x1, boot_stacks
	add	x1, x1, :lo12:boot_stacks
	add	sp, x1, #STACK_SIZE
	adrp	x0, __image_start
	mov	x1, x20
	bl	early_map
	bl	mmu_on
	ldr	x1, =boot_stacks + STACK_SIZE
	mov	sp, x1
	ldr	x0, =secondary_start
	ldr	x1, =start_c
	mov	x30, xzr
	mov	x29, xzr
	br	x1

/* PSCI CPU_ON comes here, MMU off; x0 is the number of the CPU. */
	.globl	secondary_start
secondary_start:
	msr	daifset, #0xf
	mov	x20, x0
	bl	drop_level
	bl	mmu_on
	ldr	x1, =boot_stacks + STACK_SIZE
	mov	x2, #STACK_SIZE
	madd	x1, x20, x2, x1
	mov	sp, x1
	mov	x0, x20
	ldr	x1, =secondary_c
	mov	x30, xzr
	mov	x29, xzr
	br	x1

/* The loader need not have zeroed BSS. Caches are off, so no stale line may hide what is written. */
clear_bss:
	adrp	x0, __bss_start
	adrp	x1, __bss_end
	mrs	x3, ctr_el0
	ubfx	x3, x3, #16, #4
	mov	x2, #4
	lsl	x2, x2, x3
	mov	x4, x0
1:	dc	ivac, x4
	add	x4, x4, x2
	cmp	x4, x1
	b.lo	1b
	dsb	sy
1:	.irp	at, 0, 16, 32, 48, 64, 80, 96, 112
	stp	xzr, xzr, [x0, #\at]
	.endr
	add	x0, x0, #128		/* of whole pages */
	cmp	x0, x1
	b.lo	1b
	dsb	sy
	ret

/* The MMU of EL2 or EL3, with the identity map too, for mmu_on. */
	.macro	mmu_on_at el
	msr	mair_el\el, x0
	msr	tcr_el\el, x1
	msr	ttbr0_el\el, x2
	tlbi	alle\el
	ic	iallu
	dsb	nsh
	isb
	ldr	x0, =SCTLR_EL2_OFF | SCTLR_ON
	msr	sctlr_el\el, x0
	isb
	br	x5
	.endm

/* Once the image runs where it is linked: the identity map goes. */
	.macro	mmu_done_at el
	msr	ttbr0_el\el, x3
	isb
	tlbi	alle\el
	dsb	nsh
	isb
	ldr	x0, =vectors_el\el
	msr	vbar_el\el, x0
	msr	tpidr_el\el, xzr	/* no lower_run() */
	isb
	ret
	.endm

/* Turn the MMU on with the tables of early_map() and return where the image is linked. */
mmu_on:
	ldr	x0, =0x44ff00		/* MAIR: 0 device-nGnRnE, 1 write-back, 2 non-cacheable */
	adrp	x1, early_tcr
	ldr	x1, [x1, :lo12:early_tcr]
	adrp	x2, identity_root
	adrp	x3, user_root
	adrp	x4, __image_start
	ldr	x6, =KERNEL_VA
	sub	x6, x6, x4
	add	x30, x30, x6
	adr	x5, mmu_done
	add	x5, x5, x6
	mrs	x6, CurrentEL
#if GUEST_EL >= 2
	cmp	x6, #(2 << 2)
	b.eq	2f
#endif
#if GUEST_EL >= 3
	cmp	x6, #(3 << 2)
	b.eq	3f
#endif
	adrp	x4, kernel_root
	msr	mair_el1, x0
	msr	tcr_el1, x1
	msr	ttbr0_el1, x2
	msr	ttbr1_el1, x4
	tlbi	vmalle1
	ic	iallu
	dsb	nsh
	isb
	ldr	x0, =SCTLR_EL1_OFF | SCTLR_ON
	msr	sctlr_el1, x0
	isb
	br	x5
#if GUEST_EL >= 2
2:	mmu_on_at 2
#endif
#if GUEST_EL >= 3
3:	mmu_on_at 3
#endif

mmu_done:
#if GUEST_EL >= 2
	cmp	x6, #(2 << 2)
	b.eq	2f
#endif
#if GUEST_EL >= 3
	cmp	x6, #(3 << 2)
	b.eq	3f
#endif
	mov	x0, #(1 << 48)		/* ASID 1 */
	orr	x3, x3, x0
	msr	ttbr0_el1, x3
	isb
	tlbi	vmalle1
	dsb	nsh
	isb
	ldr	x0, =vectors_el1
	msr	vbar_el1, x0
	msr	cpacr_el1, xzr
	mov	x0, #0x3		/* CNTKCTL_EL1: EL0 may read the counters */
	msr	cntkctl_el1, x0
	isb
	ret
#if GUEST_EL >= 2
2:	mmu_done_at 2
#endif
#if GUEST_EL >= 3
3:	mmu_done_at 3
#endif
	.ltorg

	.bss
	.balign	PAGE_SIZE
boot_stacks:
	.space	STACK_SIZE * MAX_CPUS
