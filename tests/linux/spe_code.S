/* SPDX-License-Identifier: BSD-2-Clause */
/* See spe_code.h. */
	.macro	loop name
	.globl	\name
\name:
	sub	sp, sp, #16
1:	ldr	x1, [sp]
	add	x1, x1, #1
	str	x1, [sp]
	subs	x0, x0, #1
	b.ne	1b
	add	sp, sp, #16
	ret
	.globl	\name\()_end
\name\()_end:
	.endm

	.text
	loop	spe_loop
	loop	other_loop		/* the same code once more, elsewhere */
