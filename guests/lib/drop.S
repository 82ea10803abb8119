/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From the Exception level where the machine starts us to the guest's level, or stay there if they
 * are the same. A level above the guest's gives those below all that it could hold back (timers,
 * the GIC's system registers, FP, the profiling buffer); it does so even if the guest stays at that
 * level. A reset leaves most registers UNKNOWN, so each level turns off what has an effect that a
 * guest has not requested.
 */
#include "layout.h"

#define SPSR_EL1H 0x3c5 /* D, A, I and F masked */
#define SPSR_EL2H 0x3c9

/*
 * Leave for EL GUEST_EL with the MMU off, or for the level where the machine starts us, if that is
 * lower. Uses x0 to x9.
 */
	.text
	.globl	drop_level
drop_level:
	mov	x9, x30
	mrs	x0, CurrentEL
	cmp	x0, #(2 << 2)
	b.lo	1f
	b.eq	2f
	bl	open_el3
	ldr	x0, =SCTLR_EL2_OFF
	msr	sctlr_el3, x0
	isb
	mrs	x0, id_aa64pfr0_el1
	ubfx	x0, x0, #8, #4		/* EL2 */
#if GUEST_EL >= 3
	cbz	x0, 3f
	bl	open_el2
3:	bl	quiet_el1
	ret	x9
#else
	mov	x1, #SPSR_EL1H
	adr	x2, 1f
	ldr	x3, =SCTLR_EL1_OFF	/* the MMU of where it goes, whose M is UNKNOWN */
	msr	sctlr_el1, x3
	cbz	x0, 3f
	ldr	x3, =SCTLR_EL2_OFF
	msr	sctlr_el2, x3
	mov	x1, #SPSR_EL2H
	adr	x2, 2f
3:	msr	spsr_el3, x1
	msr	elr_el3, x2
	eret
#endif
2:	bl	open_el2
	bl	quiet_el1
#if GUEST_EL >= 2
	ldr	x0, =SCTLR_EL2_OFF
	msr	sctlr_el2, x0
	isb
	ret	x9
#else
	mov	x0, #SPSR_EL1H
	msr	spsr_el2, x0
	msr	elr_el2, x9
	eret
#endif
/* A hypervisor may catch accesses at the vectors, which have to be memory before the first access. */
1:	adrp	x0, vectors_el1
	add	x0, x0, :lo12:vectors_el1
	msr	vbar_el1, x0
	isb
	bl	quiet_el1
	isb
	ret	x9

/* For all of them: a field of ID_AA64DFR0_EL1, X1, has their number less one. Uses x2 and x3. */
	.macro	quiet name, shift
	ubfx	x2, x1, #\shift, #4
	adr	x3, .Lfirst_\name
	sub	x3, x3, x2, lsl #2
	br	x3
	.irp	n, 15_el1, 14_el1, 13_el1, 12_el1, 11_el1, 10_el1, 9_el1, 8_el1, 7_el1, 6_el1, 5_el1, 4_el1, 3_el1, 2_el1, 1_el1
	msr	\name\n, xzr
	.endr
.Lfirst_\name:
	msr	\name\()0_el1, xzr
	.endm

/*
 * EL1's registers, from there or above: nothing is on, nothing traps EL0 but what the guest traps.
 * Uses x0 to x3.
 */
quiet_el1:
	ldr	x0, =SCTLR_EL1_OFF
	msr	sctlr_el1, x0
	msr	cpacr_el1, xzr
	msr	cntkctl_el1, xzr
	msr	cntv_ctl_el0, xzr
	msr	cntp_ctl_el0, xzr
	msr	mdscr_el1, xzr
	msr	contextidr_el1, xzr
	mrs	x1, id_aa64dfr0_el1
	quiet	dbgbcr, 12		/* BRPs */
	quiet	dbgwcr, 20		/* WRPs */
	ubfx	x2, x1, #8, #4		/* PMUVer */
	sub	x3, x2, #1
	cmp	x3, #0xe
	b.hs	1f
	mov	x3, #-1
	msr	pmcr_el0, xzr
	msr	pmcntenclr_el0, x3
	msr	pmintenclr_el1, x3
	msr	pmovsclr_el0, x3
	msr	pmuserenr_el0, xzr
	msr	pmselr_el0, xzr
