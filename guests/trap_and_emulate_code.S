/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What EL1 executes in single steps: emulated_work(laps, words).
 */
#include "trap_and_emulate.h"

	.text
	.globl	emulated_work
	.globl	emulated_work_load
	.globl	emulated_work_store
	.globl	emulated_work_back
	.globl	emulated_work_end
emulated_work:
	mov	x2, xzr
1:	mov	x3, #WORK_PASSES
2:
emulated_work_load:
	ldr	x4, [x1, #WORK_LOADED]
	add	x2, x2, x4
emulated_work_store:
	str	x2, [x1, #WORK_STORED]
	sub	x3, x3, #1
emulated_work_back:
	cbnz	x3, 2b
	subs	x0, x0, #1
	b.ne	1b
	mov	x0, x2
	ret
emulated_work_end:
