/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The work of the two VMs of the guest switch: checksum(laps, words). Every lap offers the place to the
 * other VM.
 */
#include "switch.h"

	.text
/* Loads and stores, of one register and of two, walking through 64 words. */
	.globl	switch_memory
	.globl	switch_memory_end
switch_memory:
	mov	x2, xzr			/* the word */
	mov	x3, #1			/* the checksum */
1:	.rept	5
	ldr	x4, [x1, x2, lsl #3]
	eor	x3, x4, x3, ror #7
	str	x3, [x1, x2, lsl #3]
	add	x2, x2, #5
	and	x2, x2, #62
	lsl	x5, x2, #3
	add	x5, x5, x1
	ldp	x6, x7, [x5]
	eor	x6, x6, x3
	stp	x7, x6, [x5]
	nop
	.endr
	hvc	#SWITCH_YIELD
	subs	x0, x0, #1
	b.ne	1b
	mov	x0, x3
	ret
switch_memory_end:

/* Branches of all kinds, taken or not as a pseudo-random number has it; the words are not used. */
	.globl	switch_branches
	.globl	switch_branches_end
switch_branches:
	stp	x29, x30, [sp, #-16]!
	ldr	x2, =0x9e3779b97f4a7c15
	mov	x3, #1
2:	mov	x5, #9
3:	eor	x3, x3, x3, lsl #13
	eor	x3, x3, x3, lsr #7
	eor	x3, x3, x3, lsl #17
	tbz	x3, #5, 4f
	bl	switch_leaf
4:	tst	x3, #0x300
	b.eq	5f
	adr	x6, 5f
	br	x6
	nop
5:	cbz	x5, 6f
	sub	x5, x5, #1
	b	3b
6:	hvc	#SWITCH_YIELD
	sub	x0, x0, #1
	cbnz	x0, 2b
	mov	x0, x3
	ldp	x29, x30, [sp], #16
	ret
switch_leaf:
	add	x3, x3, x2
	ret
	.ltorg
switch_branches_end:
