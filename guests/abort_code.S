/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A block in the middle of which data aborts come, of all the kinds that an emulator has to undo: see
 * abort.c. For EL1 and for EL0.
 */
#include "abort.h"

	.macro	block prefix
/* block(laps, hole): hole is an unmapped page between a page of data and one that is read-only. */
	.globl	\prefix\()_block
\prefix\()_block:
	add	x4, x4, #1
	eor	x5, x5, x4
	ldr	x6, [x1]		/* FAULT_LOAD */
	add	x4, x4, x5, lsl #3
	str	x4, [x1, #4096]		/* FAULT_STORE: permission */
	eor	x5, x5, x4, ror #7
	ldp	x6, x7, [x1, #-8]	/* FAULT_PAIR: its second word only */
	add	x4, x4, #3
	ldr	x6, [x1], #8		/* FAULT_POST: no write-back */
	add	x5, x5, x1
	str	x5, [x1, #16]!		/* FAULT_PRE: no write-back */
	stp	x4, x5, [x1, #-8]	/* FAULT_STP */
	eor	x4, x4, x5, lsr #11
	ldr	x6, [x1, #-64]
	add	x5, x5, x6
	str	x4, [x1, #-72]
	subs	x0, x0, #1
	b.ne	\prefix\()_block
	add	x0, x4, x5
	ret

/* block() with its registers cleared. */
	.globl	\prefix\()_start_block
\prefix\()_start_block:
	mov	x4, xzr
	mov	x5, xzr
	b	\prefix\()_block
	.endm

	.text
	block	kernel

	.section .user.text, "ax"
	block	user
