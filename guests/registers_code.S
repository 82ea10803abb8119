/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For every register of statement.def: read(x0), then write(x0), 8 bytes each; for EL1 and for EL0.
 */
#define ACCESS(name, op1, crm, op2, ...)							\
	mrs	x0, S3_##op1##_C9_C##crm##_##op2; ret;						\
	msr	S3_##op1##_C9_C##crm##_##op2, x0; ret;

	.text
	.balign	16
	.globl	kernel_access
kernel_access:
#include "conform/statement.def"

	.section .user.text, "ax"
	.balign	16
	.globl	user_access
user_access:
#include "conform/statement.def"