1:	ubfx	x2, x1, #32, #4		/* PMSVer */
	cbz	x2, 1f
	mrs	x3, S3_0_C9_C10_7	/* PMBIDR_EL1.P: a level above keeps the unit */
	tbnz	x3, #4, 1f
	msr	S3_0_C9_C9_0, xzr	/* PMSCR_EL1 */
	msr	S3_0_C9_C10_3, xzr	/* PMBSR_EL1, whose S may be 1 */
1:	isb
	ret

/*
 * HCR_EL2 for a guest at EL1: RW, and no traps of pointer authentication (API, APK; RES0 without
 * it). If the guest stays here, interrupts and SErrors go to EL2, too.
 */
#if GUEST_EL >= 2
#define HCR_OPEN ((1 << 31) | (7 << 3))
#else
#define HCR_OPEN ((1 << 31) | (3 << 40))
#endif

open_el2:
	ldr	x0, =HCR_OPEN
	msr	hcr_el2, x0
	isb
	mov	x0, #3			/* CNTHCTL_EL2: EL1PCTEN, EL1PCEN */
	msr	cnthctl_el2, x0
	msr	cntvoff_el2, xzr
	mov	x0, #0x33ff		/* CPTR_EL2: RES1, no traps */
	mrs	x1, id_aa64pfr0_el1
	ubfx	x1, x1, #32, #4		/* SVE */
	cbz	x1, 1f
	mov	x0, #0x32ff		/* not TZ, which is RES1 without SVE */
	msr	cptr_el2, x0
	isb
	mov	x1, #0xf
	msr	S3_4_C1_C2_0, x1	/* ZCR_EL2: vectors as long as they can be */
1:	msr	cptr_el2, x0
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
	msr	S3_4_C12_C11_7, xzr	/* ICH_VMCR_EL2 */
	mrs	x0, S3_4_C12_C11_1	/* ICH_VTR_EL2.ListRegs, at most 15: ICH_LRn_EL2 from the last on */
	and	x0, x0, #15
	mov	x1, #15
	sub	x1, x1, x0
	adr	x0, 2f
	add	x0, x0, x1, lsl #2
	br	x0
2:	.irp	n, 7, 6, 5, 4, 3, 2, 1, 0
	msr	S3_4_C12_C13_\n, xzr
	.endr
	.irp	n, 7, 6, 5, 4, 3, 2, 1, 0
	msr	S3_4_C12_C12_\n, xzr
	.endr
1:	mrs	x0, id_aa64mmfr1_el1
	ubfx	x1, x0, #40, #4		/* HCX */
	cbz	x1, 1f
	msr	S3_4_C1_C2_2, xzr	/* HCRX_EL2 */
1:	msr	cnthp_ctl_el2, xzr
	ubfx	x1, x0, #8, #4		/* VHE */
	cbz	x1, 1f
	ldr	x0, =(HCR_OPEN | (1 << 34))	/* E2H: the timers of EL2 in this Security state */
	msr	hcr_el2, x0
	isb
	msr	cntv_ctl_el0, xzr
	msr	cntp_ctl_el0, xzr
	ldr	x0, =HCR_OPEN
	msr	hcr_el2, x0
	isb
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
#if GUEST_EL < 2
	mrs	x4, S3_0_C0_C5_2	/* ID_AA64DFR2_EL1.SPE_EXC */
	tst	x4, #(0xf << 16)
	b.eq	3f
	orr	x3, x3, #(1 << 8)	/* EE of 0b01: Profiling exceptions, too */
3:
#endif
	msr	S3_4_C9_C9_0, x3
	mrs	x4, S3_0_C0_C5_2	/* SPE_EXC */
	tst	x4, #(0xf << 16)
	b.eq	2f
	msr	S3_4_C9_C10_3, xzr	/* PMBSR_EL2 */
