/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Targets of indirect branches, in a separate page that features.c makes guarded. Each target
 * returns its number. Instructions that the assembler may not know are given as words.
 */
	.text
	.balign	4096
	.globl	landings
landings:
landing_call:
	.inst	0xd503245f	/* bti c */
	mov	x0, #1
	ret
	.balign	16
landing_jump:
	.inst	0xd503249f	/* bti j */
	mov	x0, #2
	ret
	.balign	16
landing_both:
	.inst	0xd50324df	/* bti jc */
	mov	x0, #3
	ret
	.balign	16
landing_signs:
	.inst	0xd503233f	/* paciasp */
	mov	x0, #4
	ret
	.balign	16
landing_nowhere:
	mov	x0, #5
	ret

/*
 * uint64_t jump_guarded(address): a jump from the guarded page, by a register other than X16 and
 * X17
 */
	.globl	jump_guarded
jump_guarded:
	.inst	0xd503245f	/* bti c */
	br	x0
	.balign	4096

/* The same from an unguarded page. */
	.globl	jump_unguarded
jump_unguarded:
	br	x0

/* uint64_t jump_by_x16(address), call_by_register(address) */
	.globl	jump_by_x16
jump_by_x16:
	mov	x16, x0
	br	x16

	.globl	call_by_register
call_by_register:
	stp	x29, x30, [sp, #-16]!
	blr	x0
	ldp	x29, x30, [sp], #16
	ret

/* void user_restrict(void), at EL0 */
	.section .user.text, "ax"
	.globl	user_restrict
user_restrict:
	sys	#3, c7, c3, #4, x0	/* cfp rctx, x0 */
	sys	#3, c7, c3, #5, x0	/* dvp rctx, x0 */
	sys	#3, c7, c3, #7, x0	/* cpp rctx, x0 */
	ret

/* void user_wait_until(uint64_t time), at EL0 */
	.globl	user_wait_until
user_wait_until:
	.inst	0xd5031020	/* wfit x0 */
	.inst	0xd5031000	/* wfet x0 */
	ret
