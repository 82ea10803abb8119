/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Code of the guests levels and levels3.
 */
#include "layout.h"

	.text
/* uint64_t levels_eret(spsr): ERET from main's level to the next instruction; the address of that. */
	.globl	levels_eret
levels_eret:
	mov	x1, x0
	adr	x0, 1f
	mrs	x2, CurrentEL
#if GUEST_EL >= 3
	cmp	x2, #(3 << 2)
	b.ne	2f
	msr	elr_el3, x0
	msr	spsr_el3, x1
	eret
#endif
2:	msr	elr_el2, x0
	msr	spsr_el2, x1
	eret
1:	nop
	msr	daifset, #0xf
	ret

	.section .user.text, "ax"
/* EL0 of a host: both counters. */
	.globl	levels_read_counters
levels_read_counters:
	mrs	x5, cntpct_el0
	mrs	x5, cntvct_el0
	svc	#1

/* ... and its cache type register and DC ZVA. */
	.globl	levels_use_caches
levels_use_caches:
	mrs	x5, ctr_el0
	dc	zva, x1
	dc	cvau, x1
	wfi
	svc	#1
