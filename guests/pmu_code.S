/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counted calls, and code of EL0 that accesses the Performance Monitors.
 */
	.text
/* pmu_run(pmcr, function, a, b) */
	.globl	pmu_run
pmu_run:
	stp	x29, x30, [sp, #-32]!
	str	x19, [sp, #16]
	bic	x19, x0, #1
	mov	x16, x0
	mov	x17, x1
	mov	x0, x2
	mov	x1, x3
	msr	pmcr_el0, x16
	isb
	blr	x17
	msr	pmcr_el0, x19
	isb
	ldr	x19, [sp, #16]
	ldp	x29, x30, [sp], #32
	ret

/* pmu_calls(n): n SVCs, each with a SUBS and a B.NE; and a RET. */
	.globl	pmu_calls
pmu_calls:
	svc	#7
	subs	x0, x0, #1
	b.ne	pmu_calls
	ret

	.section .user.text, "ax"
/* Accesses of EL0, each a function: pmu_user_<what>(value). */
	.macro	reads name, register
	.globl	pmu_user_\name
pmu_user_\name:
	mrs	x0, \register
	ret
	.endm
	.macro	writes name, register
	.globl	pmu_user_\name
pmu_user_\name:
	msr	\register, x0
	ret
	.endm

	reads	read_control, pmcr_el0
	reads	read_enabled, pmcntenset_el0
	reads	read_selected, pmselr_el0
	reads	read_cycles, pmccntr_el0
	reads	read_counter, pmevcntr0_el0
	reads	read_type, pmevtyper0_el0
	reads	read_enable, pmuserenr_el0
	reads	read_overflows, pmovsset_el0
	reads	read_ids, pmceid0_el0
	writes	write_selected, pmselr_el0
	writes	write_cycles, pmccntr_el0
	writes	write_counter, pmevcntr0_el0
	writes	increment, pmswinc_el0
	writes	write_enable, pmuserenr_el0
	reads	read_clears, pmcntenclr_el0
	reads	read_instructions, s3_3_c9_c4_0
	reads	read_filter, s3_3_c9_c6_0
	writes	write_enabled, pmcntenset_el0
	writes	write_instructions, s3_3_c9_c4_0
	writes	write_filter, s3_3_c9_c6_0
	writes	zero, s3_3_c9_c13_4
