/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Code of nv.c: registers of nv.def at EL2, and accesses to be sampled.
 */
#include "access_code.h"
#include "nv_code.h"

	.text
/* For every register of nv.def: read(x0), then write(x0), 8 bytes each. Those of EL12 are not called. */
#define NV(name, op0, op1, crn, crm, op2, ...)							\
	mrs	x0, S##op0##_##op1##_C##crn##_C##crm##_##op2; ret;				\
	msr	S##op0##_##op1##_C##crn##_C##crm##_##op2, x0; ret;
	.balign	16
	.globl	nv_own
nv_own:
#include "nv.def"

/* Nothing but reads (first, at even words) and writes (at odd words) of PMSIRR_EL1. */
	.balign	16
	.globl	nv_sled
nv_sled:
	.rept	NV_SLED_PAIRS
	mrs	x1, S3_0_C9_C9_3
	msr	S3_0_C9_C9_3, x1
	.endr
	hvc	#CALL_DONE
