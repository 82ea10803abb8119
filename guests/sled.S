/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A sled of NOPs, for EL1 and for EL0. sled(laps) slides down it so many times; sled_nops is another
 * whose tail makes a function of any number of operations.
 */
#include "sled.h"

	.macro	sled prefix
	.globl	\prefix\()_sled
\prefix\()_sled:
	.rept	SLED_NOPS
	nop
	.endr
	subs	x0, x0, #1
	b.ne	\prefix\()_sled
	.globl	\prefix\()_sled_ret
\prefix\()_sled_ret:
	ret

	.rept	SLED_NOPS
	nop
	.endr
	.globl	\prefix\()_nops_end
\prefix\()_nops_end:
	ret
	.endm

	.text
	sled	kernel

	.section .user.text, "ax"
	sled	user
