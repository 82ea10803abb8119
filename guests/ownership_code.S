/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Code of ownership.c that is profiled; it runs with the MMU off, at its physical address, at any level.
 */
#include "access_code.h"

	.text
	.balign	16
	.globl	own_code
own_code:
	.macro	loops call, suffix
/* x0 times two operations, then the call. */
	.globl	own_idle_\suffix
own_idle_\suffix:
	subs	x0, x0, #1
	b.ne	own_idle_\suffix
	\call	#CALL_DONE
/* x0 times a load from [x1], and two more operations. */
	.globl	own_load_\suffix
own_load_\suffix:
	ldr	x2, [x1]
	subs	x0, x0, #1
	b.ne	own_load_\suffix
	\call	#CALL_DONE
	.endm

	loops	hvc, hvc
	loops	smc, smc
	loops	svc, svc
	.globl	own_code_end
own_code_end:
