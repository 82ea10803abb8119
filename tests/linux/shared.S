// SPDX-License-Identifier: BSD-2-Clause
/*
 * A program of Linux with two threads, one on each of two CPUs. Each counts to 300,000 in its cell;
 * the cells are in one cache line, or with one argument in two lines far apart. A round has six
 * operations. With two arguments it has five, which divide perf's default interval (1025 on a
 * Neoverse core), so each sample is of the same operation (docs/linux-guest.md).
 *
 * With three arguments both count under a lock, and with four the first produces numbers that the
 * second one consumes, a cell and its flag at a time.
 */
	.equ	ROUNDS, 300000
	.equ	FEWER, 20000		// numbers: each waits for the other thread
	.equ	SAME, 8			// bytes from the first cell to the second
	.equ	APART, 256
	.equ	THREAD, 0x00050f00	// CLONE_VM, FS, FILES, SIGHAND, THREAD and SYSVSEM
	.globl _start
_start:
	ldr	x19, [sp]		// argc
	cmp	x19, #2
	mov	x20, #SAME
	mov	x21, #APART
	csel	x20, x21, x20, eq
	mov	x0, #THREAD & 0xffff
	movk	x0, #THREAD >> 16, lsl #16
	adrp	x1, stack_end
	add	x1, x1, :lo12:stack_end
	mov	x2, #0
	mov	x3, #0
	mov	x4, #0
	mov	x8, #220		// clone
	svc	#0
	adrp	x22, cells
	add	x22, x22, :lo12:cells
	adrp	x23, ready
	add	x23, x23, :lo12:ready
	cbz	x0, second
	mov	x24, #1			// CPU 0
	add	x25, x23, #128		// the CPU to wait for
	b	both
second:	mov	x24, #2			// CPU 1
	add	x22, x22, x20
	mov	x25, x23
	add	x23, x23, #128
both:	adrp	x2, masks
	add	x2, x2, :lo12:masks
	str	x24, [x2, x24, lsl #3]
	add	x2, x2, x24, lsl #3
	mov	x0, #0
	mov	x1, #8
	mov	x8, #122		// sched_setaffinity
	svc	#0
	mov	x1, #1
	stlr	x1, [x23]
wait:	mov	x8, #124		// sched_yield
	svc	#0
	ldar	x1, [x25]
	cbz	x1, wait
	mov	x1, #ROUNDS & 0xffff
	movk	x1, #ROUNDS >> 16, lsl #16
	adrp	x26, gate
	add	x26, x26, :lo12:gate
	cmp	x19, #3
	b.eq	five
	cmp	x19, #4
	b.eq	lock
	cmp	x19, #5
	b.eq	pass
six:	ldr	x3, [x22]
	add	x3, x3, #1
	str	x3, [x22]
	add	x4, x4, x3
	subs	x1, x1, #1
	b.ne	six
	b	done
five:	ldr	x3, [x22]
	add	x3, x3, #1
	str	x3, [x22]
	subs	x1, x1, #1
	b.ne	five
	b	done
lock:	ldaxr	w3, [x26]
	cbnz	w3, lock
	stxr	w3, w1, [x26]		// the rounds that are left: not 0
	cbnz	w3, lock
	ldr	x3, [x22]
	add	x3, x3, #1
	str	x3, [x22]
	stlr	wzr, [x26]
	subs	x1, x1, #1
	b.ne	lock
	b	done
pass:	mov	x1, #FEWER
	cmp	x24, #1
	b.ne	take
put:	ldar	w3, [x26]
	cbnz	w3, put
	str	x1, [x22]
	stlr	w1, [x26]
	subs	x1, x1, #1
	b.ne	put
	b	done
take:	ldar	w3, [x26]
	cbz	w3, take
	ldr	x3, [x22, #-SAME]	// the first cell
	add	x4, x4, x3
	stlr	wzr, [x26]
	subs	x1, x1, #1
	b.ne	take
done:	mov	x1, #2
	stlr	x1, [x23]
rest:	mov	x8, #124
	svc	#0
	ldar	x1, [x25]
	cmp	x1, #2
	b.ne	rest
	mov	x0, #0
	mov	x8, #94			// exit_group: whoever is the first, the other has done its work
	svc	#0

	.bss
	.balign 4096
stack:	.skip	4096
stack_end:
	.balign 128
	.type	cells, %object
	.size	cells, 512
cells:	.skip	512
	.type	gate, %object
	.size	gate, 128
gate:	.skip	128
	.type	ready, %object
	.size	ready, 256
ready:	.skip	256
	.type	masks, %object
	.size	masks, 32
masks:	.skip	32
