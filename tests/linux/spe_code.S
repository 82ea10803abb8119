/* SPDX-License-Identifier: BSD-2-Clause */
/* See spe_code.h. */
	.text
	.globl	spe_loop
spe_loop:
	sub	sp, sp, #16
1:	ldr	x1, [sp]
	add	x1, x1, #1
	str	x1, [sp]
	subs	x0, x0, #1
	b.ne	1b
	add	sp, sp, #16
	ret
	.globl	spe_loop_end
spe_loop_end:
/* The same code once more, elsewhere. */
	.globl	other_loop
other_loop:
	sub	sp, sp, #16
1:	ldr	x1, [sp]
	add	x1, x1, #1
	str	x1, [sp]
	subs	x0, x0, #1
	b.ne	1b
	add	sp, sp, #16
	ret
	.globl	other_loop_end
other_loop_end:
