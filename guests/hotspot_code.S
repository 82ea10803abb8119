/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The functions that hotspot profiles: the same code for EL1 and, at low addresses, for EL0. Of every
 * round sixty() executes 60 per cent of the operations, thirty() 30 and ten() 10; hotspot.h has the
 * counts. Any change here changes them.
 */
#include "hotspot.h"

	.macro	function name
	.globl	\name
	.type	\name, %function
\name:
	.endm

	.macro	finish name
	.size	\name, . - \name
	/* Weak: of two symbols with one address, perf shows the one that is not. */
	.weak	\name\()_end
\name\()_end:
	.endm

	.macro	hotspots prefix
/* sixty(turns): arithmetic. */
	function \prefix\()_sixty
1:	eor	x2, x2, x2, lsl #13
	add	x2, x2, x0
	eor	x2, x2, x2, lsr #7
	add	x3, x3, x2
	subs	x0, x0, #1
	b.ne	1b
	ret
	finish	\prefix\()_sixty

/* thirty(turns, data): a load and a store of the same word, word after word. */
	function \prefix\()_thirty
	mov	x3, #0
1:	ldr	x2, [x1, x3]
	add	x2, x2, #1
	str	x2, [x1, x3]
	add	x3, x3, #8
	and	x3, x3, #(DATA_BYTES - 1)
	subs	x0, x0, #1
	b.ne	1b
	ret
	finish	\prefix\()_thirty

/* ten(turns): calls. */
	function \prefix\()_ten
	mov	x4, x30
1:	bl	2f
	subs	x0, x0, #1
	b.ne	1b
	ret	x4
2:	add	x5, x5, x0
	ret
	finish	\prefix\()_ten

/* driver(rounds, data) */
	function \prefix\()_driver
	mov	x10, x0
	mov	x11, x1
	mov	x12, x30
1:	mov	x0, #SIXTY_TURNS
	bl	\prefix\()_sixty
	mov	x0, #THIRTY_TURNS
	mov	x1, x11
	bl	\prefix\()_thirty
	mov	x0, #TEN_TURNS
	bl	\prefix\()_ten
	subs	x10, x10, #1
	b.ne	1b
	ret	x12
	finish	\prefix\()_driver
	.endm

	.text
	hotspots kernel

	.section .user.text, "ax"
	hotspots user
