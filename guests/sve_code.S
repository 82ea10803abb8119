/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The instructions of SVE that the guest sve executes: see sve.h.
 */
#include "sve.h"

	.arch	armv8.2-a+sve
	.text
	.globl	sve_length
sve_length:
	rdvl	x0, #1
	ret

	.globl	sve_zcr
sve_zcr:
	mrs	x0, S3_0_C1_C2_0
	ret

	.section .user.text, "ax"
	.globl	user_length
user_length:
	rdvl	x0, #1
	ret

	.globl	user_zcr
user_zcr:
	mrs	x0, S3_0_C1_C2_0
	ret

/* x1: struct sve_state. Where SVE is trapped, the registers stay as they are. */
	.macro	begin_loop name
	.globl	user_\name, user_\name\()_at
user_\name:
	ldp	x2, x3, [x1]
	add	x4, x1, #STATE_P0
	ldr	p0, [x4]
	add	x4, x1, #STATE_P1
	ldr	p1, [x4]
	add	x4, x1, #STATE_P2
	ldr	p2, [x4]
	add	x4, x1, #STATE_Z1
	ldr	z1, [x4]
	dup	z0.d, #0
	dup	z2.d, #0
	dup	z3.d, #0
user_\name\()_at:
	.endm

	.macro	end_loop name
	subs	x0, x0, #1
	b.ne	user_\name\()_at
	ret
	.endm

	.macro	loop name, insn:vararg
	begin_loop \name
	\insn
	end_loop \name
	.endm

	loop	add, add z0.d, z2.d, z3.d
	loop	add_predicated, add z0.d, p0/m, z0.d, z2.d
	loop	add_bytes, add z0.b, p0/m, z0.b, z2.b
	loop	fadd, fadd z0.d, z2.d, z3.d
	loop	fmla, fmla z0.d, p0/m, z2.d, z3.d
	loop	ldr, ldr z0, [x2]
	loop	str, str z0, [x2]
	loop	ld1b, ld1b {z0.b}, p0/z, [x2]
	loop	ld1d, ld1d {z0.d}, p0/z, [x2]
	loop	ld1d_indexed, ld1d {z0.d}, p0/z, [x2, x3, lsl #3]
	loop	ld1w_extended, ld1w {z0.d}, p0/z, [x2]
	loop	ld2d, ld2d {z4.d, z5.d}, p0/z, [x2]
	loop	st1d, st1d {z0.d}, p0, [x2]
	loop	st1h_offset, st1h {z0.h}, p0, [x2, #1, mul vl]
	loop	ldff1d, ldff1d {z0.d}, p0/z, [x2]
	loop	ldff1d_gather, ldff1d {z0.d}, p0/z, [x2, z1.d]
	loop	gather, ld1d {z0.d}, p0/z, [x2, z1.d]
	loop	gather_scaled, ld1d {z0.d}, p0/z, [x2, z1.d, lsl #3]
	loop	gather_vector, ld1d {z0.d}, p0/z, [z1.d, #8]
	loop	gather_words, ld1w {z0.s}, p0/z, [x2, z1.s, uxtw #2]
	loop	scatter, st1d {z0.d}, p0, [x2, z1.d]
	loop	scatter_words, st1w {z0.s}, p0, [x2, z1.s, sxtw]

	/* SVE2, which the assembler may not know */
	loop	sqadd, .inst 0x44d88040		/* sqadd z0.d, p0/m, z0.d, z2.d */
	loop	saddlb, .inst 0x45c30040	/* saddlb z0.d, z2.s, z3.s */
	loop	match, .inst 0x45238043		/* match p3.b, p0/z, z2.b, z3.b */
	loop	histcnt, .inst 0x45e3c040	/* histcnt z0.d, p0/z, z2.d, z3.d */
	loop	fmlalb, .inst 0x64a38040	/* fmlalb of z2 and z3, to z0 */
	loop	flogb, .inst 0x651ea040		/* flogb z0.d, p0/m, z2.d */
	loop	ldnt1d, .inst 0xc583c020	/* ldnt1d {z0.d}, p0/z, [z1.d, x3] */
	loop	ldnt1sw, .inst 0xc5038020	/* ldnt1sw {z0.d}, p0/z, [z1.d, x3] */
	loop	stnt1d, .inst 0xe5832020	/* stnt1d {z0.d}, p0, [z1.d, x3] */

	begin_loop predicates
	add	z4.d, p0/m, z4.d, z2.d
	add	z5.d, p1/m, z5.d, z2.d
	add	z6.d, p2/m, z6.d, z2.d
	end_loop predicates

	begin_loop mixed
	ld1d	{z4.d}, p0/z, [x2]
	st1d	{z5.d}, p0, [x2]
	ld1d	{z6.d}, p0/z, [x2, z1.d]
	st1d	{z5.d}, p0, [x2, z1.d]
	add	z7.d, z2.d, z3.d
	fadd	z16.d, z2.d, z3.d
	end_loop mixed