2:	msr	mdcr_el2, x0
	mrs	x3, id_aa64mmfr0_el1
	lsr	x3, x3, #56		/* FGT */
	and	x3, x3, #15
	cbz	x3, 1f
	cmp	x2, #3			/* from v1p2 on: nPMSNEVFR_EL1 */
	cset	x4, hs
	lsl	x4, x4, #62
	msr	S3_4_C1_C1_4, xzr	/* HFGRTR_EL2, HFGWTR_EL2, HFGITR_EL2 */
	msr	S3_4_C1_C1_5, xzr
	msr	S3_4_C1_C1_6, xzr
	msr	S3_4_C3_C1_4, x4	/* HDFGRTR_EL2 */
	msr	S3_4_C3_C1_5, x4	/* HDFGWTR_EL2 */
	cmp	x3, #2			/* FEAT_FGT2: nPMBMAR_EL1, nPMSDSFR_EL1 ... */
	b.lo	1f
	ldr	x4, =((1 << 24) | (1 << 19) | (7 << 2))
	msr	S3_4_C3_C1_0, x4	/* HDFGRTR2_EL2: ... nPMUACR, nPMICFILTR, nPMICNTR */
	orr	x4, x4, #(1 << 21)	/* nPMZR_EL0 */
	msr	S3_4_C3_C1_1, x4	/* HDFGWTR2_EL2 */
1:	isb
	ret

/*
 * SCR_EL3: the lower levels are Non-secure (NS), use AArch64 (RW), may HVC (HCE), use pointer
 * authentication (APK, API) and fine-grained traps (FGTEn, FGTEn2). If the guest stays here,
 * interrupts and SErrors go to EL3 (IRQ, FIQ, EA).
 */
#if GUEST_EL >= 3
#define SCR_ROUTED (7 << 1)
#else
#define SCR_ROUTED 0
#endif
#define SCR_OPEN ((1 << 17) | (1 << 16) | (1 << 10) | (1 << 8) | SCR_ROUTED | (1 << 0))

open_el3:
	ldr	x0, =SCR_OPEN
	mrs	x3, id_aa64mmfr0_el1
	lsr	x3, x3, #56		/* FGT */
	and	x3, x3, #15
	cbz	x3, 1f
	orr	x0, x0, #(1 << 27)
	cmp	x3, #2
	b.lo	1f
	orr	x0, x0, #(1 << 59)
1:	mrs	x3, id_aa64mmfr0_el1
	ubfx	x3, x3, #60, #4		/* ECV */
	cmp	x3, #2
	b.lo	1f
	orr	x0, x0, #(1 << 28)	/* ECVEn: CNTPOFF_EL2 */
1:	mrs	x3, id_aa64mmfr1_el1
	ubfx	x3, x3, #40, #4		/* HCX */
	cbz	x3, 1f
	orr	x0, x0, #(1 << 38)	/* HXEn */
1:	msr	scr_el3, x0
	isb
	mov	x0, xzr
	mrs	x1, id_aa64pfr0_el1
	ubfx	x1, x1, #32, #4		/* SVE */
	cbz	x1, 1f
	mov	x0, #(1 << 8)		/* CPTR_EL3.EZ */
	msr	cptr_el3, x0
	isb
	mov	x1, #0xf
	msr	S3_6_C1_C2_0, x1	/* ZCR_EL3 */
1:	msr	cptr_el3, x0
	mov	x0, xzr
	mrs	x1, id_aa64dfr0_el1
	ubfx	x2, x1, #32, #4		/* PMSVer */
	cbz	x2, 1f
	orr	x0, x0, #(3 << 12)	/* MDCR_EL3.NSPB: Non-secure, no traps */
	orr	x0, x0, #(1 << 36)	/* EnPMSN, EnPMS3, EnPMS4 */
	orr	x0, x0, #(1 << 42)
	orr	x0, x0, #(1 << 55)
1:	ubfx	x2, x1, #8, #4		/* PMUVer */
	sub	x3, x2, #9
	cmp	x3, #6
	b.hs	1f
	orr	x0, x0, #(1 << 7)	/* EnPM2: what v3p9 adds */
1:	msr	mdcr_el3, x0
	mrs	x0, id_aa64pfr0_el1
	ubfx	x0, x0, #24, #4
	cbz	x0, 1f
	mov	x0, #0xf
	msr	S3_6_C12_C12_5, x0	/* ICC_SRE_EL3 */
1:	isb
	ret
	.ltorg
