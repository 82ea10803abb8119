/* SPDX-License-Identifier: BSD-2-Clause */
/* SVE for figures.c. */
	.arch	armv8.2-a+sve
	.text
	.globl	gather_words, gather_run
gather_words:
	cntw	x0
	ret

gather_run:
	ptrue	p0.s
	ld1w	z0.s, p0/z, [x2]
1:	.rept	8
	ld1w	z0.s, p0/z, [x1, z0.s, uxtw]
	.endr
	subs	x0, x0, #1
	b.ne	1b
	ret
