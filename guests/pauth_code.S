/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The instructions of FEAT_PAuth as functions of a pointer and a modifier, for pauth.c.
 */
	.arch	armv8.3-a
	.text

.macro	function name:req, body:vararg
	.globl	\name
\name:
	\body
	ret
.endm

	function	pacia, pacia x0, x1
	function	pacib, pacib x0, x1
	function	pacda, pacda x0, x1
	function	pacdb, pacdb x0, x1
	function	autia, autia x0, x1
	function	autib, autib x0, x1
	function	autda, autda x0, x1
	function	autdb, autdb x0, x1
	function	paciza, paciza x0
	function	pacizb, pacizb x0
	function	pacdza, pacdza x0
	function	pacdzb, pacdzb x0
	function	autiza, autiza x0
	function	autizb, autizb x0
	function	autdza, autdza x0
	function	autdzb, autdzb x0
	function	xpaci, xpaci x0
	function	xpacd, xpacd x0
	function	pacga, pacga x0, x0, x1
	function	ldraa, ldraa x0, [x0, #8]
	function	ldrab, ldrab x0, [x0, #-8]

/* uint64_t ldraa_pre(pointer): what the base becomes; of ldrab_pre what is loaded into it is not seen. */
	.globl	ldraa_pre
ldraa_pre:
	ldraa	x1, [x0, #-4096]!
	ret

/* The forms in the hint space, of X30 and the stack pointer, and of X17 and X16. */
.macro	hint_lr name:req, hint:req
	.globl	\name
\name:
	mov	x9, x30
	mov	x10, sp
	mov	sp, x1
	mov	x30, x0
	\hint
	mov	x0, x30
	mov	sp, x10
	mov	x30, x9
	ret
.endm

	hint_lr	paciasp, paciasp
	hint_lr	pacibsp, pacibsp
	hint_lr	autiasp, autiasp
	hint_lr	autibsp, autibsp
	hint_lr	paciaz, paciaz
	hint_lr	pacibz, pacibz
	hint_lr	autiaz, autiaz
	hint_lr	autibz, autibz
	hint_lr	xpaclri, xpaclri

.macro	hint_17 name:req, hint:req
	.globl	\name
\name:
	mov	x17, x0
	mov	x16, x1
	\hint
	mov	x0, x17
	ret
.endm

	hint_17	pacia1716, pacia1716
	hint_17	pacib1716, pacib1716
	hint_17	autia1716, autia1716
	hint_17	autib1716, autib1716

/* uint64_t by_<branch>(uint64_t modifier): 1 if it came to the label 1, with X30 as it should be. */
.macro	lands name:req, sign:req, branch:req, modifier:vararg
	.globl	\name
\name:
	mov	x9, x30
	mov	x1, x0
	adr	x2, 1f
	\sign	x2\modifier
	mov	x0, #0
	\branch	x2\modifier
	mov	x30, x9
	ret
1:	mov	x0, #1
	mov	x30, x9
	ret
.endm

	lands	by_braa, pacia, braa, , x1
	lands	by_brab, pacib, brab, , x1
	lands	by_blraa, pacia, blraa, , x1
	lands	by_blrab, pacib, blrab, , x1
	lands	by_braaz, paciza, braaz
	lands	by_brabz, pacizb, brabz
	lands	by_blraaz, paciza, blraaz
	lands	by_blrabz, pacizb, blrabz

.macro	returns name:req, sign:req, branch:req
	.globl	\name
\name:
	\sign
	mov	x0, #1
	\branch
.endm

	returns	by_retaa, paciasp, retaa
	returns	by_retab, pacibsp, retab

.macro	exception_returns name:req, sign:req, branch:req
	.globl	\name
\name:
	adr	x1, 1f
	mov	x2, sp
	\sign	x1, x2
	msr	elr_el1, x1
	mov	x1, #0x3c5
	msr	spsr_el1, x1
	isb
	mov	x0, #0
	\branch
1:	mov	x0, #1
	ret
.endm

	exception_returns by_eretaa, pacia, eretaa
	exception_returns by_eretab, pacib, eretab
