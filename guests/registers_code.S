/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For every register of registers.def: read(x0), then write(x0), 8 bytes each; for EL1 and for EL0.
 */
#define REG(name, encoding, exists, write)                                                        \
	mrs	x0, encoding; ret; msr	encoding, x0; ret;

	.text
	.balign	16
	.globl	kernel_access
kernel_access:
#include "registers.def"

	.section .user.text, "ax"
	.balign	16
	.globl	user_access
user_access:
#include "registers.def"
