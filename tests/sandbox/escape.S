/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A guest that hands each byte it reads from its console to the hook of escape.c, until a full stop,
 * and powers off. It comes that far only if nothing stopped vspe.
 */
	.global _start
_start:
	mov	x19, #0x09000000	/* PL011 */
	mov	x20, #0x0b000000	/* the hook */
	mov	w0, #0x301		/* UARTCR: UARTEN, TXE and RXE */
	str	w0, [x19, #0x30]
1:	ldr	w0, [x19, #0x18]	/* UARTFR.RXFE */
	tbnz	w0, #4, 1b
	ldr	w0, [x19]
	and	w0, w0, #0xff
	cmp	w0, #'.'
	b.eq	2f
	str	w0, [x20]
	b	1b
2:	adr	x1, alive
3:	ldrb	w0, [x1], #1
	cbz	w0, 4f
	str	w0, [x19]
	b	3b
4:	ldr	x0, =0x84000008		/* PSCI SYSTEM_OFF */
	hvc	#0
	b	.

alive:
	.asciz	"the guest goes on\n"
