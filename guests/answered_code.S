/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Code with accesses and calls that a hypervisor answers: answered(laps, device) has ANSWERED_BEGIN
 * operations, then laps of ANSWERED_LAP, and a RET. At EL0 the call is SVC #1, and whoever handles
 * that makes the accesses. A call leaves X4 to X17 (Arm DEN0028, 2.6).
 */
#include "answered.h"

#define PSCI_VERSION_HIGH 0x8400

	.macro	nops count
	.rept	\count
	nop
	.endr
	.endm

	.text
	.globl	kernel_answered
kernel_answered:
	mov	x9, x0
	mov	x10, x1
	.globl	kernel_answered_lap
kernel_answered_lap:
	.rept	ANSWERED_PARTS
	nops	20
	ldr	w2, [x10]
	nops	2
	ldr	w2, [x10]
	ldr	w2, [x10]
	nops	14
	movz	w0, #PSCI_VERSION_HIGH, lsl #16
	hvc	#0
	nops	ANSWERED_PART - 41
	.endr
	subs	x9, x9, #1
	b.ne	kernel_answered_lap
	ret

	.section .user.text, "ax"
	.globl	user_answered
user_answered:
	mov	x9, x0
	mov	x10, x1
	.globl	user_answered_lap
user_answered_lap:
	.rept	ANSWERED_PARTS
	nops	40
	svc	#1
	nops	ANSWERED_PART - 41
	.endr
	subs	x9, x9, #1
	b.ne	user_answered_lap
	ret
