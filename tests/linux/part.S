// SPDX-License-Identifier: BSD-2-Clause
/*
 * A program of Linux that shares out 400,000,000 rounds of four operations: to as many processes as
 * it has arguments.
 */
	.globl _start
_start:
	ldr	x19, [sp]
	sub	x19, x19, #1		// processes
	mov	x20, #0x8400
	movk	x20, #0x17d7, lsl #16	// 400,000,000
	udiv	x20, x20, x19
	mov	x21, x19
more:	mov	x0, #17			// SIGCHLD
	mov	x1, #0
	mov	x2, #0
	mov	x3, #0
	mov	x4, #0
	mov	x8, #220		// clone
	svc	#0
	cbz	x0, part
	subs	x21, x21, #1
	b.ne	more
ended:	mov	x0, #-1
	mov	x1, #0
	mov	x2, #0
	mov	x3, #0
	mov	x8, #260		// wait4
	svc	#0
	subs	x19, x19, #1
	b.ne	ended
	b	end
part:	add	x2, x2, x20
	eor	x3, x2, x20
	subs	x20, x20, #1
	b.ne	part
end:	mov	x0, #0
	mov	x8, #93			// exit
	svc	#0
