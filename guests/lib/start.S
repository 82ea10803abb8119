/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Start of a guest: the arm64 Image header (Linux Documentation/arch/arm64/booting.rst), from EL2 down
 * to EL1 where a machine starts us there, the stack, BSS and the MMU, then C.
 *
 * Up to the jump to the upper half everything is addressed relative to the PC, because the machine
 * chooses where in RAM the image lies.
 */
#include "layout.h"

#define SCTLR_EL1_OFF 0x30d00800 /* what is RES1 in Armv8.0; everything else off */
#define SCTLR_EL1_ON  0x30d01805 /* with I, C and M */
#define SPSR_EL1H     0x3c5	 /* D, A, I and F masked */

	.section .head, "ax"
	.globl	_start
_start:
	b	boot
	.long	0
	.quad	0			/* text_offset: any 2 MiB boundary */
	.quad	__image_size
	.quad	0xa			/* little-endian, 4 KiB pages, anywhere in RAM */
	.quad	0, 0, 0
	.ascii	"ARM\x64"
	.long	0

	.text
boot:
	msr	daifset, #0xf
	mov	x20, x0			/* the device tree */
	bl	to_el1
	bl	clear_bss
	adrp	x1, boot_stacks
	add	x1, x1, :lo12:boot_stacks
	add	sp, x1, #STACK_SIZE
	adrp	x0, _start
	mov	x1, x20
	bl	early_map
	bl	mmu_on
	ldr	x1, =boot_stacks + STACK_SIZE
	mov	sp, x1
	ldr	x1, =start_c
	mov	x30, xzr
	mov	x29, xzr
	br	x1

/* PSCI CPU_ON comes here, MMU off; x0 is the number of the CPU. */
	.globl	secondary_start
secondary_start:
	msr	daifset, #0xf
	mov	x20, x0
	bl	to_el1
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

/*
 * Leave with the MMU off at EL1. From EL2, give EL1 all that EL2 could hold back: timers, the GIC's
 * system registers, FP, and the profiling buffer.
 */
to_el1:
	mrs	x0, CurrentEL
	cmp	x0, #(2 << 2)
	b.ne	3f
	mov	x0, #(1 << 31)		/* HCR_EL2.RW alone */
	msr	hcr_el2, x0
	isb
	mov	x0, #3			/* CNTHCTL_EL2: EL1PCTEN, EL1PCEN */
	msr	cnthctl_el2, x0
	msr	cntvoff_el2, xzr
	mov	x0, #0x33ff		/* CPTR_EL2: RES1, no traps */
	msr	cptr_el2, x0
	msr	hstr_el2, xzr
	msr	vttbr_el2, xzr
	mrs	x0, midr_el1
	msr	vpidr_el2, x0
	mrs	x0, mpidr_el1
	msr	vmpidr_el2, x0
	mrs	x0, id_aa64pfr0_el1
	ubfx	x0, x0, #24, #4		/* GIC system registers */
	cbz	x0, 1f
	mov	x0, #0xf		/* ICC_SRE_EL2: SRE, DFB, DIB, Enable */
	msr	S3_4_C12_C9_5, x0
	isb
	msr	S3_4_C12_C11_0, xzr	/* ICH_HCR_EL2 */
1:	mrs	x1, id_aa64dfr0_el1
	mov	x0, xzr
	ubfx	x2, x1, #8, #4		/* PMUVer */
	sub	x3, x2, #1
	cmp	x3, #0xe
	b.hs	1f
	mrs	x3, pmcr_el0
	ubfx	x0, x3, #11, #5		/* MDCR_EL2.HPMN: all counters are EL1's */
1:	ubfx	x2, x1, #32, #4		/* PMSVer */
	cbz	x2, 2f
	orr	x0, x0, #(3 << 12)	/* MDCR_EL2.E2PB: the buffer is EL1's, no traps */
	msr	mdcr_el2, x0
	isb
	mrs	x3, S3_0_C9_C10_7	/* PMBIDR_EL1 */
	tbnz	x3, #4, 2f		/* P: EL3 keeps the unit */
	mov	x3, #0x50		/* PMSCR_EL2: PCT physical and PA, both up to EL1 */
	msr	S3_4_C9_C9_0, x3
2:	msr	mdcr_el2, x0
	mrs	x3, id_aa64mmfr0_el1
	lsr	x3, x3, #56		/* FGT */
	cbz	x3, 1f
	cmp	x2, #3			/* from v1p2 on: nPMSNEVFR_EL1 */
	cset	x4, hs
	lsl	x4, x4, #62
	msr	S3_4_C3_C1_4, x4	/* HDFGRTR_EL2 */
	msr	S3_4_C3_C1_5, x4	/* HDFGWTR_EL2 */
	cmp	x3, #2			/* FEAT_FGT2: nPMBMAR_EL1, nPMSDSFR_EL1 */
	b.lo	1f
	mov	x4, #((1 << 24) | (1 << 19))
	msr	S3_4_C3_C1_0, x4	/* HDFGRTR2_EL2 */
	msr	S3_4_C3_C1_1, x4	/* HDFGWTR2_EL2 */
1:	ldr	x0, =SCTLR_EL1_OFF
	msr	sctlr_el1, x0
	mov	x0, #SPSR_EL1H
	msr	spsr_el2, x0
	msr	elr_el2, x30
	eret
3:	ldr	x0, =SCTLR_EL1_OFF
	msr	sctlr_el1, x0
	isb
	ret

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
1:	stp	xzr, xzr, [x0], #16
	cmp	x0, x1
	b.lo	1b
	dsb	sy
	ret

/* Turn the MMU on with the tables of early_map() and return in the upper half. */
mmu_on:
	ldr	x0, =0x44ff00		/* MAIR: 0 device-nGnRnE, 1 write-back, 2 non-cacheable */
	msr	mair_el1, x0
	adrp	x0, early_tcr
	ldr	x0, [x0, :lo12:early_tcr]
	msr	tcr_el1, x0
	adrp	x0, identity_root
	msr	ttbr0_el1, x0
	adrp	x0, kernel_root
	msr	ttbr1_el1, x0
	tlbi	vmalle1
	ic	iallu
	dsb	nsh
	isb
	ldr	x0, =SCTLR_EL1_ON
	msr	sctlr_el1, x0
	isb
	/* From here on in the upper half; the identity map goes. */
	adrp	x1, _start
	ldr	x2, =KERNEL_VA
	sub	x2, x2, x1
	add	x30, x30, x2
	adr	x3, 1f
	add	x3, x3, x2
	adrp	x0, user_root
	br	x3
1:	mov	x3, #(1 << 48)		/* ASID 1 */
	orr	x0, x0, x3
	msr	ttbr0_el1, x0
	isb
	tlbi	vmalle1
	dsb	nsh
	isb
	ldr	x0, =vectors
	msr	vbar_el1, x0
	msr	cpacr_el1, xzr
	mov	x0, #0x3		/* CNTKCTL_EL1: EL0 may read the counters */
	msr	cntkctl_el1, x0
	isb
	ret
	.ltorg

	.bss
	.balign	PAGE_SIZE
boot_stacks:
	.space	STACK_SIZE * MAX_CPUS
