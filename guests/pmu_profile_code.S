/* SPDX-License-Identifier: BSD-2-Clause */
/* A program that executes most of its instructions in one function, and waits in the other. */
#include "pmu_profile.h"

	.section .user.text, "ax"
/* user_waits(turns, node): from node to node; returns the last one. */
	.globl	user_waits, user_waits_end
user_waits:
	ldr	x1, [x1]
	subs	x0, x0, #1
	b.ne	user_waits
	mov	x0, x1
	ret
user_waits_end:

/* user_mixed(rounds, node) */
	.globl	user_mixed, user_mixed_end
user_mixed:
	mov	x10, x0
	mov	x11, x1
	mov	x12, x30
1:	mov	x0, #MIXED_TURNS
	bl	user_sixty
	mov	x0, #WAITS_TURNS
	mov	x1, x11
	bl	user_waits
	mov	x11, x0
	subs	x10, x10, #1
	b.ne	1b
	ret	x12
user_mixed_end:
